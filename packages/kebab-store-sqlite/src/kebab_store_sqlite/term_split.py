"""Which terms of a query are too common to be looked up by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kebab_core import LexicalQuery
from kebab_text import fts5_idf

_FEW_CHUNKS = 20_000
"""Rows that are scored without a second thought, 0.4 µs each.

Over 212,000 chunks and 140 titles and questions, a limit of 20,000 took 13 ms on average and 28 at the 95th percentile,
10,000 and 40,000 took 13 and 60, 16 and 40, and scoring everything 22 and 73 (2026-11-22).
"""
_MOST_OF_ONE = 2.2
"""FTS5's BM25 gives a term at most its inverse frequency this many times: its k1 and one."""


class SplitTerms(NamedTuple):
    """Terms of a query, the rarer first; chunks without a rare one score less than `bound`."""

    rare: tuple[str, ...]
    common: tuple[str, ...]
    bound: float


def rarest_first(query: LexicalQuery, frequencies: Mapping[str, int]) -> LexicalQuery:
    """Return the query with its terms by frequency, since BM25 adds them up in their order."""
    terms = tuple(sorted(dict.fromkeys(query.terms), key=frequencies.__getitem__))
    return query.model_copy(update={"terms": terms})


def split_terms(
    query: LexicalQuery, frequencies: Mapping[str, int], *, corpus_size: int
) -> SplitTerms | None:
    """Return the terms apart, None where all of them together are in few chunks or in which chunks is not known.

    Args:
        query: Its terms are in order, the rarest first.
        frequencies: In how many chunks each of them occurs.
        corpus_size: How many chunks there are.
    """
    if query.raw is not None or query.prefixes:
        return None
    rows = rare = 0
    for term in query.terms:
        rows += frequencies[term]
        if rows > _FEW_CHUNKS and rare:
            break
        rare += 1
    common = query.terms[rare:]
    if not common:
        return None
    bound = sum(fts5_idf(frequencies[term], corpus_size) for term in common) * _MOST_OF_ONE
    return SplitTerms(query.terms[:rare], common, bound)
