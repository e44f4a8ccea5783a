"""Tokenizer of the model that is installed with kebab, from a table that is mapped into memory.

Its `tokenizer.json` takes a second to parse; the table is open in a few milliseconds. The ids are those of the library
`tokenizers`, which the tests compare with. `kebab-model-e5-small` makes the table and describes its layout
(`conversion/pieces.py`). Texts are normalised by SentencePiece's rules for the model first: a grapheme cluster of a few code
points is replaced as a whole or not at all, as in `tokenizers`.
"""

from __future__ import annotations

import mmap
import re
import struct
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import groupby
from pathlib import Path

from kebab_core import ModelCorruptError, ModelMissingError, Remedy

_SHORT_BYTES = 6
"""Characters of fewer bytes are replaced as a whole."""

_JOINER = "\u200d"
_SPACES = re.compile(" {2,}")


class Characters:
    """The table of replacements, and which code points belong together."""

    def __init__(self, replacements: str, classes: Sequence[str]) -> None:
        """Take the table apart.

        Args:
            replacements: By turns a sequence and what it is replaced by, separated by zero characters.
            classes: The code points that extend others, spacing marks, those that precede others, consonants,
                their linkers, pictographs, and controls (Unicode Standard Annex 29).

        Raises:
            ValueError: There are more sequences than replacements, or other classes.
        """
        parts = replacements.split("\0")
        self._sequences = dict(zip(parts[::2], parts[1::2], strict=True))
        self._single = {ord(key): value for key, value in self._sequences.items() if len(key) == 1}
        self._extend, self._spacing, self._prepend, *self._others = classes
        self._consonant, self._linker, self._pictograph, self._control = self._others
        self._joining = frozenset(self._extend + self._spacing + self._prepend)

    def normalize(self, text: str) -> str:
        """Return the text as the model's tokenizer reads it, several spaces made one."""
        if self._joining.isdisjoint(text):
            replaced = text.translate(self._single)
        else:
            replaced = self._clusters.sub(lambda found: self._replace(found[0]), text)
        return _SPACES.sub(" ", replaced)

    def _replace(self, cluster: str) -> str:
        if len(cluster) > 1 and len(cluster.encode("utf-8")) < _SHORT_BYTES:
            for end in range(1, len(cluster) + 1):
                # the shortest entry wins, and what follows it in the cluster is lost with it
                known = self._sequences.get(cluster[:end])
                if known is not None:
                    return known
        return cluster.translate(self._single)

    @cached_property
    def _clusters(self) -> re.Pattern[str]:
        extend, consonant, pictograph = map(_class, (self._extend, self._consonant, self._pictograph))
        extend_only = _class(self._extend.replace(_JOINER, ""))
        linked = f"[{consonant}](?:[{extend}]*[{_class(self._linker)}][{extend}]*[{consonant}])*"
        joined = f"[{pictograph}](?:[{extend_only}]*{_JOINER}[{pictograph}])*"
        control = _class(self._control)
        attached = f"[{extend}{_class(self._spacing)}]*"
        before = f"[{_class(self._prepend)}]*"
        return re.compile(f"{before}(?:{linked}|{joined}|[^{control}]){attached}|[{control}]", re.DOTALL)


def _class(characters: str) -> str:
    """Return the inside of a class of a pattern."""
    codes = sorted(map(ord, characters))
    runs = [[code for _, code in run] for _, run in groupby(enumerate(codes), lambda pair: pair[1] - pair[0])]
    return "".join(f"\\U{run[0]:08x}-\\U{run[-1]:08x}" for run in runs)


_MAGIC = b"KBPIECE1"
_SECTIONS = 12
_CHILDREN, _LABELS, _IDS, _SCORES, _REPLACEMENTS, _CLASSES = range(6)

_START, _PAD, _END, _UNKNOWN = range(4)
_SPECIAL = {"<s>": _START, "<pad>": _PAD, "</s>": _END, "<unk>": _UNKNOWN, "<mask>": 250001}
"""Special tokens: a text that contains their spelling gets their ids, as in the model's own tokenizer."""

_MARK = "▁"
"""Stands for the space before a word."""

_DAMAGE = (IndexError, TypeError, ValueError, struct.error)
"""Exceptions of reading a table that is cut off or points outside itself."""

_BYTES = tuple(bytes([byte]) for byte in range(256))
_KEPT_WORDS = 1 << 16
_KEPT_LENGTH = 64
"""Size of the word cache, in words, and the longest word in it, in characters."""


