"""How much of a question the text of a passage answers: signals that look at where its words stand.

A page about the same thing holds the words of a question too, but scattered. What one place says of them tells
passages that answer from those beside them better than what the whole passage holds (2026-11): area under the curve
0.82 instead of 0.80 on English questions half of which a related page does not answer, 0.92 instead of 0.90 on Korean
ones whose passage was taken away.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from kebab_core import Evidence, Term

from kebab_search.evidence import lexical_evidence
from kebab_search.ranking import closeness
from kebab_search.weighting import WeightedQuery
from kebab_search.word_forms import WordForms

_SENTENCE_END = re.compile(r"(?<=[.!?。])\s+|\n+")
_K1 = 1.2
_LENGTH_SHARE = 0.75
"""What BM25 usually takes: how far length counts."""
_USUAL_TERMS = 150
"""Terms of a passage of usual length."""


def passage_evidence(
    query: WeightedQuery, *, text: str, terms: Sequence[Term], around: Sequence[Term]
) -> Evidence:
    """Return the signals that need no vectors; those of places only where the query has whole words.

    Args:
        query: The weighted query.
        text: The passage.
        terms: Its terms.
        around: Terms of its title and headings.
    """
    asked = [term for term in terms if term.text in query.weights]
    shown = {term.text for term in around if term.text in query.weights}
    whole = lexical_evidence(query, chunk_terms=(term.text for term in (*terms, *around)))
    if not query.forms:
        return whole
    return whole.model_copy(
        update={
            "density": _density(query, Counter(term.text for term in asked), length=len(terms)),
            "sentence_coverage": _sentence_coverage(query, text=text, asked=asked, around=shown),
            "proximity": _proximity(query, asked),
        }
    )


def _density(query: WeightedQuery, counts: Mapping[str, int], *, length: int) -> float:
    """Return the BM25 of the passage's own text, length included, over the most that the words can score."""
    allowance = _K1 * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length / _USUAL_TERMS)
    held = total = 0.0
    for word in query.forms:
        total += word.weight
        most = max(counts.get(text, 0) for text in word.wholes) or word.share_of_pieces(counts.keys())
        held += word.weight * most / (most + allowance)
    return held / total if total else 0.0


def _sentence_coverage(query: WeightedQuery, *, text: str, asked: Sequence[Term], around: set[str]) -> float:
    """Return the greatest share that two sentences on end hold, with what title and headings hold."""
    ends = [end.end() for end in _SENTENCE_END.finditer(text)]
    held: dict[int, set[str]] = {}
    for term in asked:
        held.setdefault(bisect_right(ends, term.start), set()).add(term.text)
    places = held or {0: set()}
    return max(_share(query.forms, around | here | held.get(at + 1, set())) for at, here in places.items())


def _share(words: Sequence[WordForms], held: Collection[str]) -> float:
    total = sum(word.weight for word in words)
    return min(1.0, sum(word.weight * word.share(held) for word in words) / total) if total else 0.0


def _proximity(query: WeightedQuery, asked: Sequence[Term]) -> float:
    """Return how near neighbouring words of the query stand to each other, by their weight."""
    starts: dict[str, list[int]] = {}
    for term in asked:
        starts.setdefault(term.text, []).append(term.start)
    near = total = 0.0
    for one, other in pairwise(query.forms):
        weight = (one.weight + other.weight) / 2
        total += weight
        first, second = _places(one, starts), _places(other, starts)
        if first and second:
            lengths = (one.length, other.length)
            near += weight * max(0.0, min(1.0, closeness(first, second, lengths=lengths)))
    return near / total if total else 0.0


def _places(word: WordForms, starts: Mapping[str, list[int]]) -> list[int]:
    return sorted({place for text in word.wholes for place in starts.get(text, ())})
