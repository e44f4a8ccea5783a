"""Documents as rows, worked out where they were parsed: the process that writes only binds and inserts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import InvalidInputError, embedding_id_for

from kebab_store_sqlite.asset_rows import AssetRow, asset_row
from kebab_store_sqlite.chunk_rows import ChunkRow, chunk_rows
from kebab_store_sqlite.document_rows import BlockRow, block_rows, document_row
from kebab_store_sqlite.timestamps import timestamp

if TYPE_CHECKING:
    from kebab_core import (
        AnalyzedChunk,
        Block,
        Chunk,
        ChunkTerms,
        DocumentRecord,
        EmbeddingIdentity,
        PackedDocument,
    )


TermsRow = tuple[str, str, str, str]
EmbeddingRow = tuple[str, str, str, str, str, int, str]


class RowBatch(NamedTuple):
    """Some of the rows of a document, in plain values."""

    blocks: Sequence[BlockRow]
    chunks: Sequence[ChunkRow]
    """In the order of the document, without the numbers that the database gives them."""
    terms: Sequence[TermsRow]
    """One for each chunk."""
    embeddings: Sequence[EmbeddingRow]


class DocumentRows(NamedTuple):
    """Everything that is inserted for one document, in plain values."""

    asset: AssetRow
    document: dict[str, object]
    tags: Sequence[str]
    blocks: Sequence[BlockRow]
    chunks: Sequence[ChunkRow]
    """In the order of the document, without the numbers that the database gives them."""
    terms: Sequence[TermsRow]
    """One for each chunk."""
    embeddings: Sequence[EmbeddingRow]

    def batches(self) -> Iterator[RowBatch]:
        """Yield all rows at once."""
        yield RowBatch(self.blocks, self.chunks, self.terms, self.embeddings)

    def discard(self) -> None:
        """Do nothing: they are in memory only."""


def pack_document(record: DocumentRecord) -> PackedDocument:
    """Return a record as `SqliteDocumentStore` writes it.

    Raises:
        InvalidInputError: There are not as many terms as chunks.
    """
    if len(record.terms) != len(record.chunks):
        raise InvalidInputError(f"{len(record.chunks)} chunks came with {len(record.terms)} sets of terms")
    return describe_packed(
        record,
        block_count=len(record.document.blocks),
        chunk_count=len(record.chunks),
        rows=_rows(record),
    )


def describe_packed(
    record: DocumentRecord, *, block_count: int, chunk_count: int, rows: object
) -> PackedDocument:
    """Return a record's rows with what is said of them."""
    from kebab_core import PackedDocument

    document = record.document
    return PackedDocument(
        doc_id=document.doc_id,
        source_id=document.source_id,
        workspace_path=document.workspace_path,
        asset_id=record.asset.asset_id,
        byte_len=record.asset.byte_len,
        block_count=block_count,
        chunk_count=chunk_count,
        parser_version=document.parser_version,
        chunker_version=record.chunker_version,
        warnings=document.provenance.warnings,
        rows=rows,
    )


class BatchPacker:
    """Turns the parts of one document into rows, some at a time; `head` is its record without them."""

    def __init__(self, head: DocumentRecord) -> None:
        self._doc_id = str(head.document.doc_id)
        self._created_at = timestamp(head.indexed_at)
        self._embedding = head.embedding
        self.block_count = 0
        """How many blocks there have been."""
        self.chunk_count = 0
        """How many chunks there have been."""

    def pack(self, parts: Sequence[Block | AnalyzedChunk]) -> RowBatch:
        """Return the rows of the next parts in reading order."""
        from kebab_core import AnalyzedChunk

        blocks = [part for part in parts if not isinstance(part, AnalyzedChunk)]
        analyzed = [part for part in parts if isinstance(part, AnalyzedChunk)]
        chunks = [part.chunk for part in analyzed]
        first_ordinal = self.block_count
        self.block_count += len(blocks)
        self.chunk_count += len(chunks)
        return RowBatch(
            blocks=list(block_rows(blocks, doc_id=self._doc_id, first_ordinal=first_ordinal)),
            chunks=chunk_rows(chunks, doc_id=self._doc_id, created_at=self._created_at),
            terms=[_terms_row(part.terms) for part in analyzed],
            embeddings=_embedding_rows(chunks, self._embedding, created_at=self._created_at),
        )


def _rows(record: DocumentRecord) -> DocumentRows:
    from kebab_core import AnalyzedChunk

    parts = (*record.document.blocks, *map(AnalyzedChunk, record.chunks, record.terms))
    return DocumentRows(
        asset_row(record.asset),
        document_row(record),
        record.document.metadata.tags,
        *BatchPacker(record).pack(parts),
    )


def _terms_row(terms: ChunkTerms) -> TermsRow:
    return terms.title, terms.heading, terms.body, terms.surface


def _embedding_rows(
    chunks: Sequence[Chunk], model: EmbeddingIdentity | None, *, created_at: str
) -> Sequence[EmbeddingRow]:
    if model is None:
        return ()
    identity = (str(model.model_id), str(model.model_version), model.dimensions)
    return [
        (
            str(
                embedding_id_for(
                    chunk_id=chunk.chunk_id,
                    model_id=model.model_id,
                    model_version=model.model_version,
                    dimensions=model.dimensions,
                )
            ),
            str(chunk.chunk_id),
            str(chunk.doc_id),
            *identity,
            created_at,
        )
        for chunk in chunks
    ]
