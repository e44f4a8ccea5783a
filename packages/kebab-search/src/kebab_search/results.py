"""From candidates in order to the response: one page of hits, and what was searched."""

from __future__ import annotations

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
    ScoreKind,
    SearchFilters,
    SearchHit,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
    TraceTiming,
)

from kebab_search.budget import Affordable, HitCost, fit_budget
from kebab_search.cursor import Cursor, Pages, digest_query
from kebab_search.emptiness import explain_emptiness
from kebab_search.hits import Candidate, HitBuilder
from kebab_search.ordering import put_in_order
from kebab_search.query import ParsedQuery
from kebab_search.question import Question
from kebab_search.trace import Stopwatch, build_trace


class Method(NamedTuple):
    """How a search was done.

    Attributes:
        mode: Which legs found the hits.
        score_kind: What their scores are.
        index_version: What served it.
        missing: Legs that were asked for and are not available.
        failure: Why the first of those is missing.
        embedding_model: The model of the vectors, if any took part.
        parsed: The query, which may have been read in part; None: all of it was.
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
        """The legs that took part."""
        both = (SearchMode.LEXICAL, SearchMode.VECTOR)
        asked = both if self.mode is SearchMode.HYBRID else (self.mode,)
        return tuple(leg for leg in asked if leg not in self.missing)


class Finds(NamedTuple):
    """What a search found.

    Attributes:
        question: The query, with what was looked up for it.
        candidates: All of them, each once.
        beside: Those that are looked at from the first place on, however deep they are; among `candidates` too.
        by_words: Whether words were looked up.
        lexical_ms: How long words took.
        vector_ms: How long meaning took.
    """

    question: Question
    candidates: Sequence[Candidate]
    beside: Sequence[Candidate] = ()
    by_words: bool = True
    lexical_ms: int = 0
    vector_ms: int = 0


class ResultPages:
    """Makes responses.

    Args:
        documents: What chunks belong to.
        analyzer: The one that the index was made with.
        clock: Tells what is stale, and how long searching takes.
        settings: Length of snippets, and when documents are stale.
        cost: What a hit costs of `SearchQuery.max_tokens`.
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
        """Return the pages of a query, and where the one that is asked for starts.

        Args:
            query: What is asked.
            order: Versions and weights by which hits are ordered.

        Raises:
            StaleCursorError: The cursor cannot be read, or belongs to another query or state of the index.
        """
        pages = Pages(revision=self._documents.corpus_revision(), query=digest_query(query, order=order))
        return pages, pages.start(query.cursor)

    def respond(
        self,
        query: SearchQuery,
        finds: Finds,
        *,
        opened: tuple[Pages, Cursor],
        method: Method,
        documents: DocumentSet | None,
        watch: Stopwatch,
        finds_under: Callable[[SearchFilters], bool],
    ) -> SearchResponse:
        """Return the page of a query.

        Args:
            query: What is asked.
            finds: What was found, deep enough for the page.
            opened: The pages, and where this one starts.
            method: How it was found.
            documents: Those that the filters let through; None is all.
            watch: Runs since the search began.
            finds_under: Whether the query would find anything under other filters.

        Raises:
            StaleCursorError: The cursor belongs to another index.
        """
        pages, start = opened
        places = start.offset + query.k
        ordered = put_in_order(finds.candidates, places=places, beside=finds.beside)
        start.require_place([candidate.chunk_id for candidate in ordered])
        fusion_ms = watch.lap()
        shown = ordered[start.offset :][: query.k]
        page = self._page(query, finds.question, shown, first_rank=start.offset + 1, method=method)
        coverage = self._coverage(method, documents)
        nothing = (
            None if page.hits else explain_emptiness(query.filters, coverage=coverage, finds=finds_under)
        )
        timing = TraceTiming(
            lexical_ms=finds.lexical_ms,
            vector_ms=finds.vector_ms,
            fusion_ms=fusion_ms,
            total_ms=watch.total(),
        )
        return SearchResponse(
            query=query,
            hits=page.hits,
            coverage=coverage,
            no_hit_reason=nothing.reason if nothing else None,
            filtered_out_by=nothing.filters if nothing else (),
            next_cursor=pages.after(page.hits, start=start, found=len(finds.candidates)),
            truncated=page.truncated,
            trace=build_trace(
                finds.question,
                by_words=finds.by_words,
                found=finds.candidates,
                ordered=ordered,
                timing=timing,
            )
            if query.trace
            else None,
        )

    def _page(
        self,
        query: SearchQuery,
        question: Question,
        candidates: Sequence[Candidate],
        *,
        first_rank: int,
        method: Method,
    ) -> Affordable:
        hits_at = self._hit_maker(question, candidates, first_rank=first_rank, method=method)
        chars = query.snippet_chars or self.settings.snippet_chars
        if query.max_tokens is None:
            return Affordable(tuple(hits_at(chars)), truncated=False)
        return fit_budget(hits_at, snippet_chars=chars, max_tokens=query.max_tokens, cost=self._cost)

    def _hit_maker(
        self, question: Question, candidates: Sequence[Candidate], *, first_rank: int, method: Method
    ) -> Callable[[int], Iterator[SearchHit]]:
        now = self.clock.now()

        def hits_at(snippet_chars: int) -> Iterator[SearchHit]:
            builder = HitBuilder(
                analyzer=self._analyzer,
                query=question.weighted,
                phrases=question.phrases,
                snippet_chars=snippet_chars,
                stale_threshold_days=self.settings.stale_threshold_days,
                now=now,
                index_version=method.index_version,
                written=question.written,
                looked_up=question.looked_up,
                method=method.mode,
                score_kind=method.score_kind,
                embedding_model=method.embedding_model,
            )
            return (
                builder.build(candidate, rank=rank) for rank, candidate in enumerate(candidates, first_rank)
            )

        return hits_at

    def count_documents(self) -> Coverage:
        """Return what there is to search."""
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


def _read_chars(method: Method) -> dict[str, int | None]:
    """Return how much of a long query the legs that took part were asked for."""
    if method.parsed is None:
        return {}
    by_meaning = method.parsed.meant_chars or method.parsed.read_chars
    return {
        "lexical_query_chars": method.parsed.read_chars,
        "vector_query_chars": by_meaning if SearchMode.VECTOR in method.legs else None,
    }
