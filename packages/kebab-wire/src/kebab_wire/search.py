"""`search_hit.v1` and `search_response.v1`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from kebab_core import (
    CodeRole,
    Count,
    Coverage,
    FusionInput,
    HeaderRow,
    MatchedRange,
    MediaKind,
    NoHitReason,
    Position,
    RetrievalDetail,
    ScoreKind,
    SearchFilters,
    SearchHit,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SourceType,
    TokenCounter,
    TraceTerm,
    TraceTiming,
    Translation,
    TrustLevel,
    UnknownWord,
)
from pydantic import ConfigDict, Field

from kebab_wire.base import Advice, AdvisedPart, Timestamp, WireId, WireObject, WirePart, mirror, wire_json
from kebab_wire.citation import CitationV1, wire_citation

if TYPE_CHECKING:
    from pathlib import Path

    from kebab_core import SourceId, WorkspacePath

    from kebab_wire.remedies import RemedyRenderer


class EvidenceV1(WirePart):
    """Absolute signals of relevance, comparable between queries."""

    model_config = ConfigDict(validate_by_name=True)

    similarity: float | None
    """Cosine similarity of query and passage; null without vectors."""
    margin: float | None = Field(validation_alias="z_score")
    """Z-score of the cosine similarity: standard deviations above the mean of all passages in the same script."""
    coverage: float
    """Share of the query's content terms that the passage holds, weighted by rarity; 0 to 1."""
    bm25_ratio: float
    """BM25 over the maximum that the words of the query can score: 0.45 where each occurs once; 0 to 1, comparable between
    corpora."""
    density: float | None = None
    """The same ratio for the passage's own text, without title and headings, with length normalisation; absent where it was
    not computed."""
    sentence_coverage: float | None = None
    """Coverage by the best two consecutive sentences, title and headings included; absent likewise."""
    proximity: float | None = None
    """Proximity of neighbouring words of the query in the text: 0 to 1, 1 where all are adjacent; absent likewise."""


class FurtherPassageV1(WirePart):
    """A passage of a hit's document that was found too."""

    rank: Position
    """Rank among the passages that were ranked together with the hit's."""
    score: float
    chunk_id: WireId
    heading_path: tuple[str, ...]
    snippet: str
    uri: str
    """URI of its citation."""
    address: str | None = None
    """Address of its citation; absent in output of earlier versions."""


class TranslationV1(Translation, WirePart):
    """A document that is the same page in another language, by the names of the files."""

    uri: str
    """The document as in URIs of citations, without a fragment."""
    address: str | None = None
    """Address of the document; absent likewise."""


class SearchHitV1(WireObject):
    """One passage that was found; unless all passages were asked for, the best one of its document."""

    schema_version: Literal["search_hit.v1"] = "search_hit.v1"
    rank: Position
    score: float
    """On the scale of `score_kind`."""
    address: str | None = None
    """`[source:]path#L10-L42`: every command and tool takes it; absent in output of earlier versions."""
    file: str | None = None
    """Absolute path of the file, where it exists and was asked for."""
    score_kind: ScoreKind
    """probability (every mode): 0 to 1, that the passage is about what was asked. rrf (hybrid, by setting): 0 to 1, only ranks.
    In answers stored by earlier versions, only ranking: bm25: 0 and up; calibrated: 0 to 1; cosine: -1 to 1."""
    less_likely: bool | None = None
    """The score is below 0.05; below 0.02 nothing is a hit. Absent where it is not, and where phrases or syntax say what is a hit."""
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
    matched: tuple[MatchedRange, ...]
    header_row: HeaderRow | None = None
    """The names of the columns where the snippet begins inside a table, with their place; no part of the snippet. Absent where it
    has them."""
    citation: CitationV1
    retrieval: RetrievalDetail
    evidence: EvidenceV1
    index_version: str
    embedding_model: str | None
    chunker_version: str
    indexed_at: Timestamp
    """Time the document's content was last processed."""
    stale: bool
    """The file on disk may differ from the stored document."""
    lang: str
    trust_level: TrustLevel
    repo: str | None = None
    code_lang: str | None = None
    symbol: str | None = None
    """Of source code: the symbol that the query names, else the first that the passage defines or is a part of."""
    signature: str | None = None
    """The definition of the symbol without its body, in one line; absent where the passage does not have it."""
    role: CodeRole | None = None
    """Role in source code; absent for other documents."""
    more: tuple[FurtherPassageV1, ...] | None = None
    """The next passages of the document, best first, three at most; absent where there is none, or a budget has no room."""
    more_count: Position | None = None
    """Number of further passages of the document among the best of the result, those of `more` included; absent where there
    is none."""
    translations: tuple[TranslationV1, ...] | None = None
    """The same page in other languages, as far as the filters let it through; absent where there is none."""
    copies: tuple[str, ...] | None = None
    """Addresses of documents with the same content, or with this very passage, three at most; likewise."""
    copy_count: Position | None = None
    """Number of all such documents; absent where there is none."""
    shown_in: tuple[str, ...] | None = None
    """Of a picture: addresses of documents that show it or link to it, three at most; absent where there is none."""
    shown_in_count: Position | None = None
    """Number of all such documents; absent where there is none."""


