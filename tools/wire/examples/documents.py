"""Examples of documents: a note that the other examples find, fetch and list, and the machine and time of all examples."""

from __future__ import annotations

from datetime import UTC, datetime

from kebab_core import (
    FORMATS,
    AssetId,
    AudioRefBlock,
    Block,
    BlockId,
    CanonicalDocument,
    Chunk,
    ChunkEmbedding,
    ChunkerVersion,
    ChunkId,
    CodeBlock,
    CodeInline,
    DocSummary,
    DocumentId,
    EmbeddingIdentity,
    EmbeddingModelId,
    EmbeddingState,
    EmbeddingVersion,
    EmphInline,
    FetchResult,
    HeadingBlock,
    ImageRefBlock,
    IndexedChunk,
    IndexedDocument,
    LineSpan,
    LinkInline,
    ListBlock,
    ListItem,
    MatchedRange,
    Metadata,
    ModelCaption,
    OcrRegion,
    OcrText,
    OutlineHeading,
    PageSize,
    ParagraphBlock,
    ParserVersion,
    Provenance,
    ProvenanceEvent,
    ProvenanceKind,
    QuoteBlock,
    Rectangle,
    SourceId,
    SourceType,
    StrongInline,
    TableBlock,
    TextInline,
    TimeSpan,
    Transcript,
    TranscriptSegment,
    TrustLevel,
    WorkspacePath,
    embedding_id_for,
)
from kebab_wire import (
    CountListV1,
    ExactDocumentV1,
    ExactLineV1,
    ExactResponseV1,
    ListBriefV1,
    ListedDocumentV1,
    NamedCountV1,
    NamedDocumentV1,
    NameListV1,
    OpenReportV1,
    RelatedBriefDocumentV1,
    RelatedBriefV1,
    RelatedDocumentV1,
    RelatedListV1,
    RenderReportV1,
    WireObject,
    wire_agent_fetch,
    wire_chunk_inspection,
    wire_doc_list,
    wire_doc_summary,
    wire_document_inspection,
    wire_fetch_result,
    wire_format_list,
)

HOME = "/home/kim"
ROOT = f"{HOME}/KnowledgeBase"
DATA = f"{HOME}/.local/share/kebab"
CONFIG = f"{HOME}/.config/kebab/config.toml"
START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
EARLIER = datetime(2026, 2, 11, 1, 5, tzinfo=UTC)


DOC_ID = DocumentId("3f9a2c10ee4d6b783f9a2c10ee4d6b78")
CHUNK_IDS = tuple(ChunkId(f"9b4a8c1e7d3f2a059b4a8c1e7d3f2a{n:02x}") for n in range(3))
PATH = WorkspacePath("노트/문서 나누기.md")
TITLE = "문서 나누기"
_ASSET_ID = AssetId("8c1e7d3f2a059b4a8c1e7d3f2a059b4a")
_TEXTS = (
    "검색 단위는 제목 경계를 먼저 따른다.",
    "코드 블록과 표는 되도록 통째로 둔다. 상한을 넘을 때만 나누고, 표는 머리글 행을 되풀이한다.",
    "| 종류 | 나누는 곳 |\n|---|---|\n| 코드 | 빈 줄 |",
)
_LINES = ((6, 8), (10, 14), (16, 18))

INDEXED_DOCUMENT = IndexedDocument(
    doc_id=DOC_ID,
    doc_path=PATH,
    title=TITLE,
    lang="ko",
    media="markdown",
    source_type=SourceType.MARKDOWN,
    trust_level=TrustLevel.PRIMARY,
    indexed_at=START,
    last_complete_scan_at=START,
)


def _block_id(number: int) -> BlockId:
    return BlockId(f"{number:032x}")


def _chunk(ordinal: int) -> IndexedChunk:
    start, end = _LINES[ordinal]
    chunk = Chunk(
        chunk_id=CHUNK_IDS[ordinal],
        doc_id=DOC_ID,
        ordinal=ordinal,
        block_ids=(_block_id(ordinal + 1),),
        text=_TEXTS[ordinal],
        heading_path=(TITLE, "규칙"),
        section_label="규칙",
        source_spans=(LineSpan(start=start, end=end),),
        token_estimate=24,
        chunker_version=ChunkerVersion("md-heading-v1"),
        policy_hash="5d41402abc4b2a76",
    )
    return IndexedChunk(chunk=chunk, document=INDEXED_DOCUMENT)


CHUNKS = tuple(_chunk(ordinal) for ordinal in range(3))


def _common(number: int, start: int, end: int) -> dict[str, object]:
    span = LineSpan(start=start, end=end)
    return {"block_id": _block_id(number), "heading_path": (TITLE, "규칙"), "source_span": span}


