"""The parts of a document, in reading order."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kebab_core.ids import AssetId, BlockId
from kebab_core.media_text import ModelCaption, OcrText, Transcript
from kebab_core.model import Model
from kebab_core.span import SourceSpan


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
    """What every block has."""

    block_id: BlockId
    heading_path: tuple[str, ...]
    """Headings above the block, outermost first; a heading's own text is its last member."""
    source_span: SourceSpan


class HeadingBlock(CommonBlock):
    """A heading of level 1 to 6."""

    kind: Literal["heading"] = "heading"
    level: int = Field(ge=1, le=6)
    text: str


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
    lang: str | None = None
    code: str


class TableBlock(CommonBlock):
    """A table; every row has at least as many cells as `headers`."""

    kind: Literal["table"] = "table"
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class QuoteBlock(CommonBlock):
    """A block quote or callout."""

    kind: Literal["quote"] = "quote"
    text: str
    inlines: tuple[Inline, ...] = ()


class ImageRefBlock(CommonBlock):
    """A picture: one referred to by a document, or an image file itself."""

    kind: Literal["image_ref"] = "image_ref"
    asset_id: AssetId | None = None
    src: str
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
