"""How a result came about, for those who ask."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kebab_core import Clock, FusionInput, SearchTrace, TraceCandidate, TraceTerm, TraceTiming

from kebab_search.hits import Candidate
from kebab_search.weighting import WeightedQuery


class Stopwatch:
    """Milliseconds since it was made, lap by lap."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = self._lap = clock.monotonic_ms()

    def lap(self) -> int:
        """Return the time since the last lap, and begin another."""
        now = self._clock.monotonic_ms()
        taken, self._lap = now - self._lap, now
        return taken

    def total(self) -> int:
        """Return the time since the beginning."""
        return self._clock.monotonic_ms() - self._began


def build_trace(
    query: WeightedQuery, *, found: Sequence[Candidate], ordered: Sequence[Candidate], timing: TraceTiming
) -> SearchTrace:
    """Return the trace of a search.

    Args:
        query: The terms and their weights.
        found: What either leg found.
        ordered: By the rank that they were given in the end.
        timing: How long it took.
    """
    return SearchTrace(
        terms=tuple(
            TraceTerm(text=text, weight=weight, searched=text in query.searched)
            for text, weight in query.weights.items()
        ),
        lexical=_leg(
            (candidate, candidate.lexical_rank, candidate.bm25)
            for candidate in sorted(found, key=lambda candidate: candidate.lexical_rank or 0)
        ),
        vector=_leg(
            (candidate, candidate.vector_rank, candidate.cosine)
            for candidate in sorted(found, key=lambda candidate: candidate.vector_rank or 0)
        ),
        rrf_inputs=tuple(
            FusionInput(
                chunk_id=candidate.chunk_id,
                lexical_rank=candidate.lexical_rank,
                vector_rank=candidate.vector_rank,
                fusion_score=candidate.score,
            )
            for candidate in ordered
        ),
        timing=timing,
    )


def _leg(ranked: Iterable[tuple[Candidate, int | None, float | None]]) -> tuple[TraceCandidate, ...]:
    """Return the candidates that a leg gave a rank."""
    return tuple(
        TraceCandidate(
            chunk_id=candidate.chunk_id,
            doc_id=candidate.found.document.doc_id,
            doc_path=candidate.found.document.doc_path,
            rank=rank,
            score=score,
            source_id=candidate.found.document.source_id,
        )
        for candidate, rank, score in ranked
        if rank is not None and score is not None
    )
