"""Terms of Korean words, from the morphemes of the tagger.

Tags are those of the Sejong corpus. Kept: nouns, stems of verbs and adjectives, adverbs, determiners, numerals,
roots, interjections and whatever the dictionary does not know. Dropped: particles (J*), endings (E*), the copula,
auxiliary verbs, and the light verbs that only make a noun a verb, so that the noun is what is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby
from operator import attrgetter
from typing import NamedTuple

from kebab_core import Term, TermKind
from kebab_text import has_hangul

from kebab_analysis.memo import Memo
from kebab_analysis.tagger import MorphemeTagger

_MAX_JOINED = 12
"""Longest joined noun in syllables: beyond it the writer left out the spaces."""
_WORDS = ("N", "MAG", "IC")
"""Beginnings of the tags of morphemes that could be words by themselves."""
UNKNOWN = "UNKNOWN"
"""Tag of what the dictionary does not know."""
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
    UNKNOWN,
})
_JOINABLE = frozenset({"NNG", "NNP", "NR", "XR", "XPN", "XSN", UNKNOWN})
"""Tags that build one written word together: nouns with their prefixes and suffixes."""
_JOINABLE_SYLLABLES = frozenset({"MAG", "IC"})
"""Tags often given to a syllable of a word that the dictionary does not know."""
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
_LINES_KEPT = 1 << 12
_LONGEST_LINE = 60
"""Code points of a line, such as a heading, that may come again."""
_FIRST_SYLLABLE = ord("가")
_FINALS = 28
_RIEUL, _DIGEUT = 8, 7
"""Final consonants by their place in a syllable's code."""
_ADVERBIAL = ("히", "이")
_LEAST_ADVERB = 3


class Morpheme(NamedTuple):
    """One row of the tagger: a morpheme and its terms, offsets relative to its own start."""

    surface: str
    length: int
    terms: tuple[Term, ...]
    texts: tuple[str, ...]
    """Those of the terms."""
    joins: bool
    """True for a part of a noun that may span several morphemes."""
    tag: str


class PlacedMorpheme(NamedTuple):
    """A morpheme at its place in the word."""

    start: int
    morpheme: Morpheme


class Word(NamedTuple):
    """A word as the tagger cut it: its morphemes, in order, cover its text."""

    text: str
    morphemes: list[Morpheme]

    def terms(self) -> list[Term]:
        """Return the terms of the word, by start, then longest first.

        A word that the dictionary does not know falls into pieces, some of one syllable; and a prefix changes what a
        noun means. Such nouns written together are one term as they stand and one for each piece. Where every piece
        is a word of its own the pieces are enough (joining them too costs 0.3 points of nDCG on natural questions).
        """
        starts = accumulate((morpheme.length for morpheme in self.morphemes), initial=0)
        placed = [PlacedMorpheme(*each) for each in zip(starts, self.morphemes, strict=False)]
        terms: list[Term] = []
        for joins, run in groupby(placed, key=lambda each: each.morpheme.joins):
            if joins:
                terms += _noun_terms(list(run))
            else:
                terms += [term for each in run for term in _in_word(each)]
        return terms


class KoreanReader:
    """Reads lines by the tagger, and parses and remembers its rows: a text repeats few of them very often."""

    def __init__(self) -> None:
        self.tagger = MorphemeTagger()
        self.lines = Memo(self.tagger.words, _LINES_KEPT, longest=_LONGEST_LINE)
        """The rows of each word of a line."""
        self._morphemes = Memo(_parse_row, _ROWS_KEPT)

    def read(self, rows: str) -> Word:
        """Parse the rows of one word, separated by line breaks."""
        morphemes = [self._morphemes[row] for row in rows.split("\n")]
        return Word("".join([morpheme.surface for morpheme in morphemes]), morphemes)


def korean_texts(morphemes: Iterable[Morpheme]) -> list[str]:
    """List the texts of `Word.terms`, without their offsets."""
    texts: list[str] = []
    for joins, group in groupby(morphemes, key=attrgetter("joins")):
        run = list(group)
        if joins and len(run) > 1 and _is_joined(run):
            texts.append(_joined(run))
        texts += [text for morpheme in run for text in morpheme.texts]
    return texts


def _parse_row(row: str) -> Morpheme:
    surface, tag, entry, expression = row.split("\t")
    hangul = has_hangul(surface)
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


def possible_stems(surface: str, stem: str) -> Sequence[str]:
    """List the stems that an inflected stem may come from.

    A form without its final rieul looks like a stem that has none: `쓰는` is of 쓰다 or 쓸다, and the dictionary
    knows such forms of one syllable by the rarer verb only. A stem in digeut is never an inflected one in rieul.
    """
    if len(surface) != 1 or len(stem) != 1:
        return (stem,)
    final = (ord(surface) - _FIRST_SYLLABLE) % _FINALS
    if final == _DIGEUT:
        return (surface,)
    if not final and ord(stem) == ord(surface) + _RIEUL:
        return (surface, stem)
    return (stem,)


def adverb_root(adverb: str) -> str | None:
    """Strip the ending of an adverb: `정확` of `정확히`, also the root of 정확하다; None for an adverb of another kind."""
    return adverb[:-1] if len(adverb) >= _LEAST_ADVERB and adverb.endswith(_ADVERBIAL) else None


def _noun_terms(run: list[PlacedMorpheme]) -> Iterable[Term]:
    terms = [term for placed in run for term in _in_word(placed)]
    morphemes = [placed.morpheme for placed in run]
    if not _is_joined(morphemes):
        return terms
    start, whole = run[0].start, _joined(morphemes)
    parts = (term._replace(kind=TermKind.PART) for term in terms)
    return [Term(whole, start, start + sum(morpheme.length for morpheme in morphemes)), *parts]


def _is_joined(run: list[Morpheme]) -> bool:
    return (
        len(run) > 1
        and any(
            morpheme.tag == "XPN" or (morpheme.length == 1 and morpheme.tag.startswith(_WORDS))
            for morpheme in run
        )
        and sum(morpheme.length for morpheme in run) <= _MAX_JOINED
    )


def _joined(run: list[Morpheme]) -> str:
    return "".join([morpheme.surface for morpheme in run]).lower()


def _in_word(placed: PlacedMorpheme) -> Iterable[Term]:
    at, morpheme = placed
    if not at or not morpheme.terms:
        return morpheme.terms
    return [Term(text, at + start, at + end, kind) for text, start, end, kind in morpheme.terms]
