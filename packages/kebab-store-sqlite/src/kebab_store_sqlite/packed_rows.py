"""Documents as rows, worked out where they were parsed: the process that writes only binds and inserts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kebab_core import DocumentRecord, InvalidInputError, PackedDocument, embedding_id_for

from kebab_store_sqlite.asset_rows import AssetRow, asset_row
from kebab_store_sqlite.chunk_rows import ChunkRow, chunk_rows
from kebab_store_sqlite.document_rows import BlockRow, block_rows, document_row
from kebab_store_sqlite.timestamps import timestamp

TermsRow = tuple[str, str, str, str]
EmbeddingRow = tuple[str, str, str, str, str, int, str]


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


def pack_document(record: DocumentRecord) -> PackedDocument:
    """Return a record as `SqliteDocumentStore` writes it.

    Raises:
        InvalidInputError: There are not as many terms as chunks.
    """
    if len(record.terms) != len(record.chunks):
        raise InvalidInputError(f"{len(record.chunks)} chunks came with {len(record.terms)} sets of terms")
    document = record.document
    return PackedDocument(
        doc_id=document.doc_id,
        source_id=document.source_id,
        workspace_path=document.workspace_path,
        asset_id=record.asset.asset_id,
        byte_len=record.asset.byte_len,
        block_count=len(document.blocks),
        chunk_count=len(record.chunks),
        parser_version=document.parser_version,
        chunker_version=record.chunker_version,
        warnings=document.provenance.warnings,
        rows=_rows(record),
    )


def _rows(record: DocumentRecord) -> DocumentRows:
    created_at = timestamp(record.indexed_at)
    return DocumentRows(
        asset=asset_row(record.asset),
        document=document_row(record),
        tags=record.document.metadata.tags,
        blocks=list(block_rows(record.document)),
        chunks=chunk_rows(record.chunks, doc_id=str(record.document.doc_id), created_at=created_at),
        terms=[(terms.title, terms.heading, terms.body, terms.surface) for terms in record.terms],
        embeddings=_embedding_rows(record, created_at=created_at),
    )


def _embedding_rows(record: DocumentRecord, *, created_at: str) -> Sequence[EmbeddingRow]:
    model = record.embedding
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
        for chunk in record.chunks
    ]