def _blocks() -> tuple[Block, ...]:
    words = (
        TextInline(text="자세한 것은 "),
        LinkInline(text="안내서", href="https://example.org/guide"),
        StrongInline(children=(TextInline(text="반드시"), EmphInline(children=(CodeInline(text="lang"),)))),
    )
    item = ListItem(text="제목", inlines=(TextInline(text="제목"),), source_span=LineSpan(start=10, end=10))
    ocr = OcrText(
        joined="합계 12,000원",
        regions=(OcrRegion(bbox=(12, 40, 180, 24), text="합계 12,000원", confidence=0.98),),
        engine="tesseract",
        engine_version="5.3",
    )
    caption = ModelCaption(text="영수증 사진", model="qwen2.5vl:3b", model_version="caption-v1")
    return (
        HeadingBlock.model_validate({**_common(1, 6, 6), "level": 2, "text": "규칙"}),
        ParagraphBlock.model_validate({**_common(2, 8, 8), "text": "자세한 것은 안내서", "inlines": words}),
        ListBlock.model_validate({**_common(3, 10, 10), "ordered": False, "items": (item,)}),
        CodeBlock.model_validate({**_common(4, 12, 14), "lang": "python", "code": "print('안녕')"}),
        TableBlock.model_validate({
            **_common(5, 16, 18),
            "headers": ("종류", "나누는 곳"),
            "rows": (("코드", "빈 줄"),),
        }),
        QuoteBlock.model_validate({**_common(6, 20, 20), "text": "나눈 것은 다시 이을 수 있어야 한다."}),
        ImageRefBlock.model_validate({
            **_common(7, 22, 22),
            "asset_id": None,
            "src": "그림/영수증.png",
            "alt": "영수증",
            "ocr": ocr,
            "caption": caption,
        }),
        _recording(),
    )


def _recording() -> AudioRefBlock:
    segment = TranscriptSegment(
        start_ms=0, end_ms=4200, text="회의를 시작하겠습니다.", speaker="S1", confidence=0.91
    )
    return AudioRefBlock(
        block_id=_block_id(8),
        heading_path=(TITLE,),
        source_span=TimeSpan(start_ms=0, end_ms=4200),
        asset_id=_ASSET_ID,
        duration_ms=4200,
        transcript=Transcript(segments=(segment,), engine="whisper", engine_version="3", language="ko"),
    )


DOCUMENT = CanonicalDocument(
    doc_id=DOC_ID,
    source_asset_id=_ASSET_ID,
    workspace_path=PATH,
    title=TITLE,
    lang="ko",
    blocks=_blocks(),
    metadata=Metadata(
        aliases=("청킹",),
        tags=("검색", "설계"),
        created_at=EARLIER,
        updated_at=START,
        source_type=SourceType.MARKDOWN,
        user={"작성자": "김", "검토": None, "순서": [1, 2]},
    ),
    provenance=Provenance(
        events=(
            ProvenanceEvent(at=START, agent="md-v1", kind=ProvenanceKind.PARSED),
            ProvenanceEvent(
                at=START,
                agent="md-v1",
                kind=ProvenanceKind.WARNING,
                note="front matter: `date` is not a date",
            ),
        )
    ),
    parser_version=ParserVersion("md-v1"),
    doc_version=2,
    indexed_at=START,
)

SUMMARY = DocSummary(
    doc_id=DOC_ID,
    source_id=SourceId("default"),
    doc_path=PATH,
    title=TITLE,
    lang="ko",
    media="markdown",
    tags=("검색", "설계"),
    trust_level=TrustLevel.PRIMARY,
    source_type=SourceType.MARKDOWN,
    byte_len=1834,
    chunk_count=3,
    created_at=EARLIER,
    updated_at=START,
    indexed_at=START,
    last_complete_scan_at=START,
    parser_version=ParserVersion("md-v1"),
    chunker_version=ChunkerVersion("md-heading-v1"),
)

_MODEL = EmbeddingIdentity(
    model_id=EmbeddingModelId("multilingual-e5-small"),
    model_version=EmbeddingVersion("v1+0123456789ab"),
    dimensions=384,
)
_EMBEDDING = ChunkEmbedding(
    embedding_id_for(
        chunk_id=CHUNKS[1].chunk.chunk_id,
        model_id=_MODEL.model_id,
        model_version=_MODEL.model_version,
        dimensions=_MODEL.dimensions,
    ),
    _MODEL,
    EmbeddingState.COMMITTED,
)


