"""`build_trace`: how a result came about, as data: terms, candidates of both searches, their order, time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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

from kebab_search.term_weights import MAX_TERMS

if TYPE_CHECKING:
    from kebab_search.candidate_finder import RetrievalOutcome
    from kebab_search.folding import FoldedOrder
    from kebab_search.lexical_search import QueryAnalysis
    from kebab_search.ranking import Candidate


def build_trace(
    outcome: RetrievalOutcome, ordered: Sequence[Candidate], timing: TraceTiming, order: FoldedOrder
) -> SearchTrace:
    """Build the trace of a search.

    Args:
        outcome: The terms, and the candidates of both searches.
        ordered: Candidates in the order of passages.
        timing: Of the steps.
        order: Their hits; without ranks if each is a hit of its own.
    """
    scores = {hit.chunk_id: hit.rerank_score for hit in order.hits}
    analysis, candidates = outcome.analysis, [*outcome.candidates, *outcome.unlikely]
    return SearchTrace(
        terms=tuple(
            TraceTerm(text=text, weight=weight, searched=left_out is None, left_out=left_out)
            for text, weight in analysis.weighted.weights.items()
            for left_out in [_omission(text, analysis, is_lexical=outcome.is_lexical)]
        ),
        lexical=tuple(
            _trace_candidate(candidate, candidate.lexical_rank, candidate.bm25)
            for candidate in sorted(candidates, key=lambda candidate: candidate.lexical_rank or 0)
            if candidate.lexical_rank is not None and candidate.bm25 is not None
        ),
        vector=tuple(
            _trace_candidate(candidate, candidate.vector_rank, candidate.cosine, candidate.z_score)
            for candidate in sorted(candidates, key=lambda candidate: candidate.vector_rank or 0)
            if candidate.vector_rank is not None and candidate.cosine is not None
        ),
        rrf_inputs=tuple(
            FusionInput(
                chunk_id=candidate.chunk_id,
                lexical_rank=candidate.lexical_rank,
                vector_rank=candidate.vector_rank,
                fusion_score=candidate.score,
                hit_rank=order.hit_ranks.get(candidate.passage.document.doc_id),
                rerank_score=scores.get(candidate.chunk_id),
            )
            for candidate in (*ordered, *_beyond(ordered, order))
        ),
        timing=timing,
    )


def _beyond(ordered: Sequence[Candidate], order: FoldedOrder) -> Iterator[Candidate]:
    """Yield the best passages of the hits that are not in the order of passages: those before are of few documents."""
    known = {candidate.chunk_id for candidate in ordered}
    return (hit for hit in order.hits if hit.chunk_id not in known)


def _omission(text: str, analysis: QueryAnalysis, *, is_lexical: bool) -> TermOmission | None:
    """Find the reason why a term was not searched; None if it was."""
    lexical, weighted = analysis.lexical, analysis.weighted
    if not is_lexical:
        return TermOmission.BY_MEANING
    if lexical is not None and lexical.syntax is not None:
        return TermOmission.BY_SYNTAX
    if lexical is not None and text in lexical.terms:
        return None
    if text in weighted.inflected:
        return TermOmission.BY_STEM
    if weighted.weights[text] >= inverse_document_frequency(0, analysis.corpus_size):
        return TermOmission.IN_NO_PASSAGE
    is_full = len(weighted.searched) >= MAX_TERMS
    return TermOmission.TOO_MANY if is_full else TermOmission.TOO_COMMON


def _trace_candidate(
    candidate: Candidate, rank: int, score: float, z_score: float | None = None
) -> TraceCandidate:
    document = candidate.passage.document
    return TraceCandidate(
        chunk_id=candidate.chunk_id,
        doc_id=document.doc_id,
        doc_path=document.doc_path,
        rank=rank,
        score=score,
        z_score=z_score,
        source_id=document.source_id,
    )
