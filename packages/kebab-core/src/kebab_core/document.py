"""Parsed documents, the output of extractors and the input of chunkers, with what models read in pictures and recordings."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from kebab_core.assets import RawAsset
from kebab_core.code import CodeRole, CodeSymbol
from kebab_core.facets import SourceType, TrustLevel
from kebab_core.files import SourceId, WorkspacePath
from kebab_core.ids import (
    DEFAULT_SOURCE_ID,
    AssetId,
    BlockId,
    DocumentId,
    ParserVersion,
    hash_parts,
    id_of_json,
    json_of_texts,
)
from kebab_core.messages import Message
from kebab_core.model import Model, UtcDatetime
from kebab_core.ocr import OcrText, Surroundings
from kebab_core.span import CellSpan, PageSpan, RegionSpan, SlideSpan, SourceSpan, TimeSpan, parse_cells
from kebab_core.speech import Transcript

if TYPE_CHECKING:
    from datetime import datetime

    from kebab_core.vector import EmbeddingIdentity


class ModelCaption(Model):
    """One sentence a vision model wrote about a picture."""

    text: str
    model: str
    model_version: str


class TextInline(Model):
    """Plain words."""

    kind: Literal["text"] = "text"
    text: str


class CodeInline(Model):
    """Words set as code."""

    kind: Literal["code"] = "code"
    text: str


class LinkInline(Model):
    """A link or, with an empty `href`, a reference that points nowhere."""

    kind: Literal["link"] = "link"
    text: str
    href: str


class PlacedLink(LinkInline):
    """A link in a text that is stored without inlines."""

    source_span: SourceSpan
    """Of the heading, or of the row of the table."""


class StrongInline(Model):
    """Strongly emphasised content."""

    kind: Literal["strong"] = "strong"
    children: tuple[Inline, ...]


class EmphInline(Model):
    """Emphasised content."""

    kind: Literal["emph"] = "emph"
    children: tuple[Inline, ...]


Inline = Annotated[
    TextInline | CodeInline | LinkInline | StrongInline | EmphInline, Field(discriminator="kind")
]


class CommonBlock(Model):
    """Fields of every block."""

    block_id: BlockId
    heading_path: tuple[str, ...]
    """Headings above the block, outermost first; a heading's own text is its last member."""
    source_span: SourceSpan


class HeadingBlock(CommonBlock):
    """A heading of level 1 to 6."""

    kind: Literal["heading"] = "heading"
    level: int = Field(ge=1, le=6)
    text: str
    links: tuple[PlacedLink, ...] | None = Field(default=None, exclude_if=lambda links: links is None)
    """In reading order; None where there are none, or the extractor does not read them."""


class ParagraphBlock(CommonBlock):
    """A paragraph. `text` is what a reader sees; `inlines` keep links and emphasis."""

    kind: Literal["paragraph"] = "paragraph"
    text: str
    inlines: tuple[Inline, ...] = ()


class ListItem(Model):
    """One item with everything nested in it as text."""

    text: str
    inlines: tuple[Inline, ...] = ()
    source_span: SourceSpan


class ListBlock(CommonBlock):
    """A list, nested lists included in their items' text."""

    kind: Literal["list"] = "list"
    ordered: bool
    items: tuple[ListItem, ...]


class CodeBlock(CommonBlock):
    """A fenced or indented code block, or one unit of a source file."""

    kind: Literal["code"] = "code"
    lang: str | None
    code: str
    symbols: tuple[CodeSymbol, ...] | None = Field(default=None, exclude_if=lambda symbols: symbols is None)
    """Of a unit of a source file: the symbols that it defines, its own first, then those inside that are no units; None of another block."""
    role: CodeRole | None = Field(default=None, exclude_if=lambda role: role is None)
    """Role of a unit of a source file; None for a block of another document."""
    statements: tuple[tuple[int, ...], ...] | None = Field(
        default=None, exclude_if=lambda lines: lines is None
    )
    """Of a long unit of a source file: the lines of the file after its first in which statements, members and elements begin, with the
    comments above them; those of each depth apart and in order, outermost first. None where the extractor does not tell."""


