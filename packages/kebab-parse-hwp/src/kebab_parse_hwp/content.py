"""Content of a Hangul document in reading order: what the readers of both formats give, before it becomes blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class ParagraphShape:
    """Heading, number or bullet of a paragraph, as its style sets it."""

    kind: str = ""
    """`outline`, `number`, `bullet`, or empty."""
    level: int = 0
    """Level from 0."""
    numbering: int = 0
    """Id of the numbering; 0 is that of the section."""


PLAIN = ParagraphShape()


@dataclass(frozen=True, slots=True)
class Link:
    """A link in a paragraph, by its characters."""

    start: int
    end: int
    href: str


@dataclass(slots=True)
class Paragraph:
    """A paragraph; lines of its text end at line breaks that the author set."""

    text: str
    links: Sequence[Link] = ()
    shape: ParagraphShape = PLAIN
    label: str = ""
    """Its number, as it is drawn before the text: `1.`, `제2조`."""


@dataclass(slots=True)
class Cell:
    """A cell of a table, by the row and column of its upper left corner, with the rows and columns that it covers."""

    row: int
    column: int
    content: list[Content]
    rows: int = 1
    columns: int = 1


@dataclass(slots=True)
class Table:
    """A table; cells that others cover are absent."""

    cells: list[Cell]
    caption: list[Content] = field(default_factory=list)


@dataclass(slots=True)
class Note:
    """A footnote or an endnote; `label` stands in the text that it belongs to."""

    label: str
    content: list[Content]


@dataclass(slots=True)
class Comment:
    """A memo of a reviewer, or a hidden remark of the author."""

    author: str
    content: list[Content]


@dataclass(slots=True)
class RunningText:
    """A header, a footer, or the text of a page background, which stands on every page."""

    content: list[Content]


@dataclass(slots=True)
class Picture:
    """A picture."""

    alt: str
    """Description that its author gave it; empty for none."""


Content = Paragraph | Table | Note | Comment | RunningText | Picture
"""One part of the content."""


def plain_text(items: Sequence[Content]) -> str:
    """Return the paragraphs as one line, their numbers included."""
    return " ".join(
        " ".join(f"{p.label} {p.text}".split()) for p in items if isinstance(p, Paragraph)
    ).strip()


def other_content(items: Sequence[Content]) -> Iterator[Content]:
    """Yield the items that are no paragraphs."""
    return (item for item in items if not isinstance(item, Paragraph))


def describe_picture(comment: str) -> str:
    """Return the description that an author gave a picture; empty for the one that the program writes by itself."""
    text = comment.strip()
    lines = (line.strip() for line in text.splitlines())
    return "" if text.startswith(_OWN_WORDS) else " ".join(line for line in lines if line)


_OWN_WORDS = (
    "그림입니다",
    "수식입니다",
    "표입니다",
    "사각형입니다",
    "선입니다",
    "묶음 개체입니다",
    "타원입니다",
    "OLE 개체입니다",
)
