"""A folder of notes in which notes come, change, move and go, each with a word of its own to find it by."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from typing import NamedTuple

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
_PARAGRAPHS = (1, 3)
_LEAST_CHARS = 60
_LETTERS = "bcdfghjkmn"
"""A word is one term only if it has no digits."""
_WORD_LETTERS = 12
"""Enough that no word is near another: a word that is gone would be taken for a misspelling of that."""
_FOLDERS = ("일지", "notes", "프로젝트/색인", "projects/search")


def read_paragraphs() -> list[str]:
    """Return paragraphs of prose in Korean and English."""
    texts = [path.read_text("utf-8") for path in sorted(GUIDE.rglob("*.md"))]
    parts = [part for text in texts for part in re.split(r"\n{2,}", text)]
    return [part for part in parts if len(part) >= _LEAST_CHARS and re.match(r"\w", part)]


class Note(NamedTuple):
    """One note."""

    word: str
    """Stands in this version of this note and nowhere else."""
    text: str
    """All of it."""


@dataclass
class Changes:
    """What became of notes since the last look: those to be found, by path, and words that are gone."""

    found: dict[str, Note] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    """As a report of ingest counts them."""


class ChangingNotes:
    """Notes below a folder.

    Args:
        root: The folder; made when the first note is written.
        random: Decides what happens.
    """

    def __init__(self, root: Path, random: Random) -> None:
        self._root = root
        self._random = random
        self._paragraphs = read_paragraphs()
        self._numbers = count(1)
        self._notes: dict[str, Note] = {}

    def add(self, number: int) -> Changes:
        """Write so many new notes."""
        paths = [self._new_path() for _ in range(number)]
        return Changes(found={path: self._write(path) for path in paths}, counts={"new": number})

    def shuffle(self) -> Changes:
        """Add two notes, change two, move one and remove one."""
        changes = self.add(2)
        changed, again, moved, removed = self._random.sample(sorted(set(self._notes) - set(changes.found)), 4)
        for path in (changed, again):
            changes.gone.append(self._notes[path].word)
            changes.found[path] = self._write(path)
        target = self._new_path()
        self._place(target)
        (self._root / moved).rename(self._root / target)
        changes.found[target] = self._notes[target] = self._notes.pop(moved)
        (self._root / removed).unlink()
        changes.gone.append(self._notes.pop(removed).word)
        changes.counts |= {"updated": 2, "moved": 1, "removed": 1}
        return changes

    def question(self) -> str:
        """Return words of a passage that some note may have."""
        words = self._random.choice(self._paragraphs).split()
        start = self._random.randrange(len(words))
        return " ".join(words[start : start + self._random.randint(2, 6)])

    def _new_path(self) -> str:
        return f"{self._random.choice(_FOLDERS)}/{next(self._numbers)}.md"

    def _write(self, path: str) -> Note:
        word = f"zq{''.join(self._random.choices(_LETTERS, k=_WORD_LETTERS))}x"
        body = self._random.sample(self._paragraphs, self._random.randint(*_PARAGRAPHS))
        text = "\n\n".join([f"# Note {word}", *body, f"{word} 끝"]) + "\n"
        self._place(path).write_text(text, encoding="utf-8")
        note = self._notes[path] = Note(word, text)
        return note

    def _place(self, path: str) -> Path:
        """Return where a note lies, in a folder that is there."""
        target = self._root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        return target
