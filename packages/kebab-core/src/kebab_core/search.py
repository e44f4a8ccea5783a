"""Searches: queries, filters, hits, coverage, traces, and the queries of the lexical index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

from pydantic import ConfigDict, Field

from kebab_core.address import format_address
from kebab_core.chunk import HeaderRow
from kebab_core.citation import Citation, document_uri
from kebab_core.code import CodeRole
from kebab_core.facets import TrustLevel
from kebab_core.files import SourceId, WorkspacePath
from kebab_core.filters import SearchFilters
from kebab_core.ids import ChunkerVersion, ChunkId, DocumentId, EmbeddingModelId, IndexVersion
from kebab_core.messages import Message
from kebab_core.model import Model, Position, UtcDatetime
from kebab_core.remedies import Remedy


class SearchMode(StrEnum):
    """Legs that a search uses."""

    LEXICAL = "lexical"
    VECTOR = "vector"
    HYBRID = "hybrid"


class ScoreKind(StrEnum):
    """Scale of `SearchHit.score`."""

    PROBABILITY = "probability"
    """(0, 1), in every mode: probability that the passage is about what was asked, as fitted on judged queries."""
    RRF = "rrf"
    """Of hybrid search with `search.hybrid_fusion = "rrf"`. [0, 1]; 1 means first on both legs. It only ranks."""
    BM25 = "bm25"
    """Of lexical search by earlier versions. Non-negative, unbounded, boosts included. It only ranks."""
    COSINE = "cosine"
    """[-1, 1]. Of vector search by earlier versions; the raw cosine of a hit is in its evidence."""
    CALIBRATED = "calibrated"
    """[0, 1]. Of vector and hybrid search by earlier versions. It only ranks."""


RERANKED = 20
"""Hits that a reranker orders; those behind them stay behind."""
MAX_TOKENS = 10_000_000
"""The largest budget for what comes back, in estimated tokens."""


class SearchQuery(Model):
    """One search."""

    text: str
    mode: SearchMode = SearchMode.HYBRID
    k: int = Field(default=10, ge=1, le=1000)
    """Maximum number of hits."""
    all_passages: bool = False
    """Whether every passage is a hit of its own; else a hit is a document, or a page with its translations."""
    rerank: bool | None = None
    """Whether the first `RERANKED` hits are in the order of the reranker; None takes the configured default. Symbols and names by
    initial consonants never are."""
    by_symbol: bool = False
    """Whether the text is the name of a symbol of source code, and each symbol that has it, begins with it or is like it is a
    hit of its own. The mode does not count then."""
    filters: SearchFilters = SearchFilters()
    snippet_chars: int | None = Field(default=None, ge=20, le=10_000)
    """Length of a snippet in code points; None takes the configured one."""
    max_tokens: int | None = Field(default=None, ge=1, le=MAX_TOKENS)
    """Token budget of all hits together, estimated on their wire form; None is no limit."""
    source_snippets: bool = False
    """Whether snippets are cut from the lines of the file, with all marks, where there are any; else from the text that readers
    see."""
    cursor: str | None = None
    """`SearchResponse.next_cursor` of the page before; None is the first page."""
    trace: bool = False
    """Whether the response carries a trace."""
    unfinished: bool = False
    """Whether the text is still being typed: its last word may go on, unless a space follows, and finds the words that begin so."""

    @property
    def is_folded(self) -> bool:
        """Whether hits are documents: not with `all_passages` or `by_symbol`, nor where a filter names the one document."""
        return not (self.all_passages or self.by_symbol) and len(set(self.filters.doc_id)) != 1


class MatchedRange(Model):
    """A range of a snippet that matches the query: code points of the snippet, half open."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Evidence(Model):
    """Absolute signals of relevance, comparable between queries (ranks are not).

    In JSON the z-score has the key `margin`, as on the wire and in stored answers.
    """

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    similarity: float | None = Field(default=None, ge=-1, le=1)
    """Cosine between query and chunk; None without vectors."""
    z_score: float | None = Field(default=None, alias="margin")
    """z-score of the similarity among those of all passages in its script; None without vectors."""
    coverage: float = Field(default=0.0, ge=0, le=1)
    """Share of the query's content terms that the chunk holds, weighted by idf."""
    bm25_ratio: float = Field(default=0.0, ge=0, le=1)
    """BM25 over the maximum that the query's words can score: 0.45 where each occurs once; comparable between corpora.

    Both use an inverse frequency that stays positive, greatest for words that no chunk holds, and no length.
    """
    density: float | None = Field(default=None, ge=0, le=1)
    """The same ratio for the chunk's own text, without title and headings, with length normalisation; None where it was not
    computed."""
    sentence_coverage: float | None = Field(default=None, ge=0, le=1)
    """Coverage by the best two consecutive sentences, title and headings included; None likewise."""
    proximity: float | None = Field(default=None, ge=0, le=1)
    """Proximity of neighbouring words of the query in the text; 1 where all are adjacent, None likewise."""