class TableBlock(CommonBlock):
    """A table; every row has at least as many cells as `headers`."""

    kind: Literal["table"] = "table"
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    header_span: SourceSpan | None = Field(default=None, exclude_if=lambda span: span is None)
    """Place of the header row where it is outside of `source_span`: that of a table above, which this one continues."""
    links: tuple[PlacedLink, ...] | None = Field(default=None, exclude_if=lambda links: links is None)
    """In reading order; None where there are none, or the extractor does not read them."""


class QuoteBlock(CommonBlock):
    """A block quote or callout."""

    kind: Literal["quote"] = "quote"
    text: str
    inlines: tuple[Inline, ...] = ()


class ImageRefBlock(CommonBlock):
    """A picture: one referred to by a document, or an image file itself."""

    kind: Literal["image_ref"] = "image_ref"
    asset_id: AssetId | None
    src: str
    is_src_defined: bool | None = Field(default=None, exclude_if=lambda known: known is None)
    """True where the address is that of a link definition, which is text of its own; None otherwise."""
    alt: str = ""
    ocr: OcrText | None = None
    caption: ModelCaption | None = None


class AudioRefBlock(CommonBlock):
    """A recording."""

    kind: Literal["audio_ref"] = "audio_ref"
    asset_id: AssetId
    duration_ms: int = Field(ge=0)
    transcript: Transcript | None = None


Block = Annotated[
    HeadingBlock
    | ParagraphBlock
    | ListBlock
    | CodeBlock
    | TableBlock
    | QuoteBlock
    | ImageRefBlock
    | AudioRefBlock,
    Field(discriminator="kind"),
]
"""One of the eight kinds, told apart by `kind`."""


def list_links(block: Block) -> Iterator[tuple[SourceSpan, LinkInline]]:
    """Yield the links of a block in their order, each with the place of the text that it stands in; a picture is one, too."""
    if isinstance(block, ListBlock):
        for item in block.items:
            yield from ((item.source_span, link) for link in find_links(item.inlines))
    elif isinstance(block, ParagraphBlock | QuoteBlock):
        yield from ((block.source_span, link) for link in find_links(block.inlines))
    elif isinstance(block, HeadingBlock | TableBlock):
        yield from ((link.source_span, link) for link in block.links or ())
    elif isinstance(block, ImageRefBlock) and block.src and not block.src.startswith("data:"):
        yield block.source_span, LinkInline(text=block.alt, href=block.src)


def find_links(inlines: Iterable[Inline]) -> Iterator[LinkInline]:
    """Yield the links of inline content in their order."""
    for inline in inlines:
        if isinstance(inline, LinkInline):
            yield inline
        elif isinstance(inline, StrongInline | EmphInline):
            yield from find_links(inline.children)


DOCUMENT_SCHEMA_VERSION = 1
"""Shape of `CanonicalDocument` as it is stored."""


class ProvenanceKind(StrEnum):
    """Kind of a step of a document on its way into the index."""

    DISCOVERED = "discovered"
    PARSED = "parsed"
    NORMALIZED = "normalized"
    CHUNKED = "chunked"
    OCR_APPLIED = "ocr_applied"
    CAPTION_APPLIED = "caption_applied"
    TRANSCRIBED = "transcribed"
    EMBEDDED = "embedded"
    INDEXED = "indexed"
    WARNING = "warning"
    ERROR = "error"


class ProvenanceEvent(Model):
    """One step, by which part of kebab, with a remark where there is something to say."""

    at: UtcDatetime
    agent: str
    kind: ProvenanceKind
    note: Message | str | None = None


def embedded_event(identity: EmbeddingIdentity, *, at: datetime) -> ProvenanceEvent:
    """The provenance event of a document that has got its last vector of a model."""
    return ProvenanceEvent(
        at=at,
        agent="kebab-ingest",
        kind=ProvenanceKind.EMBEDDED,
        note=f"{identity.model_id}@{identity.model_version}: {identity.dimensions} dimensions",
    )


class Provenance(Model):
    """Everything that happened to a document, in order."""

    events: tuple[ProvenanceEvent, ...] = ()

    @property
    def warnings(self) -> tuple[Message | str, ...]:
        """The notes of all warnings, in order."""
        return tuple(e.note or "" for e in self.events if e.kind is ProvenanceKind.WARNING)


