"""The lexical leg: asks the index for candidates, boosts them, and shows the best."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kebab_core import (
    Analyzer,
    Clock,
    Coverage,
    DocumentSet,
    DocumentStore,
    IndexedChunk,
    IndexVersion,
    LexicalIndex,
    NotIndexedError,
    SearchFilters,
    SearchHit,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
    TraceTiming,
)

from kebab_search.budget import Affordable, HitCost, fit_budget
from kebab_search.cursor import Pages, digest_query
from kebab_search.emptiness import Emptiness, explain_emptiness
from kebab_search.hits import Candidate, HitBuilder
from kebab_search.ordering import pool_size, put_in_order, step_above
from kebab_search.query import parse_query
from kebab_search.question import WEIGHTS, Question, read_question
from kebab_search.ranking import boost
from kebab_search.rescue import Rescued, look_up_written
from kebab_search.trace import Stopwatch, build_trace

_FIRST_POOL = pool_size(step_above(1))
"""The chunks among which words of the query are looked for as written, however many hits are asked for."""
_BOOSTS = "boosts@2"
"""Another label where the same passages come in another order, so that cursors made before do not go on in it."""


class LexicalRetriever:
    """Finds passages by words. Implements `Retriever`; thread-safe where its parts are.

    In hybrid mode it searches by words and reports the missing leg; it refuses the vector mode. Filters are resolved
    once, before ranking. Equal scores keep the order of the index: by document path and place in the document. The
    order is the same whatever is asked for at once, so that the pages of a result together are the result.

    Args:
        index: Where terms are looked up.
        documents: What chunks belong to.
        analyzer: The one that the index was made with.
        clock: Tells what is stale, and how long searching takes.
        settings: Length of snippets, and when documents are stale.
        cost: What a hit costs of `SearchQuery.max_tokens`.
    """

    def __init__(
        self,
        *,
        index: LexicalIndex,
        documents: DocumentStore,
        analyzer: Analyzer,
        clock: Clock,
        settings: SearchSettings,
        cost: HitCost,
    ) -> None:
        self._index = index
        self._documents = documents
        self._analyzer = analyzer
        self._clock = clock
        self._settings = settings
        self._cost = cost

    def index_version(self) -> IndexVersion:
        """Return `lexical:` and the version of the analyser."""
        return IndexVersion(f"lexical:{self._analyzer.version}")

    def search(self, query: SearchQuery) -> SearchResponse:
        """Return hits by score, and what was searched.

        Raises:
            InvalidInputError: The query is empty or its full-text syntax is wrong.
            NotIndexedError: Only vectors are asked for, or the index was made by another analyser.
            StaleCursorError: The cursor cannot be read, or belongs to another query or state of the index.
        """
        watch = Stopwatch(self._clock)
        parsed = parse_query(query.text)
        self._require_lexical_index(query.mode)
        pages = self._pages(query)
        start = pages.start(query.cursor)
        question = read_question(parsed, analyzer=self._analyzer, index=self._index)
        documents = self._documents.resolve_filters(query.filters)
        matches = self._find(question, documents, places=start.offset + query.k)
        lexical_ms = watch.lap()
        rescued = self._look_up(question, [item for item, _ in matches[:_FIRST_POOL]], documents)
        question = question._replace(looked_up=rescued.looked_up)
        found = [
            Candidate(item, bm25, rank, bm25 + boost(question.weighted, item))
            for rank, (item, bm25) in enumerate(matches, start=1)
        ]
        beside = self._rescued(question, rescued, found[:_FIRST_POOL])
        ordered = put_in_order(found, places=start.offset + query.k, beside=beside)
        found += _others(beside, than=found)
        start.require_place([candidate.found.chunk.chunk_id for candidate in ordered])
        fusion_ms = watch.lap()
        page = self._page(query, question, ordered[start.offset :][: query.k], first_rank=start.offset + 1)
        coverage = self._coverage(query.mode, documents)
        nothing = None if page.hits else self._explain_emptiness(query.filters, question, coverage)
        timing = TraceTiming(lexical_ms=lexical_ms, fusion_ms=fusion_ms, total_ms=watch.total())
        return SearchResponse(
            query=query,
            hits=page.hits,
            coverage=coverage,
            no_hit_reason=nothing.reason if nothing else None,
            filtered_out_by=nothing.filters if nothing else (),
            next_cursor=pages.after(page.hits, start=start, found=len(found)),
            truncated=page.truncated,
            trace=build_trace(question.weighted, found=found, ordered=ordered, timing=timing)
            if query.trace
            else None,
        )

    def _require_lexical_index(self, mode: SearchMode) -> None:
        if mode is SearchMode.VECTOR:
            raise NotIndexedError("there are no vectors to search", hint="search with `--mode lexical`")
        indexed = self._index.analyzer_version()
        if indexed is not None and indexed != self._analyzer.version:
            raise NotIndexedError(
                f"the index was made by the analyser {indexed!r}, this is {self._analyzer.version!r}",
                hint="kebab ingest",
                indexed=indexed,
                expected=self._analyzer.version,
            )

    def _pages(self, query: SearchQuery) -> Pages:
        order = (self.index_version(), _BOOSTS, WEIGHTS.model_dump_json())
        return Pages(revision=self._documents.corpus_revision(), query=digest_query(query, order=order))

    def _find(
        self, question: Question, documents: DocumentSet | None, *, places: int
    ) -> list[tuple[IndexedChunk, float]]:
        """Return the chunks to give so many places to with their BM25, best first."""
        if question.lexical is None or (documents is not None and not documents):
            return []
        limit = pool_size(step_above(places))
        matches = self._index.search(question.lexical, limit=limit, documents=documents)
        chunks = self._documents.get_chunks([match.chunk_id for match in matches])
        found = {item.chunk.chunk_id: item for item in chunks}
        return [(item, match.bm25) for match in matches if (item := found.get(match.chunk_id)) is not None]

    def _look_up(
        self, question: Question, first: Sequence[IndexedChunk], documents: DocumentSet | None
    ) -> Rescued:
        if not question.written or (documents is not None and not documents):
            return Rescued({}, {})
        return look_up_written(question, first, index=self._index, documents=documents)

    def _rescued(self, question: Question, rescued: Rescued, first: Sequence[Candidate]) -> list[Candidate]:
        """Return the chunks that were looked up, with their BM25 only where that is among the first."""
        known = {candidate.found.chunk.chunk_id: candidate for candidate in first}
        candidates = []
        for place, item in enumerate(self._documents.get_chunks(list(rescued.weights)), start=1):
            chunk_id = item.chunk.chunk_id
            weight = rescued.weights[chunk_id]
            candidate = known.get(chunk_id) or Candidate(
                item, 0.0, len(first) + place, boost(question.weighted, item)
            )
            candidates.append(candidate._replace(score=candidate.score + weight))
        return candidates

    def _page(
        self, query: SearchQuery, question: Question, candidates: Sequence[Candidate], *, first_rank: int
    ) -> Affordable:
        hits_at = self._hit_maker(question, candidates, first_rank=first_rank)
        chars = query.snippet_chars or self._settings.snippet_chars
        if query.max_tokens is None:
            return Affordable(tuple(hits_at(chars)), truncated=False)
        return fit_budget(hits_at, snippet_chars=chars, max_tokens=query.max_tokens, cost=self._cost)

    def _hit_maker(
        self, question: Question, candidates: Sequence[Candidate], *, first_rank: int
    ) -> Callable[[int], Iterator[SearchHit]]:
        now, index_version = self._clock.now(), self.index_version()

        def hits_at(snippet_chars: int) -> Iterator[SearchHit]:
            builder = HitBuilder(
                analyzer=self._analyzer,
                query=question.weighted,
                phrases=question.phrases,
                snippet_chars=snippet_chars,
                stale_threshold_days=self._settings.stale_threshold_days,
                now=now,
                index_version=index_version,
                written=question.written,
                looked_up=question.looked_up,
            )
            return (
                builder.build(candidate, rank=rank) for rank, candidate in enumerate(candidates, first_rank)
            )

        return hits_at

    def _coverage(self, mode: SearchMode, documents: DocumentSet | None) -> Coverage:
        counted = self._documents.coverage(
            now=self._clock.now(), stale_threshold_days=self._settings.stale_threshold_days
        )
        missing = (SearchMode.VECTOR,) if mode is SearchMode.HYBRID else ()
        searched = counted.documents_indexed if documents is None else len(documents)
        return counted.model_copy(
            update={
                "documents_searched": searched,
                "legs": (SearchMode.LEXICAL,),
                "missing_legs": missing,
            }
        )

    def _explain_emptiness(self, filters: SearchFilters, question: Question, coverage: Coverage) -> Emptiness:
        def finds(others: SearchFilters) -> bool:
            documents = self._documents.resolve_filters(others)
            if documents is not None and not documents:
                return False
            if question.lexical is not None:
                matches = self._index.search(question.lexical, limit=1, documents=documents)
                if matches:
                    return True
            return bool(self._look_up(question, (), documents).weights)

        return explain_emptiness(filters, coverage=coverage, finds=finds)


def _others(candidates: Sequence[Candidate], *, than: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates whose chunks are not among others."""
    known = {candidate.found.chunk.chunk_id for candidate in than}
    return [candidate for candidate in candidates if candidate.found.chunk.chunk_id not in known]