class RetrievalDetail(Model):
    """Ranks and raw scores of a hit on each leg; a leg that did not find it has none."""

    method: SearchMode
    fusion_score: float
    lexical_score: float | None
    """Raw BM25, at least 0."""
    vector_score: float | None
    """Raw cosine, [-1, 1]."""
    lexical_rank: Position | None
    vector_rank: Position | None
    rerank_score: float | None = Field(default=None, ge=0, le=1)
    """Score of the reranker that put the hit in its place, 0 to 1; it only ranks. None where none did."""


class FurtherPassage(Model):
    """A passage of a hit's document that was found too."""

    rank: int = Field(ge=1)
    """Among the passages that were ranked together with the hit's."""
    score: float
    chunk_id: ChunkId
    heading_path: tuple[str, ...]
    snippet: str
    citation: Citation


class Translation(Model):
    """A document that is the same page in another language, by the names of the files."""

    doc_id: DocumentId
    source_id: SourceId
    doc_path: WorkspacePath
    title: str
    lang: str

    def to_uri(self) -> str:
        """Return the document as a URI: as of a citation, without a fragment."""
        return document_uri(self.source_id, self.doc_path)

    def to_address(self) -> str:
        """Return the address of the document."""
        return format_address(self.source_id, self.doc_path)


class SearchHit(Model):
    """One passage that was found; in a folded result the best one of its document."""

    rank: int = Field(ge=1)
    """Among the hits."""
    score: float
    score_kind: ScoreKind
    less_likely: bool = False
    """Whether a probability is so low that the hit is told apart from those before it."""
    chunk_id: ChunkId
    doc_id: DocumentId
    source_id: SourceId
    doc_path: WorkspacePath
    title: str
    heading_path: tuple[str, ...]
    section_label: str | None = None
    snippet: str
    snippet_full_text: bool = False
    """Whether the snippet is the whole chunk, apart from headings at its beginning."""
    matched: tuple[MatchedRange, ...] = ()
    header_row: HeaderRow | None = None
    """The names of the columns where the snippet begins inside a table; not a part of it. None where it has them."""
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
    symbol: str | None = None
    """Of source code: the symbol that the query names, else the first that the passage defines or is a part of."""
    signature: str | None = None
    """The definition of the symbol without its body, in one line; None where the passage neither has nor repeats it."""
    role: CodeRole | None = None
    """Role in source code; None for other documents."""
    more: tuple[FurtherPassage, ...] = ()
    """The next passages of the document, best first, three at most; none where a budget has no room for them."""
    more_count: int = Field(default=0, ge=0)
    """Number of further passages of the document among the best of the result, those of `more` included."""
    translations: tuple[Translation, ...] = ()
    """The same page in other languages, by language; only documents that the filters let through."""
    copies: tuple[str, ...] = ()
    """Addresses of documents with the same content, or the very passage, by source and path, three at most; likewise."""
    copy_count: int = Field(default=0, ge=0)
    """Number of all such documents."""
    shown_in: tuple[str, ...] = ()
    """Of a picture: addresses of documents that show it or link to it, by source and path, three at most."""
    shown_in_count: int = Field(default=0, ge=0)
    """Number of all such documents."""


