"""Where names made of several words come apart: `parseMdFile`, `parse_md_file`, `kebab-core`, `v1.2.3`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_PIECE = re.compile(r"(?<!\w)[vV]?\d+(?:\.\d+)+(?!\w)|\w+")
"""A number with points, such as a version or an address of a machine, is one piece."""
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_VERSION = re.compile(r"[vV]?(?P<number>(?P<minor>(?P<major>\d+)\.\d+)(?:\.\d+)*)")
_LEAST_YEAR = 4
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_CONTRACTION = re.compile(r"[^\W\d_]+'[^\W\d_]+")
_HYPHENATED = re.compile(r"([a-z]+)-([a-z]+)")
_MAX_HUMPS = 8
"""A piece with more of them is a hash or encoded data, and its parts are noise."""


def is_contraction(word: str) -> bool:
    """Return whether a lower-case word is one word with an apostrophe: `don't`, `kebab's`."""
    return _CONTRACTION.fullmatch(word) is not None


def join_hyphenated(word: str) -> str | None:
    """Return `email` for `e-mail`, None for what is not two lower-case words with a hyphen."""
    match = _HYPHENATED.fullmatch(word)
    return match[1] + match[2] if match else None


class NamePart(NamedTuple):
    """A part as it is indexed but for case, and where it stands: code points of the token, half open."""

    text: str
    start: int
    end: int


def identifier_parts(token: str) -> Iterator[NamePart]:
    """Yield the parts that a name should also be found by, by start, then longest first.

    Single characters are left out, and so is what equals the whole.

    Args:
        token: A name with neither white space nor signs at its ends, and without Hangul, Han and Kana.
    """
    version = _VERSION.fullmatch(token)
    if version:
        yield from _version_parts(version, 0)
    elif _GROUPED.fullmatch(token):
        yield NamePart(token.replace(",", ""), 0, len(token))
    else:
        for match in _PIECE.finditer(token):
            yield from _piece_parts(match[0], match.start(), whole=token)


def _version_parts(version: re.Match[str], offset: int) -> Iterator[NamePart]:
    """Yield the parts of `v1.2.3`, or of `2024.01.15`, whose first number says something alone."""
    start, end = version.span("number")
    if start:
        yield NamePart(version["number"], offset + start, offset + end)
    if version.end("minor") != end:
        yield NamePart(version["minor"], offset + start, offset + version.end("minor"))
    if len(version["major"]) >= _LEAST_YEAR:
        yield NamePart(version["major"], offset + start, offset + version.end("major"))


def _piece_parts(piece: str, offset: int, *, whole: str) -> Iterator[NamePart]:
    version = _VERSION.fullmatch(piece)
    if version:
        yield from _part(piece, offset, version.span())
        yield from _version_parts(version, offset)
        return
    words = list(re.finditer(r"[^_]+", piece))
    if words and piece != whole:
        yield from _part(piece, offset, (words[0].start(), words[-1].end()))
    for word in words:
        if len(words) > 1:
            yield from _part(piece, offset, word.span())
        yield from _humps(word[0], offset + word.start())


def _humps(word: str, offset: int) -> Iterator[NamePart]:
    humps = list(_HUMP.finditer(word)) if word.isascii() else []
    if 1 < len(humps) <= _MAX_HUMPS:
        for hump in humps:
            yield from _part(word, offset, hump.span())


def _part(text: str, offset: int, span: tuple[int, int]) -> Iterator[NamePart]:
    start, end = span
    if end - start > 1:
        yield NamePart(text[start:end], offset + start, offset + end)
