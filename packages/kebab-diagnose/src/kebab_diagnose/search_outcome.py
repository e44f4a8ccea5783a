"""The step `order` of an explanation: the document's position among the hits, or the first reason why it has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_core import (
    MODEL_FAILURES,
    LegFailure,
    NotIndexedError,
    Remedy,
    SearchFilters,
    SearchMode,
    SearchQuery,
)

from kebab_diagnose.explanation import SearchPosition

if TYPE_CHECKING:
    from kebab_core import Retriever, SearchResponse

    from kebab_diagnose.access import RequiredMatch, SearchAccess, Similarity
    from kebab_diagnose.explanation import ExplanationTrace, QueryTerm, Verdict
    from kebab_diagnose.index_explanation import StoredDocument

_MAX_K = 1000
"""Hits that one search can be asked for; a little more is ranked for them."""


def find_position(retriever: Retriever, query: SearchQuery, stored: StoredDocument) -> SearchPosition:
    """Find the position of a document's best passage in a search.

    The search is the one that users make, for as many hits as there may be: the rank is the one that they see.

    Args:
        retriever: Searches.
        query: The query, with the mode and the filters to search with; `k` does not count.
        stored: The document.

    Raises:
        InvalidInputError: The query is empty or its full-text syntax is wrong.
        StorageError: The words cannot be searched.
    """
    # One hit is built, whatever is asked for, and the trace has all of them.
    deep = query.model_copy(update={"k": _MAX_K, "max_tokens": 1, "cursor": None, "trace": True})
    response = _search(retriever, deep)
    if isinstance(response, LegFailure):
        return SearchPosition(mode=query.mode, failure=response)
    order = response.trace.rrf_inputs if response.trace else ()
    chunk_ids = {chunk.chunk_id for chunk in stored.chunks}
    ranked = ((rank, one) for rank, one in enumerate(order, start=1) if one.chunk_id in chunk_ids)
    rank, best = next(ranked, (None, None))
    if best is None:
        alone = deep.model_copy(update={"filters": SearchFilters(doc_id=(stored.document.doc_id,)), "k": 1})
        is_match = bool(retriever.search(alone).hits)
    return SearchPosition(
        mode=query.mode,
        rank=rank,
        score=best.fusion_score if best else None,
        score_kind=response.hits[0].score_kind if best and response.hits else None,
        chunk_id=best.chunk_id if best else None,
        looked_at=len(order),
        matches=True if best else is_match,
        failure=response.coverage.leg_failure,
    )


def _search(retriever: Retriever, query: SearchQuery) -> SearchResponse | LegFailure:
    """Search; without vectors a search by meaning alone gives their error, while other modes go on by words."""
    if query.mode is not SearchMode.VECTOR:
        return retriever.search(query)
    try:
        return retriever.search(query)
    except MODEL_FAILURES as error:
        return LegFailure(code=error.code, message=error.message, remedy=error.remedy)


def best_similarity(similarities: Sequence[Similarity]) -> Similarity | None:
    """Choose the passage whose z-score is farthest above the minimum, or nearest below it."""
    return max(similarities, key=lambda one: one.z_score - (one.min_z_score or 0), default=None)


@dataclass(frozen=True, kw_only=True)
class SearchOutcome:
    """A query and what it finds in one document; `explain` adds the step."""

    search: SearchAccess
    query: SearchQuery
    """With the filters that keep the document out."""
    stored: StoredDocument
    terms: tuple[QueryTerm, ...]
    position: SearchPosition
    """In the mode of the query."""
    similarities: Sequence[Similarity] | LegFailure
    """Of the passages with vectors, or the error of the vector search."""
    requirement: RequiredMatch | None
    trace: ExplanationTrace

    def explain(self) -> None:
        """Add the step `order`."""
        position = self.position
        if position.rank is not None:
            self._explain_rank(position.rank)
        elif position.matches:
            detail = f"it matches, but is not among the best {position.looked_at} passages"
            remedy = Remedy(kind="search_own_words", otherwise=self._search_document)
            self.trace.stop("too_deep", "order", detail, remedy=remedy)
        elif position.failure is not None and self.query.mode is SearchMode.VECTOR:
            is_pending = position.failure.code == NotIndexedError.code and self.stored.embedded is not None
            verdict: Verdict = "vectors_pending" if is_pending else "not_searchable"
            self.trace.stop(verdict, "order", position.failure.message, remedy=position.failure.remedy)
        else:
            self._explain_no_match()

    @property
    def _search_document(self) -> Remedy:
        return Remedy(kind="search_document", document=self.stored.document.doc_id)

    def _explain_rank(self, rank: int) -> None:
        query, position = self.query, self.position
        is_first = "its best passage is" if len(self.stored.chunks) > 1 else "it is"
        unfiltered = "" if position.filtered else " without these filters"
        detail = f"{is_first} hit {rank} of {position.looked_at}{unfiltered}"
        if rank > query.k:
            more = Remedy(kind="show_more_hits", count=rank)
            remedy = more if rank <= _MAX_K else self._search_document
            self.trace.stop("beyond_k", "order", f"{detail}; the first {query.k} are shown", remedy=remedy)
        elif self.trace.verdict is None and query.max_tokens is not None and not self._is_shown():
            detail = f"{detail}, but the hits before it take up all {query.max_tokens} tokens"
            remedy = Remedy(kind="raise_token_limit", otherwise=Remedy(kind="next_page"))
            self.trace.stop("over_budget", "order", detail, remedy=remedy)
        else:
            self.trace.ok("order", detail)

    def _is_shown(self) -> bool:
        hits = self.search.retriever.search(self.query).hits
        return any(hit.doc_id == self.stored.document.doc_id for hit in hits)

    def _explain_no_match(self) -> None:
        no_words = (
            "words are not searched in vector mode"
            if self.query.mode is SearchMode.VECTOR
            else "no word of the query finds it"
        )
        if self.requirement is not None:
            detail, remedy = self._describe_requirement(self.requirement)
            self.trace.stop("no_match", "order", detail, remedy=remedy)
        elif self.query.mode is SearchMode.LEXICAL:
            self.trace.stop("no_match", "order", no_words, remedy=self._other_query())
        elif self.stored.pending and not isinstance(self.similarities, LegFailure):
            detail = f"{no_words}, and not all of its passages can be found by meaning yet"
            self.trace.stop("vectors_pending", "order", detail, remedy=Remedy(kind="embed"))
        elif isinstance(self.similarities, LegFailure):
            remedy = self.similarities.remedy or self._other_query()
            self.trace.stop("no_match", "order", f"{no_words}, and meaning was not asked", remedy=remedy)
        else:
            self._explain_low_similarity(self.similarities, no_words)

    def _explain_low_similarity(self, similarities: Sequence[Similarity], no_words: str) -> None:
        best = best_similarity(similarities)
        if best is None or best.min_z_score is None or best.z_score >= best.min_z_score:
            self.trace.stop("no_match", "order", "nothing of the query finds it", remedy=self._other_query())
            return
        scores = f"similarity z-score {best.z_score:.1f} is below the minimum {best.min_z_score:.1f}"
        self.trace.stop("below_floor", "order", f"{no_words}, and its {scores}", remedy=self._other_query())

    def _other_query(self) -> Remedy:
        if self.query.mode is not SearchMode.VECTOR:
            return self._other_words
        if any(term.searched and term.passages for term in self.terms):
            return Remedy(kind="search_by_words")
        return Remedy(kind="search_hybrid", then=self._other_words)

    @property
    def _other_words(self) -> Remedy:
        return Remedy(kind="search_other_words", value=self.stored.document.title)

    def _describe_requirement(self, required: RequiredMatch) -> tuple[str, Remedy]:
        """Describe what the document lacks of it, and what to search for instead."""
        if required.raw is not None:
            detail = f"none of its passages is what the full-text syntax asks for: {required.raw}"
            return detail, Remedy(kind="search_plain_words")
        if required.phrases:
            return self._describe_phrases(), Remedy(kind="search_without_quotes")
        if not required.prefixes:
            return "the query has no word to look for", self._other_words
        beginnings = " or ".join(f'"{prefix}"' for prefix in required.prefixes)
        detail = f"no word in it begins with {beginnings}, and a query of beginnings alone finds nothing by meaning"
        return detail, Remedy(kind="search_whole_words", otherwise=self._other_words)

    def _describe_phrases(self) -> str:
        phrases = [term for term in self.terms if term.kind == "phrase"]
        missing = [term.text for term in phrases if not term.passages]
        if missing:
            return f'the phrase "{missing[0]}" stands in none of its passages'
        return "none of its passages holds every phrase" if phrases else "a phrase has no word to look for"