class Metadata(Model):
    """Metadata of a document, from front matter, file and repository."""

    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    created_at: UtcDatetime
    """Front matter, else the date in the name of a note, else the file's time."""
    updated_at: UtcDatetime
    """Front matter, else the date in the name of a note, else the file's time."""
    stated_on: dt.date | None = None
    """The day that the document states: of its last change by front matter or properties, or that in its name; None where only
    the file's time is known."""
    source_type: SourceType
    trust_level: TrustLevel = TrustLevel.PRIMARY
    user_id_alias: str | None = None
    user: dict[str, JsonValue] = Field(default_factory=dict)
    """Front-matter keys that kebab gives no meaning to, as they were."""
    repo: str | None = None
    git_branch: str | None = None
    git_commit: str | None = None
    code_lang: str | None = None


class TextPart(Model):
    """A part of an extracted text with its position in the source: a page, a slide, cells, a region, or a stretch of a recording."""

    start: int = Field(ge=0)
    """Offset in the text, in code points."""
    end: int = Field(ge=0)
    """Its end, excluded."""
    source_span: SourceSpan


class ExtractedText(Model):
    """The text of a file that is not text itself, as its extractor read it; stored with the document."""

    text: str
    parts: tuple[TextPart, ...] = ()
    """Pages, slides, rows of sheets, regions or stretches of time in the order of the text; empty where spans of the document count its lines."""
    pictures: tuple[int, ...] = Field(default=(), exclude_if=lambda pages: not pages)
    """1-based numbers of the pages, pictures or frames that show text at most as a picture, or of the parts of a recording: of what a model
    is to read or hear."""
    illustrated: tuple[int, ...] = Field(default=(), exclude_if=lambda pages: not pages)
    """1-based numbers of the other pages, which have pictures beside their text."""

    @model_validator(mode="after")
    def _parts_inside(self) -> Self:
        end = 0
        for part in self.parts:
            if not end <= part.start <= part.end <= len(self.text):
                raise ValueError("parts of a text follow each other and lie inside it")
            end = part.end
        return self

    def find_page(self, page: int | None) -> list[TextPart]:
        """Find the parts on a page, in their order; those of a picture that is on no page for None."""
        return [
            part
            for part in self.parts
            if isinstance(span := part.source_span, PageSpan | RegionSpan) and span.page == page
        ]

    def find_slide(self, slide: int) -> list[TextPart]:
        """Find the parts on a slide, in their order."""
        return [
            part
            for part in self.parts
            if isinstance(span := part.source_span, SlideSpan) and span.slide == slide
        ]

    def find_cells(self, sheet: str, cells: str | None) -> list[TextPart]:
        """Find the parts of a sheet that share a cell with a range, in their order; all of the sheet's for None."""
        asked = None if cells is None else parse_cells(cells)
        return [
            part
            for part in self.parts
            if isinstance(span := part.source_span, CellSpan)
            and span.sheet == sheet
            and (asked is None or span.cells is None or not parse_cells(span.cells).is_apart(asked))
        ]

    def find_moments(self, start_ms: int, end_ms: int) -> list[TextPart]:
        """Find the parts that overlap a stretch of time, in their order."""
        return [
            part
            for part in self.parts
            if isinstance(span := part.source_span, TimeSpan)
            and span.start_ms < end_ms
            and span.end_ms > start_ms
        ]


class CanonicalDocument(Model):
    """A document's blocks in reading order, all text in NFC, all lines as in the source file."""

    doc_id: DocumentId
    source_asset_id: AssetId
    source_id: SourceId = SourceId(DEFAULT_SOURCE_ID)
    workspace_path: WorkspacePath
    title: str
    lang: str
    """BCP 47 primary tag, `und` where it is not known."""
    blocks: tuple[Block, ...]
    metadata: Metadata
    provenance: Provenance
    parser_version: ParserVersion
    schema_version: int = DOCUMENT_SCHEMA_VERSION
    doc_version: int = Field(default=1, ge=1)
    """Number of times this path has been ingested with new content; the store counts it."""
    indexed_at: UtcDatetime | None = None
    """Time its content was last processed; None until it is stored."""
    next_title: str | None = Field(default=None, exclude_if=lambda title: title is None)
    """The title to show where `title` is that of the file's metadata and other documents have it, too: the heading that the text
    begins with, else the stem of the file's name. None where `title` is no metadata, or equal."""
    text: ExtractedText | None = Field(default=None, exclude_if=lambda text: text is None)
    """The extracted text, where the file is not text; None where the file itself is read for lines and quotes."""


