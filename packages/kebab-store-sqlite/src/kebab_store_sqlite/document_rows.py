"""Rows of `documents`, `blocks` and `chunks`, to and from the domain."""

from __future__ import annotations

import json
import sqlite3
import sys
from datetime import datetime
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias, cast

from kebab_core import (
    Chunk,
    DocumentId,
    IndexedDocument,
    WorkspacePath,
    fold_name,
    split_symbol,
)

from kebab_store_sqlite.schema import fields_of, pack_json, timestamp
from kebab_store_sqlite.source_files import REPO_OF_DOCUMENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kebab_core import (
        Block,
        CanonicalDocument,
        DocSummary,
        DocumentEntry,
        DocumentRecord,
        ExtractedText,
        MediaKind,
        TextHash,
    )


TITLE_IN_PLACE = """
    (SELECT m.next_title FROM metadata_titles m WHERE m.doc_id = d.doc_id AND EXISTS (
      SELECT 1 FROM metadata_titles o WHERE o.title = m.title AND o.asset_id <> m.asset_id AND o.path <> m.path))
"""
"""Title to show in place of that of a row `d` of `documents`; NULL where no other document has it.

Two looks into indexes, whatever the number of documents; only equal copies of a file are passed over one by one."""
NEXT_TITLE = "(SELECT m.next_title FROM metadata_titles m WHERE m.doc_id = d.doc_id)"
INSERT_METADATA_TITLE = (
    "INSERT INTO metadata_titles (doc_id, title, asset_id, path, next_title) VALUES (?, ?, ?, ?, ?)"
)

_DOCUMENTS_KEPT = 512
"""Documents that are not built again of equal rows: one stroke of a query finds most of what the one before found."""

MetadataTitleRow = tuple[str, str, str, str, str]

_STATE = "s.completed_at AS last_complete_scan_at, f.failed_at IS NOT NULL AS changed_on_disk"
_DOCUMENTS = """
    documents d LEFT JOIN source_scans s USING (source_id)
    LEFT JOIN file_failures f USING (source_id, workspace_path)
"""
DOCUMENT_QUERY = f"""
    SELECT d.doc_id, d.asset_id AS source_asset_id, d.source_id, d.workspace_path, d.title, {NEXT_TITLE} AS next_title,
           d.lang, d.metadata_json, unpack_json(d.provenance) AS provenance_json, d.parser_version, d.schema_version, d.doc_version, d.indexed_at
    FROM documents d
"""
"""The fields of `CanonicalDocument` without blocks and text; add a WHERE."""
INDEXED_DOCUMENT_QUERY = f"""
    SELECT d.doc_id, d.asset_id, d.source_id, d.workspace_path AS doc_path, d.title, {TITLE_IN_PLACE} AS title_in_place, d.metadata_json ->> 'aliases' AS aliases_json,
           d.lang, d.media, d.source_type, d.trust_level, {REPO_OF_DOCUMENT} AS repo, d.code_lang,
           d.metadata_json ->> 'stated_on' AS stated_on, d.indexed_at, {_STATE} FROM {_DOCUMENTS}
"""
"""The fields of `IndexedDocument`; add a WHERE."""
SUMMARY_QUERY = f"""
    SELECT d.doc_id, d.source_id, d.workspace_path AS doc_path, coalesce({TITLE_IN_PLACE}, d.title) AS title, d.lang, d.media, d.byte_len, d.indexed_at,
           d.parser_version, d.chunker_version, d.metadata_json, {_STATE} FROM {_DOCUMENTS}
"""
"""The fields of `DocSummary`, most of them in the metadata, without the number of chunks; add a WHERE."""

ENTRY_QUERY = f"""
    SELECT d.doc_id, d.source_id, d.workspace_path, d.title, {TITLE_IN_PLACE}, d.metadata_json ->> 'aliases', d.metadata_json ->> 'tags', d.updated_at,
        d.media, d.lang
    FROM documents d ORDER BY d.source_id, d.workspace_path
"""
"""The fields of `DocumentEntry`."""

TextRow = tuple[str, str, str]


def document_row(record: DocumentRecord) -> dict[str, object]:
    """Return a record's row of `documents` by column, as values that SQLite binds."""
    document, metadata, asset = record.document, record.document.metadata, record.asset
    return {
        "doc_id": str(document.doc_id),
        "asset_id": str(asset.asset_id),
        "source_id": document.source_id,
        "workspace_path": str(document.workspace_path),
        "source_uri": asset.source_uri.model_dump_json(),
        "disk_path": record.disk_path,
        "byte_len": record.stamp.byte_len,
        "mtime_ns": str(record.stamp.mtime_ns),
        "inode": str(record.stamp.inode),
        "ctime_ns": str(record.stamp.ctime_ns),
        "fingerprint": record.fingerprint,
        "title": document.title,
        "lang": document.lang,
        "source_type": metadata.source_type.value,
        "trust_level": metadata.trust_level.value,
        "trust_rank": metadata.trust_level.rank,
        "media": asset.media_type.kind,
        "media_json": asset.media_type.model_dump_json(),
        "repo": metadata.repo,
        "code_lang": metadata.code_lang,
        "parser_version": document.parser_version,
        "chunker_version": record.chunker_version,
        "analyzer_version": record.analyzer_version,
        "doc_version": document.doc_version,
        "schema_version": document.schema_version,
        "metadata_json": metadata.model_dump_json(exclude_none=True),
        "provenance": pack_json(document.provenance.model_dump_json(exclude_none=True)),
        "created_at": timestamp(metadata.created_at),
        "updated_at": timestamp(metadata.updated_at),
        "indexed_at": timestamp(record.indexed_at),
    }


