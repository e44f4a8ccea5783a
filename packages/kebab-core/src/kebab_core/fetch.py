"""Reading stored text word for word."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kebab_core.ids import ChunkId, DocumentId
from kebab_core.model import Model
from kebab_core.search import MAX_TOKENS, IndexedChunk, IndexedDocument

MAX_LINE = 1_000_000_000
"""The last line that can be asked for."""


class FetchChunk(Model):
    """A chunk and `context` chunks on either side of it in the document, cut to `max_tokens` estimated tokens where given."""

    kind: Literal["chunk"] = "chunk"
    chunk_id: ChunkId
    context: int = Field(default=0, ge=0, le=1000)
    max_tokens: int | None = Field(default=None, ge=1, le=MAX_TOKENS)


class FetchDocument(Model):
    """A whole document's text, cut to `max_tokens` estimated tokens where given."""

    kind: Literal["doc"] = "doc"
    doc_id: DocumentId
    max_tokens: int | None = Field(default=None, ge=1, le=MAX_TOKENS)


class FetchSpan(Model):
    """Lines of a document's source, 1-based, inclusive; the same lines that citations name."""

    kind: Literal["span"] = "span"
    doc_id: DocumentId
    line_start: int = Field(ge=1, le=MAX_LINE)
    line_end: int = Field(ge=1, le=MAX_LINE)
    max_tokens: int | None = Field(default=None, ge=1, le=MAX_TOKENS)


FetchQuery = Annotated[FetchChunk | FetchDocument | FetchSpan, Field(discriminator="kind")]


class FetchResult(Model):
    """What was fetched; fields of the other kinds are None or empty."""

    kind: Literal["chunk", "doc", "span"]
    document: IndexedDocument
    stale: bool
    chunk: IndexedChunk | None = None
    context_before: tuple[IndexedChunk, ...] = ()
    context_after: tuple[IndexedChunk, ...] = ()
    text: str | None = None
    line_start: int | None = None
    line_end: int | None = None
    """As asked for."""
    effective_end: int | None = None
    """Last line in `text`; `line_start - 1` when no line was in range."""
    truncated: bool = False
    """Whether `max_tokens` cut the text; a range that ends after the document is not a cut."""
