"""How well a search finds the passages and documents that a golden suite expects."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from kebab_core import Model, SearchHit

from kebab_eval.golden import GoldenQuery


class GoldenResult(Model):
    """What the first `k` hits of one query are; None where the query does not expect such a thing."""

    query_id: str
    hit_at_k: bool | None = None
    """Whether an expected passage is among them."""
    reciprocal_rank: float | None = None
    """Of the first expected passage; 0 where there is none."""
    precision_at_k_chunk: float | None = None
    """Expected passages among them over `k`, also where fewer were found."""
    recall_at_k_doc: float | None = None
    """Share of the expected documents that are there."""


class GoldenMetrics(Model):
    """Means over the queries that each can be measured for; None where there is no such query."""

    k: int
    chunk_queries: int
    """Queries that expect passages."""
    doc_queries: int
    """Queries that expect documents."""
    hit_at_k: float | None
    mrr: float | None
    precision_at_k_chunk: float | None
    recall_at_k_doc: float | None


def measure_hits(
    query: GoldenQuery,
    hits: Sequence[SearchHit],
    *,
    k: int,
    chunk_names: Callable[[SearchHit], Collection[str]],
    doc_names: Callable[[SearchHit], Collection[str]],
) -> GoldenResult:
    """Return what the first `k` hits come to.

    Args:
        query: What was expected.
        hits: What was found, best first.
        k: How many to look at; also the denominator of the precision.
        chunk_names: Everything that a suite may call a hit's passage.
        doc_names: Everything that it may call its document.
    """
    expected, documents = set(query.expected_chunk_ids), set(query.expected_doc_ids)
    right = [not expected.isdisjoint(chunk_names(hit)) for hit in hits[:k]]
    found = documents.intersection(name for hit in hits[:k] for name in doc_names(hit))
    return GoldenResult(
        query_id=query.id,
        hit_at_k=any(right) if expected else None,
        reciprocal_rank=(1 / (right.index(True) + 1) if any(right) else 0.0) if expected else None,
        precision_at_k_chunk=sum(right) / k if expected else None,
        recall_at_k_doc=len(found) / len(documents) if documents else None,
    )


def summarize_golden(results: Sequence[GoldenResult], *, k: int) -> GoldenMetrics:
    """Return the means, each over the queries that it was measured for."""
    return GoldenMetrics(
        k=k,
        chunk_queries=sum(result.hit_at_k is not None for result in results),
        doc_queries=sum(result.recall_at_k_doc is not None for result in results),
        hit_at_k=mean_of(result.hit_at_k for result in results),
        mrr=mean_of(result.reciprocal_rank for result in results),
        precision_at_k_chunk=mean_of(result.precision_at_k_chunk for result in results),
        recall_at_k_doc=mean_of(result.recall_at_k_doc for result in results),
    )


def mean_of(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are there, None where none is."""
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None