class UnigramTokenizer:
    """Cuts texts into the most likely pieces."""

    def __init__(self, table: Path, *, remedy: Remedy) -> None:
        """Open the table.

        Args:
            table: The file `tokenizer.bin` of the model.
            remedy: Remedy if it is missing or damaged.

        Raises:
            ModelMissingError: It is not there.
            ModelCorruptError: It is not such a table, or not all of it.
        """
        self._file, self._remedy = table, remedy
        try:
            with table.open("rb") as file:
                self._table = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._open(_sections(self._table))
        except OSError as error:
            raise ModelMissingError("the tokenizer cannot be read", remedy=remedy, file=str(table)) from error
        except _DAMAGE as error:
            raise self._damaged() from error
        self._known = lru_cache(_KEPT_WORDS)(self._word)

    head = (_START,)
    tail = (_END,)
    pad = _PAD

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of each text, of any length, without start and end.

        Raises:
            ModelCorruptError: The table leads to places that it does not have.
        """
        try:
            return [self._encode(text) for text in texts]
        except _DAMAGE as error:
            raise self._damaged() from error

    def _damaged(self) -> ModelCorruptError:
        return ModelCorruptError("the tokenizer is damaged", remedy=self._remedy, file=str(self._file))

    def _open(self, sections: list[tuple[int, int]]) -> None:
        view = memoryview(self._table)
        parts = [view[start:end] for start, end in sections]
        self._children = parts[_CHILDREN].cast("I")
        self._labels = sections[_LABELS][0]
        self._ids = parts[_IDS].cast("I")
        self._scores = parts[_SCORES].cast("d")
        self._unknown_score = self._scores[-1]
        texts = [bytes(part).decode("utf-8") for part in parts[_REPLACEMENTS:]]
        self._characters = Characters(texts[0], texts[1:])

    def _encode(self, text: str) -> list[int]:
        # what UTF-8 cannot hold becomes a question mark
        clean = text.encode("utf-8", "replace").decode("utf-8")
        ids: list[int] = []
        for part in re.split(f"({'|'.join(_SPECIAL)})", clean):
            if part in _SPECIAL:
                ids.append(_SPECIAL[part])
            elif part:
                for word in _words(self._characters.normalize(part)):
                    ids += self._known(word) if len(word) <= _KEPT_LENGTH else self._word(word)
        return ids

    def _word(self, word: str) -> tuple[int, ...]:
        return tuple(_join_unknown(self._best_path(word)))

    def _best_path(self, word: str) -> list[int]:
        """Return the ids of the path with the highest sum of scores; of equal ones the first that is found."""
        data = word.encode("utf-8")
        scores: list[float | None] = [0.0] + [None] * len(data)
        steps = [(0, 0)] * (len(data) + 1)
        start = 0
        for character in word:
            width = len(character.encode("utf-8"))
            before = scores[start] or 0.0
            single = False
            for end, piece in self._pieces(data, start):
                score = self._scores[piece] + before
                known = scores[end]
                if known is None or score > known:
                    scores[end], steps[end] = score, (start, piece)
                single = single or end - start == width
            end = start + width
            if not single:
                score = self._unknown_score + before
                known = scores[end]
                if known is None or score > known:
                    scores[end], steps[end] = score, (start, _UNKNOWN)
            start = end
        return _walk_back(steps)

    def _pieces(self, data: bytes, start: int) -> Iterator[tuple[int, int]]:
        """Yield end and id of every piece that begins at a place, shortest first."""
        find, children, ids, labels = self._table.find, self._children, self._ids, self._labels
        node = 0
        for end in range(start, len(data)):
            at = find(_BYTES[data[end]], labels + children[node], labels + children[node + 1])
            if at < 0:
                return
            node = at - labels
            if ids[node]:
                yield end + 1, ids[node] - 1


def _sections(table: mmap.mmap) -> list[tuple[int, int]]:
    """Start and end of each section.

    Raises:
        ValueError: The table is of another kind, or cut off.
    """
    if table[: len(_MAGIC)] != _MAGIC:
        raise ValueError("another kind of file")
    numbers = struct.unpack_from(f"<{_SECTIONS * 2}I", table, len(_MAGIC))
    sections = [(start, start + size) for start, size in zip(numbers[::2], numbers[1::2], strict=True)]
    if sections[-1][1] != len(table):
        raise ValueError("another length")
    return sections


def _words(text: str) -> list[str]:
    """Return the words of a normalised text, each with the space before it."""
    marked = text.replace(" ", _MARK)
    if marked and not marked.startswith(_MARK):
        marked = _MARK + marked
    return re.findall(f"{_MARK}[^{_MARK}]*", marked)


def _walk_back(steps: Sequence[tuple[int, int]]) -> list[int]:
    ids = []
    end = len(steps) - 1
    while end:
        end, piece = steps[end]
        ids.append(piece)
    return ids[::-1]


def _join_unknown(ids: list[int]) -> Iterator[int]:
    """Yield ids, one for several unknown characters in a row."""
    for piece, run in groupby(ids):
        yield from (piece,) if piece == _UNKNOWN else run
