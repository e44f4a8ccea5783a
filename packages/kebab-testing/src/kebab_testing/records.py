"""Small builders of stored documents: consistent ids, and fields that a test names only where it means them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from kebab_core import (
    AnalyzerVersion,
    Answer,
    AnswerCitation,
    AnswerRetrievalSummary,
    AssetStorage,
    CanonicalDocument,
    Chunk,
    ChunkerVersion,
    ChunkTerms,
    CodeRole,
    CodeSymbol,
    DocumentRecord,
    ExtractedText,
    FileStamp,
    FileUri,
    LineCitation,
    LineSpan,
    LinkInline,
    MarkdownMedia,
    MediaType,
    Metadata,
    ModelRef,
    ParagraphBlock,
    ParserVersion,
    PromptTemplateVersion,
    Provenance,
    ProvenanceEvent,
    ProvenanceKind,
    RawAsset,
    ReferenceStorage,
    RefusalReason,
    SearchMode,
    SourceId,
    SourceType,
    TokenUsage,
    TraceId,
    TrustLevel,
    WorkspacePath,
    asset_id_for,
    block_id_for,
    chunk_id_for,
    document_id_for,
    hash_bytes,
)

from kebab_testing.fakes.clock import START

POLICY_HASH = "0123456789abcdef"
CHUNKER = ChunkerVersion("md-heading-v1")


@dataclass(frozen=True, kw_only=True)
class RecordSpec:
    """Choices for the record of a document; each paragraph becomes a block and a chunk.

    Terms are the words of the text in lower case, where a test gives none.
    """

    path: str = "notes/a.md"
    paragraphs: Sequence[str] = ("alpha beta",)
    terms: Sequence[ChunkTerms] | None = None
    source: str = "default"
    title: str = "Title"
    next_title: str | None = None
    lang: str = "en"
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    media: MediaType = field(default_factory=MarkdownMedia)
    source_type: SourceType = SourceType.MARKDOWN
    trust: TrustLevel = TrustLevel.PRIMARY
    repo: str | None = None
    code_lang: str | None = None
    disk_path: str | None = None
    stored: AssetStorage | None = None
    links: Sequence[str] = ()
    """Addresses of links in each paragraph."""
    at: datetime = START
    mtime_ns: int = 1_700_000_000_000_000_001
    parser: str = "md-v1"
    analyzer: str = "words@1"
    fingerprint: str = "fingerprint"
    content: bytes | None = None
    """The file; by default the paragraphs, so that other text is another asset."""
    symbols: Sequence[Sequence[CodeSymbol]] = ()
    """Symbols of each chunk, of source code."""
    roles: Sequence[CodeRole] = ()
    """Role of each chunk, likewise."""
    text: ExtractedText | None = None
    """The extracted text, of a file that is not text."""

    def file_content(self) -> bytes:
        """Return the bytes that the asset is of."""
        return "\n\n".join(self.paragraphs).encode() if self.content is None else self.content


def build_record(spec: RecordSpec) -> DocumentRecord:
    """Return a record whose ids fit its content, path and versions."""
    asset = build_asset(spec)
    document = _document(spec, asset)
    return DocumentRecord(
        asset=asset,
        document=document,
        chunks=tuple(_chunk(spec, document, ordinal) for ordinal in range(len(spec.paragraphs))),
        terms=_terms(spec),
        stamp=FileStamp(
            byte_len=asset.byte_len, mtime_ns=spec.mtime_ns, inode=2**63 + 11, ctime_ns=2**63 + 1
        ),
        disk_path=spec.disk_path or f"/disk/{spec.path}",
        fingerprint=spec.fingerprint,
        chunker_version=CHUNKER,
        analyzer_version=AnalyzerVersion(spec.analyzer),
        indexed_at=spec.at,
    )


def build_asset(spec: RecordSpec) -> RawAsset:
    """Return the asset of a spec; it refers to the file itself unless `stored` says otherwise."""
    content = spec.file_content()
    checksum = hash_bytes(content)
    disk_path = spec.disk_path or f"/disk/{spec.path}"
    return RawAsset(
        asset_id=asset_id_for(checksum),
        source_uri=FileUri(path=disk_path),
        workspace_path=WorkspacePath(spec.path),
        media_type=spec.media,
        byte_len=len(content),
        checksum=checksum,
        discovered_at=spec.at,
        stored=spec.stored or ReferenceStorage(path=disk_path, sha=checksum),
    )


def words_of(text: str) -> ChunkTerms:
    """Return the terms of a text as if words parted by white space were all there is to analysis."""
    words = " ".join(text.lower().split())
    return ChunkTerms(title="", heading="", body=words, surface=words)


def _terms(spec: RecordSpec) -> tuple[ChunkTerms, ...]:
    return tuple(words_of(text) for text in spec.paragraphs) if spec.terms is None else tuple(spec.terms)


def _document(spec: RecordSpec, asset: RawAsset) -> CanonicalDocument:
    source = SourceId(spec.source)
    doc_id = document_id_for(
        workspace_path=asset.workspace_path,
        asset_id=asset.asset_id,
        parser_version=spec.parser,
        source_id=source,
    )
    blocks, line = [], 1
    for ordinal, text in enumerate(spec.paragraphs):
        span = LineSpan(start=line, end=line + text.count("\n"))
        line = span.end + 2
        block_id = block_id_for(
            doc_id=doc_id,
            block_kind="paragraph",
            heading_path=[spec.title],
            ordinal=ordinal,
            source_span=span,
        )
        blocks.append(
            ParagraphBlock(
                block_id=block_id,
                heading_path=(spec.title,),
                source_span=span,
                text=text,
                inlines=tuple(LinkInline(text=f"to {href}", href=href) for href in spec.links),
            )
        )
    return CanonicalDocument(
        doc_id=doc_id,
        source_asset_id=asset.asset_id,
        source_id=source,
        workspace_path=asset.workspace_path,
        title=spec.title,
        next_title=spec.next_title,
        lang=spec.lang,
        blocks=tuple(blocks),
        metadata=_metadata(spec),
        provenance=Provenance(
            events=(ProvenanceEvent(at=spec.at, agent="test", kind=ProvenanceKind.PARSED, note="한글"),)
        ),
        parser_version=ParserVersion(spec.parser),
        text=spec.text,
    )


def _metadata(spec: RecordSpec) -> Metadata:
    return Metadata(
        aliases=spec.aliases,
        tags=spec.tags,
        created_at=spec.at,
        updated_at=spec.at,
        source_type=spec.source_type,
        trust_level=spec.trust,
        user={"project": "kebab", "numbers": [1, 2.5, None]},
        repo=spec.repo,
        code_lang=spec.code_lang,
    )


def _chunk(spec: RecordSpec, document: CanonicalDocument, ordinal: int) -> Chunk:
    text = spec.paragraphs[ordinal]
    block = document.blocks[ordinal]
    chunk_id = chunk_id_for(
        doc_id=document.doc_id, chunker_version=CHUNKER, block_ids=[block.block_id], policy_hash=POLICY_HASH
    )
    return Chunk(
        chunk_id=chunk_id,
        doc_id=document.doc_id,
        ordinal=ordinal,
        block_ids=(block.block_id,),
        text=text,
        heading_path=block.heading_path,
        section_label=document.title,
        source_spans=(block.source_span,),
        token_estimate=len(text.split()),
        chunker_version=CHUNKER,
        policy_hash=POLICY_HASH,
        symbols=tuple(spec.symbols[ordinal]) if spec.symbols else (),
        role=spec.roles[ordinal] if spec.roles else None,
    )


def build_answer(trace_id: str, *, refusal: RefusalReason | None = None) -> Answer:
    """Return an answer with one citation, or a refusal without."""
    citation = LineCitation(path=WorkspacePath("가 나.md"), start=3, end=9, section="규칙")
    cited = AnswerCitation(marker="[1]", citation=citation, indexed_at=START, stale=False)
    return Answer(
        answer="답 [1]",
        citations=() if refusal else (cited,),
        grounded=refusal is None,
        refusal_reason=refusal,
        model=ModelRef(id="extractive", provider="extractive"),
        prompt_template_version=PromptTemplateVersion("rag-v3"),
        retrieval=AnswerRetrievalSummary(
            trace_id=TraceId(trace_id),
            mode=SearchMode.LEXICAL,
            k=10,
            score_gate=0.3,
            top_score=0.75,
            chunks_returned=4,
            chunks_used=2,
        ),
        usage=TokenUsage(prompt_tokens=100, completion_tokens=20, latency_ms=5),
        created_at=START,
    )
