"""Korean terms from tagged morphemes.

Tags are those of the Sejong corpus. Kept: nouns, stems of verbs and adjectives, adverbs, determiners, numerals,
roots, interjections and whatever the dictionary does not know. Dropped: particles (J*), endings (E*), the copula,
auxiliary verbs, and the light verbs that only make a noun a verb, so that the noun is what is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

from kebab_core import Term, TermKind

from kebab_analysis.scripts import HANGUL_CHAR

_CONTENT = frozenset({
    "NNG",
    "NNP",
    "NNB",
    "NNBC",
    "NR",
    "NP",
    "VV",
    "VA",
    "MM",
    "MAG",
    "MAJ",
    "IC",
    "XR",
    "UNKNOWN",
})
_JOINABLE = frozenset({"NNG", "NNP", "NR", "XR", "XPN", "XSN", "UNKNOWN"})
"""What builds one written word together: nouns with their prefixes and suffixes."""
_PREDICATES = frozenset({"VV", "VA"})
_LIGHT_STEMS = frozenset({"하", "되", "있", "이"})
_LIGHT_ENDINGS = ("하", "되")
_LEAST_DERIVED = 3
"""Syllables of the shortest stem that is a noun and a light verb: below it `정하` would give `정`."""
_PLURAL = "들"
_GRAMMATICAL = ("E", "J")
"""Endings and particles."""
_SUFFIX_TAGS = ("J", "VCP", "XSV", "XSA")
"""What a written word can end in without being another word to a reader."""
_MAX_JOINED = 12
"""Longest joined noun in syllables: beyond it the writer left out the spaces."""
_CACHED_ROWS = 1 << 16


class Morpheme(NamedTuple):
    """What one row of the tagger gives, places relative to its own start."""

    length: int
    terms: tuple[Term, ...]
    joins: bool
    """Whether it is part of a noun that may span several morphemes."""
    attached: bool
    """Whether it is a particle or the like, stuck to the word before it."""
    tag: str


class PlacedMorpheme(NamedTuple):
    """A morpheme at its place in the line; `spaced` where blanks stand before it."""

    start: int
    spaced: bool
    morpheme: Morpheme


class MorphemeReader:
    """Reads rows of the tagger, remembering those it has seen: a text repeats few of them very often."""

    def __init__(self) -> None:
        self._known: dict[str, Morpheme] = {}

    def read(self, rows: Iterable[str]) -> list[PlacedMorpheme]:
        """Return the morphemes of a line in order."""
        known = self._known
        placed: list[PlacedMorpheme] = []
        position = 0
        for row in rows:
            body = row.lstrip(" ")
            start = position + len(row) - len(body)
            morpheme = known.get(body) or self._learn(body)
            placed.append(PlacedMorpheme(start, start > position, morpheme))
            position = start + morpheme.length
        return placed

    def _learn(self, body: str) -> Morpheme:
        if len(self._known) >= _CACHED_ROWS:
            self._known = {}
        morpheme = self._known[body] = _parse_row(body)
        return morpheme


def korean_terms(line: str, morphemes: Iterable[PlacedMorpheme]) -> Iterator[Term]:
    """Yield the terms of a line's Korean words, by start, then longest first.

    A word that the dictionary does not know falls into pieces, some of one syllable; and a prefix changes what a
    noun means. Such nouns written together are one term as they stand and one for each piece. Where every piece
    is a word of its own the pieces are enough (joining them too costs 0.3 points of nDCG on natural questions).
    """
    run: list[PlacedMorpheme] = []
    for placed in morphemes:
        if run and (placed.spaced or not placed.morpheme.joins):
            yield from _noun_run(line, run)
            run = []
        if placed.morpheme.joins:
            run.append(placed)
        else:
            yield from _shift(placed)
    if run:
        yield from _noun_run(line, run)


def _noun_run(line: str, run: list[PlacedMorpheme]) -> Iterator[Term]:
    start = run[0].start
    end = run[-1].start + run[-1].morpheme.length
    if len(run) == 1 or end - start > _MAX_JOINED or not any(_is_fragment(p.morpheme) for p in run):
        for placed in run:
            yield from _shift(placed)
        return
    yield Term(line[start:end].lower(), start, end, TermKind.WORD)
    for placed in run:
        for term in _shift(placed):
            yield term._replace(kind=TermKind.PART)


def _is_fragment(morpheme: Morpheme) -> bool:
    return morpheme.tag == "XPN" or (morpheme.length == 1 and morpheme.tag.startswith("N"))


def _shift(placed: PlacedMorpheme) -> Iterator[Term]:
    at = placed.start
    for text, start, end, kind in placed.morpheme.terms:
        yield Term(text, at + start, at + end, kind)


def _parse_row(body: str) -> Morpheme:
    surface, tag, entry, expression = body.split("\t")
    if not HANGUL_CHAR.search(surface):
        return Morpheme(len(surface), (), joins=False, attached=False, tag=tag)
    if entry == "Compound":
        terms = _compound_terms(surface, expression)
    elif expression:
        terms = _inflected_terms(surface, expression)
    else:
        terms = _plain_terms(surface, tag)
    joins = tag in _JOINABLE and surface != _PLURAL
    return Morpheme(len(surface), terms, joins=joins, attached=tag.startswith(_SUFFIX_TAGS), tag=tag)


def _plain_terms(surface: str, tag: str) -> tuple[Term, ...]:
    if tag not in _CONTENT:
        return ()
    return _stem_terms(surface, tag, length=len(surface), kind=TermKind.WORD)


def _compound_terms(surface: str, expression: str) -> tuple[Term, ...]:
    whole = Term(surface.lower(), 0, len(surface))
    parts = _split_expression(expression)
    ends = list(accumulate(len(part) for part, _ in parts))
    in_place = "".join(part for part, _ in parts) == surface
    terms = [whole]
    for (part, tag), end in zip(parts, ends, strict=True):
        if part != surface and not tag.startswith(_GRAMMATICAL):
            place = (end - len(part), end) if in_place else (0, len(surface))
            terms.append(Term(part.lower(), *place, TermKind.PART))
    return tuple(terms)


def _inflected_terms(surface: str, expression: str) -> tuple[Term, ...]:
    terms: list[Term] = []
    for part, tag in _split_expression(expression):
        if tag in _CONTENT:
            terms += _stem_terms(part, tag, length=len(surface), kind=TermKind.STEM)
    return tuple(terms)


def _stem_terms(text: str, tag: str, *, length: int, kind: TermKind) -> tuple[Term, ...]:
    if tag not in _PREDICATES:
        return (Term(text.lower(), 0, length, kind),)
    if text in _LIGHT_STEMS:
        return ()
    stem = Term(text, 0, length, TermKind.STEM)
    if len(text) >= _LEAST_DERIVED and text.endswith(_LIGHT_ENDINGS):
        return (stem, Term(text[:-1], 0, length, TermKind.PART))
    return (stem,)


def _split_expression(expression: str) -> list[tuple[str, str]]:
    """Return the (text, tag) pairs of the dictionary's `text/tag/*+text/tag/*`."""
    fields = (piece.split("/") for piece in expression.split("+"))
    return [(field[0], field[1]) for field in fields if len(field) > 1 and field[0]]
