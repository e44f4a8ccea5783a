"""Questions to the index and what comes back."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from kebab_core.asset import SourceId, WorkspacePath
from kebab_core.chunk import Chunk
from kebab_core.citation import Citation
from kebab_core.document_kinds import SourceType, TrustLevel
from kebab_core.ids import DEFAULT_SOURCE_ID, ChunkId, DocumentId
from kebab_core.media import MediaKind
from kebab_core.model import Model, UtcDatetime
from kebab_core.versions import ChunkerVersion, EmbeddingModelId, IndexVersion


class SearchMode(StrEnum):
    """Which legs a search uses."""

    LEXICAL = "lexical"
    VECTOR = "vector"
    HYBRID = "hybrid"


class ScoreKind(StrEnum):
    """What `SearchHit.score` is. It ranks; it is not a probability."""

    BM25 = "bm25"
    """Non-negative, unbounded, boosts included."""
    COSINE = "cosine"
    """[-1, 1]."""
    RRF = "rrf"
    """[0, 1]; 1 means first on both legs."""
    CALIBRATED = "calibrated"
    """[0, 1]."""


LowerCaseName = Annotated[str, StringConstraints(to_lower=True, strip_whitespace=True)]
"""A name that is stored in lower case, whatever case it is asked for in."""


_MAX_VALUES = 100
"""Values of one filter, at most."""
_MAX_GLOBS = 32
"""Fewer, since each is held against the path of every document."""
_MAX_VALUE_CHARS = 1000
MAX_TOKENS = 10_000_000
"""The largest budget for what comes back, in estimated tokens."""

_Text = Annotated[str, Field(max_length=_MAX_VALUE_CHARS)]
_LowerCaseText = Annotated[LowerCaseName, Field(max_length=_MAX_VALUE_CHARS)]
_Glob = Annotated[str, Field(min_length=1, max_length=_MAX_VALUE_CHARS)]


class SearchFilters(Model):
    """Which documents may be found: OR inside a field, AND across fields, an empty field does not filter.

    A field has at most 100 values, `path_glob` 32, each of at most 1,000 characters.
    """

    tags_any: tuple[_Text, ...] = Field(default=(), max_length=_MAX_VALUES)
    lang: tuple[_LowerCaseText, ...] = Field(default=(), max_length=_MAX_VALUES)
    path_glob: tuple[_Glob, ...] = Field(default=(), max_length=_MAX_GLOBS)
    """Globs on the whole workspace path: `*` and `?` stay within a folder, `**` crosses folders, a trailing `/` is
    everything below."""
    trust_min: TrustLevel | None = None
    media: tuple[MediaKind, ...] = Field(default=(), max_length=_MAX_VALUES)
    ingested_after: UtcDatetime | None = None
    """Compares `indexed_at`, exclusive."""
    doc_id: tuple[DocumentId, ...] = Field(default=(), max_length=_MAX_VALUES)
    repo: tuple[_Text, ...] = Field(default=(), max_length=_MAX_VALUES)
    code_lang: tuple[_LowerCaseText, ...] = Field(default=(), max_length=_MAX_VALUES)
    source_id: tuple[Annotated[SourceId, Field(max_length=_MAX_VALUE_CHARS)], ...] = Field(
        default=(), max_length=_MAX_VALUES
    )
    source_type: tuple[SourceType, ...] = Field(default=(), max_length=_MAX_VALUES)

    @property
    def is_empty(self) -> bool:
        """Whether every document passes."""
        return not any(getattr(self, name) for name in SearchFilters.model_fields)


class SearchQuery(Model):
    """One search."""

    text: str
    mode: SearchMode = SearchMode.HYBRID
    k: int = Field(default=10, ge=1, le=1000)
    """How many hits at most."""
    filters: SearchFilters = SearchFilters()
    snippet_chars: int | None = Field(default=None, ge=20, le=10_000)
    """Length of a snippet in code points; None takes the configured one."""
    max_tokens: int | None = Field(default=None, ge=1, le=MAX_TOKENS)
    """What the hits may cost together, in estimated tokens of what a program reads of them; None is no limit."""
    cursor: str | None = None
    """`SearchResponse.next_cursor` of the page before; None is the first page."""
    trace: bool = False
    """Whether to tell how the result came about."""


class MatchedRange(Model):
    """A stretch of a snippet that the query met: code points of the snippet, half open."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Evidence(Model):
    """Absolute signals of relevance, comparable between queries (ranks are not)."""

    similarity: float | None = Field(default=None, ge=-1, le=1)
    """Cosine between query and chunk; None without vectors."""
    margin: float | None = None
    """How far the similarity stands out from those of all passages in its script: in deviations above their mean."""
    coverage: float = Field(default=0.0, ge=0, le=1)
    """Share of the query's content terms that the chunk holds, weighted by idf."""
    bm25_ratio: float = Field(default=0.0, ge=0, le=1)
    """BM25 over the most that the query's words can score: 0.45 where each occurs once; comparable between corpora.

    Both use an inverse frequency that stays positive, greatest for words that no chunk holds, and no length.
    """
    density: float | None = Field(default=None, ge=0, le=1)
    """The same of the chunk's own text, without title and headings, with length; None where it was not looked at."""
    sentence_coverage: float | None = Field(default=None, ge=0, le=1)
    """Coverage by the two sentences on end that hold most, title and headings included; None likewise."""
    proximity: float | None = Field(default=None, ge=0, le=1)
    """How near to each other neighbouring words of the query stand; 1 where all touch, None likewise."""


