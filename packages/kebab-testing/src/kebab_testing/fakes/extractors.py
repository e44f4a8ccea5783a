"""Extractors of three invented formats that are not text: pages, recordings and pictures.

All keep the text that they read (`CanonicalDocument.text`), with its parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kebab_core import (
    CanonicalDocument,
    ExtractContext,
    ExtractedText,
    ExtractorServices,
    MediaType,
    Metadata,
    Model,
    PageSpan,
    ParagraphBlock,
    ParserVersion,
    Provenance,
    ProvenanceEvent,
    ProvenanceKind,
    Rectangle,
    RegionSpan,
    SourceType,
    TextPart,
    TimeSpan,
    UnsupportedMediaError,
    block_id_for,
    document_id_for,
)
from kebab_text import detect_language

PAGES_MAGIC = b"%PDF-"
CUES_MAGIC = b"RIFF"
PICTURE_MAGIC = b"\x89PNG\r\n\x1a\n"


class _Paragraph(NamedTuple):
    text: str
    span: PageSpan | TimeSpan | RegionSpan


class PageExtractor:
    """Reads `%PDF-` followed by pages of paragraphs, with form feeds between pages and blank lines between paragraphs.

    The bytes of the text are inverted, so that nothing can be read in the file itself.
    """

    def supports(self, media_type: MediaType) -> bool:
        """Return True for PDF."""
        return media_type.kind == "pdf"

    def parser_version(self) -> ParserVersion:
        """Return `pages-v1`."""
        return ParserVersion("pages-v1")

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file: a block for each paragraph, with its characters and a rectangle of its size.

        Raises:
            UnsupportedMediaError: The file does not begin as it must.
        """
        text = read_hidden(content, PAGES_MAGIC)
        parts, offset = [], 0
        for number, page in enumerate(text.split("\f"), 1):
            span = PageSpan(page=number)
            parts.append(TextPart(start=offset, end=offset + len(page), source_span=span))
            offset += len(page) + 1
        paragraphs = [each for part in parts for each in _paragraphs(text[part.start : part.end], part)]
        extracted = ExtractedText(text=text, parts=tuple(parts))
        return _build(context, self.parser_version(), paragraphs, extracted, lang=detect_language(text))


class CueExtractor:
    """Reads `RIFF` followed by lines of `start end words`, times in milliseconds; the bytes are inverted."""

    def supports(self, media_type: MediaType) -> bool:
        """Return True for recordings."""
        return media_type.kind == "audio"

    def parser_version(self) -> ParserVersion:
        """Return `cues-v1`."""
        return ParserVersion("cues-v1")

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file: a block and a part for each line.

        Raises:
            UnsupportedMediaError: The file does not begin as it must.
        """
        text, parts, paragraphs = "", [], []
        for line in read_hidden(content, CUES_MAGIC).splitlines():
            first, last, words = line.split(" ", 2)
            span = TimeSpan(start_ms=int(first), end_ms=int(last))
            parts.append(TextPart(start=len(text), end=len(text) + len(words) + 1, source_span=span))
            paragraphs.append(_Paragraph(words, span))
            text += words + "\n"
        extracted = ExtractedText(text=text, parts=tuple(parts))
        return _build(context, self.parser_version(), paragraphs, extracted, lang=detect_language(text))


class PictureExtractor:
    """Reads the PNG signature followed by lines of text; the bytes are inverted."""

    def supports(self, media_type: MediaType) -> bool:
        """Return True for pictures."""
        return media_type.kind == "image"

    def parser_version(self) -> ParserVersion:
        """Return `pictures-v1`."""
        return ParserVersion("pictures-v1")

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file: a block for each line, with its characters, below each other in a picture of 600 x 400.

        Raises:
            UnsupportedMediaError: The file does not begin as it must.
        """
        text, offset, paragraphs = read_hidden(content, PICTURE_MAGIC), 0, []
        for number, line in enumerate(text.splitlines()):
            place = RegionSpan(
                x=0, y=20 * number, w=600, h=20, char_start=offset, char_end=offset + len(line)
            )
            paragraphs.append(_Paragraph(line, place))
            offset += len(line) + 1
        whole = TextPart(start=0, end=len(text), source_span=RegionSpan(x=0, y=0, w=600, h=400))
        extracted = ExtractedText(text=text, parts=(whole,))
        return _build(context, self.parser_version(), paragraphs, extracted, lang=detect_language(text))


def hide_text(text: str, magic: bytes) -> bytes:
    """Return the file of a text in one of the formats."""
    return magic + bytes(255 - byte for byte in text.encode())


def read_hidden(content: bytes, magic: bytes) -> str:
    """Return the text of a file.

    Raises:
        UnsupportedMediaError: It does not begin with the magic bytes.
    """
    if not content.startswith(magic):
        raise UnsupportedMediaError("the file does not begin as its name says")
    return bytes(255 - byte for byte in content[len(magic) :]).decode()


def _paragraphs(page: str, part: TextPart) -> Iterator[_Paragraph]:
    number, offset = getattr(part.source_span, "page", 1), 0
    for text in page.split("\n\n"):
        rectangle = Rectangle(x=72, y=72 + offset, w=len(text), h=12)
        span = PageSpan(page=number, char_start=offset, char_end=offset + len(text), rectangles=(rectangle,))
        if text.strip():
            yield _Paragraph(text, span)
        offset += len(text) + 2


def _build(
    context: ExtractContext,
    parser_version: ParserVersion,
    paragraphs: list[_Paragraph],
    text: ExtractedText,
    *,
    lang: str,
) -> CanonicalDocument:
    asset = context.asset
    doc_id = document_id_for(
        workspace_path=asset.workspace_path,
        asset_id=asset.asset_id,
        parser_version=parser_version,
        source_id=context.source_id,
    )
    blocks = tuple(
        ParagraphBlock(
            block_id=block_id_for(
                doc_id=doc_id,
                block_kind="paragraph",
                heading_path=(),
                ordinal=ordinal,
                source_span=paragraph.span,
            ),
            heading_path=(),
            source_span=paragraph.span,
            text=paragraph.text,
        )
        for ordinal, paragraph in enumerate(paragraphs)
    )
    parsed = ProvenanceEvent(at=context.extracted_at, agent="kebab-testing", kind=ProvenanceKind.PARSED)
    return CanonicalDocument(
        doc_id=doc_id,
        source_asset_id=asset.asset_id,
        source_id=context.source_id,
        workspace_path=asset.workspace_path,
        title=asset.workspace_path.name,
        lang=lang,
        blocks=blocks,
        metadata=Metadata(
            created_at=context.file_created_at,
            updated_at=context.file_modified_at,
            source_type=context.source_type or SourceType.REFERENCE,
        ),
        provenance=Provenance(events=(parsed,)),
        parser_version=parser_version,
        text=text,
    )


def build_page_extractor(_settings: Model | None, _services: ExtractorServices) -> PageExtractor:
    """Build a `PageExtractor`; an `ExtractorFactory`."""
    return PageExtractor()


def build_cue_extractor(_settings: Model | None, _services: ExtractorServices) -> CueExtractor:
    """Build a `CueExtractor`; an `ExtractorFactory`."""
    return CueExtractor()


def build_picture_extractor(_settings: Model | None, _services: ExtractorServices) -> PictureExtractor:
    """Build a `PictureExtractor`; an `ExtractorFactory`."""
    return PictureExtractor()
