"""Lexical score and final order of candidates: boosts above BM25, and places given out in steps.

Boosts, measured as nDCG@10 on sets of Korean, English and code, weights chosen on half of the queries of each (2026-11):
on the other half they add 2.1 points on natural Korean questions, 0.4 on Korean passages with copied words, 0.7 on science
claims, 2.7 on code, nothing on natural English questions.

Order: the depth at which an index is looked at decides what boosts can lift. If it followed the number of hits asked for,
a second page would not continue the first. So places are given out in steps, the first ten, then up to twenty, forty and
so on, each from as many candidates as that step is worth: the first places do not depend on the last ones.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from kebab_core import MAX_LOGGED_IDS, ChunkId, CodeSymbol, IndexedChunk
from kebab_text import fold_forms

from kebab_search.term_weights import WeightedQuery

_ADJACENT_WEIGHT = 0.4
_SAME_SENTENCE_WEIGHT = 0.15
_TITLE_WEIGHT = 1.5
_EXACT_FORM_WEIGHT = 0.2
_OTHER_FORM_WEIGHT = 0.4
_NEAR_CHARS = 12
"""Code points between two words from which on their distance counts nothing."""
_TITLE_WORD = 4
"""Letters and digits of a title that count as one word: a match in a long title says less."""
_APART = "\n" * (_NEAR_CHARS + 1)
SENTENCE_END = re.compile(r"(?<=[.!?。])\s+|\n+")
"""Fast and rough; the sentences of `kebab_text` cost more than a search may."""
FIRST_STEP = 10
"""Places of the first step."""
_HANGUL = re.compile("[가-힣]+")
_MAX_PLACES = 50
"""Places looked at for each word, so that a chunk of one repeated word costs no more than others."""

WordPlaces = Mapping[tuple[str, ...], tuple[str, list[int]]]
"""Words of a query that a text holds: the form there and its offsets, ascending."""


class Candidate(NamedTuple):
    """A chunk that may be a hit, from the index to the page; each step fills what it knows.

    Attributes:
        passage: The chunk.
        bm25: Its raw BM25; None if lexical search did not find it.
        lexical_rank: Its rank by BM25, from 1; None likewise.
        score: The score that it is ordered by, boosts included.
        vector_rank: Its rank by z-score, from 1; None if vector search did not find it.
        cosine: Of the query with it; None without a vector.
        z_score: Of the cosine among the passages of its script; None likewise.
        above_chance: The z-score above that from which on similarity is evidence; 0 without a vector.
        is_cross_script: True if it is in another script than the query; filled where vectors are searched.
        share: Share of the query's words in one sentence, names and headings; see `PassageMatch`.
        name: Match of the query with the names of its document.
        heading: Match of the query with a heading that it stands under.
        symbol: The symbol of source code that the query names and it defines; None where there is none.
        symbol_match: Share of the query that names it, less where it is spelt otherwise.
        rerank_score: Score of the reranker, in [0, 1]; None before it is asked.
        further: Once folded: the next passages of its document with their ranks among all passages of the step, best first.
        copies: Once folded: the same passage in other documents, best first.
    """

    passage: IndexedChunk
    bm25: float | None
    lexical_rank: int | None
    score: float
    vector_rank: int | None = None
    cosine: float | None = None
    z_score: float | None = None
    above_chance: float = 0.0
    is_cross_script: bool = False
    share: float = 0.0
    name: float = 0.0
    heading: float = 0.0
    symbol: CodeSymbol | None = None
    symbol_match: float = 0.0
    rerank_score: float | None = None
    further: Sequence[tuple[int, Candidate]] = ()
    copies: Sequence[Candidate] = ()

    @property
    def chunk_id(self) -> ChunkId:
        """The id of the chunk."""
        return self.passage.chunk.chunk_id

    @property
    def depth(self) -> int:
        """The better of its ranks."""
        return min(rank for rank in (self.lexical_rank, self.vector_rank) if rank is not None)


def first_chunk_ids(candidates: Sequence[Candidate]) -> list[str]:
    """Return the chunk ids of the first candidates, as many as a debug line has."""
    return [str(candidate.chunk_id) for candidate in candidates[:MAX_LOGGED_IDS]]


def boost(query: WeightedQuery, passage: IndexedChunk) -> float:
    """Compute the boost of a chunk, added to its BM25.

    Two neighbouring words of the query add a share of their mean weight where they touch, in either order, and less
    in proportion up to a dozen characters apart; all that one sentence holds, a share of theirs; those in the title
    more, the shorter it is; a word that was searched by its stem, a little where it stands as typed. A word that stands
    there with other diacritics only takes a share of its weight away. A rare word that is searched as two words, too, a Korean
    word that the analyser divides, and a date that is searched without its year, add the weight of these where they stand as typed. In a corpus of a few chunks
    FTS5 underweights common terms: the difference is added, at least the smallest one.

    Terms are looked for as letters, in title, headings and text: re-analysing every candidate would cost 2 ms each.
    """
    parts = (passage.document.title, *passage.chunk.heading_path, passage.chunk.text)
    title, text = query.letters(parts[0]), _APART.join(map(query.letters, parts))
    places = find_words(query, text)
    typed = sum(query.weights[word] for word in query.inflected if word in text)
    return (
        _ADJACENT_WEIGHT * _nearness(query, places)
        + _SAME_SENTENCE_WEIGHT * _sentence_boost(query, places, text)
        + _TITLE_WEIGHT * _title_boost(query, title)
        + _EXACT_FORM_WEIGHT * typed
        + sum(weight for word, weight in query.preferred.items() if word in text)
        + _small_corpus_boost(query, text)
        - _OTHER_FORM_WEIGHT * _other_form_weight(query, places, parts)
    )


def closeness(first: Sequence[int], second: Sequence[int], *, lengths: tuple[int, int]) -> float:
    """Compute 1 for two words that touch, less the more characters are between them, 0 beyond a dozen.

    Args:
        first: Offsets of one word, ascending.
        second: Offsets of the other, ascending.
        lengths: Code points of either.
    """
    nearest = _NEAR_CHARS + 1
    for start in first:
        after = bisect_left(second, start + lengths[0])
        if after < len(second):
            nearest = min(nearest, second[after] - start - lengths[0])
        before = bisect_right(second, start - lengths[1])
        if before:
            nearest = min(nearest, start - second[before - 1] - lengths[1])
    return 1 - nearest / (_NEAR_CHARS + 1)


def find_words(query: WeightedQuery, text: str) -> WordPlaces:
    """Find the words of a query in a folded text, as letters."""
    found = {}
    for forms, by_length in query.words_by_length.items():
        for form in by_length:
            if form in text:
                found[forms] = form, find_all(text, form)
                break
    return found


def find_all(text: str, word: str) -> list[int]:
    """List the first offsets of a word in a text, as letters."""
    places: list[int] = []
    at = text.find(word)
    while at >= 0 and len(places) < _MAX_PLACES:
        places.append(at)
        at = text.find(word, at + 1)
    return places


def _nearness(query: WeightedQuery, places: WordPlaces) -> float:
    near = 0.0
    for one, other in pairwise(query.words):
        if one not in places or other not in places:
            continue
        (first, starts), (second, others) = places[one], places[other]
        if first not in second and second not in first:
            weight = (query.word_weights[one] + query.word_weights[other]) / 2
            near += weight * closeness(starts, others, lengths=(len(first), len(second)))
    return near


def _sentence_boost(query: WeightedQuery, places: WordPlaces, text: str) -> float:
    """Sum the weights of the words in the sentence that holds most of them."""
    if len(places) <= 1:
        return sum(map(query.word_weights.__getitem__, places))
    ends = [end.start() for end in SENTENCE_END.finditer(text)]
    held: dict[int, float] = {}
    for forms, (_, starts) in places.items():
        for sentence in {bisect_right(ends, start) for start in starts}:
            held[sentence] = held.get(sentence, 0.0) + query.word_weights[forms]
    return max(held.values(), default=0.0)


def _title_boost(query: WeightedQuery, title: str) -> float:
    held = sum(query.weights[term] for term in query.searched if term in title)
    return held / (1 + sum(map(str.isalnum, title)) / _TITLE_WORD) if held else 0.0


def _other_form_weight(query: WeightedQuery, places: WordPlaces, parts: Sequence[str]) -> float:
    """Sum the weights of the words that a text holds, but not with the diacritics of the query."""
    if not query.accented and (
        all(map(str.isascii, parts)) or not any(map(_may_have_marks, places.values()))
    ):
        return 0.0
    seen = fold_forms(_APART.join(parts)).text.lower()
    return sum(
        query.word_weights[forms]
        for forms, (form, _) in places.items()
        if form.isalpha()
        and next((query.accented[each] for each in forms if each in query.accented), form) not in seen
    )


def _may_have_marks(found: tuple[str, list[int]]) -> bool:
    """True for a word with letters that a text may have with diacritics; syllables of Hangul have none."""
    return not _HANGUL.fullmatch(found[0])


def _small_corpus_boost(query: WeightedQuery, text: str) -> float:
    if not query.missing:
        return 0.0
    found = {term for term in query.missing if term in text}
    found |= {stem for word, stem in query.inflected.items() if word in text}
    # The index found the chunk by one of them, though perhaps inflected.
    return max(sum(query.missing[term] for term in found), min(query.missing.values()))


def pool_size(places: int) -> int:
    """Number of chunks that are boosted for the first `places` ranks.

    Twice as many and twenty: beyond this many no hit rose into the first ten.
    """
    return 2 * places + 20


def step_above(places: int) -> int:
    """Round up to one of 10, 20, 40 and so on."""
    step = FIRST_STEP
    while step < places:
        step *= 2
    return step


FIRST_POOL = pool_size(step_above(1))
"""Candidates for the first places, however many hits are asked for."""


def pool_of(depth: int) -> int:
    """Compute the pool size of the step in which a candidate of some depth comes in."""
    step = step_above(1)
    while pool_size(step) < depth:
        step = step_above(step + 1)
    return pool_size(step)


def put_in_order(
    candidates: Sequence[Candidate], *, places: int, by_surface: Sequence[Candidate] = ()
) -> list[Candidate]:
    """Order candidates by score, best first, equal ones by their ranks.

    Args:
        candidates: In any order; all with a rank within `pool_size(step_above(places))`.
        places: Candidates needed, at least 1.
        by_surface: Candidates from the first step on; they replace those of the same chunks.

    Returns:
        The first of them, up to the next step: a beginning of the order for any greater number. Scores never rise: a
        candidate that would have beaten those before it, but came in only in a later step, has their score.
    """
    placed: list[Candidate] = []
    for step, pool in candidates_by_step(candidates, places=places, by_surface=by_surface):
        taken = {candidate.chunk_id for candidate in placed}
        chosen = [candidate for candidate in pool if candidate.chunk_id not in taken][: step - len(placed)]
        placed += _never_above(chosen, placed[-1].score) if placed else chosen
    return placed


def candidates_by_step(
    candidates: Sequence[Candidate], *, places: int, by_surface: Sequence[Candidate]
) -> Iterator[tuple[int, list[Candidate]]]:
    """Yield the last place of each step with all candidates for it, by score, equal ones by their ranks.

    Args:
        candidates: As for `put_in_order`.
        places: The last step has this place.
        by_surface: As for `put_in_order`.
    """
    pool = list(by_surface)
    by_words = {candidate.chunk_id for candidate in by_surface}
    looked = step = 0
    while step < places:
        step = step_above(step + 1)
        pool += [
            candidate
            for candidate in candidates
            if looked < candidate.depth <= pool_size(step) and candidate.chunk_id not in by_words
        ]
        looked = pool_size(step)
        pool.sort(key=_sort_key)
        yield step, pool


def _sort_key(candidate: Candidate) -> tuple[float, int, int, ChunkId]:
    ranks = (candidate.lexical_rank, candidate.vector_rank)
    first, second = (sys.maxsize if rank is None else rank for rank in ranks)
    return -candidate.score, first, second, candidate.chunk_id


def _never_above(candidates: Sequence[Candidate], score: float) -> list[Candidate]:
    return [candidate._replace(score=min(candidate.score, score)) for candidate in candidates]
