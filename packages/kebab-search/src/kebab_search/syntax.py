"""Full-text syntax: AND, OR, NOT, parentheses, terms side by side in double quotes, beginnings with `*`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from kebab_core import InvalidInputError, Message, Remedy, SyntaxGroup, SyntaxWords

_SYNTAX = re.compile(
    r'\s*(?:(?P<sign>[()])|"(?P<quoted>(?:[^"]|"")*)"|(?P<word>[\w\u0080-\U0010ffff]+)|$)(?P<open>\s*\*)?',
    re.ASCII,
)
"""One piece of full-text syntax."""
_OPERATORS: tuple[Literal["OR", "AND", "NOT"], ...] = ("OR", "AND", "NOT")
"""From the one that binds least; words that follow each other bind most."""
_MAX_NESTING = 50
_MAX_SYNTAX_WORDS = 1_000


def parse_syntax(text: str) -> SyntaxWords | SyntaxGroup:
    """Parse full-text syntax.

    Words that follow each other are joined by AND. NOT binds more than AND, AND more than OR. Whatever is not a letter, a digit
    or an underscore stands in double quotes.

    Raises:
        InvalidInputError: It is wrong, nested more than fifty times, or has more than a thousand words.
    """
    return _SyntaxReader(text).read()


class _Piece(NamedTuple):
    kind: str
    """`word`, an operator, a parenthesis, or empty at the end."""
    words: SyntaxWords
    start: int


class _SyntaxReader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._pieces = list(self._split())
        self._at = self._nesting = 0

    def read(self) -> SyntaxWords | SyntaxGroup:
        """Return the whole. See `parse_syntax`."""
        whole = self._read_group(0)
        if self._next.kind:
            raise self._error(self._next.start)
        return whole

    def _split(self) -> Iterator[_Piece]:
        at = count = 0
        while at < len(self._text):
            found = _SYNTAX.match(self._text, at)
            if found is None or (found["sign"] and found["open"]):
                raise self._error(at)
            if found["sign"]:
                yield _Piece(found["sign"], SyntaxWords(()), at)
            elif found["word"] in _OPERATORS and not found["open"]:
                yield _Piece(found["word"], SyntaxWords(()), at)
            elif texts := tuple(
                (found["word"] or (found["quoted"] or "").replace('""', '"')).lower().split()
            ):
                count += len(texts)
                yield _Piece("word", SyntaxWords(texts, is_open=found["open"] is not None), at)
            elif found["quoted"] is not None or found["open"]:
                raise self._error(at)
            at = found.end()
        if count > _MAX_SYNTAX_WORDS:
            raise self._error(0)
        yield _Piece("", SyntaxWords(()), at)

    @property
    def _next(self) -> _Piece:
        return self._pieces[self._at]

    def _read_group(self, level: int) -> SyntaxWords | SyntaxGroup:
        """Read parts with the operator of a level between them."""
        if level == len(_OPERATORS):
            return self._read_words()
        operator = _OPERATORS[level]
        parts = [self._read_group(level + 1)]
        while self._next.kind == operator:
            self._at += 1
            parts.append(self._read_group(level + 1))
        if operator == "NOT":
            return _group("NOT", [parts[0], _group("OR", parts[1:])]) if parts[1:] else parts[0]
        return _group(operator, parts)

    def _read_words(self) -> SyntaxWords | SyntaxGroup:
        """Read a part in parentheses, or words that follow each other."""
        if self._next.kind == "(":
            self._nesting += 1
            if self._nesting > _MAX_NESTING:
                raise self._error(self._next.start)
            self._at += 1
            inner = self._read_group(0)
            if self._next.kind != ")":
                raise self._error(self._next.start)
            self._at += 1
            self._nesting -= 1
            return inner
        words: list[SyntaxWords | SyntaxGroup] = []
        while self._next.kind == "word":
            words.append(self._next.words)
            self._at += 1
        if not words:
            raise self._error(self._next.start)
        return _group("AND", words)

    def _error(self, at: int) -> InvalidInputError:
        return InvalidInputError(
            "{raw!r} is not a valid full-text query: {error}",
            remedy=Remedy(
                advice=Message("put words in double quotes"),
                otherwise=Remedy(advice=Message("search without the raw syntax")),
            ),
            _raw=self._text,
            _error=Message('it cannot be read from "{rest}"', rest=self._text[at : at + 20].strip())
            if at < len(self._text)
            else Message("its end is missing"),
        )


def _group(
    operator: Literal["AND", "OR", "NOT"], parts: Sequence[SyntaxWords | SyntaxGroup]
) -> SyntaxWords | SyntaxGroup:
    return parts[0] if len(parts) == 1 else SyntaxGroup(operator, tuple(parts))
