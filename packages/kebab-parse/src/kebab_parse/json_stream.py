"""Values of a JSON file one after the other, so that a large export is never whole in memory."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from itertools import accumulate

MAX_VALUE_CHARS = 64_000_000
"""Longest value that is decoded at once, such as a conversation."""
_BLANKS = re.compile(r"[ \t\r\n]*+")


class JsonStream:
    """Reader of a JSON file, value by value.

    Args:
        pieces: The text of the file.
    """

    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces = iter(pieces)
        self._text = ""
        self._at = 0
        self._decode = json.JSONDecoder().raw_decode

    def read(self, leaves: Collection[str]) -> Iterator[tuple[str, object]]:
        """Yield the values with their paths in the order of the file.

        A path has the keys from the outside in and `item` for the elements of a list: `chats.list.item.name`. Objects and lists on
        the way to a leaf are opened: what they hold is yielded one by one, after None for the object itself.
        Everything else is one value.

        Args:
            leaves: Paths; that of the whole value is empty.

        Raises:
            ValueError: It is no JSON from here on, or a value is longer than `MAX_VALUE_CHARS`.
            RecursionError: A value is nested too deeply.
        """
        parts = [accumulate(leaf.split("."), lambda one, two: f"{one}.{two}") for leaf in leaves]
        outer = {"", *(path for paths in parts for path in paths)}.difference(leaves)
        yield from self._read("", outer)
        if self._peek():
            raise ValueError("there is more behind the value")

    def _read(self, path: str, outer: Collection[str]) -> Iterator[tuple[str, object]]:
        sign = self._peek()
        if path not in outer or sign not in {"{", "["}:
            yield path, self._value()
            return
        if sign == "{":
            yield path, None
        before = f"{path}." if path else ""
        self._at += 1
        end = "}" if sign == "{" else "]"
        if self._peek() == end:
            self._at += 1
            return
        while True:
            name = "item"
            if sign == "{":
                name = self._key()
            yield from self._read(f"{before}{name}", outer)
            found = self._peek()
            self._at += 1
            if found == end:
                return
            if found != ",":
                raise ValueError("a comma is missing")

    def _key(self) -> str:
        key = self._value() if self._peek() == '"' else None
        if not isinstance(key, str) or self._peek() != ":":
            raise ValueError("a key is missing")
        self._at += 1
        return key

    def _value(self) -> object:
        self._peek()
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except ValueError:  # it may go on in the next piece
                if not self._load():
                    raise
                continue
            if end < len(self._text) or not self._load():  # a number may go on there, too
                self._at = end
                return value

    def _peek(self) -> str:
        """Return the next sign behind blanks; empty at the end."""
        while True:
            found = _BLANKS.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text) or not self._load():
                return self._text[self._at : self._at + 1]

    def _load(self) -> bool:
        """Take as much text again as is not yet read; return False at the end.

        Raises:
            ValueError: What is not yet read is a value that is too long.
        """
        rest = self._text[self._at :]
        if len(rest) > MAX_VALUE_CHARS:
            raise ValueError("a value is too long")
        taken, chars = [rest], 0
        while chars <= len(rest) and (piece := next(self._pieces, "")):
            taken.append(piece)
            chars += len(piece)
        self._text, self._at = "".join(taken), 0
        return chars > 0
