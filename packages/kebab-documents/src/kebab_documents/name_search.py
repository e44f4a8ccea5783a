"""Documents found by name: stem of the file, title or alias, exactly, in part, by initial consonants, or with typing errors.

Looks at every name, which takes some tens of milliseconds for ten thousand documents, and at no text and no vector.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
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


def find_names(query: str, entries: Iterable[DocumentEntry], *, limit: int) -> list[FoundName]:
    """Find documents by name, best first; of equal ones the shortest name first, then by source and path.

    Names with the letters of the query, or words like its words, count only where nothing else matches.

    Args:
        query: A name, the beginning or parts of one, or initial consonants, in any case and normal form.
        entries: All documents, by source and path.
        limit: Maximum number of documents.
    """
    wanted = _Wanted.of(_fold(query))
    if not wanted.text:
        return []
    dated = _Wanted.of(_fold(replace_dates(fold(query))))
    listed = list(entries)
    found = [one for entry in listed if (one := _match(wanted, entry, dated=dated)) is not None]
    if not found:
        found = _find_similar(wanted.words, listed)
    if any(one.match > NameMatch.LETTERS for one in found):
        found = [one for one in found if one.match > NameMatch.LETTERS]
    found.sort(key=lambda one: (-one.match, len(one.name)))
    return found[:limit]


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


def _names(entry: DocumentEntry) -> Sequence[str]:
    return tuple(dict.fromkeys((entry.doc_path.stem, entry.title, *entry.aliases)))


def _match(wanted: _Wanted, entry: DocumentEntry, *, dated: _Wanted) -> FoundName | None:
    """Find the name that matches best; `dated` is what is wanted with canonical dates, which names are compared with likewise."""
    best: FoundName | None = None
    for name in _names(entry):
        match = _compare(wanted, _fold(name))
        if dated != wanted and match is None:
            match = _compare(dated, _fold(replace_dates(fold(name))))
        if match is not None and (best is None or match > best.match):
            best = FoundName(entry, name, match)
    if best is None or best.match < NameMatch.WORDS:
        whole = _fold(f"{entry.doc_path} {' '.join(_names(entry))}")
        if all(word in whole for word in wanted.words):
            return FoundName(entry, entry.doc_path.stem, NameMatch.WORDS)
    return best


def _compare(wanted: _Wanted, name: str) -> NameMatch | None:
    text = wanted.text
    kinds: dict[NameMatch, Callable[[], bool]] = {
        NameMatch.WHOLE: lambda: text == name,
        NameMatch.START: lambda: name.startswith(text),
        NameMatch.WORD_START: lambda: f" {text}" in name,
        NameMatch.PART: lambda: text in name,
        NameMatch.INITIALS: lambda: wanted.is_initials and text in initials_of(name),
        NameMatch.LETTERS: lambda: _has_letters(wanted.letters, name),
    }
    return next((kind for kind, holds in kinds.items() if holds()), None)


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


def _find_similar(wanted: Sequence[str], entries: Sequence[DocumentEntry]) -> list[FoundName]:
    """Find names of which every wanted word is like one, compared by letters, of Hangul by its jamo."""
    named = [(entry, name, set(_fold(name).split(" "))) for entry in entries for name in _names(entry)]
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
