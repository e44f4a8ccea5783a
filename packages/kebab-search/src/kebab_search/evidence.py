"""Absolute signals of how well a chunk answers a query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kebab_core import Evidence, Term, TermKind

from kebab_search.weighting import WeightedQuery


def lexical_evidence(query: WeightedQuery, *, chunk_terms: Iterable[str], bm25: float) -> Evidence:
    """Return the signals that need no vectors.

    Args:
        query: The weighted query.
        chunk_terms: Terms of the chunk with its title and headings.
        bm25: The raw score.

    Returns:
        `coverage`, and `bm25_ratio` clamped to [0, 1]: a chunk that repeats the words of the query does not answer
        it better than one that holds each of them once.
    """
    own = query.self_score()
    ratio = min(1.0, bm25 / own) if own > 0 else 0.0
    return Evidence(coverage=coverage(query, frozenset(chunk_terms)), bm25_ratio=ratio)


def coverage(query: WeightedQuery, chunk_terms: frozenset[str]) -> float:
    """Return which share of the query's words a chunk holds, weighted by inverse frequency, in [0, 1].

    A word counts once however many terms it has: in full where it or its stem occurs, else by the share of its
    parts. A word that no chunk holds counts against all of them.
    """
    total = held = 0.0
    for word in _words(query.terms):
        wholes, pieces = _split(word)
        weight = min(query.weights[text] for text in wholes)
        total += weight
        held += weight * (1.0 if wholes & chunk_terms else _share_held(query, pieces, chunk_terms))
    for prefix in query.prefixes:
        total += query.prefix_weight
        held += query.prefix_weight * any(term.startswith(prefix) for term in chunk_terms)
    return min(1.0, held / total) if total else 0.0


def _words(terms: Iterable[Term]) -> Iterator[list[Term]]:
    """Yield the terms of each word of the query: those that start before the first of them ends."""
    word: list[Term] = []
    for term in terms:
        if word and term.start >= word[0].end:
            yield word
            word = []
        word.append(term)
    if word:
        yield word


def _split(word: list[Term]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the terms that stand for the whole word, at least one, and those of its pieces."""
    place = (word[0].start, word[0].end)
    wholes = [term for term in word if (term.start, term.end) == place and term.kind is not TermKind.PART]
    chosen = wholes or word[:1]
    return frozenset(term.text for term in chosen), frozenset(
        term.text for term in word if term not in chosen
    )


def _share_held(query: WeightedQuery, pieces: frozenset[str], chunk_terms: frozenset[str]) -> float:
    total = sum(query.weights[text] for text in pieces)
    return sum(query.weights[text] for text in pieces & chunk_terms) / total if total else 0.0
