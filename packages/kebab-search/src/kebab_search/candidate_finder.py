"""Candidates of one query: found by words and by vectors, merged, scored, and parted into hits and what is too unlikely."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kebab_core import (
    ChunkId,
    DocumentSet,
    DocumentStore,
    SearchMode,
    SearchQuery,
    SearchSettings,
)

from kebab_search.lexical_search import LexicalResult, LexicalSearch, QueryAnalysis
from kebab_search.query import is_bound, parse_query
from kebab_search.ranking import FIRST_POOL, FIRST_STEP, Candidate, first_chunk_ids, pool_size, step_above
from kebab_search.response import Stopwatch
from kebab_search.retrieval_outcome import RetrievalOutcome
from kebab_search.score import LEAST_SCORE, has_evidence, keep_hits, says_what_is_hit, score_candidates
from kebab_search.translations import page_key

if TYPE_CHECKING:
    from kebab_search.vector_search import VectorQuery, VectorSearch

_RESERVED_PLACES = 2
"""Places of the first ten that are reserved for passages in another script than the query."""
_LEAST_Z_SCORE = 2.0
"""Least z-score of a passage in a reserved place."""


@dataclass
class CandidateFinder:
    """Finds the candidates of one query, as deep as asked for."""

    query: SearchQuery
    analysis: QueryAnalysis
    documents: DocumentSet | None
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
            self._embedded = self.vectors.embed_query(parse_query(self.query.text).embedding_text)
            self.watch.steps.step("query_vector")
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
            steps.step(
                "lexical_candidates",
                candidates=len(lexical.by_terms),
                by_surface=len(lexical.by_surface),
                chunk_ids=first_chunk_ids(lexical.ranked()),
            )
        depth = pool_size(step_above(places))
        lexical_ms = self.watch.lap()
        if self.vector_query is None:
            found, is_complete = lexical.merged(), len(lexical.by_terms) < depth
        else:
            found = self._merge(self.documents, lexical, places)
            is_complete = len(found) < depth
            steps.step("vector_candidates", candidates=len(found))
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

    def has_candidates(self, within: DocumentSet | None) -> bool:
        """True if the query finds any passage of these documents, be it a hit or not; None is all."""
        if self.vector_query is None:
            return self.lexical.has_hits(self.analysis, within)
        return bool(self._score(self._found_in(within)))

    def has_hits(self, within: DocumentSet | None) -> bool:
        """True if the query has hits in these documents; None is all."""
        found = self._found_in(within)
        return self._has_evidence(found) and bool(self._keep_hits(self._score(found), ())[0])

    def _found_in(self, within: DocumentSet | None) -> list[Candidate]:
        words = self._find_words(within, 1)
        return words.merged() if self.vector_query is None else self._merge(within, words, 1)

    def _find_words(
        self, within: DocumentSet | None, places: int, *, before: LexicalResult | None = None
    ) -> LexicalResult:
        if not self.is_lexical:
            return LexicalResult()
        return self.lexical.find(self.analysis, within, places=places, before=before)

    def _merge(self, within: DocumentSet | None, words: LexicalResult, places: int) -> list[Candidate]:
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
            return _fill_reserved_places(found, scored, is_folded=self.query.is_folded)
        return scored

    def _has_evidence(self, found: Sequence[Candidate]) -> bool:
        # Words cannot speak for passages in another language, where a filter asks for that.
        asks_for_language = bool(self.query.filters.lang) and all(one.is_cross_script for one in found)
        return has_evidence(found, self.analysis, mode=self._mode, asks_for_language=asks_for_language)


def _fill_reserved_places(
    found: Sequence[Candidate], scored: Sequence[Candidate], *, is_folded: bool
) -> list[Candidate]:
    """Fill the reserved places with the nearest passages in another script than the query.

    A passage in the script of the query holds some of its words and beats one that says the same in another script. The
    score of a passage in a reserved place is that of the hit before these places, and no probability of its own. None is
    filled where scores have brought as many passages in another script among the first ten. Source code, and pages whose
    translation stands before the reserved places, get none.

    Args:
        found: The candidates, with z-scores.
        scored: Those of them that may be hits, with scores.
        is_folded: True if a place is that of a document, false if it is that of a passage.

    Returns:
        `scored`, with the passages in reserved places and their scores.
    """

    def place_of(one: Candidate) -> str:
        return one.passage.document.doc_id if is_folded else one.chunk_id

    first: dict[str, Candidate] = {}
    for one in sorted(scored, key=lambda one: -one.score):
        if one.depth <= FIRST_POOL and one.score >= LEAST_SCORE and len(first) < FIRST_STEP:
            first.setdefault(place_of(one), one)
    free = _RESERVED_PLACES - sum(one.is_cross_script for one in first.values())
    before = list(first.values())[: FIRST_STEP - _RESERVED_PLACES]
    if not before or free <= 0:
        return list(scored)
    pages = {page_key(one.passage.document) for one in before}
    near: dict[str, Candidate] = {}
    for one in sorted(found, key=lambda one: -(one.z_score or 0.0)):
        is_near = (one.z_score or 0.0) >= _LEAST_Z_SCORE and one.depth <= FIRST_POOL
        is_other = one.is_cross_script and one.passage.chunk.role is None
        is_new = place_of(one) not in first and page_key(one.passage.document) not in pages
        if is_near and is_other and is_new:
            near.setdefault(place_of(one), one)
    score = before[-1].score
    reserved = {one.chunk_id: one._replace(score=score) for one in list(near.values())[:free]}
    return [*(one for one in scored if one.chunk_id not in reserved), *reserved.values()]
