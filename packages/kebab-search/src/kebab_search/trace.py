"""How a result came about, for those who ask."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kebab_core import (
    Clock,
    FusionInput,
    SearchTrace,
    TermOmission,
    TraceCandidate,
    TraceTerm,
    TraceTiming,
)

from kebab_search.hits import Candidate
from kebab_search.question import Question
from kebab_search.weighting import MAX_TERMS, inverse_frequency


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
    question: Question,
    *,
    by_words: bool,
    found: Sequence[Candidate],
    ordered: Sequence[Candidate],
    timing: TraceTiming,
) -> SearchTrace:
    """Return the trace of a search.

    Args:
        question: The terms and their weights.
        by_words: Whether they were looked up.
        found: What either leg found.
        ordered: By the rank that they were given in the end.
        timing: How long it took.
    """
    return SearchTrace(
        terms=tuple(
            TraceTerm(text=text, weight=weight, searched=left_out is None, left_out=left_out)
            for text, weight in question.weighted.weights.items()
            for left_out in [_omission(text, question, by_words=by_words)]
        ),
        lexical=_leg(
            (candidate, candidate.lexical_rank, candidate.bm25, None)
            for candidate in sorted(found, key=lambda candidate: candidate.lexical_rank or 0)
        ),
        vector=_leg(
            (candidate, candidate.vector_rank, candidate.cosine, candidate.standing)
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


def _omission(text: str, question: Question, *, by_words: bool) -> TermOmission | None:
    """Return why the index was not asked for a term; None where it was."""
    asked, weighted = question.lexical, question.weighted
    if not by_words:
        return TermOmission.BY_MEANING
    if asked is not None and asked.raw is not None:
        return TermOmission.BY_SYNTAX
    if asked is not None and text in asked.terms:
        return None
    if text in weighted.inflected:
        return TermOmission.BY_STEM
    if weighted.weights[text] >= inverse_frequency(0, question.corpus_size):
        return TermOmission.IN_NO_PASSAGE
    is_full = len(weighted.searched) >= MAX_TERMS
    return TermOmission.TOO_MANY if is_full else TermOmission.TOO_COMMON


def _leg(
    ranked: Iterable[tuple[Candidate, int | None, float | None, float | None]],
) -> tuple[TraceCandidate, ...]:
    """Return the candidates that a leg gave a rank."""
    return tuple(
        TraceCandidate(
            chunk_id=candidate.chunk_id,
            doc_id=candidate.found.document.doc_id,
            doc_path=candidate.found.document.doc_path,
            rank=rank,
            score=score,
            margin=margin,
            source_id=candidate.found.document.source_id,
        )
        for candidate, rank, score, margin in ranked
        if rank is not None and score is not None
    )