class RetrievalDetail(Model):
    """How a hit was found; fields of a leg that did not find it are None."""

    method: SearchMode
    fusion_score: float
    lexical_score: float | None = None
    """Raw BM25, at least 0."""
    vector_score: float | None = None
    """Raw cosine, [-1, 1]."""
    lexical_rank: int | None = Field(default=None, ge=1)
    vector_rank: int | None = Field(default=None, ge=1)


class IndexedDocument(Model):
    """What search, fetch and listings show of a stored document, without its blocks."""

    doc_id: DocumentId
    source_id: SourceId = SourceId(DEFAULT_SOURCE_ID)
    doc_path: WorkspacePath
    title: str
    lang: str
    media: MediaKind
    source_type: SourceType
    trust_level: TrustLevel
    repo: str | None = None
    code_lang: str | None = None
    indexed_at: UtcDatetime
    last_complete_scan_at: UtcDatetime | None = None
    """When the document's source was last scanned to its end."""
    changed_on_disk: bool = False
    """The file is known to have changed since it was indexed."""


class IndexedChunk(Model):
    """A stored chunk with its document."""

    chunk: Chunk
    document: IndexedDocument


class SearchHit(Model):
    """One passage that was found."""

    rank: int = Field(ge=1)
    score: float
    score_kind: ScoreKind
    chunk_id: ChunkId
    doc_id: DocumentId
    source_id: SourceId
    doc_path: WorkspacePath
    title: str
    heading_path: tuple[str, ...]
    section_label: str | None = None
    snippet: str
    snippet_full_text: bool = False
    """Whether the snippet is the whole chunk, apart from headings it opens with."""
    matched: tuple[MatchedRange, ...] = ()
    citation: Citation
    retrieval: RetrievalDetail
    evidence: Evidence = Evidence()
    index_version: IndexVersion
    embedding_model: EmbeddingModelId | None = None
    chunker_version: ChunkerVersion
    indexed_at: UtcDatetime
    stale: bool
    lang: str
    trust_level: TrustLevel
    repo: str | None = None
    code_lang: str | None = None


class LegFailure(Model):
    """Why a leg took no part."""

    code: str
    """A code of the error tree."""
    message: str
    hint: str | None = None


