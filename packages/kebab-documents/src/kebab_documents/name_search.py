"""Documents found by name: stem of the file, title or alias, exactly, in part, by initial consonants, or with typing errors.

Looks at every name, and at no text and no vector.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Self

from kebab_text import fold, initials_of, is_initials, near_spellings, replace_dates

if TYPE_CHECKING:
    from kebab_core import DocumentEntry

_SEPARATORS = re.compile(r"[\s_\-–—.,:;/\\()\[\]]+")
_MIN_LETTERS = 3
"""Fewer letters occur in this order in too many names."""
_MAX_SPREAD = 4
"""Characters of a name over letters that are looked for in it, one after the other."""


class NameMatch(IntEnum):
    """How a name matches; the greater, the better."""

    SIMILAR = 1
    """Every word is like one of the name: a typing error."""
    LETTERS = 2
    """The letters occur in this order."""
    WORDS = 3
    """Every word occurs in the name or the path."""
    INITIALS = 4
    """Initial consonants: ㅎㅇㄹ for 회의록."""
    PART = 5
    WORD_START = 6
    START = 7
    WHOLE = 8


class FoundName(NamedTuple):
    """A document whose name matches."""

    entry: DocumentEntry
    name: str
    """The name that matches best."""
    match: NameMatch


class NameIndex:
    """The names of all documents in the forms that are compared, made once for many queries. Thread-safe.

    Args:
        entries: All documents, by source and path.
    """

    def __init__(self, entries: Iterable[DocumentEntry]) -> None:
        self._names = [_Named.of(entry) for entry in entries]

    def find(self, query: str, *, limit: int) -> list[FoundName]:
        """Find documents by name, best first; of equal ones the shortest name first, then by source and path.

        Names with the letters of the query, or words like its words, count only where nothing else matches.

        Args:
            query: A name, the beginning or parts of one, or initial consonants, in any case and normal form.
            limit: Maximum number of documents.
        """
        wanted = _Wanted.of(_fold(query))
        if not wanted.text:
            return []
        dated = _Wanted.of(_fold(replace_dates(fold(query))))
        found = [one for named in self._names if (one := _match(wanted, named, dated=dated)) is not None]
        if not found:
            found = [one for named in self._names if (one := _match_letters(wanted, named)) is not None]
        found = found or _find_similar(wanted.words, self._names)
        found.sort(key=lambda one: (-one.match, len(one.name)))
        return found[:limit]


class _Named(NamedTuple):
    """A document with its names."""

    entry: DocumentEntry
    names: Sequence[tuple[str, str]]
    """As written and folded."""
    whole: str
    """Path and names, folded."""

    @classmethod
    def of(cls, entry: DocumentEntry) -> Self:
        names = tuple(dict.fromkeys((entry.doc_path.stem, entry.title, *entry.aliases)))
        whole = _fold(f"{entry.doc_path} {' '.join(names)}")
        return cls(entry, [(name, _fold(name)) for name in names], whole)


class _Wanted(NamedTuple):
    """What is looked for, in the forms that names are compared with."""

    text: str
    words: Sequence[str]
    """Each once."""
    letters: str
    is_initials: bool

    @classmethod
    def of(cls, text: str) -> Self:
        letters = text.replace(" ", "")
        return cls(text, tuple(dict.fromkeys(text.split(" "))), letters, is_initials(letters))


def _match(wanted: _Wanted, named: _Named, *, dated: _Wanted) -> FoundName | None:
    """Find the name that matches best; `dated` is what is wanted with canonical dates, which names are compared with likewise."""
    best: FoundName | None = None
    for name, folded in named.names:
        match = _compare(wanted, folded)
        if match is None and dated != wanted:
            match = _compare(dated, _fold(replace_dates(fold(name))))
        if match is not None and (best is None or match > best.match):
            best = FoundName(named.entry, name, match)
    if best is None and all(map(named.whole.__contains__, wanted.words)):
        return FoundName(named.entry, named.entry.doc_path.stem, NameMatch.WORDS)
    return best


def _match_letters(wanted: _Wanted, named: _Named) -> FoundName | None:
    """Find the first name that has the letters of what is wanted in their order."""
    for name, folded in named.names:
        if _has_letters(wanted.letters, folded):
            return FoundName(named.entry, name, NameMatch.LETTERS)
    return None


def _compare(wanted: _Wanted, name: str) -> NameMatch | None:
    """Compare a folded name by what of it is wanted, or by its initial consonants."""
    text = wanted.text
    if text not in name:
        has_initials = wanted.is_initials and wanted.letters in initials_of(name).replace(" ", "")
        return NameMatch.INITIALS if has_initials else None
    if name.startswith(text):
        return NameMatch.WHOLE if text == name else NameMatch.START
    return NameMatch.WORD_START if f" {text}" in name else NameMatch.PART


def _has_letters(wanted: str, name: str) -> bool:
    """Whether letters occur in this order from the start of a word, not far apart."""
    if len(wanted) < _MIN_LETTERS:
        return False
    words = [0, *(at + 1 for at, letter in enumerate(name) if letter == " ")]
    for start in words:
        at = start - 1
        for letter in wanted:
            at = name.find(letter, at + 1)
            if at < 0:
                break
        if start <= at < start + _MAX_SPREAD * len(wanted) and name[start] == wanted[0]:
            return True
    return False


def _find_similar(wanted: Sequence[str], every: Sequence[_Named]) -> list[FoundName]:
    """Find names of which every wanted word is like one, compared by letters, of Hangul by its jamo."""
    named = [(one.entry, name, set(folded.split(" "))) for one in every for name, folded in one.names]
    for word in wanted:
        near = near_spellings(word, {each for _, _, words in named for each in words}).keys()
        named = [one for one in named if not near.isdisjoint(one[2])]
        if not named:
            break
    found: dict[str, FoundName] = {}
    for entry, name, _ in named:
        found.setdefault(entry.doc_id, FoundName(entry, name, NameMatch.SIMILAR))
    return list(found.values())


def _fold(text: str) -> str:
    return _SEPARATORS.sub(" ", fold(text)).strip()
