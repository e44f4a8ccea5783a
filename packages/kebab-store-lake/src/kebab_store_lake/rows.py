"""Rows of a document in the tables of a lake, made of what the stores of a base give."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from kebab_core import fold_name, passage_text, split_name, split_symbol, text_hash_of

if TYPE_CHECKING:
    from kebab_core import (
        CanonicalDocument,
        Chunk,
        ChunkId,
        ChunkTerms,
        DocSummary,
        IndexedDocument,
        RawAsset,
        TrackedFile,
    )

    from kebab_store_lake.tables import Row

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LINKS = ("href", "src")
_SAMPLE_DIGITS = 4
"""Hexadecimal digits of a chunk id, which is a hash, by which samples of passages are drawn."""
SAMPLES = 16**_SAMPLE_DIGITS
_BETWEEN = b"\0"
"""In no path, and in no other text before the chunk."""


class StoredPassage(NamedTuple):
    """What a search needs of a passage, which is one column: in a bucket each column of a row is a request."""

    chunk_id: str
    lang: str
    ordinal: int
    source_id: str
    path: str
    vector: bytes
    """In half precision, little-endian; empty without one."""
    packed: bytes
    """The chunk, by `pack`."""

    @classmethod
    def read(cls, content: bytes) -> StoredPassage:
        """Return the passage of a column.

        Raises:
            ValueError: It is damaged.
        """
        *texts, rest = content.split(_BETWEEN, 6)
        chunk_id, lang, ordinal, source_id, path, length = (text.decode() for text in texts)
        vector, packed = rest[: int(length)], rest[int(length) :]
        return cls(chunk_id, lang, int(ordinal), source_id, path, vector, packed)

    def write(self) -> bytes:
        """Return the content of the column."""
        texts = (*self[:-2], len(self.vector))
        return _BETWEEN.join([*(str(value).encode() for value in texts), self.vector + self.packed])

    @property
    def place(self) -> tuple[str, int, str]:
        """Its path, ordinal and source, the order of passages with equal scores."""
        return self.path, self.ordinal, self.source_id


class StoredDocument(NamedTuple):
    """A document with everything that is published of it."""

    document: CanonicalDocument
    indexed: IndexedDocument
    summary: DocSummary
    asset: RawAsset
    chunks: Sequence[Chunk]
    terms: Sequence[ChunkTerms]
    tracked: TrackedFile | None
    vectors: Mapping[ChunkId, bytes]
    """In half precision, little-endian."""
    state: str


def pack(text: str) -> bytes:
    """Compress a text."""
    return zlib.compress(text.encode(), 6)


def unpack(data: bytes) -> bytes:
    """Return the text that `pack` was given, encoded.

    Raises:
        ValueError: It is damaged.
    """
    try:
        return zlib.decompress(data)
    except zlib.error as error:
        raise ValueError("compressed data is damaged") from error


def microseconds(at: datetime) -> int:
    """Return a time as it is stored."""
    return (at - _EPOCH) // timedelta(microseconds=1)


def document_row(stored: StoredDocument) -> Row:
    """Return the row of a document."""
    indexed, document = stored.indexed, stored.document
    given = () if indexed.title_in_place is None else (indexed.title,)
    symbols = [symbol.symbol for chunk in stored.chunks for symbol in chunk.symbols]
    return {
        **_filtered(stored),
        "asset_id": str(stored.asset.asset_id),
        "title": indexed.title,
        "shown_title": indexed.shown_title,
        "aliases": [*indexed.aliases, *given],
        "symbols": sorted({ending for symbol in symbols for ending in symbol_endings(symbol)}),
        "links": list(_links(json.loads(document.model_dump_json(include={"blocks"})))),
        "chunk_count": len(stored.chunks),
        "vector_count": len(stored.vectors),
        "byte_len": stored.summary.byte_len,
        "has_text": document.text is not None,
        "parser_version": stored.summary.parser_version,
        "chunker_version": stored.summary.chunker_version,
        "indexed": indexed.model_dump_json(exclude={"last_complete_scan_at", "changed_on_disk"}),
        "summary": stored.summary.model_dump_json(exclude={"last_complete_scan_at", "changed_on_disk"}),
        "asset": stored.asset.model_dump_json(),
        "document": pack(document.model_dump_json()),
        "state": stored.state,
    }


def passage_rows(stored: StoredDocument, *, with_vectors: bool) -> Iterator[Row]:
    """Yield the rows of a document's passages."""
    import numpy as np

    filtered = _filtered(stored)
    for chunk, terms in zip(stored.chunks, stored.terms, strict=True):
        text = passage_text(
            title=stored.document.title,
            heading_path=chunk.heading_path,
            text=chunk.text,
            is_code=chunk.role is not None,
        )
        vector = stored.vectors.get(chunk.chunk_id, b"")
        row: Row = {
            **filtered,
            "chunk_id": str(chunk.chunk_id),
            "ordinal": chunk.ordinal,
            "ranked": " ".join(filter(None, (terms.title, terms.title, terms.heading, terms.body))),
            "surface": terms.surface,
            "content": StoredPassage(
                str(chunk.chunk_id),
                filtered["lang"],
                chunk.ordinal,
                filtered["source_id"],
                filtered["path"],
                vector,
                pack(chunk.model_dump_json(exclude_none=True)),
            ).write(),
            "text_hash": bytes(text_hash_of(text)),
            "sample": int(chunk.chunk_id[:_SAMPLE_DIGITS], 16),
        }
        if with_vectors:
            row["vector"] = np.frombuffer(vector, dtype="<f2") if vector else None
        yield row


