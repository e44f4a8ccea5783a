"""Examples of searches, single and in bulk, and of a citation of every kind."""

from __future__ import annotations

from kebab_core import (
    CaptionCitation,
    CellCitation,
    Citation,
    CodeCitation,
    Coverage,
    DocumentId,
    Evidence,
    FurtherPassage,
    FusionInput,
    IndexVersion,
    InvalidInputError,
    LineCitation,
    MatchedRange,
    NoHitReason,
    PageCitation,
    PageSize,
    Rectangle,
    RegionCitation,
    RetrievalDetail,
    ScoreKind,
    SearchFilters,
    SearchHit,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchTrace,
    SlideCitation,
    SourceId,
    TermOmission,
    TimeCitation,
    TraceCandidate,
    TraceTerm,
    TraceTiming,
    Translation,
    TrustLevel,
    WorkspacePath,
)
from kebab_wire import (
    BulkSearchInputV1,
    BulkSearchResponseV1,
    WireObject,
    classify_error,
    wire_agent_bulk,
    wire_agent_search,
    wire_bulk_item,
    wire_bulk_summary,
    wire_citation,
    wire_search_brief,
    wire_search_hit,
    wire_search_response,
)
from pydantic import JsonValue

from tools.wire.examples.documents import CHUNKS, EARLIER, INDEXED_DOCUMENT, PATH, START

_CITATIONS: tuple[Citation, ...] = (
    LineCitation(path=PATH, start=10, end=14, section="규칙"),
    PageCitation(
        path=WorkspacePath("논문/검색.pdf"),
        page=13,
        section="실험",
        rectangles=(Rectangle(x=72, y=144, w=451, h=56),),
        page_size=PageSize(width=595, height=842),
    ),
    SlideCitation(path=WorkspacePath("발표/예산.pptx"), slide=3, section="비용"),
    CellCitation(path=WorkspacePath("회계/2026.xlsx"), sheet="예산", cells="B4:D9"),
    RegionCitation(
        path=WorkspacePath("논문/검색.pdf"), x=120, y=40, w=520, h=180, page=3, char_start=0, char_end=96
    ),
    CaptionCitation(path=WorkspacePath("사진/영수증 #3.png"), model="qwen2.5vl:3b"),
    TimeCitation(path=WorkspacePath("녹음/회의.m4a"), start_ms=822_000, end_ms=850_500, speaker="S1"),
    CodeCitation(
        path=WorkspacePath("src/ingest.rs"),
        source_id=SourceId("repo"),
        line_start=10,
        line_end=42,
        symbol="ingest::run",
        lang="rust",
    ),
)

_FOUND = CHUNKS[1].chunk
HIT = SearchHit(
    rank=1,
    score=7.42,
    score_kind=ScoreKind.BM25,
    chunk_id=_FOUND.chunk_id,
    doc_id=_FOUND.doc_id,
    source_id=INDEXED_DOCUMENT.source_id,
    doc_path=PATH,
    title=INDEXED_DOCUMENT.title,
    heading_path=_FOUND.heading_path,
    section_label=_FOUND.section_label,
    snippet="코드 블록과 표는 되도록 통째로 둔다. 상한을 넘을 때만 나누고…",
    matched=(MatchedRange(start=0, end=5), MatchedRange(start=7, end=8)),
    citation=_CITATIONS[0],
    retrieval=RetrievalDetail(
        method=SearchMode.LEXICAL,
        fusion_score=7.42,
        lexical_score=7.1,
        vector_score=None,
        lexical_rank=1,
        vector_rank=None,
    ),
    evidence=Evidence(coverage=0.83, bm25_ratio=0.41, density=0.52, sentence_coverage=0.83, proximity=0.6),
    index_version=IndexVersion("lexical:ko-en@1"),
    chunker_version=_FOUND.chunker_version,
    indexed_at=START,
    stale=False,
    lang="ko",
    trust_level=TrustLevel.PRIMARY,
)
_FOLDED = HIT.model_copy(
    update={
        "more": (
            FurtherPassage(
                rank=3,
                score=4.1,
                chunk_id=CHUNKS[0].chunk.chunk_id,
                heading_path=CHUNKS[0].chunk.heading_path,
                snippet="청크는 제목에서 나눈다.",
                citation=LineCitation(path=PATH, start=1, end=8),
            ),
        ),
        "more_count": 1,
        "translations": (
            Translation(
                doc_id=DocumentId("5b" * 16),
                source_id=INDEXED_DOCUMENT.source_id,
                doc_path=WorkspacePath("en/design.md"),
                title="Design",
                lang="en",
            ),
        ),
    }
)
_CURSOR = "WzEsMTAsNDEyLCIzZjFiYjA3YTkyZTQiLCI4Yzc3YTE1ZDBlMmYiXQ"
_NEXT_CURSOR = "WzEsMTEsNDEyLCIzZjFiYjA3YTkyZTQiLCIxZjYwYjlkMjQ3YWMiXQ"
COVERAGE = Coverage(
    documents_indexed=142,
    documents_searched=142,
    documents_failed=1,
    documents_stale=3,
    legs=(SearchMode.LEXICAL,),
)