class ExtractContext(Model):
    """Input of an extractor besides the bytes."""

    asset: RawAsset
    source_id: SourceId = SourceId(DEFAULT_SOURCE_ID)
    trust_level: TrustLevel | None = None
    """Highest trust level for documents of the source; front matter may only lower it."""
    source_type: SourceType | None = None
    """The source's default; front matter wins."""
    file_created_at: UtcDatetime
    file_modified_at: UtcDatetime
    extracted_at: UtcDatetime
    """Stamp for provenance events."""
    discovered_by: str = "kebab"
    """The part of kebab that found the file; agent of the first provenance event."""
    ocr: dict[int, OcrText] = Field(default_factory=dict)
    """Text that was recognised in pages, pictures and frames of the file, by their 1-based number."""
    speech: dict[int, Transcript] = Field(default_factory=dict)
    """What was heard in parts of a recording, by their 1-based number."""
    surroundings: Surroundings = Surroundings()
    """Of a picture."""
    captions: dict[int, ModelCaption] = Field(default_factory=dict)
    """Captions of pages, pictures and frames of the file, by 1-based number."""
    names: dict[str, str] = Field(default_factory=dict)
    """Names by the ids that stand for them in the file, which another file of the source has."""


@dataclass(frozen=True, slots=True)
class LongDocument:
    """A document that may be too long to be held whole; its blocks are made as they are taken."""

    head: CanonicalDocument
    """Everything but its blocks, of which it has none."""
    blocks: Iterator[Block]
    """In reading order; they can be taken once."""

    @classmethod
    def of(cls, document: CanonicalDocument) -> Self:
        """Return a document that is held whole."""
        return cls(document.model_copy(update={"blocks": ()}), iter(document.blocks))

    def take_whole(self) -> CanonicalDocument:
        """Return the document with its blocks taken."""
        return self.head.model_copy(update={"blocks": tuple(self.blocks)})


def document_id_for(
    *, workspace_path: WorkspacePath, asset_id: AssetId, parser_version: str, source_id: str
) -> DocumentId:
    """The id of a document; `source_id` takes part only when it is not the default source."""
    own_source = {} if source_id == DEFAULT_SOURCE_ID else {"source_id": source_id}
    place = {"workspace_path": workspace_path, "asset_id": asset_id, **own_source}
    return DocumentId(hash_parts("doc", parser_version=parser_version, **place))


def block_id_for(
    *, doc_id: DocumentId, block_kind: str, heading_path: Sequence[str], ordinal: int, source_span: SourceSpan
) -> BlockId:
    """The id of a block.

    Args:
        doc_id: The document.
        block_kind: `Block.kind`.
        heading_path: Headings above the block, outermost first.
        ordinal: Position from 0 among the blocks of equal kind and heading path, in document order.
        source_span: Its position in the source; absent optional fields take no part, so that adding one keeps
            ids; rectangles and sizes of pages take none either.
    """
    if source_span.kind == "line":
        # Every block of every text passes here: JSON in its final form is a quarter of the work.
        headings, kind = json_of_texts(tuple(heading_path)), encode_basestring(block_kind)
        block_id = id_of_json(
            BlockId,
            f'{{"block_kind":{kind},"doc_id":"{doc_id}","heading_path":{headings},"kind":"block","ordinal":{ordinal},'
            f'"source_span":{{"end":{source_span.end},"kind":"line","start":{source_span.start}}}}}',
        )
        if block_id is not None:
            return block_id
    span = source_span.model_dump(mode="json", exclude_none=True, exclude={"rectangles", "page_size"})
    return BlockId(
        hash_parts(
            "block",
            doc_id=doc_id,
            block_kind=block_kind,
            heading_path=list(heading_path),
            ordinal=ordinal,
            source_span=span,
        )
    )
