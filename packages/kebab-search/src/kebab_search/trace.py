"""Trace of a search: terms, candidates of each search, and the final order, for `--trace`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kebab_core import (
    FusionInput,
    SearchTrace,
    TermOmission,
    TraceCandidate,
    TraceTerm,
    TraceTiming,
)
from kebab_text import inverse_document_frequency

from kebab_search.lexical_search import QueryAnalysis
from kebab_search.ranking import Candidate
from kebab_search.term_weights import MAX_TERMS

if TYPE_CHECKING:
    from kebab_search.response import RetrievalOutcome


def build_trace(outcome: RetrievalOutcome, ordered: Sequence[Candidate], timing: TraceTiming) -> SearchTrace:
    """Build the trace of a search.

    Args:
        outcome: The terms, and the candidates of both searches.
        ordered: Candidates in the final order.
        timing: Of the steps.
    """
    analysis, candidates = outcome.analysis, outcome.candidates
    return SearchTrace(
        terms=tuple(
            TraceTerm(text=text, weight=weight, searched=left_out is None, left_out=left_out)
            for text, weight in analysis.weighted.weights.items()
            for left_out in [_omission(text, analysis, is_lexical=outcome.is_lexical)]
        ),
        lexical=_ranked_by(
            (candidate, candidate.lexical_rank, candidate.bm25, None)
            for candidate in sorted(candidates, key=lambda candidate: candidate.lexical_rank or 0)
        ),
        vector=_ranked_by(
            (candidate, candidate.vector_rank, candidate.cosine, candidate.z_score)
            for candidate in sorted(candidates, key=lambda candidate: candidate.vector_rank or 0)
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


def _omission(text: str, analysis: QueryAnalysis, *, is_lexical: bool) -> TermOmission | None:
    """Find the reason why a term was not searched; None if it was."""
    lexical, weighted = analysis.lexical, analysis.weighted
    if not is_lexical:
        return TermOmission.BY_MEANING
    if lexical is not None and lexical.raw is not None:
        return TermOmission.BY_SYNTAX
    if lexical is not None and text in lexical.terms:
        return None
    if text in weighted.inflected:
        return TermOmission.BY_STEM
    if weighted.weights[text] >= inverse_document_frequency(0, analysis.corpus_size):
        return TermOmission.IN_NO_PASSAGE
    is_full = len(weighted.searched) >= MAX_TERMS
    return TermOmission.TOO_MANY if is_full else TermOmission.TOO_COMMON


def _ranked_by(
    ranked: Iterable[tuple[Candidate, int | None, float | None, float | None]],
) -> tuple[TraceCandidate, ...]:
    """List the candidates that one search ranked."""
    return tuple(
        TraceCandidate(
            chunk_id=candidate.chunk_id,
            doc_id=candidate.passage.document.doc_id,
            doc_path=candidate.passage.document.doc_path,
            rank=rank,
            score=score,
            z_score=z_score,
            source_id=candidate.passage.document.source_id,
        )
        for candidate, rank, score, z_score in ranked
        if rank is not None and score is not None
    )