class FiltersV1(WirePart):
    """The filters in force, named as the flags of `search`; one that is not used is left out."""

    tag: tuple[str, ...] | None = None
    lang: tuple[str, ...] | None = None
    path_glob: tuple[str, ...] | None = None
    trust_min: TrustLevel | None = None
    media: tuple[MediaKind, ...] | None = None
    ingested_after: Timestamp | None = None
    since: Timestamp | None = None
    until: Timestamp | None = None
    modified_since: Timestamp | None = None
    doc_id: tuple[WireId, ...] | None = None
    repo: tuple[str, ...] | None = None
    code_lang: tuple[str, ...] | None = None
    symbol: tuple[str, ...] | None = None
    source: tuple[str, ...] | None = None
    source_type: tuple[SourceType, ...] | None = None


class QueryV1(WirePart):
    """The query as it was understood."""

    text: str
    mode: SearchMode
    k: Position
    """Maximum number of hits."""
    all_passages: bool | None = None
    """Whether every passage is a hit of its own; absent where hits are documents."""
    rerank: bool | None = None
    """Whether the first 20 hits were to be in the order of the reranker; absent where `search.rerank` decided."""
    by_symbol: bool | None = None
    """Whether the text is the name of a symbol, and every symbol is a hit of its own; absent where it is not."""
    filters: FiltersV1
    snippet_chars: Position | None = None
    max_tokens: Position | None = None
    """Token budget of all hits together: estimated tokens of `hits` as printed."""
    cursor: str | None = None
    """The `next_cursor` of the page before; absent on the first page."""


class LegFailureV1(AdvisedPart):
    """Reason that a leg took no part, with fields as in `error.v1`."""

    code: str
    message: str
    hint: Advice = None


class CoverageV1(Coverage, WirePart):
    """Coverage of the search, in documents."""

    documents_searched: Count | None = None  # type: ignore[assignment]  # absent in output of earlier versions
    """Number of these that pass the filters; all other counts are of the whole index."""
    leg_failure: LegFailureV1 | None = None  # type: ignore[assignment]  # the words of its remedy in place of the remedy
    ingest_running: bool
    """An ingest is running: more may be found later."""
    ingest_interrupted: bool = False
    """An ingest was interrupted and none is running: more will be found only after the next."""


class TraceCandidateV1(WirePart):
    """A passage that one leg found."""

    model_config = ConfigDict(validate_by_name=True)

    chunk_id: WireId
    doc_id: WireId
    doc_path: str
    rank: Position
    """Rank on that leg."""
    score: float
    """Raw score: BM25 or cosine similarity."""
    margin: float | None = Field(default=None, validation_alias="z_score")
    """Z-score of the cosine similarity, as in `evidence`, by which the leg ranks; absent on the lexical leg."""
    source_id: str | None = None
    """Source of `doc_path`."""


class SearchTraceV1(WirePart):
    """Trace of the search: terms, candidates of each leg, fusion, timing."""

    terms: tuple[TraceTerm, ...]
    lexical: tuple[TraceCandidateV1, ...]
    """By rank, to the depth of the search."""
    vector: tuple[TraceCandidateV1, ...]
    rrf_inputs: tuple[FusionInput, ...]
    """Best first, passages of later pages included."""
    timing: TraceTiming


