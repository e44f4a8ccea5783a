"""From one list of words to another in single steps, so that what stands beside the words in a file stays."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True, kw_only=True)
class Edit:
    """One step."""

    at: int
    """From 0."""
    value: str | None
    """What is to stand there; None where the word goes."""
    is_new: bool = False
    """Whether it stands before the word that is there, not in its place."""


def plan_edits(before: Sequence[str], after: Sequence[str]) -> Iterator[Edit]:
    """Yield what makes a list into another, from the back to the front.

    Yields:
        Steps that hold when those before them are taken.
    """
    steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for kind, start, end, there, until in reversed(steps):
        if kind == "equal":
            continue
        shared = min(end - start, until - there)
        for at in reversed(range(start + shared, end)):
            yield Edit(at=at, value=None)
        for value in reversed(after[there + shared : until]):
            yield Edit(at=end, value=value, is_new=True)
        for offset in reversed(range(shared)):
            yield Edit(at=start + offset, value=after[there + offset])


@dataclass(frozen=True, kw_only=True)
class CommaList:
    """A list in brackets, as it stands in a text."""

    text: str
    spans: Sequence[tuple[int, int]]
    """Of the words; at least one."""
    close: int
    """Where the bracket is that closes it."""
    space: re.Pattern[str]
    """What may stand between words and commas: space and comments."""

    def apply(self, edit: Edit, spelling: str) -> str:
        """Return the text after a step; comments stay.

        Args:
            edit: The step.
            spelling: How the value is written.
        """
        text = self.text
        if edit.is_new:
            return self._insert(edit.at, spelling)
        start, end = self.spans[edit.at]
        if edit.value is not None:
            return text[:start] + spelling + text[end:]
        comma = self._comma_behind(edit.at)
        if comma is None and edit.at:
            before = self._comma_behind(edit.at - 1) or start
            text, start, end = text[:before] + text[before + 1 :], start - 1, end - 1
        return _cut(text, start, end if comma is None else comma + 1)

    def _insert(self, at: int, spelling: str) -> str:
        text = self.text
        if at < len(self.spans):
            place = self.spans[at][0]
            return f"{text[:place]}{spelling},{self._gap(at)}{text[place:]}"
        place = self.spans[-1][1]
        comma = "" if self._comma_behind(at - 1) is not None else ","
        kept = text[: self.close].rstrip()
        return f"{text[:place]}{comma}{kept[place:]}{self._gap(at - 1)}{spelling}{text[len(kept) :]}"

    def _gap(self, at: int) -> str:
        """Return what separates a word from the one before."""
        start = self.spans[at][0]
        line = self.text[self.text.rfind("\n", 0, start) + 1 : start]
        if not line.strip() or "\n" in self.text[self.spans[-1][1] : self.close]:
            return "\n" + line[: len(line) - len(line.lstrip())]
        return " "

    def _comma_behind(self, at: int) -> int | None:
        found = self.space.match(self.text, self.spans[at][1])
        place = found.end() if found else self.spans[at][1]
        return place if self.text[place : place + 1] == "," else None


def _cut(text: str, start: int, end: int) -> str:
    """Return the text without a stretch, and without its line where nothing else stands in that."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    if last >= 0 and not text[first:start].strip() and not text[end:last].strip():
        return text[:first] + text[last + 1 :]
    return text[:start] + text[end:].removeprefix(" ")
