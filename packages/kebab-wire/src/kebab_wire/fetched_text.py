"""`fetch_result.v1`: stored text word for word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from kebab_core import Count, FetchResult, HeaderRow, IndexedChunk, Position, TokenCounter
from pydantic import Field

from kebab_wire.base import Timestamp, WireId, WireObject, WirePart, mirror, wire_json
from kebab_wire.document import ChunkInspectionV1, wire_chunk_inspection
from kebab_wire.search import FileFinder, find_existing

_MAX_BLOCK_IDS = 32
"""Maximum number of block ids per passage: in one of a hundred one-word paragraphs, ids would cost more than the text."""


class _FetchBase(WireObject):
    schema_version: Literal["fetch_result.v1"] = "fetch_result.v1"
    doc_id: WireId
    source_id: str
    doc_path: str
    title: str
    indexed_at: Timestamp
    stale: bool
    """The file on disk may differ from the stored document."""
    truncated: bool
    """Whether `max_tokens` cut the text; a range that ends after the document is not a cut."""
    address: str | None = None
    """Address of what was fetched, where it was fetched by address."""
    total_lines: Count | None = None
    """Lines of the whole document, likewise; absent where it has none."""
    parts: tuple[str, ...] | None = None
    """First and last page, slide, sheet or time in the text, as in addresses: `p=3`; one where it is the same. Absent where
    there are lines."""
    total_parts: Count | None = None
    """Pages, slides or sheets of the whole document, where it was fetched by address; absent where it has none."""
    next: str | None = None
    """Address of what `max_tokens` cut off; absent where nothing is left, or the cut is inside a line."""
    file: str | None = None
    """Absolute path of the file, where it exists and was asked for."""
    header_row: HeaderRow | None = None
    """The names of the columns where `text` begins inside a table, with their place; no part of `text`. Absent where it has them."""


class FetchChunkV1(_FetchBase):
    """A passage with its neighbours in the document, in order."""

    kind: Literal["chunk"] = "chunk"
    chunk: ChunkInspectionV1
    context_before: tuple[ChunkInspectionV1, ...]
    context_after: tuple[ChunkInspectionV1, ...]


class FetchDocV1(_FetchBase):
    """A document's text, or the characters of it that were asked for."""

    kind: Literal["doc"] = "doc"
    text: str


class FetchSpanV1(_FetchBase):
    """Lines of a document, 1-based, both ends included."""

    kind: Literal["span"] = "span"
    text: str
    line_start: Position
    line_end: Position
    """As requested."""
    effective_end: Count
    """Last line in `text`; `line_start - 1` where no line was in range."""


class FetchPageV1(_FetchBase):
    """A page of a document that is cited by pages."""

    kind: Literal["page"] = "page"
    text: str
    """Empty where the page has no text."""
    page: Position


class FetchSlideV1(_FetchBase):
    """A slide of a presentation."""

    kind: Literal["slide"] = "slide"
    text: str
    """Empty where the slide has no text."""
    slide: Position


class FetchCellsV1(_FetchBase):
    """Cells of a sheet."""

    kind: Literal["cells"] = "cells"
    text: str
    """The rows that the cells are in, with those that are stored with them."""
    sheet: str
    cells: str | None = None
    """As requested: `B4:D9`; absent for the whole sheet."""


class OutlineHeadingV1(WirePart):
    """A heading with its section."""

    level: Position
    text: str
    at: str
    """What follows path and `#` in its address: lines of its section, `L10-L42`, or `p=3`, `slide=2`, `sheet=…&cells=…`."""


class FetchOutlineV1(_FetchBase):
    """The headings of a document."""

    kind: Literal["outline"] = "outline"
    headings: tuple[OutlineHeadingV1, ...]
    """In order."""


class FetchTimeV1(_FetchBase):
    """A stretch of a document that is cited by time: all parts that overlap it."""

    kind: Literal["time"] = "time"
    text: str
    start_ms: Count
    end_ms: Count
    """As requested, excluded."""


FetchResultV1 = Annotated[
    FetchChunkV1
    | FetchDocV1
    | FetchSpanV1
    | FetchPageV1
    | FetchSlideV1
    | FetchCellsV1
    | FetchTimeV1
    | FetchOutlineV1,
    Field(discriminator="kind"),
]
"""One of the eight kinds."""
_TEXT_KINDS: Mapping[
    str, type[FetchDocV1 | FetchSpanV1 | FetchPageV1 | FetchSlideV1 | FetchCellsV1 | FetchTimeV1]
] = {
    "doc": FetchDocV1,
    "span": FetchSpanV1,
    "page": FetchPageV1,
    "slide": FetchSlideV1,
    "cells": FetchCellsV1,
    "time": FetchTimeV1,
}


def wire_fetch_result(result: FetchResult, *, find_file: FileFinder | None = None) -> FetchResultV1:
    """Return a fetch result for the wire, with the path of its file where there is a finder."""
    document = result.document
    given: dict[str, object] = {
        name: getattr(document, name) for name in ("doc_id", "source_id", "doc_path", "indexed_at")
    }
    given["title"] = document.shown_title
    given["file"] = find_existing(find_file, document.source_id, document.doc_path)
    given["parts"] = result.parts or None
    if result.kind == "outline":
        headings = [
            OutlineHeadingV1(level=each.level, text=each.text, at=each.at) for each in result.headings
        ]
        return mirror(FetchOutlineV1, result, **given, headings=headings)
    if result.kind in _TEXT_KINDS:
        return mirror(_TEXT_KINDS[result.kind], result, **given)
    parts = {
        "chunk": None if result.chunk is None else wire_fetched_chunk(result.chunk),
        "context_before": [wire_fetched_chunk(chunk) for chunk in result.context_before],
        "context_after": [wire_fetched_chunk(chunk) for chunk in result.context_after],
    }
    return mirror(FetchChunkV1, result, **given, **parts)


def wire_fetched_chunk(chunk: IndexedChunk) -> ChunkInspectionV1:
    """Return one passage of a fetch for the wire."""
    return wire_chunk_inspection(chunk, max_block_ids=_MAX_BLOCK_IDS)


def fetched_chunk_cost(chunk: IndexedChunk) -> int:
    """Return the tokens of a neighbour of a fetched passage, by the estimate of its JSON."""
    return TokenCounter().count(wire_json(wire_fetched_chunk(chunk)))
