"""Media: kinds of files as tagged values (`markdown`, `text`, `pdf`, …)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kebab_core.model import Model

ImageFormat = Literal["png", "jpeg", "webp", "gif", "tiff", "other"]
AudioFormat = Literal["m4a", "mp3", "wav", "flac", "ogg", "other"]


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
