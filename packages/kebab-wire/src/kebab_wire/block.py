"""The parts of a document, in reading order."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kebab_wire.base import Count, WireId, WirePart
from kebab_wire.span import SpanV1


class TextInlineV1(WirePart):
    """Plain words."""

    kind: Literal["text"] = "text"
    text: str


class CodeInlineV1(WirePart):
    """Words set as code."""

    kind: Literal["code"] = "code"
    text: str


class LinkInlineV1(WirePart):
    """A link."""

    kind: Literal["link"] = "link"
    text: str
    href: str


class StrongInlineV1(WirePart):
    """Strongly emphasised content."""

    kind: Literal["strong"] = "strong"
    children: tuple[InlineV1, ...]


class EmphInlineV1(WirePart):
    """Emphasised content."""

    kind: Literal["emph"] = "emph"
    children: tuple[InlineV1, ...]


InlineV1 = Annotated[
    TextInlineV1 | CodeInlineV1 | LinkInlineV1 | StrongInlineV1 | EmphInlineV1, Field(discriminator="kind")
]


class _BlockBase(WirePart):
    block_id: WireId
    heading_path: tuple[str, ...]
    """Headings above the block, outermost first; a heading's own text is its last member."""
    source_span: SpanV1


class HeadingBlockV1(_BlockBase):
    """A heading of level 1 to 6."""

    kind: Literal["heading"] = "heading"
    level: int
    text: str


class ParagraphBlockV1(_BlockBase):
    """A paragraph."""

    kind: Literal["paragraph"] = "paragraph"
    text: str
    inlines: tuple[InlineV1, ...]


class ListItemV1(WirePart):
    """One item with everything nested in it as text."""

    text: str
    inlines: tuple[InlineV1, ...]
    source_span: SpanV1


class ListBlockV1(_BlockBase):
    """A list."""

    kind: Literal["list"] = "list"
    ordered: bool
    items: tuple[ListItemV1, ...]


class CodeBlockV1(_BlockBase):
    """A code block, or one unit of a source file."""

    kind: Literal["code"] = "code"
    lang: str | None
    code: str


class TableBlockV1(_BlockBase):
    """A table; every row has as many cells as `headers`."""

    kind: Literal["table"] = "table"
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class QuoteBlockV1(_BlockBase):
    """A block quote or callout."""

    kind: Literal["quote"] = "quote"
    text: str
    inlines: tuple[InlineV1, ...]


class OcrRegionV1(WirePart):
    """One recognised stretch of text."""

    bbox: tuple[int, int, int, int]
    """x, y, width, height in pixels from the top left."""
    text: str
    confidence: float


class OcrTextV1(WirePart):
    """All text recognised in one picture."""

    joined: str
    regions: tuple[OcrRegionV1, ...]
    engine: str
    engine_version: str


class CaptionV1(WirePart):
    """One sentence a vision model wrote about a picture."""

    text: str
    model: str
    model_version: str


class ImageRefBlockV1(_BlockBase):
    """A picture."""

    kind: Literal["image_ref"] = "image_ref"
    asset_id: WireId | None
    src: str
    alt: str
    ocr: OcrTextV1 | None = None
    caption: CaptionV1 | None = None


class TranscriptSegmentV1(WirePart):
    """One stretch of speech in milliseconds from the start, half open."""

    start_ms: Count
    end_ms: Count
    text: str
    speaker: str | None = None
    confidence: float | None = None


class TranscriptV1(WirePart):
    """A recording's speech, segments in order of time."""

    segments: tuple[TranscriptSegmentV1, ...]
    engine: str
    engine_version: str
    language: str


class AudioRefBlockV1(_BlockBase):
    """A recording."""

    kind: Literal["audio_ref"] = "audio_ref"
    asset_id: WireId
    duration_ms: Count
    transcript: TranscriptV1 | None = None


BlockV1 = Annotated[
    HeadingBlockV1
    | ParagraphBlockV1
    | ListBlockV1
    | CodeBlockV1
    | TableBlockV1
    | QuoteBlockV1
    | ImageRefBlockV1
    | AudioRefBlockV1,
    Field(discriminator="kind"),
]
"""One of the eight kinds."""
