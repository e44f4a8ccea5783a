"""Search responses: one page of hits cut from the ordered candidates, what was searched, the reason for no hit, the trace."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kebab_core import (
    Analyzer,
    Budget,
    CancelToken,
    Clock,
    Coverage,
    DocumentId,
    DocumentSet,
    DocumentStore,
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
    StepLog,
    TermOmission,
    TraceCandidate,
    TraceTerm,
    TraceTiming,
    TrustLevel,
)
from kebab_text import inverse_document_frequency

from kebab_search.folding import (
    MAX_MORE,
    FoldedHit,
    FoldedOrder,
    count_hits,
    fold_documents,
    more_places,
    most_places,
)
from kebab_search.hits import Copies, HitBuilder, Method, SourceReader
from kebab_search.lexical_search import QueryAnalysis
from kebab_search.paging import Cursor, digest_query, fit_budget, open_page
from kebab_search.query import ParsedQuery
from kebab_search.ranking import Candidate, first_chunk_ids, put_in_order
from kebab_search.term_weights import MAX_TERMS
from kebab_search.translations import Translations, find_translations

_LOG = logging.getLogger("kebab.search")
_NEAREST = 3
"""Passages told where nothing is a hit."""


class Stopwatch:
    """A timer in milliseconds, lap by lap."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = self._lap = clock.monotonic_ms()
        self.steps = StepLog(_LOG, clock)
        """Debug lines of the steps."""

    def lap(self) -> int:
        """End a lap and begin another; its time."""
        now = self._clock.monotonic_ms()
        taken, self._lap = now - self._lap, now
        return taken

    def total(self) -> int:
        """The time since the start."""
        return self._clock.monotonic_ms() - self._began


class SearchRun(NamedTuple):
    """One search as it was asked for.

    Attributes:
        query: The query.
        budget: Of the page; None is no limit.
        cancel: Looked at between the legs and before each hit.
        read_source: Reads the text that a snippet is cut from; None: that of the chunk.
        watch: Started with the search.
    """

    query: SearchQuery
    budget: Budget | None
    cancel: CancelToken
    read_source: SourceReader | None
    watch: Stopwatch


class RetrievalOutcome(NamedTuple):
    """The candidates of a search, before they are ordered.

    Attributes:
        analysis: The query, with the forms of its surface words.
        candidates: All of them, each once.
        by_surface: Those found by surface words, candidates for the first place however deep they are; among
            `candidates` too.
        is_lexical: True if terms were looked up.
        lexical_ms: Time of lexical search.
        vector_ms: Time of vector search.
        places: The places that the candidates are deep enough for.
        is_complete: True if there are no other candidates, however deep one looks.
        has_evidence: True if the best of them are hits.
        unlikely: Passages that were found too, with a score below that of a hit; for the trace.
    """

    analysis: QueryAnalysis
    candidates: Sequence[Candidate]
    by_surface: Sequence[Candidate] = ()
    is_lexical: bool = True
    lexical_ms: int = 0
    vector_ms: int = 0
    places: int = 1
    is_complete: bool = True
    has_evidence: bool = True
    unlikely: Sequence[Candidate] = ()

    def ordered(self) -> list[Candidate]:
        """Put the candidates in order: as many as they are deep enough for, up to the next step."""
        return put_in_order(self.candidates, places=self.places, by_surface=self.by_surface)

    def folded(self) -> FoldedOrder:
        """Put the candidates in order as hits, likewise."""
        return fold_documents(
            self.candidates, query=self.analysis.weighted, places=self.places, by_surface=self.by_surface
        )

    def after(self, before: RetrievalOutcome) -> RetrievalOutcome:
        """Add the times of a search that was not deep enough."""
        return self._replace(
            lexical_ms=before.lexical_ms + self.lexical_ms, vector_ms=before.vector_ms + self.vector_ms
        )