class Coverage(Model):
    """What a search looked at, in documents."""

    documents_indexed: int = Field(ge=0)
    """Searchable by at least one leg."""
    documents_searched: int = Field(default=0, ge=0)
    """Of these, how many the filters let through."""
    documents_pending: int = Field(default=0, ge=0)
    """Searchable lexically, vectors still to come."""
    documents_failed: int = Field(default=0, ge=0)
    """Could not be processed; an older version may be searchable."""
    documents_stale: int = Field(default=0, ge=0)
    documents_held: int = Field(default=0, ge=0)
    """Gone from disk but kept until the removal is confirmed."""
    legs: tuple[SearchMode, ...] = ()
    """Legs that took part: lexical, vector."""
    missing_legs: tuple[SearchMode, ...] = ()
    """Legs that the mode asks for and that are not available."""
    leg_failure: LegFailure | None = None
    """Why the first of those is missing."""
    ingest_running: bool = False
    """Whether an ingest is at work, so that more may be found later; a store, which knows of no processes, says it of
    one that was interrupted too."""
    ingest_interrupted: bool = False
    """Whether one was interrupted, with none at work now to make it good."""
    lexical_query_chars: int | None = Field(default=None, ge=1)
    """How much of a very long query words were read from, from its beginning; None: all of it."""
    vector_query_chars: int | None = Field(default=None, ge=1)
    """How much of a long query was asked for by meaning, from its beginning; None: all of it."""


class NoHitReason(StrEnum):
    """The nearest reason for an empty result."""

    INDEX_EMPTY = "index_empty"
    STILL_INDEXING = "still_indexing"
    FILTERED_OUT = "filtered_out"
    NOTHING_MATCHES = "nothing_matches"


class TermOmission(StrEnum):
    """Why an index is not asked for a term of a query."""

    BY_STEM = "by_stem"
    """It is asked for its stem."""
    IN_NO_PASSAGE = "in_no_passage"
    TOO_COMMON = "too_common"
    """More than half of the passages hold it."""
    TOO_MANY = "too_many"
    """The query has enough rarer ones."""
    BY_SYNTAX = "by_syntax"
    """It is asked what full-text syntax says."""
    BY_MEANING = "by_meaning"
    """It is not asked at all: the mode goes by meaning alone."""


class TraceTerm(Model):
    """One term of the query as it was weighed."""

    text: str
    weight: float = Field(ge=0)
    """Inverse frequency: the rarer, the more."""
    searched: bool
    """Whether the index was asked for it."""
    left_out: TermOmission | None = None
    """Why it was not; None where it was, or where nobody has said."""


class TraceCandidate(Model):
    """A chunk that one leg found."""

    chunk_id: ChunkId
    doc_id: DocumentId
    doc_path: WorkspacePath
    rank: int = Field(ge=1)
    """On that leg."""
    score: float
    """Raw: BM25 or cosine."""
    margin: float | None = None
    """Of a cosine, by how many deviations it is above the mean of its script, as in `Evidence`; that is what the rank goes
    by. None on the lexical leg."""
    source_id: SourceId | None = None
    """Below which the path is; None: not told."""


class FusionInput(Model):
    """What decided the place of a chunk."""

    chunk_id: ChunkId
    lexical_rank: int | None = Field(default=None, ge=1)
    vector_rank: int | None = Field(default=None, ge=1)
    fusion_score: float
    """Boosts included."""


class TraceTiming(Model):
    """Milliseconds; 0 for a leg that took no part."""

    lexical_ms: int = Field(default=0, ge=0)
    vector_ms: int = Field(default=0, ge=0)
    fusion_ms: int = Field(default=0, ge=0)
    """Ordering."""
    total_ms: int = Field(default=0, ge=0)
    """All of the search, snippets included."""


class SearchTrace(Model):
    """How a result came about."""

    terms: tuple[TraceTerm, ...] = ()
    lexical: tuple[TraceCandidate, ...] = ()
    """By rank, as deep as was looked."""
    vector: tuple[TraceCandidate, ...] = ()
    rrf_inputs: tuple[FusionInput, ...] = ()
    """Best first; candidates that no page has shown so far included."""
    timing: TraceTiming = TraceTiming()


class SearchResponse(Model):
    """Hits, best first, and what was searched."""

    query: SearchQuery
    hits: tuple[SearchHit, ...]
    coverage: Coverage
    no_hit_reason: NoHitReason | None = None
    """Set exactly when there are no hits."""
    filtered_out_by: tuple[str, ...] = ()
    """For `filtered_out`, the fields of the filters any one of which is the reason; all that are set where several are
    only together."""
    next_cursor: str | None = None
    """Where the next page starts; None where all that was found has been shown."""
    truncated: bool = False
    """Whether the budget did not hold the page as it was asked for, so that snippets are shorter or hits are left out;
    one hit is there in any case."""
    trace: SearchTrace | None = None
    """Set exactly when the query asks for it."""
