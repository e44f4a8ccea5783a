"""Search responses: one page of hits cut from the ordered candidates, what was searched, and why nothing was found."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kebab_core import (
    Analyzer,
    Clock,
    Coverage,
    DocumentSet,
    DocumentStore,
    EmbeddingModelId,
    IndexVersion,
    LegFailure,
    NoHitReason,
    ScoreKind,
    SearchFilters,
    SearchHit,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
    SearchTrace,
    StepLog,
    TraceTiming,
)

from kebab_search.hits import HitBuilder
from kebab_search.lexical_search import QueryAnalysis
from kebab_search.paging import Affordable, Cursor, HitCost, Pages, digest_query, fit_budget
from kebab_search.query import ParsedQuery
from kebab_search.ranking import Candidate, put_in_order

_LOG = logging.getLogger("kebab.search")


class Method(NamedTuple):
    """The method of a search.

    Attributes:
        mode: The search that found the hits.
        score_kind: Of their scores.
        index_version: Label of the analyser and model.
        missing: Searches of the mode that are not available.
        failure: The reason why the first of those is missing.
        embedding_model: The model of the vectors, if any took part.
        parsed: The query, of which only a beginning may have been read; None: all of it was.
    """

    mode: SearchMode
    score_kind: ScoreKind
    index_version: IndexVersion
    missing: tuple[SearchMode, ...] = ()
    failure: LegFailure | None = None
    embedding_model: EmbeddingModelId | None = None
    parsed: ParsedQuery | None = None

    @property
    def legs(self) -> tuple[SearchMode, ...]:
        """The searches that took part."""
        both = (SearchMode.LEXICAL, SearchMode.VECTOR)
        of_mode = both if self.mode is SearchMode.HYBRID else (self.mode,)
        return tuple(leg for leg in of_mode if leg not in self.missing)


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
    """

    analysis: QueryAnalysis
    candidates: Sequence[Candidate]
    by_surface: Sequence[Candidate] = ()
    is_lexical: bool = True
    lexical_ms: int = 0
    vector_ms: int = 0


class ResponseBuilder:
    """Builds responses.

    Args:
        documents: The documents of the chunks.
        analyzer: The one that the index was made with.
        clock: For stale documents and timing.
        settings: Length of snippets, and when documents are stale.
        cost: Tokens that a hit takes of `SearchQuery.max_tokens`.
    """

    def __init__(
        self,
        *,
        documents: DocumentStore,
        analyzer: Analyzer,
        clock: Clock,
        settings: SearchSettings,
        cost: HitCost,
    ) -> None:
        self._documents = documents
        self._analyzer = analyzer
        self.clock = clock
        self.settings = settings
        self._cost = cost

    def open(self, query: SearchQuery, *, order: Sequence[str]) -> tuple[Pages, Cursor]:
        """Open the pages of a result: they, and the start of the one that the query asks for.

        Args:
            query: The query.
            order: Versions and weights by which hits are ordered.

        Raises:
            StaleCursorError: The cursor cannot be read, or belongs to another query or state of the index.
        """
        pages = Pages(revision=self._documents.corpus_revision(), query=digest_query(query, order=order))
        return pages, pages.start(query.cursor)

    def build(
        self,
        query: SearchQuery,
        outcome: RetrievalOutcome,
        *,
        opened: tuple[Pages, Cursor],
        method: Method,
        documents: DocumentSet | None,
        watch: Stopwatch,
        has_hits_under: Callable[[SearchFilters], bool],
    ) -> SearchResponse:
        """Order the candidates and build the response with one page of them.

        Args:
            query: The query.
            outcome: Its candidates, deep enough for the page.
            opened: The pages, and the start of this one.
            method: Of the search.
            documents: Those that the filters let through; None is all.
            watch: Started with the search.
            has_hits_under: Tells if the query has hits under other filters.

        Raises:
            StaleCursorError: The cursor belongs to another index.
        """
        pages, start = opened
        places = start.offset + query.k
        ordered = put_in_order(outcome.candidates, places=places, by_surface=outcome.by_surface)
        start.require_place([candidate.chunk_id for candidate in ordered])
        fusion_ms = watch.lap()
        watch.steps.step("fusion", candidates=len(ordered))
        shown = ordered[start.offset :][: query.k]
        page = self._page(query, outcome.analysis, shown, first_rank=start.offset + 1, method=method)
        if watch.steps.is_on:
            watch.steps.step(
                "hydration",
                hits=len(page.hits),
                doc_ids=[str(hit.doc_id) for hit in page.hits],
                chunk_ids=[str(hit.chunk_id) for hit in page.hits],
            )
        coverage = self._coverage(method, documents)
        nothing = (
            None
            if page.hits
            else explain_emptiness(query.filters, coverage=coverage, has_hits_under=has_hits_under)
        )
        timing = TraceTiming(
            lexical_ms=outcome.lexical_ms,
            vector_ms=outcome.vector_ms,
            fusion_ms=fusion_ms,
            total_ms=watch.total(),
        )
        return SearchResponse(
            query=query,
            hits=page.hits,
            coverage=coverage,
            no_hit_reason=nothing.reason if nothing else None,
            filtered_out_by=nothing.filters if nothing else (),
            next_cursor=pages.after(page.hits, start=start, found=len(outcome.candidates)),
            truncated=page.truncated,
            trace=_build_trace(outcome, ordered, timing) if query.trace else None,
        )

    def _page(
        self,
        query: SearchQuery,
        analysis: QueryAnalysis,
        candidates: Sequence[Candidate],
        *,
        first_rank: int,
        method: Method,
    ) -> Affordable:
        hits_at = self._hit_maker(analysis, candidates, first_rank=first_rank, method=method)
        chars = query.snippet_chars or self.settings.snippet_chars
        if query.max_tokens is None:
            return Affordable(tuple(hits_at(chars)), truncated=False)
        return fit_budget(hits_at, snippet_chars=chars, max_tokens=query.max_tokens, cost=self._cost)

    def _hit_maker(
        self, analysis: QueryAnalysis, candidates: Sequence[Candidate], *, first_rank: int, method: Method
    ) -> Callable[[int], Iterator[SearchHit]]:
        now = self.clock.now()

        def hits_at(snippet_chars: int) -> Iterator[SearchHit]:
            builder = HitBuilder(
                analyzer=self._analyzer,
                query=analysis.weighted,
                phrases=analysis.phrases,
                snippet_chars=snippet_chars,
                stale_threshold_days=self.settings.stale_threshold_days,
                now=now,
                index_version=method.index_version,
                surface_words=analysis.surface_words,
                surface_forms=analysis.surface_forms,
                method=method.mode,
                score_kind=method.score_kind,
                embedding_model=method.embedding_model,
            )
            return (
                builder.build(candidate, rank=rank) for rank, candidate in enumerate(candidates, first_rank)
            )

        return hits_at

    def count_documents(self) -> Coverage:
        """Count the documents that there are to search."""
        return self._documents.coverage(
            now=self.clock.now(), stale_threshold_days=self.settings.stale_threshold_days
        )

    def _coverage(self, method: Method, documents: DocumentSet | None) -> Coverage:
        counted = self.count_documents()
        searched = counted.documents_indexed if documents is None else len(documents)
        return counted.model_copy(
            update={
                "documents_searched": searched,
                "legs": method.legs,
                "missing_legs": method.missing,
                "leg_failure": method.failure,
                **_read_chars(method),
            }
        )


