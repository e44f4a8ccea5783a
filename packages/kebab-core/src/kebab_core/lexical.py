"""Terms, and what the lexical index is asked and answers."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from pydantic import Field

from kebab_core.ids import ChunkId
from kebab_core.model import Model


class TermKind(StrEnum):
    """Where a term comes from."""

    WORD = "word"
    """A word or morpheme as it stands."""
    PART = "part"
    """A part of a compound word or identifier."""
    STEM = "stem"
    """A word reduced to its stem."""


class Term(NamedTuple):
    """One indexable unit of a text.

    Terms hold no white space and are lower case and NFC, so that joining them with spaces and splitting again
    is lossless. `start` and `end` are code points in the analysed text, half open.
    """

    text: str
    start: int
    end: int
    kind: TermKind = TermKind.WORD


class ChunkTerms(Model):
    """A chunk as the lexical index stores it; each column is terms joined by single spaces."""

    title: str
    heading: str
    body: str
    surface: str
    """Words as written (folded), for exact phrases; never ranked."""


class LexicalWeights(Model):
    """How much a match in each ranked column counts."""

    title: float = Field(default=1.0, ge=0)
    heading: float = Field(default=1.0, ge=0)
    body: float = Field(default=1.0, ge=0)


class LexicalQuery(Model):
    """What the index scores: a soft OR of terms; with exact phrases, all chunks that hold those.

    `raw` is FTS5 syntax of the user's own and, where set, is the whole query.
    """

    terms: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    """Beginnings of terms: whatever term begins with one counts as asked for."""
    phrases: tuple[tuple[str, ...], ...] = ()
    """Each a sequence of surface words that must stand side by side; all must occur."""
    open_phrases: tuple[tuple[str, ...], ...] = ()
    """The same, but the last word may go on: `벡터 인덱스` also stands in `벡터 인덱스를`."""
    raw: str | None = None
    weights: LexicalWeights = LexicalWeights()


class LexicalMatch(NamedTuple):
    """A chunk and its BM25 score, at least 0, larger is better."""

    chunk_id: ChunkId
    bm25: float


class WrittenMatches(NamedTuple):
    """Chunks that hold a word as it is written.

    Attributes:
        chunk_ids: By document path and ordinal.
        total: How many there are in the whole index.
    """

    chunk_ids: tuple[ChunkId, ...]
    total: int