HitCost = Callable[[SearchHit], int]
"""Estimates the tokens of a hit in the form in which it is shown, at least 0."""


@dataclass(frozen=True)
class Budget:
    """Tokens that the hits of a page may take together."""

    max_tokens: int
    """At least 1; the first hit is there whatever it takes."""
    count_hit: HitCost


class LegFailure(Model):
    """Reason that a leg took no part."""

    code: str
    """A code of the error tree."""
    message: Message
    hint: str | None = None
    remedy: Remedy | None = None


class Coverage(Model):
    """Coverage of a search, in documents."""

    documents_indexed: int = Field(ge=0)
    """Searchable by at least one leg."""
    documents_searched: int = Field(default=0, ge=0)
    """Number of these that pass the filters."""
    documents_pending: int = Field(default=0, ge=0)
    """Searchable lexically, vectors still to come."""
    documents_failed: int = Field(default=0, ge=0)
    """Could not be processed; an older version may be searchable."""
    documents_stale: int = Field(default=0, ge=0)
    documents_held: int = Field(default=0, ge=0)
    """Missing on disk but kept until the removal is confirmed."""
    legs: tuple[SearchMode, ...] = ()
    missing_legs: tuple[SearchMode, ...] = ()
    """Legs of the mode that are not available."""
    leg_failure: LegFailure | None = None
    """Reason that the first of those is missing."""
    ingest_running: bool = False
    """Whether an ingest is running, so that more may be found later. A store, which cannot see processes, also sets it
    for one that was interrupted."""
    ingest_interrupted: bool = False
    """Whether an ingest was interrupted and none is running now to finish its work."""
    lexical_query_chars: int | None = Field(default=None, ge=1)
    """Length of the prefix of a very long query that the lexical leg used, in code points; absent where it used all."""
    vector_query_chars: int | None = Field(default=None, ge=1)
    """Length of the prefix of a long query that the vector leg used, in code points; absent likewise."""


class UnknownWord(Model):
    """A word of a query that no document has, and the words of the index that were searched in its place."""

    text: str
    """The word as typed."""
    nearest: tuple[str, ...] = Field(min_length=1)
    """By spelling the nearest first, then those that sound like it."""


class NoHitReason(StrEnum):
    """The nearest reason for an empty result."""

    INDEX_EMPTY = "index_empty"
    STILL_INDEXING = "still_indexing"
    FILTERED_OUT = "filtered_out"
    NOTHING_MATCHES = "nothing_matches"


class TermOmission(StrEnum):
    """Reason that a term of a query is not searched."""

    BY_STEM = "by_stem"
    """Its stem is searched instead."""
    IN_NO_PASSAGE = "in_no_passage"
    TOO_COMMON = "too_common"
    """More than half of the passages hold it."""
    TOO_MANY = "too_many"
    """The query has enough rarer ones."""
    BY_SYNTAX = "by_syntax"
    """The query is full-text syntax of the user's own."""
    BY_MEANING = "by_meaning"
    """The mode is vector search."""


class TraceTerm(Model):
    """One term of the query with its weight."""

    text: str
    weight: float = Field(ge=0)
    """Inverse document frequency."""
    searched: bool
    """Whether the index was searched for it."""
    left_out: TermOmission | None = None
    """Reason that it was not: its stem is searched instead, no passage holds it, more than half of them do, the query has
    enough rarer terms, the query is full-text syntax, or the mode is vector search."""


class TraceCandidate(Model):
    """A chunk that one leg found."""

    chunk_id: ChunkId
    doc_id: DocumentId
    doc_path: WorkspacePath
    rank: int = Field(ge=1)
    """On that leg."""
    score: float
    """Raw: BM25 or cosine."""
    z_score: float | None = None
    """Of a cosine among those of its script, as in `Evidence`; vector ranks go by it. None for lexical candidates."""
    source_id: SourceId | None = None
    """Source of `doc_path`; None: not recorded."""


