"""Metrics of one ranking of documents, their means, percentiles and AUROC.

nDCG as trec_eval computes it: a document adds its grade over `log2(rank + 1)` (the grade itself, not a power of two),
divided by the sum of the best possible ranking of all judged documents. Documents that nobody judged add nothing, as
do grades below 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, log2

from kebab_core import EvalMetrics

CUTOFF = 10
"""Ranks that the metrics look at, apart from hit@1 and hit@3."""


def measure_ranking(ranked: Sequence[str], grades: Mapping[str, int]) -> EvalMetrics:
    """Compute the metrics of one ranking.

    Args:
        ranked: Document ids, best first, none twice.
        grades: Document id to grade; above 0 is relevant.

    Returns:
        All 0 where nothing is relevant.
    """
    gains = [max(grades.get(doc_id, 0), 0) for doc_id in ranked[:CUTOFF]]
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    first = next((rank for rank, gain in enumerate(gains, start=1) if gain), None)
    best = _discounted_gain(ideal[:CUTOFF])
    return EvalMetrics(
        ndcg_at_10=_discounted_gain(gains) / best if best else 0.0,
        mrr_at_10=1 / first if first else 0.0,
        recall_at_10=sum(gain > 0 for gain in gains) / len(ideal) if ideal else 0.0,
        hit_at_1=1.0 if first == 1 else 0.0,
        hit_at_3=1.0 if any(gains[:3]) else 0.0,
    )


def _discounted_gain(gains: Sequence[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def mean_metrics(metrics: Sequence[EvalMetrics]) -> EvalMetrics:
    """Return the mean of each metric over queries; all 0 where there is none."""
    count = len(metrics) or 1
    return EvalMetrics(
        ndcg_at_10=sum(m.ndcg_at_10 for m in metrics) / count,
        mrr_at_10=sum(m.mrr_at_10 for m in metrics) / count,
        recall_at_10=sum(m.recall_at_10 for m in metrics) / count,
        hit_at_1=sum(m.hit_at_1 for m in metrics) / count,
        hit_at_3=mean_of(m.hit_at_3 for m in metrics),
    )


def mean_of(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are not None; None where there is none."""
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else None


def find_percentile(ascending: Sequence[float], percent: float) -> float:
    """Return a percentile by nearest rank: the smallest value that `percent` percent of all values do not exceed.

    Args:
        ascending: At least one value, in ascending order.
        percent: 0 to 100.
    """
    return ascending[max(ceil(len(ascending) * percent / 100), 1) - 1]


def auroc(higher: Iterable[float], lower: Iterable[float]) -> float | None:
    """Return the area under the ROC curve: the share of pairs whose first value exceeds the second.

    Args:
        higher: Values that should be the higher ones.
        lower: Values that should be the lower ones. Equal values count half.

    Returns:
        0 to 1, 0.5 is chance; None where one of them is empty.
    """
    above, below = list(higher), list(lower)
    if not above or not below:
        return None
    place, start = {}, 0
    for value, count in sorted(Counter([*above, *below]).items()):
        place[value] = start + (count + 1) / 2
        start += count
    rank_sum = sum(place[value] for value in above)
    return (rank_sum - len(above) * (len(above) + 1) / 2) / (len(above) * len(below))
