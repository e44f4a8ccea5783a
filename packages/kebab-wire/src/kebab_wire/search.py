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
    TermOmission,
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
    """How far the similarity stands out from those of all passages in its script: in deviations above their mean."""
    coverage: float
    """Share of the query's content terms that the passage holds, weighted by rarity; 0 to 1."""
    bm25_ratio: float
    """BM25 over the most that the words of the query can score: 0.45 where each occurs once; 0 to 1, comparable between
    corpora."""
    density: float | None = None
    """The same of the passage's own text, without title and headings, with length; absent where it was not looked at."""
    sentence_coverage: float | None = None
    """Coverage by the two sentences on end that hold most, title and headings included; absent likewise."""
    proximity: float | None = None
    """How near to each other neighbouring words of the query stand: 0 to 1, where all touch; absent likewise."""


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
    max_tokens: Position | None = None
    """What the hits may cost together: estimated tokens of `hits` as printed."""
    cursor: str | None = None
    """The `next_cursor` of the page before; absent on the first page."""


class LegFailureV1(WirePart):
    """Why a leg took no part, as `error.v1` would say it."""

    code: str
    message: str
    hint: str | None = None


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
    leg_failure: LegFailureV1 | None = None
    """Why the first of those is missing."""
    ingest_running: bool
    """An ingest is at work: more may be found later."""
    ingest_interrupted: bool = False
    """One was interrupted and none is at work: more will be found only after the next."""
    lexical_query_chars: Position | None = None
    """Of a very long query, how many characters words were read from, from its beginning; absent where it was all."""
    vector_query_chars: Position | None = None
    """Of a long query, how many characters meaning was asked by, from its beginning; absent likewise."""


class TraceTermV1(WirePart):
    """One term of the query as it was weighed."""

    text: str
    weight: float
    """Inverse frequency: the rarer, the more."""
    searched: bool
    """The index was asked for it."""
    left_out: TermOmission | None = None
    """Why it was not: it is asked for the stem, no passage holds it, more than half of them do, the query has enough rarer
    ones, full-text syntax says what to ask for, or the mode goes by meaning alone."""


class TraceCandidateV1(WirePart):
    """A passage that one leg found."""

    chunk_id: WireId
    doc_id: WireId
    doc_path: str
    rank: Position
    """On that leg."""
    score: float
    """Raw: BM25, or cosine."""
    margin: float | None = None
    """Of a cosine, how far it stands out from those of all passages in its script, as in `evidence`: what the rank goes
    by."""
    source_id: str | None = None
    """Below which the path is."""


class FusionInputV1(WirePart):
    """What decided the place of a passage."""

    chunk_id: WireId
    lexical_rank: Position | None
    vector_rank: Position | None
    fusion_score: float
    """Boosts included."""


class TraceTimingV1(WirePart):
    """Milliseconds; 0 for a leg that took no part."""

    lexical_ms: Count
    vector_ms: Count
    fusion_ms: Count
    """Ordering."""
    total_ms: Count
    """All of the search, snippets included."""


class SearchTraceV1(WirePart):
    """How a result came about."""

    terms: tuple[TraceTermV1, ...]
    lexical: tuple[TraceCandidateV1, ...]
    """By rank, as deep as was looked."""
    vector: tuple[TraceCandidateV1, ...]
    rrf_inputs: tuple[FusionInputV1, ...]
    """Best first; also passages that no page has shown so far."""
    timing: TraceTimingV1


class SearchResponseV1(WireObject):
    """Hits, best first, and what was searched."""

    schema_version: Literal["search_response.v1"] = "search_response.v1"
    query: QueryV1
    hits: tuple[SearchHitV1, ...]
    coverage: CoverageV1
    no_hit_reason: NoHitReason | None
    """Why there is none; null where there are hits."""
    filtered_out_by: tuple[str, ...] | None = None
    """For `filtered_out`, the filters any one of which is the reason, named as in `query.filters`; all that are set where
    several are only together."""
    next_cursor: str | None
    """What to search with for the next page; null where all that was found has been shown."""
    truncated: bool
    """`max_tokens` shortened snippets, or left hits to the next page."""
    trace: SearchTraceV1 | None = None
    """How the result came about, where it was asked for."""


_NAMES = {"tags_any": "tag", "source_id": "source"}


def wire_search_hit(hit: SearchHit) -> SearchHitV1:
    """Return a hit for the wire."""
    return mirror(SearchHitV1, hit, citation=wire_citation(hit.citation))


def wire_search_response(response: SearchResponse) -> SearchResponseV1:
    """Return a response for the wire."""
    return mirror(
        SearchResponseV1,
        response,
        query=wire_query(response.query),
        hits=[wire_search_hit(hit) for hit in response.hits],
        filtered_out_by=[wire_filter_name(field) for field in response.filtered_out_by] or None,
    )


def wire_filter_name(field: str) -> str:
    """Return what a field of `SearchFilters` is called on the wire, and with dashes as a flag."""
    return _NAMES.get(field, field)


def wire_query(query: SearchQuery) -> QueryV1:
    """Return a query for the wire."""
    return mirror(QueryV1, query, filters=_wire_filters(query.filters))


def _wire_filters(filters: SearchFilters) -> FiltersV1:
    used = {wire_filter_name(name): value or None for name, value in filters}
    return FiltersV1.model_validate(used)