class FusionInput(Model):
    """Ranks and final score that decided the position of a chunk."""

    chunk_id: ChunkId
    lexical_rank: Position | None
    vector_rank: Position | None
    fusion_score: float
    """Boosts included."""
    hit_rank: Position | None = None
    """Rank of the hit that it is part of; None where every passage is a hit of its own."""
    rerank_score: float | None = None
    """Score of the reranker, as of the hit that shows it."""


class TraceTiming(Model):
    """Milliseconds; 0 for a leg that took no part."""

    lexical_ms: int = Field(default=0, ge=0)
    vector_ms: int = Field(default=0, ge=0)
    fusion_ms: int = Field(default=0, ge=0)
    """Ordering."""
    rerank_ms: int | None = Field(default=None, ge=0)
    """Reranking; None where no hit was reranked."""
    total_ms: int = Field(default=0, ge=0)
    """All of the search, snippets included."""


class SearchTrace(Model):
    """Trace of a search: terms, candidates of each leg, fusion, timing."""

    terms: tuple[TraceTerm, ...] = ()
    lexical: tuple[TraceCandidate, ...] = ()
    """By rank, to the depth of the search."""
    vector: tuple[TraceCandidate, ...] = ()
    rrf_inputs: tuple[FusionInput, ...] = ()
    """Best first, candidates of later pages included."""
    timing: TraceTiming = TraceTiming()


class SearchResponse(Model):
    """Hits, best first, with the coverage of the search."""

    query: SearchQuery
    hits: tuple[SearchHit, ...]
    nearest: tuple[SearchHit, ...] = ()
    """Where there are no hits since too little speaks for any passage: the three nearest, which are not what was asked."""
    unknown_words: tuple[UnknownWord, ...] = ()
    """Words of the query that no document has and for which others were searched, in its order."""
    coverage: Coverage
    no_hit_reason: NoHitReason | None = None
    """Set exactly when there are no hits; None also while the last word of an unfinished query may become one that a passage has."""
    filtered_out_by: tuple[str, ...] = ()
    """For `filtered_out`: the filter fields that each exclude everything on their own; all fields that are set where only
    their combination does."""
    next_cursor: str | None = None
    """Cursor of the next page; None on the last one. A page may have fewer than `k` hits although there is a next one."""
    truncated: bool = False
    """Whether the budget was too small for the page, so that further passages are missing, snippets are shorter or hits
    are left out; at least one hit stays."""
    trace: SearchTrace | None = None
    """Set exactly when the query requests it."""


class SyntaxWords(NamedTuple):
    """Words that a passage has side by side."""

    texts: tuple[str, ...]
    is_open: bool = False
    """True if the last word is the beginning of one."""


class SyntaxGroup(NamedTuple):
    """Parts of full-text syntax, and the operator between each two of them; NOT has two."""

    operator: Literal["AND", "OR", "NOT"]
    parts: tuple[SyntaxWords | SyntaxGroup, ...]


@dataclass(frozen=True, kw_only=True)
class LexicalQuery:
    """Query of the lexical index: a soft OR of terms; with exact phrases, all chunks that hold those."""

    terms: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    """Prefixes of terms: every term that begins with one matches."""
    phrases: tuple[tuple[str, ...], ...] = ()
    """Each a sequence of adjacent surface words; all phrases must occur."""
    open_phrases: tuple[tuple[str, ...], ...] = ()
    """The same, with the last word as a prefix: `벡터 인덱스` also matches `벡터 인덱스를`."""
    syntax: SyntaxWords | SyntaxGroup | None = None
    """Full-text syntax of the user's own, over terms; where set, it is the whole query."""


class LexicalMatch(NamedTuple):
    """A chunk and its BM25 score, at least 0, larger is better."""

    chunk_id: ChunkId
    bm25: float


class SurfaceMatches(NamedTuple):
    """Chunks whose surface (words as written) holds a word."""

    chunk_ids: tuple[ChunkId, ...]
    """By document path and ordinal."""
    total: int
    """Number of such chunks in the whole index."""
