"""Search responses: one page of hits cut from the ordered candidates, what was searched, the reason for no hit, the trace."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    RERANKED,
    Coverage,
    DocumentId,
    FusionInput,
    IndexedDocument,
    NoHitReason,
    SearchFilters,
    SearchHit,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
    SearchTrace,
    TermOmission,
    TraceCandidate,
    TraceTerm,
    TraceTiming,
)
from kebab_text import inverse_document_frequency

from kebab_search.candidate_finder import PageStart, RetrievalOutcome, SearchRun
from kebab_search.folding import (
    MAX_MORE,
    FoldedOrder,
    Translations,
    find_translations,
    more_places,
    most_places,
)
from kebab_search.hits import Copies, HitBuilder, Method, SourceReader
from kebab_search.lexical_search import QueryAnalysis
from kebab_search.query import ParsedQuery
from kebab_search.ranking import Candidate, first_chunk_ids
from kebab_search.term_weights import MAX_TERMS

if TYPE_CHECKING:
    from kebab_core import Analyzer, Clock, DocumentStore, Selection

    from kebab_search.name_search import Finder

_LOG = logging.getLogger("kebab.search")
_NEAREST = 3
"""Passages told where nothing is a hit."""


class _Page(NamedTuple):
    """Hits, with the documents that are told beside them."""

    hits: Sequence[Candidate]
    translations: Translations = MappingProxyType({})
    copies: Copies = MappingProxyType({})

    def documents(self) -> frozenset[DocumentId]:
        told = (*self.translations.values(), *self.copies.values())
        return frozenset(one.doc_id for several in told for one in several)


class ResponseBuilder:
    """Builds responses.

    Args:
        documents: The documents of the chunks.
        analyzer: The one that the index was made with.
        clock: For stale documents and timing.
        settings: Length of snippets, and when documents are stale.
        read_source: Reads the lines of a passage as they stand in its file; None: there are no files.
    """

    def __init__(
        self,
        *,
        documents: DocumentStore,
        analyzer: Analyzer,
        clock: Clock,
        settings: SearchSettings,
        read_source: SourceReader | None = None,
    ) -> None:
        self._read_source = read_source
        self._documents = documents
        self._analyzer = analyzer
        self.clock = clock
        self.settings = settings

    def build(
        self,
        run: SearchRun,
        outcome: RetrievalOutcome,
        *,
        start: PageStart,
        method: Method,
        finder: Finder | None,
    ) -> SearchResponse:
        """Order the candidates, fold them, and build the response with one page of them.

        Args:
            run: The search.
            outcome: Its candidates, deep enough for the page.
            start: Of the page.
            method: Of the search.
            finder: Found them; None where nothing can be found yet.

        Raises:
            StaleCursorError: The cursor belongs to another index.
            WorkCancelledError: The search was cancelled.
        """
        query, watch = run.query, run.watch
        documents = None if finder is None else finder.documents
        folded = outcome.folded() if query.is_folded else None
        order = folded or FoldedOrder(outcome.ordered(), {})
        fusion_ms, rerank_ms = watch.lap(), None
        if run.reranker is not None and outcome.has_evidence:
            from kebab_search.reranking import DEPTH, rerank

            first = min(RERANKED, len(outcome.fold(DEPTH).hits) if folded else RERANKED)
            order = rerank(order, query.text, first=first, reranker=run.reranker, cancel=run.cancel)
            _LOG.debug("rerank", extra=watch.steps.extra(hits=first))
            rerank_ms = watch.lap()
        found = order.hits
        if start.offset:
            from kebab_search.paging import require_place

            require_place(start, [hit.chunk_id for hit in found])
        ordered = found  # that of passages takes time, and only a reader of the steps wants it
        if folded and (query.trace or watch.steps.is_on):
            ordered = outcome.ordered()
        if watch.steps.is_on:
            _LOG.debug(
                "fusion", extra=watch.steps.extra(candidates=len(ordered), chunk_ids=first_chunk_ids(ordered))
            )
        # Without evidence the nearest are shown, but are no hits.
        shown = found[start.offset :][: query.k if outcome.has_evidence else _NEAREST]
        page = self._read_page(shown, documents) if folded else _Page(shown)
        built, is_truncated = self._page(
            run, outcome.analysis, page, first_rank=start.offset + 1, method=method
        )
        hits, nearest = (built, ()) if outcome.has_evidence else ((), tuple(map(_as_nearest, built)))
        if watch.steps.is_on:
            _LOG.debug(
                "hydration",
                extra=watch.steps.extra(
                    hits=len(hits),
                    doc_ids=[str(hit.doc_id) for hit in hits],
                    chunk_ids=[str(hit.chunk_id) for hit in hits],
                ),
            )
        coverage = self._coverage(method, outcome.analysis.parsed, documents)
        reason, fields = (None, ()) if hits else self._explain_emptiness(query.filters, coverage, finder)
        if reason is NoHitReason.NOTHING_MATCHES and outcome.analysis.may_go_on:
            reason = None
        count = len(outcome.candidates)
        if folded and hits and finder is not None:
            count = self._count_hits(run, outcome, finder, hits=found[: start.offset + len(shown)], page=page)
        timing = TraceTiming(
            lexical_ms=outcome.lexical_ms,
            vector_ms=outcome.vector_ms,
            fusion_ms=fusion_ms,
            rerank_ms=rerank_ms,
            total_ms=watch.total(),
        )
        trace = None
        if query.trace:
            trace = build_trace(outcome, ordered, timing, order)
        return SearchResponse(
            query=query,
            hits=hits,
            nearest=nearest,
            unknown_words=outcome.analysis.unknown_words,
            coverage=coverage,
            no_hit_reason=reason,
            filtered_out_by=fields,
            next_cursor=_next_cursor(start, query, hits, found=count),
            truncated=is_truncated,
            trace=trace,
        )

    def _page(
        self,
        run: SearchRun,
        analysis: QueryAnalysis,
        found: _Page,
        *,
        first_rank: int,
        method: Method,
    ) -> tuple[tuple[SearchHit, ...], bool]:
        """Build the hits of a page, and True if a budget was too small for them.

        Raises:
            WorkCancelledError: The search was cancelled.
        """
        query, budget = run.query, run.budget
        builder = HitBuilder(
            self._analyzer,
            analysis,
            method,
            stale_threshold_days=self.settings.stale_threshold_days,
            now=self.clock.now(),
            translations=found.translations,
            copies=found.copies,
            read_source=self._read_source if query.source_snippets else None,
            cites_symbols=query.by_symbol,
        )

        def hits_at(snippet_chars: int, more: int) -> Iterator[SearchHit]:
            for rank, hit in enumerate(found.hits, first_rank):
                run.cancel.raise_if_cancelled()
                yield builder.build(hit, rank=rank, snippet_chars=snippet_chars, most_further=more)

        chars = query.snippet_chars or self.settings.snippet_chars
        if budget is None:
            return tuple(hits_at(chars, MAX_MORE)), False
        from kebab_search.paging import fit_budget

        return fit_budget(hits_at, snippet_chars=chars, more=MAX_MORE, budget=budget)

    def deepen(self, query: SearchQuery, outcome: RetrievalOutcome, *, start: PageStart) -> int | None:
        """Choose how many places to look at next; None if those looked at are enough for the page.

        Args:
            query: The query.
            outcome: Its candidates so far.
            start: Of the page.
        """
        if not query.is_folded or outcome.is_complete:
            return None
        hits, wanted = len(outcome.folded().hits), start.offset + query.k
        is_enough = hits >= wanted or (hits > start.offset and outcome.places >= most_places(wanted))
        return None if is_enough else more_places(outcome.places, hits=hits, wanted=wanted)

    def _count_hits(
        self,
        run: SearchRun,
        outcome: RetrievalOutcome,
        finder: Finder,
        *,
        hits: Sequence[Candidate],
        page: _Page,
    ) -> int:
        """Count the hits that there are at least: more than were shown up to here if there is a next page.

        After a full page of a query that is typed any passage of another document is taken for a hit: the depth at which hits
        follow would cost as much as the search.

        Args:
            run: The search.
            outcome: Its candidates.
            finder: Found them.
            hits: Those that were shown up to here.
            page: The last of them, with the documents that are told beside these.
        """
        shown = len(hits)
        folded = outcome.folded()
        if len(folded.hits) > shown:
            return len(folded.hits)
        count = len(outcome.fold(max(1, len(outcome.candidates))).hits)
        if count > shown or outcome.is_complete:
            return count
        before = self._read_page(hits[: shown - len(page.hits)], finder.documents)
        if not finder.has_others(before.documents().union(page.documents(), folded.hit_ranks)):
            return count
        if run.query.unfinished and outcome.analysis.may_go_on and shown % run.query.k == 0:
            return count + 1
        while count <= shown and not outcome.is_complete:
            run.cancel.raise_if_cancelled()
            outcome = finder.find(more_places(outcome.places, hits=count, wanted=shown + 1))
            count = len(outcome.fold(max(1, len(outcome.candidates))).hits)
        return count

    def _read_page(self, hits: Sequence[Candidate], documents: Selection | None) -> _Page:
        if not hits:
            return _Page(hits)
        translations = find_translations(hits, documents=self._documents, within=documents)
        return _Page(hits, translations, self._find_copies(hits, documents))

    def _find_copies(self, hits: Sequence[Candidate], documents: Selection | None) -> Copies:
        """Find the documents with the same content as each hit, or with its very passage, without the hit's own, by source and path."""
        shown = {hit.passage.document.doc_id: hit for hit in hits}
        stored = self._documents.find_copies(shown.keys())
        found: dict[DocumentId, tuple[IndexedDocument, ...]] = {}
        for doc_id, hit in shown.items():
            same = {one.passage.document.doc_id: one.passage.document for one in hit.copies}
            same |= {
                one.doc_id: one
                for one in stored.get(doc_id, ())
                if (documents is None or one.doc_id in documents) and one.doc_id not in shown
            }
            if same:
                found[doc_id] = tuple(sorted(same.values(), key=lambda one: (one.source_id, one.doc_path)))
        return found

    def _explain_emptiness(
        self, filters: SearchFilters, coverage: Coverage, finder: Finder | None
    ) -> tuple[NoHitReason, tuple[str, ...]]:
        """Find the nearest reason for an empty result, and the fields of the filters that are it."""
        if not coverage.documents_indexed and not coverage.ingest_running:
            return NoHitReason.INDEX_EMPTY, ()
        is_filtered = not coverage.documents_searched or (finder is not None and finder.has_hits(None))
        if finder is not None and not filters.is_empty and is_filtered:
            return NoHitReason.FILTERED_OUT, self._find_blocking(filters, finder)
        return NoHitReason.STILL_INDEXING if coverage.ingest_running else NoHitReason.NOTHING_MATCHES, ()

    def _find_blocking(self, filters: SearchFilters, finder: Finder) -> tuple[str, ...]:
        """List the fields without any one of which there would be hits; all that are set if there are none."""
        used = tuple(name for name, value in filters if value)
        if len(used) == 1:
            return used
        blocking = []
        for name in used:
            rest = filters.model_copy(update={name: SearchFilters.model_fields[name].default})
            if finder.has_hits(self._documents.resolve_filters(rest)):
                blocking.append(name)
        return tuple(blocking) or used

    def count_documents(self) -> Coverage:
        """Count the documents that there are to search."""
        return self._documents.coverage(
            now=self.clock.now(), stale_threshold_days=self.settings.stale_threshold_days
        )

    def _coverage(self, method: Method, parsed: ParsedQuery, documents: Selection | None) -> Coverage:
        counted = self.count_documents()
        searched = counted.documents_indexed if documents is None else len(documents)
        return counted.model_copy(
            update={
                "documents_searched": searched,
                "legs": method.legs,
                "missing_legs": method.missing,
                "leg_failure": method.failure,
                "lexical_query_chars": parsed.read_chars,
                "vector_query_chars": parsed.embedding_chars or parsed.read_chars
                if SearchMode.VECTOR in method.legs
                else None,
            }
        )


def _next_cursor(
    start: PageStart, query: SearchQuery, hits: Sequence[SearchHit], *, found: int
) -> str | None:
    """Return the cursor behind the hits of a page, of as many as are found at least; None after the last."""
    if not hits or start.offset + len(hits) >= found:
        return None
    from kebab_search.paging import cursor_after

    return cursor_after(start, query, hits)


def _as_nearest(hit: SearchHit) -> SearchHit:
    return hit.model_copy(update={"less_likely": False})


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
