"""Media: kinds of files as tagged values (`markdown`, `text`, `pdf`, …)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kebab_core.model import Model

ImageFormat = Literal["png", "jpeg", "webp", "gif", "tiff", "bmp", "heic", "avif", "svg", "other"]
ChatFormat = Literal[
    "kakaotalk",
    "kakaotalk-csv",
    "whatsapp",
    "line",
    "zoom",
    "telegram",
    "telegram-html",
    "slack",
    "discord",
    "discord-text",
    "discord-csv",
    "discord-html",
    "messenger",
    "google-chat",
    "chatgpt",
    "claude",
]
SubtitlesFormat = Literal["srt", "vtt", "lrc", "smi", "ass", "sbv", "ttml"]
OfficeFormat = Literal["docx", "doc", "pptx", "ppt", "xlsx", "xls", "ods", "odt", "odp", "csv", "tsv", "rtf"]
StructuredFormat = Literal[
    "ipynb",
    "ics",
    "vcf",
    "canvas",
    "excalidraw",
    "drawio",
    "opml",
    "webloc",
    "url",
    "enex",
    "keep",
    "kindle",
    "bib",
    "roam",
    "trello",
    "dayone",
    "tasks",
    "simplenote",
    "data",
    "feed",
    "anki",
]
AudioFormat = Literal["m4a", "mp3", "wav", "flac", "ogg", "other"]
TextFormat = Literal[
    "plain",
    "unnamed",
    "org",
    "rst",
    "asciidoc",
    "latex",
    "typst",
    "wiki",
    "textile",
    "records",
    "log",
    "diagram",
]
"""Markup of a text, of which headings are understood; `unnamed` is text by its content alone."""


class MarkdownMedia(Model):
    """CommonMark with GFM tables and front matter."""

    kind: Literal["markdown"] = "markdown"


class TextMedia(Model):
    """Text that is read line by line: prose, markup of which headings are understood, logs."""

    kind: Literal["text"] = "text"
    format: TextFormat = "plain"


class PdfMedia(Model):
    """A PDF."""

    kind: Literal["pdf"] = "pdf"


class OfficeMedia(Model):
    """A text document, a presentation or a sheet of an office program; a table as text."""

    kind: Literal["office"] = "office"
    format: OfficeFormat


class HtmlMedia(Model):
    """A page of HTML."""

    kind: Literal["html"] = "html"


class EpubMedia(Model):
    """An electronic book."""

    kind: Literal["epub"] = "epub"
    format: Literal["epub", "fb2"] = "epub"


class HwpMedia(Model):
    """A document of Hangul, the Korean word processor."""

    kind: Literal["hwp"] = "hwp"
    format: Literal["hwp", "hwpx"]


class EmailMedia(Model):
    """A mail, or a mailbox of many."""

    kind: Literal["email"] = "email"
    format: Literal["eml", "mbox", "msg"]


class ChatMedia(Model):
    """An exported chat, which its content tells, not its name."""

    kind: Literal["chat"] = "chat"
    format: ChatFormat


class ImageMedia(Model):
    """A picture."""

    kind: Literal["image"] = "image"
    format: ImageFormat


class SubtitlesMedia(Model):
    """Subtitles or lyrics: text with times."""

    kind: Literal["subtitles"] = "subtitles"
    format: SubtitlesFormat


class AudioMedia(Model):
    """A recording."""

    kind: Literal["audio"] = "audio"
    format: AudioFormat


class CodeMedia(Model):
    """Source code; `lang` is the lower-case language name, such as `rust`."""

    kind: Literal["code"] = "code"
    lang: str


class StructuredMedia(Model):
    """Text with a structure that another program writes: a notebook, calendar, diagram, outline, export of notes."""

    kind: Literal["structured"] = "structured"
    format: StructuredFormat


class ArchiveMedia(Model):
    """Files packed into one."""

    kind: Literal["archive"] = "archive"
    format: Literal["zip"] = "zip"


class OtherMedia(Model):
    """Anything else; `label` is the extension without its dot, or empty."""

    kind: Literal["other"] = "other"
    label: str = ""


MediaType = Annotated[
    MarkdownMedia
    | TextMedia
    | PdfMedia
    | OfficeMedia
    | HtmlMedia
    | EpubMedia
    | HwpMedia
    | EmailMedia
    | ChatMedia
    | ImageMedia
    | SubtitlesMedia
    | AudioMedia
    | CodeMedia
    | StructuredMedia
    | ArchiveMedia
    | OtherMedia,
    Field(discriminator="kind"),
]
"""One of the kinds, told apart by `kind`."""