class SearchResponseV1(WireObject):
    """Hits, best first, with the coverage of the search."""

    schema_version: Literal["search_response.v1"] = "search_response.v1"
    query: QueryV1
    hits: tuple[SearchHitV1, ...]
    nearest: tuple[SearchHitV1, ...] | None = None
    """Where too little speaks for any passage to be a hit: the three nearest, which are not what was asked."""
    unknown_words: tuple[UnknownWord, ...] | None = None
    """Words of the query that no document has, each with the nearest words, which were searched in its place; absent where
    there is none."""
    coverage: CoverageV1
    no_hit_reason: NoHitReason | None
    """Reason that there are no hits; null where there are some."""
    filtered_out_by: tuple[str, ...] | None = None
    """For `filtered_out`: the filters that each exclude everything on their own, named as in `query.filters`; all filters
    that are set where only their combination does."""
    next_cursor: str | None
    """Cursor of the next page; null on the last one. A page may have fewer than `k` hits although there is a next one."""
    truncated: bool
    """`max_tokens` left out further passages, shortened snippets, or left hits to the next page."""
    trace: SearchTraceV1 | None = None
    """Trace of the search, where it was requested."""


_MOST_VALUES = 8
_NAMES = {"tags_any": "tag", "source_id": "source"}


FileFinder = Callable[["SourceId", "WorkspacePath"], "Path | None"]
"""Finds the file of a document on disk, spelled as there; None where there is none."""


def wire_search_hit(hit: SearchHit, *, find_file: FileFinder | None = None) -> SearchHitV1:
    """Return a hit for the wire, with the path of its file where there is a finder."""
    return mirror(
        SearchHitV1,
        hit,
        address=hit.citation.to_address(),
        less_likely=hit.less_likely or None,
        file=find_existing(find_file, hit.source_id, hit.doc_path),
        citation=wire_citation(hit.citation),
        more=[
            mirror(FurtherPassageV1, one, uri=one.citation.to_uri(), address=one.citation.to_address())
            for one in hit.more
        ]
        or None,
        more_count=hit.more_count or None,
        copies=hit.copies or None,
        copy_count=hit.copy_count or None,
        shown_in=hit.shown_in or None,
        shown_in_count=hit.shown_in_count or None,
        translations=[
            mirror(TranslationV1, one, uri=one.to_uri(), address=one.to_address()) for one in hit.translations
        ]
        or None,
    )


def find_existing(find_file: FileFinder | None, source_id: SourceId, path: WorkspacePath) -> str | None:
    """Return the absolute path of a document's file; None where there is no finder or no file."""
    found = None if find_file is None else find_file(source_id, path)
    return None if found is None else str(found)


def hit_cost(hit: SearchHit) -> int:
    """Return the tokens of a hit as a part of `search_response.v1`, by the estimate of its JSON."""
    return TokenCounter().count(wire_json(wire_search_hit(hit)))


def wire_search_response(
    response: SearchResponse, *, render: RemedyRenderer | None = None, find_file: FileFinder | None = None
) -> SearchResponseV1:
    """Return a response for the wire.

    Args:
        response: The response.
        render: Words of remedies; None: the shared words.
        find_file: Finds the files of hits; None leaves their paths out.
    """
    return mirror(
        SearchResponseV1,
        response,
        render,
        query=wire_query(response.query),
        hits=[wire_search_hit(hit, find_file=find_file) for hit in response.hits],
        nearest=[wire_search_hit(hit, find_file=find_file) for hit in response.nearest] or None,
        unknown_words=response.unknown_words or None,
        filtered_out_by=[wire_filter_name(field) for field in response.filtered_out_by] or None,
    )


def wire_searched_words(response: SearchResponse) -> dict[str, str]:
    """Return the words that no document has with those that were searched in their place."""
    return {word.text: ", ".join(word.nearest) for word in response.unknown_words}


def wire_filter_name(field: str) -> str:
    """The wire name of a field of `SearchFilters`; with dashes it is the name of the flag."""
    return _NAMES.get(field, field)


def wire_existing_values(values: Mapping[str, Sequence[str]] | None) -> dict[str, tuple[str, ...]]:
    """Return the first values of each field by its wire name; those of paths are sources."""
    return {
        "source" if field == "path_glob" else wire_filter_name(field): tuple(known[:_MOST_VALUES])
        for field, known in (values or {}).items()
    }


def wire_query(query: SearchQuery) -> QueryV1:
    """Return a query for the wire."""
    return mirror(
        QueryV1,
        query,
        filters=_wire_filters(query.filters),
        all_passages=None if query.is_folded or query.by_symbol else True,
        by_symbol=query.by_symbol or None,
    )


def _wire_filters(filters: SearchFilters) -> FiltersV1:
    used = {wire_filter_name(name): value or None for name, value in filters}
    return FiltersV1.model_validate(used)