class ResponseBuilder:
    """Builds responses.

    Args:
        documents: The documents of the chunks.
        analyzer: The one that the index was made with.
        clock: For stale documents and timing.
        settings: Length of snippets, and when documents are stale.
    """

    def __init__(
        self,
        *,
        documents: DocumentStore,
        analyzer: Analyzer,
        clock: Clock,
        settings: SearchSettings,
    ) -> None:
        self._documents = documents
        self._analyzer = analyzer
        self.clock = clock
        self.settings = settings

    def open_page(self, query: SearchQuery, *, order: Sequence[str]) -> Cursor:
        """Find the start of the page that a query asks for.

        Args:
            query: The query.
            order: Versions and weights by which hits are ordered.

        Raises:
            StaleCursorError: The cursor cannot be read, or belongs to another query or state of the index.
        """
        digest = digest_query(query, order=order)
        return open_page(query.cursor, revision=self._documents.corpus_revision(), query=digest)

    def build(
        self,
        run: SearchRun,
        outcome: RetrievalOutcome,
        *,
        start: Cursor,
        method: Method,
        documents: DocumentSet | None,
        has_hits_in: Callable[[DocumentSet | None], bool],
        has_candidates_in: Callable[[DocumentSet | None], bool],
    ) -> SearchResponse:
        """Order the candidates, fold them, and build the response with one page of them.

        Args:
            run: The search.
            outcome: Its candidates, deep enough for the page.
            start: Of the page.
            method: Of the search.
            documents: Those that the filters let through; None is all.
            has_hits_in: Tells if the query has hits in other documents; None is all.
            has_candidates_in: Tells if it finds passages there, be they hits or not.

        Raises:
            StaleCursorError: The cursor belongs to another index.
            WorkCancelledError: The search was cancelled.
        """
        query, watch = run.query, run.watch
        ordered = outcome.ordered()
        folded = outcome.folded() if query.is_folded else None
        found = folded.hits if folded else [FoldedHit(candidate) for candidate in ordered]
        start.require_place([hit.best.chunk_id for hit in found])
        fusion_ms = watch.lap()
        if watch.steps.is_on:
            watch.steps.step("fusion", candidates=len(ordered), chunk_ids=first_chunk_ids(ordered))
        # Without evidence the nearest are shown, but are no hits.
        shown = found[start.offset :][: query.k if outcome.has_evidence else _NEAREST]
        built, is_truncated = self._page(
            run,
            outcome.analysis,
            shown,
            first_rank=start.offset + 1,
            method=method,
            translations=self._find_translations(shown, documents) if folded else {},
            copies=self._find_copies(shown, documents) if folded else {},
        )
        hits, nearest = (built, ()) if outcome.has_evidence else ((), tuple(map(_as_nearest, built)))
        if watch.steps.is_on:
            watch.steps.step(
                "hydration",
                hits=len(hits),
                doc_ids=[str(hit.doc_id) for hit in hits],
                chunk_ids=[str(hit.chunk_id) for hit in hits],
            )
        coverage = self._coverage(method, outcome.analysis.parsed, documents)
        reason, fields = (
            (None, ())
            if hits
            else explain_emptiness(
                query.filters,
                coverage=coverage,
                has_hits_under=lambda filters: has_hits_in(self._documents.resolve_filters(filters)),
            )
        )
        count = len(outcome.candidates)
        if folded and hits:
            count = self._count_hits(
                outcome, folded, documents, shown=start.offset + len(shown), has_hits_in=has_candidates_in
            )
        timing = TraceTiming(
            lexical_ms=outcome.lexical_ms,
            vector_ms=outcome.vector_ms,
            fusion_ms=fusion_ms,
            total_ms=watch.total(),
        )
        return SearchResponse(
            query=query,
            hits=hits,
            nearest=nearest,
            unknown_words=outcome.analysis.unknown_words,
            coverage=coverage,
            no_hit_reason=reason,
            filtered_out_by=fields,
            next_cursor=start.after(hits, found=count) if hits else None,
            truncated=is_truncated,
            trace=build_trace(outcome, ordered, timing, folded) if query.trace else None,
        )

    def _page(
        self,
        run: SearchRun,
        analysis: QueryAnalysis,
        found: Sequence[FoldedHit],
        *,
        first_rank: int,
        method: Method,
        translations: Translations,
        copies: Copies,
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
            translations=translations,
            copies=copies,
            read_source=run.read_source,
            cites_symbols=query.by_symbol,
        )

        def hits_at(snippet_chars: int, more: int) -> Iterator[SearchHit]:
            for rank, hit in enumerate(found, first_rank):
                run.cancel.raise_if_cancelled()
                yield builder.build(hit, rank=rank, snippet_chars=snippet_chars, most_further=more)

        chars = query.snippet_chars or self.settings.snippet_chars
        if budget is None:
            return tuple(hits_at(chars, MAX_MORE)), False
        return fit_budget(hits_at, snippet_chars=chars, more=MAX_MORE, budget=budget)

    def deepen(self, query: SearchQuery, outcome: RetrievalOutcome, *, start: Cursor) -> int | None:
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
        outcome: RetrievalOutcome,
        folded: FoldedOrder,
        documents: DocumentSet | None,
        *,
        shown: int,
        has_hits_in: Callable[[DocumentSet | None], bool],
    ) -> int:
        """Count the hits that there are at least: more than were shown up to here if there is a next page."""
        count = count_hits(outcome.candidates, query=outcome.analysis.weighted, by_surface=outcome.by_surface)
        if count > shown or outcome.is_complete:
            return count
        found = frozenset(folded.hit_ranks)
        told = self._find_translations(folded.hits, documents)
        copies = self._find_copies(folded.hits, documents)
        known = found.union(one.doc_id for several in (*told.values(), *copies.values()) for one in several)
        every = documents
        if every is None:  # a filter that no document fails
            every = self._documents.resolve_filters(SearchFilters(trust_min=TrustLevel.GENERATED)) or found
        return count + has_hits_in(every - known)

    def _find_translations(self, hits: Sequence[FoldedHit], documents: DocumentSet | None) -> Translations:
        pages = [hit.best.passage.document for hit in hits]
        return find_translations(pages, documents=self._documents, within=documents)

    def _find_copies(self, hits: Sequence[FoldedHit], documents: DocumentSet | None) -> Copies:
        """Find the documents with the same content as each hit, or with its very passage, without the hit's own, by source and path."""
        shown = {hit.best.passage.document.doc_id: hit for hit in hits}
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

    def count_documents(self) -> Coverage:
        """Count the documents that there are to search."""
        return self._documents.coverage(
            now=self.clock.now(), stale_threshold_days=self.settings.stale_threshold_days
        )

    def _coverage(self, method: Method, parsed: ParsedQuery, documents: DocumentSet | None) -> Coverage:
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


