"""Parsed blocks: the result of reading Markdown or text, without ids and heading paths. Lines are 1-based, inclusive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kebab_core import Inline

from kebab_parse_md.inlines import Picture


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of the source file."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ParsedHeading:
    """A heading; an empty `text` ends a section without opening a named one."""

    kind: ClassVar[str] = "heading"
    lines: Lines
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class ParsedParagraph:
    """Running text, the visible words of HTML, or a footnote."""

    kind: ClassVar[str] = "paragraph"
    lines: Lines
    text: str
    inlines: tuple[Inline, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedItem:
    """One list item with all it holds."""

    lines: Lines
    text: str
    inlines: tuple[Inline, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedList:
    """A list."""

    kind: ClassVar[str] = "list"
    lines: Lines
    ordered: bool
    items: tuple[ParsedItem, ...]


@dataclass(frozen=True, slots=True)
class ParsedCode:
    """A code block without its fences."""

    kind: ClassVar[str] = "code"
    lines: Lines
    lang: str | None
    code: str


@dataclass(frozen=True, slots=True)
class ParsedTable:
    """A table."""

    kind: ClassVar[str] = "table"
    lines: Lines
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class ParsedQuote:
    """A quote or callout."""

    kind: ClassVar[str] = "quote"
    lines: Lines
    text: str
    inlines: tuple[Inline, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedPicture:
    """A picture in a paragraph of its own."""

    kind: ClassVar[str] = "image_ref"
    lines: Lines
    picture: Picture


ParsedBlock = (
    ParsedHeading | ParsedParagraph | ParsedList | ParsedCode | ParsedTable | ParsedQuote | ParsedPicture
)


@dataclass(frozen=True, slots=True)
class ParsedBody:
    """The blocks of a document in order of lines, and its tags in order of first use."""

    blocks: tuple[ParsedBlock, ...]
    tags: tuple[str, ...] = ()


def prose_of(block: ParsedBlock) -> str:
    """Return the running text of a block; empty for code, tables and pictures."""
    if isinstance(block, ParsedList):
        return "\n".join(item.text for item in block.items)
    return block.text if isinstance(block, ParsedHeading | ParsedParagraph | ParsedQuote) else ""
