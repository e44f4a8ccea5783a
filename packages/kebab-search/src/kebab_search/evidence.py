"""Absolute signals of how well a chunk answers a query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping

from kebab_core import Evidence

from kebab_search.weighting import WeightedQuery

_K1 = 1.2
"""What FTS5 uses: how soon another occurrence of a term stops telling more."""


def lexical_evidence(query: WeightedQuery, *, chunk_terms: Iterable[str]) -> Evidence:
    """Return the signals that need no vectors.

    Args:
        query: The weighted query.
        chunk_terms: Terms of the chunk with its title and headings, each as often as it occurs.
    """
    counts = Counter(chunk_terms)
    return Evidence(coverage=coverage(query, counts.keys()), bm25_ratio=bm25_ratio(query, counts))


def coverage(query: WeightedQuery, chunk_terms: Collection[str]) -> float:
    """Return which share of the query's words a chunk holds, weighted by inverse frequency, in [0, 1].

    A word counts once however many terms it has: in full where it or its stem occurs, else by the share of its
    parts. A word that no chunk holds counts against all of them.
    """
    return _share(query, dict.fromkeys(chunk_terms, 1), strength=float)


def bm25_ratio(query: WeightedQuery, counts: Mapping[str, int]) -> float:
    """Return the BM25 of a chunk over the most that the query's words can score, in [0, 1).

    It is not the score of the index over anything: that has no weight at all for a term that half of a few chunks
    hold. Words weigh and count as in `coverage`; one occurrence counts 0.45, two 0.63, five 0.81, so that holding a word
    often tells more than holding it, but never makes up for another. Length does not matter. So it means the same in a
    corpus of two chunks and of a million. A limit at what each word once would score is no better at telling answered
    from unanswered questions and leaves most of the right chunks at the limit (2026-11).

    Args:
        query: The weighted query.
        counts: How often each term occurs in the chunk.
    """
    return _share(query, counts, strength=_saturated)


def _share(query: WeightedQuery, counts: Mapping[str, int], *, strength: Callable[[int], float]) -> float:
    total = held = 0.0
    for word in query.forms:
        most = max(counts.get(text, 0) for text in word.wholes)
        total += word.weight
        share = 1.0 if most else word.share_of_pieces(counts.keys())
        held += word.weight * share * strength(most or 1)
    for prefix in query.prefixes:
        most = max((count for term, count in counts.items() if term.startswith(prefix)), default=0)
        total += query.prefix_weight
        held += query.prefix_weight * strength(most)
    return min(1.0, held / total) if total else 0.0


def _saturated(count: int) -> float:
    return count / (count + _K1)
