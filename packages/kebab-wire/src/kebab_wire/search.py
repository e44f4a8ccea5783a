"""`search_hit.v1` and `search_response.v1`."""

from __future__ import annotations

from typing import Literal

from kebab_core import (
    MediaKind,
    NoHitReason,
    ScoreKind,
    SearchFilters,
    SearchHit,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SourceType,
    TrustLevel,
)

from kebab_wire.base import Count, Position, Timestamp, WireId, WireObject, WirePart, mirror
from kebab_wire.citation import CitationV1, wire_citation


class MatchedRangeV1(WirePart):
    """A stretch of the snippet that the query met: code points, half open."""

    start: Count
    end: Count


class RetrievalV1(WirePart):
    """How the hit was found; what a leg that did not find it would say is null."""

    method: SearchMode
    fusion_score: float
    lexical_score: float | None
    """Raw BM25, at least 0."""
    vector_score: float | None
    """Raw cosine, -1 to 1."""
    lexical_rank: Position | None
    vector_rank: Position | None


class EvidenceV1(WirePart):
    """Absolute signals of relevance, comparable between queries."""

    similarity: float | None
    """Cosine of query and passage; null without vectors."""
    margin: float | None
    """How far the similarity stands out among the candidates'."""
    coverage: float
    """Share of the query's content terms that the passage holds, weighted by rarity; 0 to 1."""
    bm25_ratio: float
    """BM25 over that of a passage that holds each word of the query once; 0 to 1, comparable between corpora."""


class SearchHitV1(WireObject):
    """One passage that was found."""

    schema_version: Literal["search_hit.v1"] = "search_hit.v1"
    rank: Position
    score: float
    """A ranking signal, not a probability; `score_kind` tells its scale."""
    score_kind: ScoreKind
    """bm25: 0 and up, boosts included. cosine: -1 to 1. rrf, calibrated: 0 to 1."""
    chunk_id: WireId
    doc_id: WireId
    source_id: str
    doc_path: str
    title: str
    heading_path: tuple[str, ...]
    section_label: str | None
    snippet: str
    snippet_full_text: bool
    """Whether the snippet is the whole passage."""
    matched: tuple[MatchedRangeV1, ...]
    citation: CitationV1
    retrieval: RetrievalV1
    evidence: EvidenceV1
    index_version: str
    embedding_model: str | None
    chunker_version: str
    indexed_at: Timestamp
    """When the document's content was last processed."""
    stale: bool
    """What is stored may no longer be what is on disk."""
    lang: str
    trust_level: TrustLevel
    repo: str | None = None
    code_lang: str | None = None


class FiltersV1(WirePart):
    """The filters in force, named as the flags of `search`; one that is not used is left out."""

    tag: tuple[str, ...] | None = None
    lang: tuple[str, ...] | None = None
    path_glob: tuple[str, ...] | None = None
    trust_min: TrustLevel | None = None
    media: tuple[MediaKind, ...] | None = None
    ingested_after: Timestamp | None = None
    doc_id: tuple[WireId, ...] | None = None
    repo: tuple[str, ...] | None = None
    code_lang: tuple[str, ...] | None = None
    source: tuple[str, ...] | None = None
    source_type: tuple[SourceType, ...] | None = None


class QueryV1(WirePart):
    """The query as it was understood."""

    text: str
    mode: SearchMode
    k: Position
    """How many hits at most."""
    filters: FiltersV1
    snippet_chars: Position | None = None


class CoverageV1(WirePart):
    """What the search looked at, in documents."""

    documents_indexed: Count
    """Searchable by at least one leg."""
    documents_searched: Count | None = None
    """Of these, how many the filters let through; everything else here is about the whole index."""
    documents_pending: Count
    """Searchable by words, vectors still to come."""
    documents_failed: Count
    """Could not be processed; an older version may be searchable."""
    documents_stale: Count
    documents_held: Count
    """Gone from disk but kept until the removal is confirmed."""
    legs: tuple[SearchMode, ...]
    missing_legs: tuple[SearchMode, ...]
    """Legs that the mode asks for and that are not available."""
    ingest_running: bool
    """An ingest is at work or was interrupted: more may be found later."""
    ingest_interrupted: bool = False
    """One was interrupted and none is at work: more will be found only after the next."""


class SearchResponseV1(WireObject):
    """Hits, best first, and what was searched."""

    schema_version: Literal["search_response.v1"] = "search_response.v1"
    query: QueryV1
    hits: tuple[SearchHitV1, ...]
    coverage: CoverageV1
    no_hit_reason: NoHitReason | None
    """Why there is none; null where there are hits."""
    next_cursor: str | None
    truncated: bool
    """A budget cut the result."""


def wire_search_hit(hit: SearchHit) -> SearchHitV1:
    """Return a hit for the wire."""
    return mirror(SearchHitV1, hit, citation=wire_citation(hit.citation))


def wire_search_response(response: SearchResponse) -> SearchResponseV1:
    """Return a response for the wire."""
    return mirror(
        SearchResponseV1,
        response,
        query=_wire_query(response.query),
        hits=[wire_search_hit(hit) for hit in response.hits],
    )


def _wire_query(query: SearchQuery) -> QueryV1:
    return mirror(QueryV1, query, filters=_wire_filters(query.filters))


def _wire_filters(filters: SearchFilters) -> FiltersV1:
    names = {"tags_any": "tag", "source_id": "source"}
    used = {names.get(name, name): value or None for name, value in filters}
    return FiltersV1.model_validate(used)