def symbol_rows(stored: StoredDocument) -> Iterator[Row]:
    """Yield the rows of the symbols that a document's passages define."""
    for chunk in stored.chunks:
        for place, each in enumerate(chunk.symbols):
            yield {
                "name": fold_name((split_symbol(each.symbol) or (each.symbol,))[-1]),
                "symbol": each.symbol,
                "role": chunk.role and chunk.role.value,
                "chunk_id": str(chunk.chunk_id),
                "doc_id": str(chunk.doc_id),
                "source_id": stored.indexed.source_id,
                "path": str(stored.indexed.doc_path),
                "ordinal": chunk.ordinal,
                "place": place,
            }


def symbol_endings(symbol: str) -> Iterator[str]:
    """Yield the folded names under which a filter finds a symbol: its last part, its last two parts, and so on."""
    parts = split_symbol(symbol) or (symbol,)
    for start in range(len(parts)):
        yield fold_name("".join(parts[start:]))


def symbol_name(name: str) -> str:
    """Return the name of a filter as `symbol_endings` has it; empty without a letter."""
    return fold_name("".join(split_name(name)))


def _filtered(stored: StoredDocument) -> Row:
    """Return the columns that filters look at, which documents and passages share."""
    indexed, summary = stored.indexed, stored.summary
    return {
        "doc_id": str(indexed.doc_id),
        "source_id": indexed.source_id,
        "path": str(indexed.doc_path),
        "lang": indexed.lang,
        "media": indexed.media,
        "source_type": indexed.source_type.value,
        "trust_rank": indexed.trust_level.rank,
        "repo": indexed.repo,
        "code_lang": indexed.code_lang,
        "tags": list(summary.tags),
        "updated_us": microseconds(summary.updated_at),
        "indexed_us": microseconds(summary.indexed_at),
        "mtime_ns": stored.tracked.stamp.mtime_ns if stored.tracked else 0,
    }


def _links(value: Any) -> Iterator[str]:
    """Yield the addresses of links and pictures in the JSON of blocks, in order."""
    if isinstance(value, list):
        for each in value:
            yield from _links(each)
    elif isinstance(value, dict):
        for name, each in value.items():
            if name in _LINKS and isinstance(each, str) and not each.startswith("data:"):
                yield each
            else:
                yield from _links(each)
