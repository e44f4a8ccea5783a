"""Inverse document frequency: the weight of a term by how few passages hold it."""

from __future__ import annotations

import math

FTS5_LEAST_IDF = 1e-6
"""The weight that SQLite's FTS5 gives a term which half of the passages or more hold."""


def inverse_document_frequency(frequency: int, corpus_size: int) -> float:
    """Compute `ln(1 + (N - n + 0.5) / (n + 0.5))`, positive also for a term that every passage holds.

    Args:
        frequency: Passages that hold the term (n), at least 0; above N counts as N.
        corpus_size: All passages (N), at least 0.
    """
    return math.log1p(_odds(frequency, corpus_size))


def fts5_idf(frequency: int, corpus_size: int) -> float:
    """Compute the weight in the BM25 of FTS5: `ln((N - n + 0.5) / (n + 0.5))`, at least 0.000001.

    Args:
        frequency: Passages that hold the term (n), at least 0; above N counts as N.
        corpus_size: All passages (N), at least 0.
    """
    return max(FTS5_LEAST_IDF, math.log(_odds(frequency, corpus_size)))


def _odds(frequency: int, corpus_size: int) -> float:
    return (max(corpus_size, frequency) - frequency + 0.5) / (frequency + 0.5)