def build_documents() -> dict[str, WireObject]:
    """Return listings, inspections and fetches by name."""
    base = FetchResult(kind="doc", document=INDEXED_DOCUMENT, stale=False)
    around = {"chunk": CHUNKS[1], "context_before": CHUNKS[:1], "context_after": CHUNKS[2:]}
    span = {"kind": "span", "text": _TEXTS[1], "line_start": 10, "line_end": 40, "effective_end": 14}
    page = {"kind": "page", "text": _TEXTS[1], "page": 3}
    lines = {
        "kind": "span",
        "text": _TEXTS[1],
        "line_start": 10,
        "line_end": 40,
        "effective_end": 14,
        "truncated": True,
        "address": f"{INDEXED_DOCUMENT.to_address()}#L10-L40",
        "total_lines": 60,
        "next": f"{INDEXED_DOCUMENT.to_address()}#L15-L40",
    }
    outline = {
        "kind": "outline",
        "address": INDEXED_DOCUMENT.to_address(),
        "total_lines": 60,
        "headings": (
            OutlineHeading(level=1, text="색인", at="L5-L60", line_start=5, line_end=60),
            OutlineHeading(level=2, text="규칙", at="L9-L60", line_start=9, line_end=60),
        ),
    }
    time = {"kind": "time", "text": _TEXTS[1], "start_ms": 60_000, "end_ms": 75_500}
    return {
        "name_list": NameListV1(
            documents=(
                NamedDocumentV1(
                    rank=1,
                    address=INDEXED_DOCUMENT.to_address(),
                    title=INDEXED_DOCUMENT.title,
                    name=INDEXED_DOCUMENT.title,
                    match="initials",
                    doc_id=INDEXED_DOCUMENT.doc_id,
                ),
            )
        ),
        "exact_response": ExactResponseV1(
            query="- [ ]",
            documents=(
                ExactDocumentV1(
                    rank=1,
                    address="todo.md#L12",
                    title="Todo",
                    matches=1,
                    lines=(ExactLineV1(line=12, text="- [ ] 색인", matched=(MatchedRange(start=0, end=5),)),),
                    doc_id=INDEXED_DOCUMENT.doc_id,
                    file="/home/kim/notes/todo.md",
                ),
            ),
            document_count=1,
            match_count=1,
            searched_count=12,
        ),
        "related_list": RelatedListV1(
            address=f"{INDEXED_DOCUMENT.to_address()}#L10-L40",
            documents=(
                RelatedDocumentV1(
                    rank=1,
                    address="notes/rebuild.md#L12",
                    title="Rebuild",
                    relation="linked_from",
                    text="색인",
                    line=12,
                    doc_id=INDEXED_DOCUMENT.doc_id,
                ),
            ),
            linked_from_count=1,
            has_vectors=True,
        ),
        "count_list": CountListV1(by="tags", items=(NamedCountV1(name="색인", documents=12),)),
        "format_list": wire_format_list(one for one in FORMATS if one.media.kind in {"markdown", "pdf"}),
        "open_report": OpenReportV1(
            address=f"{INDEXED_DOCUMENT.to_address()}#L10-L40",
            file="/home/kim/notes/색인.md",
            line=10,
            command=("nvim", "+10", "/home/kim/notes/색인.md"),
        ),
        "render_report": RenderReportV1(
            address="논문/검색.pdf#p=13",
            file="/home/kim/검색-p13.png",
            page=13,
            width=1190,
            height=1684,
            page_size=PageSize(width=595, height=842),
            rectangles=(Rectangle(x=72, y=144, w=451, h=56),),
        ),
        "doc_summary": wire_doc_summary(SUMMARY, stale=False),
        "doc_list": wire_doc_list([SUMMARY], stale=[True]),
        "document_inspection": wire_document_inspection(DOCUMENT),
        "chunk_inspection": wire_chunk_inspection(CHUNKS[1], embeddings=[_EMBEDDING]),
        "fetch_brief": wire_agent_fetch(base.model_copy(update=lines)),
        "list_brief": ListBriefV1(
            total=42,
            sources={"default": 42},
            folders={"/": 42, "노트/": 30},
            tags={"설계": 12},
            omitted=7,
            documents=(ListedDocumentV1(address="노트/색인.md", title="색인과 검색", date="2026-11-21"),),
        ),
        "related_brief": RelatedBriefV1(
            address="노트/색인.md",
            linked_from=(RelatedBriefDocumentV1(address="일지.md#L7", title="일지", text="색인"),),
            linked_from_count=12,
            lacks_vectors=True,
        ),
        "fetch_brief.outline": wire_agent_fetch(base.model_copy(update=outline)),
        "fetch_result.chunk": wire_fetch_result(base.model_copy(update={"kind": "chunk", **around})),
        "fetch_result.doc": wire_fetch_result(base.model_copy(update={"text": _TEXTS[0], "truncated": True})),
        "fetch_result.span": wire_fetch_result(base.model_copy(update=span)),
        "fetch_result.page": wire_fetch_result(base.model_copy(update=page)),
        "fetch_result.outline": wire_fetch_result(base.model_copy(update=outline)),
        "fetch_result.address": wire_fetch_result(base.model_copy(update=lines)),
        "fetch_result.time": wire_fetch_result(base.model_copy(update=time)),
    }
