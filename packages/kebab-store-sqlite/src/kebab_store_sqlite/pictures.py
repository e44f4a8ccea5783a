"""Pages of documents that are pictures, with what is known of their readings."""

from __future__ import annotations

from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from kebab_core import DocumentId, PictureDocument, PicturePage, PictureReading, SourceId, WorkspacePath

from kebab_store_sqlite.column_formats import timestamp

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from kebab_core import Block, DocumentRecord, IngestFailure

    from kebab_store_sqlite.database import SqliteDatabase

_PICTURE_SUFFIXES = (
    ".png",
    ".jpg",
    ".jpeg",
    ".webp",
    ".gif",
    ".tif",
    ".tiff",
    ".bmp",
    ".heic",
    ".heif",
    ".avif",
)

PictureRow = tuple[str, int, str | None, str | None, str | None, int | None, int | None, str | None]

INSERT_PICTURE = """
    INSERT INTO picture_pages (doc_id, page, engine_key, engine, read_at, ms, line_count, failure_json)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_DOCUMENTS = """
    SELECT d.doc_id, d.source_id, d.workspace_path, d.media, a.checksum, p.page, p.engine_key, p.failure_json
    FROM picture_pages p CROSS JOIN documents d USING (doc_id) JOIN assets a USING (asset_id)
"""
_UNREAD = "WHERE p.doc_id IN (SELECT doc_id FROM picture_pages WHERE engine_key IS NOT ?)"
_NEWEST_FIRST = "ORDER BY d.updated_at DESC, d.doc_id, p.page"
_PAGES = """
    SELECT page, engine_key, failure_json FROM picture_pages WHERE doc_id = ? ORDER BY page
"""
_READINGS = """
    SELECT p.doc_id, d.source_id, d.workspace_path, p.page, p.engine, p.read_at, p.ms, p.line_count, p.failure_json
    FROM picture_pages p JOIN documents d USING (doc_id)
    WHERE p.engine_key IS NOT NULL AND (? IS NULL OR p.doc_id = ?)
    ORDER BY p.read_at DESC, d.source_id, d.workspace_path, p.page
"""
INSERT_SHOWN = "INSERT OR IGNORE INTO shown_pictures (doc_id, address) VALUES (?, ?)"
_SHOWN = "SELECT doc_id, address FROM shown_pictures"
_ANY = "SELECT 1 FROM picture_pages LIMIT 1"
_MEAN_MS = "SELECT avg(ms) FROM picture_pages WHERE ms > 0"


class SqlitePictureStore:
    """Implements `PictureStore` on SQLite; usable from several threads."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database

    def list_documents(self, *, without: str | None = None) -> list[PictureDocument]:
        """Return the documents with pages that are pictures, newest file first."""
        condition, values = ("", ()) if without is None else (_UNREAD, (without,))
        with self._db.reading() as connection:
            rows = connection.execute(f"{_DOCUMENTS} {condition} {_NEWEST_FIRST}", values).fetchall()
        return list(_group(rows))

    def has_pages(self) -> bool:
        """Return True if any document has a page that is a picture."""
        return self._db.read_first(_ANY, (), lambda _: True) is not None

    def get_pages(self, doc_id: DocumentId) -> tuple[PicturePage, ...]:
        """Return the pages of a document that are pictures, by number."""
        return tuple(self._db.read_all(_PAGES, (doc_id,), _page_of))

    def list_shown(self) -> list[tuple[DocumentId, str]]:
        """Return the addresses of pictures that documents show, with these documents."""
        return self._db.read_all(_SHOWN, (), lambda row: (str.__new__(DocumentId, row[0]), row[1]))

    def list_readings(self, doc_id: DocumentId | None = None) -> list[PictureReading]:
        """Return the readings of one document, or of all, newest first."""
        return self._db.read_all(_READINGS, (doc_id, doc_id), _reading_of)

    def mean_ms(self) -> int | None:
        """Return the mean of the milliseconds that readings took; None before the first."""
        return self._db.read_first(_MEAN_MS, (), lambda row: None if row[0] is None else round(row[0]))


def picture_rows(record: DocumentRecord) -> list[PictureRow]:
    """Return the rows of `picture_pages` of a document."""
    text = record.document.text
    return [_picture_row(record, page) for page in (text.pictures if text else ())]


def find_shown(block: Block) -> Iterator[str]:
    """Yield the addresses of pictures that a block shows or links to, as they are written; pages of the web are among them."""
    from kebab_core import list_links

    if block.kind == "image_ref":
        yield block.src
    for _, link in list_links(block):
        if link.href.partition("#")[0].partition("?")[0].lower().endswith(_PICTURE_SUFFIXES):
            yield link.href


def _picture_row(record: DocumentRecord, page: int) -> PictureRow:
    doc_id, reading = str(record.document.doc_id), record.readings.get(page)
    if reading is None:
        return doc_id, page, None, None, None, None, None, None
    failure = None if reading.failure is None else reading.failure.model_dump_json(exclude_none=True)
    lines = None if reading.text is None else len(reading.text.regions)
    return (
        doc_id,
        page,
        reading.engine_key,
        reading.engine,
        timestamp(reading.at),
        reading.ms,
        lines,
        failure,
    )


def _group(rows: Iterable[sqlite3.Row]) -> Iterable[PictureDocument]:
    for _, group in groupby(rows, key=itemgetter("doc_id")):
        pages = list(group)
        first = pages[0]
        yield PictureDocument(
            doc_id=str.__new__(DocumentId, first["doc_id"]),
            source_id=SourceId(first["source_id"]),
            doc_path=str.__new__(WorkspacePath, first["workspace_path"]),
            media=first["media"],
            checksum=first["checksum"],
            pages=tuple(map(_page_of, pages)),
        )


def _page_of(row: sqlite3.Row) -> PicturePage:
    return PicturePage(row["page"], row["engine_key"], _failure_of(row))


def _failure_of(row: sqlite3.Row) -> IngestFailure | None:
    from kebab_core import IngestFailure

    return None if row["failure_json"] is None else IngestFailure.model_validate_json(row["failure_json"])


def _reading_of(row: sqlite3.Row) -> PictureReading:
    return PictureReading(
        doc_id=str.__new__(DocumentId, row["doc_id"]),
        source_id=SourceId(row["source_id"]),
        doc_path=str.__new__(WorkspacePath, row["workspace_path"]),
        page=row["page"],
        engine=row["engine"],
        read_at=datetime.fromisoformat(row["read_at"]),
        ms=row["ms"],
        line_count=row["line_count"] or 0,
        failure=_failure_of(row),
    )
