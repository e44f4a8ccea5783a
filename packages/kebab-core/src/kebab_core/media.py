"""Kinds of files and documents: media as tagged values (`markdown`, `text`, `pdf`, …), source types, trust levels."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from kebab_core.model import Model

ImageFormat = Literal["png", "jpeg", "webp", "gif", "tiff", "other"]
AudioFormat = Literal["m4a", "mp3", "wav", "flac", "ogg", "other"]
MediaKind = Literal["markdown", "text", "pdf", "image", "audio", "code", "other"]
"""Name of a medium in filters and statistics."""


class MarkdownMedia(Model):
    """CommonMark with GFM tables and front matter."""

    kind: Literal["markdown"] = "markdown"


class TextMedia(Model):
    """Plain prose without markup that is understood: `.txt`, `.rst`, `.org`."""

    kind: Literal["text"] = "text"


class PdfMedia(Model):
    """A PDF."""

    kind: Literal["pdf"] = "pdf"


class ImageMedia(Model):
    """A picture."""

    kind: Literal["image"] = "image"
    format: ImageFormat


class AudioMedia(Model):
    """A recording."""

    kind: Literal["audio"] = "audio"
    format: AudioFormat


class CodeMedia(Model):
    """Source code; `lang` is the lower-case language name, such as `rust`."""

    kind: Literal["code"] = "code"
    lang: str


class OtherMedia(Model):
    """Anything else; `label` is the extension without its dot, or empty."""

    kind: Literal["other"] = "other"
    label: str = ""


MediaType = Annotated[
    MarkdownMedia | TextMedia | PdfMedia | ImageMedia | AudioMedia | CodeMedia | OtherMedia,
    Field(discriminator="kind"),
]
"""One of the seven kinds, told apart by `kind`."""


UNDETERMINED_LANG = "und"
"""BCP 47's tag for a language that is not known."""


class SourceType(StrEnum):
    """Type of a document, as filters name it."""

    MARKDOWN = "markdown"
    NOTE = "note"
    PAPER = "paper"
    REFERENCE = "reference"
    INBOX = "inbox"
    CODE = "code"


class TrustLevel(StrEnum):
    """Trust level of a document, most trusted first."""

    PRIMARY = "primary"
    SECONDARY = "secondary"
    GENERATED = "generated"

    @property
    def rank(self) -> int:
        """Position from 0 (most trusted)."""
        return list(TrustLevel).index(self)