def text_row(document: CanonicalDocument) -> TextRow | None:
    """Return a document's row of `document_texts`; None without extracted text."""
    text = document.text
    if text is None:
        return None
    return str(document.doc_id), text.text, text.model_dump_json(exclude={"text"}, exclude_none=True)


def read_text(connection: sqlite3.Connection, doc_id: str) -> ExtractedText | None:
    """Read the extracted text of a document; None without any."""
    read = "SELECT text, parts_json FROM document_texts WHERE doc_id = ?"
    if (row := connection.execute(read, (doc_id,)).fetchone()) is None:
        return None
    from kebab_core import ExtractedText

    return ExtractedText(text=row["text"], **json.loads(row["parts_json"]))


def document_of(row: sqlite3.Row, blocks: tuple[Block, ...], text: ExtractedText | None) -> CanonicalDocument:
    """Return the document in a row of `DOCUMENT_QUERY`, with its blocks and its extracted text."""
    from kebab_core import CanonicalDocument

    return CanonicalDocument(**fields_of(row), blocks=blocks, text=text)


@lru_cache(_DOCUMENTS_KEPT)
def indexed_document_of(row: sqlite3.Row) -> IndexedDocument:
    """Return the document in a row of `INDEXED_DOCUMENT_QUERY`."""
    return IndexedDocument.model_validate(fields_of(row))


def summary_of(row: sqlite3.Row) -> DocSummary:
    """Return the summary in a row of `SUMMARY_QUERY` with a `chunk_count`."""
    from kebab_core import DocSummary, Metadata

    fields = dict(row)
    metadata = Metadata.model_validate_json(fields.pop("metadata_json"))
    shown = {"tags", "trust_level", "source_type", "created_at", "updated_at"}
    return DocSummary(**fields, **metadata.model_dump(include=shown))


def entry_of(row: sqlite3.Row) -> DocumentEntry:
    """Return the entry in a row of `ENTRY_QUERY`; what is stored is valid and is not checked again."""
    from kebab_core import DocumentEntry

    doc_id, source_id, path, title, title_in_place, aliases, tags, updated_at, media, lang = row
    given = () if title_in_place is None else (title,)
    return DocumentEntry(
        doc_id=str.__new__(DocumentId, doc_id),
        source_id=source_id,
        doc_path=str.__new__(WorkspacePath, path),
        title=title_in_place or title,
        aliases=(*json.loads(aliases or "[]"), *given),
        tags=tuple(json.loads(tags or "[]")),
        updated_at=datetime.fromisoformat(updated_at),
        media=cast("MediaKind", sys.intern(media)),
        lang=sys.intern(lang),
    )


ChunkRow: TypeAlias = "tuple[str, int, TextHash]"
_OF_CHUNK_ROW = {"chunk_id", "doc_id", "ordinal"}


def chunk_row(chunk: Chunk, *, title: str) -> ChunkRow:
    """Return a chunk's row of `chunks` without its number and those of its part and document.

    Args:
        chunk: The chunk.
        title: Of its document.
    """
    from kebab_core import passage_text, text_hash_of

    passage = passage_text(
        title=title, heading_path=chunk.heading_path, text=chunk.text, is_code=chunk.role is not None
    )
    return str(chunk.chunk_id), chunk.ordinal, text_hash_of(passage)


SymbolRow = tuple[int, str, str, str | None]
"""Place, folded name, symbol, role of the chunk."""


def symbol_rows(chunk: Chunk) -> list[SymbolRow]:
    """Return a chunk's rows of `code_symbols` without its number."""
    role = chunk.role and chunk.role.value
    return [
        (place, fold_name((split_symbol(each.symbol) or (each.symbol,))[-1]), each.symbol, role)
        for place, each in enumerate(chunk.symbols)
    ]


def chunk_content(chunk: Chunk) -> str:
    """Return the JSON of a chunk without what its row has."""
    return chunk.model_dump_json(exclude=_OF_CHUNK_ROW, exclude_none=True)


def chunk_of(row: Sequence[str | int], content: bytes) -> Chunk:
    """Return the chunk with the values of `chunk_id`, `doc_id` and `ordinal`, and its `chunk_content`."""
    head = '{{"chunk_id":"{}","doc_id":"{}","ordinal":{},'.format(*row)
    return Chunk.model_validate_json(head.encode() + content[1:])


def metadata_title_row(document: CanonicalDocument) -> MetadataTitleRow | None:
    """Return a document's row of `metadata_titles`; None where its title is no metadata."""
    if document.next_title is None:
        return None
    path = PurePosixPath(document.workspace_path).with_suffix("")
    return (
        str(document.doc_id),
        document.title,
        str(document.source_asset_id),
        f"{document.source_id}:{path}",
        document.next_title,
    )
