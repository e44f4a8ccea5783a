"""The finder of candidates by words and vectors, and what it hands on.

It has its query analysed and its filters resolved. It finds as deep as asked for, scores, and parts the candidates into
hits and what is too unlikely. `name_search.NameFinder` does so for names.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    Budget,
    CancelToken,
    ChunkId,
    SearchFilters,
    SearchMode,
    SearchQuery,
    SearchSettings,
    StepLog,
    TrustLevel,
)

from kebab_search.folding import FoldedOrder, fold_documents
from kebab_search.lexical_search import LexicalResult, LexicalSearch, QueryAnalysis
from kebab_search.query import is_bound
from kebab_search.ranking import Candidate, first_chunk_ids, pool_size, put_in_order, step_above
from kebab_search.score import has_evidence, keep_hits, says_what_is_hit, score_candidates

if TYPE_CHECKING:
    from kebab_core import Clock, DocumentId, DocumentStore, Reranker, Selection

    from kebab_search.vector_search import VectorQuery, VectorSearch

_LOG = logging.getLogger("kebab.search")


class Stopwatch:
    """A timer in milliseconds, lap by lap."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = self._lap = clock.monotonic_ms()
        self.steps = StepLog(clock, is_on=_LOG.isEnabledFor(logging.DEBUG))
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
        watch: Started with the search.
        reranker: Orders the first hits; None: they stay in the order by score.
    """

    query: SearchQuery
    budget: Budget | None
    cancel: CancelToken
    watch: Stopwatch
    reranker: Reranker | None = None


class PageStart(NamedTuple):
    """The start of a page.

    Attributes:
        revision: The corpus revision of the result.
        order: Versions and weights by which its hits are ordered.
        offset: Hits on the pages before; 0 for the first page.
        last: Beginning of the id of the last chunk of the page before; empty for the first page.
    """

    revision: int
    order: tuple[str, ...]
    offset: int = 0
    last: str = ""


@dataclass
class RetrievalOutcome:
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
    _folded: FoldedOrder | None = field(default=None, init=False)

    def ordered(self) -> list[Candidate]:
        """Put the candidates in order: as many as they are deep enough for, up to the next step."""
        return put_in_order(self.candidates, places=self.places, by_surface=self.by_surface)

    def folded(self) -> FoldedOrder:
        """Put the candidates in order as hits, likewise; once."""
        if self._folded is None:
            self._folded = self.fold(self.places)
        return self._folded

    def fold(self, places: int) -> FoldedOrder:
        """Put the candidates in order as hits, for more or fewer places."""
        return fold_documents(
            self.candidates, query=self.analysis.weighted, places=places, by_surface=self.by_surface
        )

    def after(self, before: RetrievalOutcome) -> RetrievalOutcome:
        """Add the times of a search that was not deep enough."""
        return replace(
            self,
            lexical_ms=before.lexical_ms + self.lexical_ms,
            vector_ms=before.vector_ms + self.vector_ms,
        )


@dataclass
class CandidateFinder:
    """Finds the candidates of one query, as deep as asked for."""

    query: SearchQuery
    analysis: QueryAnalysis
    documents: Selection | None
    """Those that are searched; None is all."""
    lexical: LexicalSearch
    vectors: VectorSearch | None
    """None: only words."""
    store: DocumentStore
    settings: SearchSettings
    watch: Stopwatch
    words: LexicalResult | None = None
    """What was found by words last."""
    _embedded: VectorQuery | None = field(default=None, init=False)

    version = ()
    """Versions of an order of its own."""

    @property
    def mode(self) -> SearchMode:
        """The mode that is asked for."""
        return self.query.mode

    @property
    def is_lexical(self) -> bool:
        """True if words find hits: always but in vector mode, and there for a query that binds its hits to words."""
        return (
            self.vectors is None or self.query.mode is not SearchMode.VECTOR or is_bound(self.analysis.parsed)
        )

    @property
    def vector_query(self) -> VectorQuery | None:
        """The query for vector search, embedded when it is first needed; None without vectors.

        Raises:
            NotIndexedError: There are no vectors yet.
        """
        # A cached_property would hold a lock that all searches share until Python 3.12.
        if self._embedded is None and self.vectors is not None:
            # As typed: meaning bears a misspelt word, and is another one with a word that was only guessed.
            self._embedded = self.vectors.embed_query(self.analysis.parsed.embedding_text)
            _LOG.debug("query_vector", extra=self.watch.steps.extra())
            self.analysis = self.analysis._replace(script_share=self._embedded.script_share)
        return self._embedded

    def find(self, places: int) -> RetrievalOutcome:
        """Find the candidates for the first `places`, at least 1.

        Raises:
            InvalidInputError: The full-text syntax of the query is wrong.
            NotIndexedError: There are no vectors yet.
        """
        lexical, steps = self._find_words(self.documents, places, before=self.words), self.watch.steps
        self.words = lexical
        if steps.is_on:
            _LOG.debug(
                "lexical_candidates",
                extra=steps.extra(
                    candidates=len(lexical.by_terms),
                    by_surface=len(lexical.by_surface),
                    chunk_ids=first_chunk_ids(lexical.ranked()),
                ),
            )
        depth = pool_size(step_above(places))
        lexical_ms = self.watch.lap()
        if self.vector_query is None:
            found, is_complete = lexical.merged(), len(lexical.by_terms) < depth
        else:
            found = self._merge(self.documents, lexical, places)
            is_complete = len(found) < depth
            _LOG.debug("vector_candidates", extra=steps.extra(candidates=len(found)))
        by_surface = {candidate.chunk_id for candidate in lexical.by_surface}
        scored = self._score(found)
        candidates, unlikely = self._keep_hits(scored, by_surface)
        is_hit = bool(candidates) and self._has_evidence(found)
        if not is_hit:
            candidates, unlikely = scored, []
        return RetrievalOutcome(
            self.analysis._replace(surface_forms=lexical.surface_forms),
            candidates,
            [candidate for candidate in candidates if candidate.chunk_id in by_surface],
            is_lexical=self.is_lexical,
            lexical_ms=lexical_ms,
            vector_ms=0 if self.vector_query is None else self.watch.lap(),
            places=places,
            is_complete=is_complete or bool(unlikely),
            has_evidence=is_hit,
            unlikely=unlikely,
        )

    def has_others(self, known: Collection[DocumentId]) -> bool:
        """True if the query finds a passage of a document that is not known, be it a hit or not."""
        if self.vector_query is None:
            return self.lexical.has_hits(self.analysis, self.documents, without=known)
        every = self.documents
        if every is None:  # a filter that no document fails
            every = self.store.resolve_filters(SearchFilters(trust_min=TrustLevel.GENERATED)) or frozenset()
        return bool(self._score(self._found_in(every - frozenset(known))))

    def has_hits(self, within: Selection | None) -> bool:
        """True if the query has hits in these documents; None is all."""
        found = self._found_in(within)
        return self._has_evidence(found) and bool(self._keep_hits(self._score(found), ())[0])

    def _found_in(self, within: Selection | None) -> list[Candidate]:
        words = self._find_words(within, 1)
        return words.merged() if self.vector_query is None else self._merge(within, words, 1)

    def _find_words(
        self, within: Selection | None, places: int, *, before: LexicalResult | None = None
    ) -> LexicalResult:
        if not self.is_lexical:
            return LexicalResult()
        return self.lexical.find(self.analysis, within, places=places, before=before)

    def _merge(self, within: Selection | None, words: LexicalResult, places: int) -> list[Candidate]:
        from kebab_search.fusion import merge_candidates

        if self.vectors is None or self.vector_query is None:
            return []
        return merge_candidates(
            self.analysis,
            self.vector_query,
            words,
            vectors=self.vectors,
            documents=self.store,
            within=within,
            places=places,
        )

    @property
    def _mode(self) -> SearchMode:
        return SearchMode.LEXICAL if self.vectors is None else self.query.mode

    @property
    def _fuses_ranks(self) -> bool:
        return self._mode is SearchMode.HYBRID and self.settings.hybrid_fusion == "rrf"

    def _keep_hits(
        self, scored: Sequence[Candidate], by_surface: Collection[ChunkId]
    ) -> tuple[list[Candidate], list[Candidate]]:
        # Ranks tell nothing of how likely a passage is.
        return (
            (list(scored), [])
            if self._fuses_ranks
            else keep_hits(scored, self.analysis, by_surface=by_surface)
        )

    def _score(self, found: Sequence[Candidate]) -> list[Candidate]:
        if self._fuses_ranks:
            from kebab_search.fusion import fuse_ranks

            return fuse_ranks(found, k=self.settings.rrf_k)
        scored = score_candidates(found, self.analysis, mode=self._mode)
        if self._mode is SearchMode.HYBRID and not says_what_is_hit(self.analysis):
            from kebab_search.fusion import fill_reserved_places

            return fill_reserved_places(found, scored, is_folded=self.query.is_folded)
        return scored

    def _has_evidence(self, found: Sequence[Candidate]) -> bool:
        # Words cannot speak for passages in another language, where a filter asks for that.
        asks_for_language = bool(self.query.filters.lang) and all(one.is_cross_script for one in found)
        return has_evidence(found, self.analysis, mode=self._mode, asks_for_language=asks_for_language)