def _as_nearest(hit: SearchHit) -> SearchHit:
    return hit.model_copy(update={"less_likely": False})


def explain_emptiness(
    filters: SearchFilters, *, coverage: Coverage, has_hits_under: Callable[[SearchFilters], bool]
) -> tuple[NoHitReason, tuple[str, ...]]:
    """Find the nearest reason for an empty result, and the fields of the filters that are it.

    Args:
        filters: Of the query.
        coverage: Of the search.
        has_hits_under: Tells if the same query has hits under other filters.
    """
    if not coverage.documents_indexed and not coverage.ingest_running:
        return NoHitReason.INDEX_EMPTY, ()
    if not filters.is_empty and has_hits_under(SearchFilters()):
        return NoHitReason.FILTERED_OUT, _blocking_fields(filters, has_hits_under)
    return NoHitReason.STILL_INDEXING if coverage.ingest_running else NoHitReason.NOTHING_MATCHES, ()


def _blocking_fields(
    filters: SearchFilters, has_hits_under: Callable[[SearchFilters], bool]
) -> tuple[str, ...]:
    """List the fields without any one of which there would be hits; all that are set if there are none."""
    used = tuple(name for name, value in filters if value)
    if len(used) == 1:
        return used
    without = (filters.model_copy(update={name: SearchFilters.model_fields[name].default}) for name in used)
    return tuple(name for name, rest in zip(used, without, strict=True) if has_hits_under(rest)) or used


def build_trace(
    outcome: RetrievalOutcome, ordered: Sequence[Candidate], timing: TraceTiming, folded: FoldedOrder | None
) -> SearchTrace:
    """Build the trace of a search.

    Args:
        outcome: The terms, and the candidates of both searches.
        ordered: Candidates in the final order.
        timing: Of the steps.
        folded: Their hits; None if each is a hit of its own.
    """
    hit_ranks = folded.hit_ranks if folded else {}
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
                hit_rank=hit_ranks.get(candidate.passage.document.doc_id),
            )
            for candidate in (*ordered, *_beyond(ordered, folded))
        ),
        timing=timing,
    )


def _beyond(ordered: Sequence[Candidate], folded: FoldedOrder | None) -> Iterator[Candidate]:
    """Yield the best passages of the hits that are not in the order of passages: those before are of few documents."""
    known = {candidate.chunk_id for candidate in ordered}
    return (hit.best for hit in (folded.hits if folded else ()) if hit.best.chunk_id not in known)


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
