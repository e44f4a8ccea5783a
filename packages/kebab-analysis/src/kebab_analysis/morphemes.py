"""Korean terms from tagged morphemes.

Tags are those of the Sejong corpus. Kept: nouns, stems of verbs and adjectives, adverbs, determiners, numerals,
roots, interjections and whatever the dictionary does not know. Dropped: particles (J*), endings (E*), the copula,
auxiliary verbs, and the light verbs that only make a noun a verb, so that the noun is what is found.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from kebab_core import Term, TermKind

from kebab_analysis.inflections import adverb_root, possible_stems
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
_JOINABLE_SYLLABLES = frozenset({"MAG", "IC"})
"""What a syllable of a word that the dictionary does not know is often taken for."""
_PREDICATES = frozenset({"VV", "VA"})
_LIGHT_STEMS = frozenset({"하", "되", "있", "이"})
_LIGHT_ENDINGS = ("하", "되")
_LEAST_DERIVED = 3
"""Syllables of the shortest stem that is a noun and a light verb: below it `정하` would give `정`."""
_ADVERB = "MAG"
_PLURAL = "들"
_GRAMMATICAL = ("E", "J")
"""Endings and particles."""
_ROWS_KEPT = 1 << 14


class Morpheme(NamedTuple):
    """What one row of the tagger gives, places relative to its own start."""

    surface: str
    length: int
    terms: tuple[Term, ...]
    texts: tuple[str, ...]
    """Those of the terms."""
    joins: bool
    """Whether it is part of a noun that may span several morphemes."""
    tag: str


class PlacedMorpheme(NamedTuple):
    """A morpheme at its place in the word."""

    start: int
    morpheme: Morpheme


class Word(NamedTuple):
    """A word as the tagger cut it: its morphemes, in order, cover its text."""

    text: str
    morphemes: list[Morpheme]

    def placed(self) -> list[PlacedMorpheme]:
        """Return the morphemes with their places."""
        starts = accumulate((morpheme.length for morpheme in self.morphemes), initial=0)
        return [
            PlacedMorpheme(start, morpheme) for start, morpheme in zip(starts, self.morphemes, strict=False)
        ]


class MorphemeReader:
    """Reads rows of the tagger, remembering those it has seen: a text repeats few of them very often."""

    def __init__(self) -> None:
        self._parse = lru_cache(_ROWS_KEPT)(_parse_row)

    def read(self, rows: str) -> Word:
        """Return the word that the rows, apart by line breaks, were cut from."""
        morphemes = [self._parse(row) for row in rows.split("\n")]
        return Word("".join([morpheme.surface for morpheme in morphemes]), morphemes)


def _parse_row(row: str) -> Morpheme:
    surface, tag, entry, expression = row.split("\t")
    hangul = HANGUL_CHAR.search(surface) is not None
    terms = _row_terms(surface, tag, entry=entry, expression=expression) if hangul else ()
    return Morpheme(
        surface=surface,
        length=len(surface),
        terms=terms,
        texts=tuple(term.text for term in terms),
        joins=hangul and _joins(surface, tag),
        tag=tag,
    )


def _joins(surface: str, tag: str) -> bool:
    return (tag in _JOINABLE and surface != _PLURAL) or (tag in _JOINABLE_SYLLABLES and len(surface) == 1)


def _row_terms(surface: str, tag: str, *, entry: str, expression: str) -> tuple[Term, ...]:
    if entry == "Compound":
        return _compound_terms(surface, expression)
    if expression:
        return _inflected_terms(surface, expression)
    return _plain_terms(surface, tag)


def _plain_terms(surface: str, tag: str) -> tuple[Term, ...]:
    if tag not in _CONTENT:
        return ()
    terms = _stem_terms(surface, tag, length=len(surface), kind=TermKind.WORD)
    root = adverb_root(surface) if tag == _ADVERB else None
    return (*terms, Term(root, 0, len(surface), TermKind.PART)) if root else terms


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
    parts = _split_expression(expression)
    if len(parts) == 1 and parts[0][1] in _PREDICATES:
        stem, tag = parts[0]
        parts = [(reading, tag) for reading in possible_stems(surface, stem)]
    terms: list[Term] = []
    for part, tag in parts:
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