class Emptiness(NamedTuple):
    """The nearest reason for an empty result, and the fields of the filters that are it."""

    reason: NoHitReason
    filters: tuple[str, ...] = ()


def explain_emptiness(
    filters: SearchFilters, *, coverage: Coverage, has_hits_under: Callable[[SearchFilters], bool]
) -> Emptiness:
    """Find the nearest reason for an empty result.

    Args:
        filters: Of the query.
        coverage: Of the search.
        has_hits_under: Tells if the same query has hits under other filters.
    """
    if not coverage.documents_indexed and not coverage.ingest_running:
        return Emptiness(NoHitReason.INDEX_EMPTY)
    if not filters.is_empty and has_hits_under(SearchFilters()):
        return Emptiness(NoHitReason.FILTERED_OUT, _blocking_fields(filters, has_hits_under))
    return Emptiness(NoHitReason.STILL_INDEXING if coverage.ingest_running else NoHitReason.NOTHING_MATCHES)


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


def _build_trace(outcome: RetrievalOutcome, ordered: Sequence[Candidate], timing: TraceTiming) -> SearchTrace:
    from kebab_search.trace import build_trace  # here because few searches are traced

    return build_trace(
        outcome.analysis,
        is_lexical=outcome.is_lexical,
        candidates=outcome.candidates,
        ordered=ordered,
        timing=timing,
    )


def _read_chars(method: Method) -> dict[str, int | None]:
    """Count the characters of a long query that were read, by the searches that took part."""
    if method.parsed is None:
        return {}
    embedded = method.parsed.embedding_chars or method.parsed.read_chars
    return {
        "lexical_query_chars": method.parsed.read_chars,
        "vector_query_chars": embedded if SearchMode.VECTOR in method.legs else None,
    }


def _blocking_fields(
    filters: SearchFilters, has_hits_under: Callable[[SearchFilters], bool]
) -> tuple[str, ...]:
    """List the fields without any one of which there would be hits; all that are set if there are none."""
    used = tuple(name for name, value in filters if value)
    if len(used) == 1:
        return used
    without = (filters.model_copy(update={name: SearchFilters.model_fields[name].default}) for name in used)
    return tuple(name for name, rest in zip(used, without, strict=True) if has_hits_under(rest)) or used