_TRACE = SearchTrace(
    terms=(
        TraceTerm(text="코드", weight=3.2, searched=True),
        TraceTerm(text="블록", weight=4.7, searched=True),
        TraceTerm(text="어떻게", weight=0.3, searched=False, left_out=TermOmission.TOO_COMMON),
    ),
    lexical=(
        TraceCandidate(chunk_id=HIT.chunk_id, doc_id=HIT.doc_id, doc_path=HIT.doc_path, rank=1, score=7.1),
    ),
    rrf_inputs=(FusionInput(chunk_id=HIT.chunk_id, lexical_rank=1, vector_rank=None, fusion_score=7.42),),
    timing=TraceTiming(lexical_ms=6, fusion_ms=2, total_ms=12),
)


def build_searches() -> dict[str, WireObject]:
    """Return citations, a hit and responses by name."""
    query = SearchQuery(text="코드 블록은 어떻게 나누나요?", mode=SearchMode.LEXICAL)
    filters = SearchFilters(
        tags_any=("설계",), path_glob=("노트/**",), trust_min=TrustLevel.SECONDARY, ingested_after=EARLIER
    )
    nothing = SearchResponse(
        query=query.model_copy(update={"mode": SearchMode.HYBRID, "filters": filters}),
        hits=(),
        coverage=COVERAGE.model_copy(
            update={
                "missing_legs": (SearchMode.VECTOR,),
                "documents_pending": 12,
                "ingest_interrupted": True,
            }
        ),
        no_hit_reason=NoHitReason.NOTHING_MATCHES,
    )
    filtered_out = SearchResponse(
        query=query.model_copy(update={"filters": filters}),
        hits=(),
        coverage=COVERAGE,
        no_hit_reason=NoHitReason.FILTERED_OUT,
        filtered_out_by=("tags_any", "path_glob"),
    )
    page = SearchResponse(
        query=query.model_copy(update={"max_tokens": 800, "cursor": _CURSOR, "trace": True}),
        hits=(_FOLDED.model_copy(update={"rank": 11}),),
        coverage=COVERAGE,
        next_cursor=_NEXT_CURSOR,
        truncated=True,
        trace=_TRACE,
    )
    return {
        **{f"citation.{citation.kind}": wire_citation(citation) for citation in _CITATIONS},
        "search_brief": wire_search_brief(page),
        "search_brief.filtered_out": wire_search_brief(filtered_out, near_values={"설게": "설계"}),
        "search_brief.no_hits": wire_search_brief(nothing),
        "search_brief.v2": wire_agent_search(page),
        "search_brief.v2.filtered_out": wire_agent_search(filtered_out, near_values={"설게": "설계"}),
        "search_brief.v2.no_hits": wire_agent_search(nothing),
        "search_hit": wire_search_hit(HIT),
        "search_response": wire_search_response(SearchResponse(query=query, hits=(HIT,), coverage=COVERAGE)),
        "search_response.filtered_out": wire_search_response(filtered_out),
        "search_response.no_hits": wire_search_response(nothing),
        "search_response.page": wire_search_response(page),
    }


def build_bulk_searches() -> dict[str, WireObject]:
    """Return inputs, items, responses and a summary of bulk searches by name."""
    given: dict[str, JsonValue] = {
        "query": "코드 블록은 어떻게 나누나요?",
        "mode": "lexical",
        "k": 5,
        "tag": ["설계"],
    }
    wrong: dict[str, JsonValue] = {"query": "rollback", "trust_min": "certain"}
    query = SearchQuery(text="코드 블록은 어떻게 나누나요?", mode=SearchMode.LEXICAL, k=5)
    found = SearchResponse(query=query, hits=(HIT,), coverage=COVERAGE)
    failure = classify_error(
        InvalidInputError(
            "trust_min: must be 'primary', 'secondary' or 'generated', got 'certain'",
            hint="kebab search --help",
            field="trust_min",
        )
    )
    item = wire_bulk_item(given, wire_search_response(found))
    failed = wire_bulk_item(wrong, failure)
    summary = wire_bulk_summary(total=2, failed=1)
    return {
        "bulk_search_input": BulkSearchInputV1.model_validate({
            "schema_version": "bulk_search_input.v1",
            **given,
        }),
        "bulk_search_item": item,
        "bulk_search_item.failed": failed,
        "bulk_search_response": BulkSearchResponseV1(
            results=(wire_bulk_item(given, wire_search_brief(found)), failed), summary=summary
        ),
        "bulk_search_response.empty": BulkSearchResponseV1(
            results=(), summary=wire_bulk_summary(total=0, failed=0)
        ),
        "bulk_search_response.v2": wire_agent_bulk([(given, wire_agent_search(found)), (wrong, failure)]),
        "bulk_search_response.v2.empty": wire_agent_bulk([]),
        "bulk_search_summary": summary,
    }
