"""How good one ranking of documents is.

nDCG as trec_eval computes it: a document adds its grade over `log2(rank + 1)` (the grade itself, not a power of two),
divided by the sum of the best possible ranking of all judged documents. Documents that nobody judged add nothing, as
do grades below 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2

from kebab_core import Model

CUTOFF = 10
"""Ranks that the metrics look at, apart from hit@1."""


class Metrics(Model):
    """Each from 0 to 1, 1 is best; means of them are Metrics too."""

    ndcg_at_10: float
    mrr_at_10: float
    """One over the rank of the first relevant document; 0 where it is not among the first ten."""
    recall_at_10: float
    """Share of all relevant documents that are among the first ten."""
    hit_at_1: float
    """Whether the first document is relevant."""


def measure_ranking(ranked: Sequence[str], grades: Mapping[str, int]) -> Metrics:
    """Return the metrics of one ranking.

    Args:
        ranked: Document ids, best first, none twice.
        grades: Document id to grade; above 0 is relevant.

    Returns:
        All 0 where nothing is relevant.
    """
    gains = [max(grades.get(doc_id, 0), 0) for doc_id in ranked[:CUTOFF]]
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    first = next((rank for rank, gain in enumerate(gains, start=1) if gain), None)
    best = discounted_gain(ideal[:CUTOFF])
    return Metrics(
        ndcg_at_10=discounted_gain(gains) / best if best else 0.0,
        mrr_at_10=1 / first if first else 0.0,
        recall_at_10=sum(gain > 0 for gain in gains) / len(ideal) if ideal else 0.0,
        hit_at_1=1.0 if first == 1 else 0.0,
    )


def discounted_gain(gains: Sequence[int]) -> float:
    """Return the sum of gains over `log2(rank + 1)`, ranks from 1."""
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def mean_metrics(metrics: Sequence[Metrics]) -> Metrics:
    """Return the mean of each metric over queries; all 0 where there is none."""
    count = len(metrics) or 1
    return Metrics(
        ndcg_at_10=sum(m.ndcg_at_10 for m in metrics) / count,
        mrr_at_10=sum(m.mrr_at_10 for m in metrics) / count,
        recall_at_10=sum(m.recall_at_10 for m in metrics) / count,
        hit_at_1=sum(m.hit_at_1 for m in metrics) / count,
    )
