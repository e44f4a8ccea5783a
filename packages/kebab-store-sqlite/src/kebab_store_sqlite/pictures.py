"""Pages of documents that are pictures, and parts of recordings, with what is known of their readings."""

from __future__ import annotations

import json
import re
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from kebab_core import (
    DocumentId,
    PictureDocument,
    PicturePage,
    PictureReading,
    ShownPicture,
    SourceId,
    SurroundedPicture,
    Surroundings,
    WorkspacePath,
)

from kebab_store_sqlite.schema import json_text, timestamp

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from kebab_core import Block, DocumentRecord, IngestFailure

    from kebab_store_sqlite.database import SqliteDatabase

_SIZE = re.compile(r"\d+(?:x\d+)?")
"""What Obsidian writes in place of an alternative text."""
_MOST_LABEL_CHARS = 200

ShownRow = tuple[str, str]
"""Address, and labels as JSON."""
PictureRow = tuple[str, int, str | None, str | None, str | None, int | None, int | None, str | None]
CaptionRow = tuple[str, int, str | None]
"""Document, page and model."""

INSERT_PICTURE = """
    INSERT INTO picture_pages (doc_id, page, engine_key, engine, read_at, ms, line_count, failure_json)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_DOCUMENTS = """
    SELECT d.doc_id, d.source_id, d.workspace_path, d.media, a.checksum, p.page, p.engine_key, p.failure_json
    FROM picture_pages p CROSS JOIN documents d USING (doc_id) JOIN assets a USING (asset_id)
"""
_OF_KIND = "WHERE (d.media = 'audio') = ?"
_UNREAD = "AND p.doc_id IN (SELECT doc_id FROM picture_pages WHERE engine_key IS NOT ?)"
_NEWEST_FIRST = "ORDER BY d.updated_at DESC, d.doc_id, p.page"
INSERT_CAPTION = "INSERT INTO caption_pages (doc_id, page, model) VALUES (?, ?, ?)"
_OF_CAPTIONS = """
    SELECT d.doc_id, d.source_id, d.workspace_path, d.media, a.checksum, p.page, NULL AS engine_key, NULL AS failure_json
"""
_CAPTIONED = f"""
    {_OF_CAPTIONS} FROM caption_pages p JOIN documents d USING (doc_id) JOIN assets a USING (asset_id)
    WHERE p.model != ? {_NEWEST_FIRST}
"""
_UNCAPTIONED = f"""
    {_OF_CAPTIONS}
    FROM (SELECT *, row_number() OVER (PARTITION BY doc_id ORDER BY page) AS place FROM caption_pages) p
    JOIN documents d USING (doc_id) JOIN assets a USING (asset_id)
    WHERE p.model IS NOT ? AND p.place <= CASE d.media WHEN 'image' THEN max(?, 1) ELSE ? END {_NEWEST_FIRST}
"""
_PAGES = """
    SELECT page, engine_key, failure_json FROM picture_pages WHERE doc_id = ? ORDER BY page
"""
_READINGS = """
    SELECT p.doc_id, d.source_id, d.workspace_path, p.page, p.engine, p.read_at, p.ms, p.line_count, p.failure_json
    FROM picture_pages p JOIN documents d USING (doc_id)
    WHERE p.engine_key IS NOT NULL AND (? IS NULL OR p.doc_id = ?)
    ORDER BY p.read_at DESC, d.source_id, d.workspace_path, p.page
"""
INSERT_SHOWN = "INSERT INTO shown_pictures (doc_id, address, labels_json) VALUES (?, ?, ?)"
_SHOWN = "SELECT doc_id, address, labels_json FROM shown_pictures"
INSERT_SURROUNDINGS = "INSERT INTO picture_surroundings (doc_id, surroundings_json) VALUES (?, ?)"
_SURROUNDED = """
    SELECT doc_id, d.source_id, d.workspace_path, surroundings_json
    FROM picture_surroundings JOIN documents d USING (doc_id)
"""
_SURROUNDINGS = "SELECT surroundings_json FROM picture_surroundings WHERE doc_id = ?"
_REVISION_KEY = "shown_in_revision"
_IS_CURRENT = """
    SELECT 1 FROM kv s JOIN kv c ON c.key = 'corpus_revision' AND c.value = s.value WHERE s.key = ?
"""
_NOTE = """
    INSERT OR REPLACE INTO kv (key, value) SELECT ?, value FROM kv WHERE key = 'corpus_revision'
"""
_ANY = "SELECT 1 FROM picture_pages JOIN documents d USING (doc_id) WHERE (d.media = 'audio') = ? LIMIT 1"
_MEAN_MS = "SELECT avg(ms) FROM picture_pages JOIN documents d USING (doc_id) WHERE (d.media = 'audio') = ? AND ms > 0"

_GET_RESULTS = """
    SELECT cache_key, payload FROM derivation_cache
    WHERE kind = ? AND cache_key IN (SELECT value FROM json_each(?))
"""
_TOUCH_RESULT = (
    "UPDATE derivation_cache SET last_used_at = max(last_used_at, ?) WHERE kind = ? AND cache_key = ?"
)
_PUT_RESULT = """
    INSERT INTO derivation_cache (kind, cache_key, payload, created_at, last_used_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (kind, cache_key) DO UPDATE SET payload = excluded.payload, last_used_at = excluded.last_used_at
"""
_RESULT_BYTES = "SELECT coalesce(sum(length(payload)), 0) FROM derivation_cache"
_EVICT_RESULTS = """
    DELETE FROM derivation_cache WHERE rowid IN (
      SELECT rowid FROM (
        SELECT rowid, sum(length(payload)) OVER (ORDER BY last_used_at DESC, kind, cache_key) AS newest_bytes
        FROM derivation_cache
      ) WHERE newest_bytes > ?
    )
"""


class SqlitePictureStore:
    """Implements `PictureStore` on SQLite; usable from several threads."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database

    def list_documents(
        self, *, without: str | None = None, recordings: bool = False
    ) -> list[PictureDocument]:
        """Return the documents with pages that are pictures, or parts of recordings, newest file first."""
        condition, values = (_OF_KIND, ()) if without is None else (f"{_OF_KIND} {_UNREAD}", (without,))
        with self._db.reading() as connection:
            rows = connection.execute(
                f"{_DOCUMENTS} {condition} {_NEWEST_FIRST}", (recordings, *values)
            ).fetchall()
        return list(_group(rows))

    def has_pages(self, *, recordings: bool = False) -> bool:
        """Return True if any document has a page that is a picture, or a part of a recording."""
        return self._db.read_first(_ANY, (recordings,), lambda _: True) is not None

    def get_pages(self, doc_id: DocumentId) -> tuple[PicturePage, ...]:
        """Return the pages of a document that are pictures, by number."""
        return tuple(self._db.read_all(_PAGES, (doc_id,), _page_of))

    def list_shown(self) -> list[ShownPicture]:
        """Return the pictures that documents show."""
        return self._db.read_all(_SHOWN, (), _shown_of)

    def list_surroundings(self) -> list[SurroundedPicture]:
        """Return the pictures that were built with surroundings."""
        return self._db.read_all(_SURROUNDED, (), _surrounded_of)

    def get_surroundings(self, doc_id: DocumentId) -> Surroundings:
        """Return what a document was built with."""
        found = self._db.read_first(_SURROUNDINGS, (doc_id,), lambda row: str(row[0]))
        return Surroundings() if found is None else Surroundings.model_validate_json(found)

    def are_surroundings_current(self) -> bool:
        """Return True if no document has changed since `note_surroundings`."""
        return self._db.read_first(_IS_CURRENT, (_REVISION_KEY,), lambda _: True) is not None

    def note_surroundings(self) -> None:
        """Record that all pictures have the surroundings that documents give them now."""
        with self._db.writing() as connection:
            connection.execute(_NOTE, (_REVISION_KEY,))

    def list_captioned(self, *, but: str) -> list[PictureDocument]:
        """Return the documents with captions of any other model than one, newest file first."""
        return list(_group(self._db.read_all(_CAPTIONED, (but,), _itself)))

    def list_uncaptioned(self, model: str, *, most: int) -> list[PictureDocument]:
        """Return the documents with pages that have no caption of a model, newest file first."""
        return list(_group(self._db.read_all(_UNCAPTIONED, (model, most, most), _itself)))

    def list_readings(self, doc_id: DocumentId | None = None) -> list[PictureReading]:
        """Return the readings of one document, or of all, newest first."""
        return self._db.read_all(_READINGS, (doc_id, doc_id), _reading_of)

    def mean_ms(self, *, recordings: bool = False) -> int | None:
        """Return the mean of the milliseconds that readings took; None before the first."""
        return self._db.read_first(
            _MEAN_MS, (recordings,), lambda row: None if row[0] is None else round(row[0])
        )

    def get_results(self, kind: str, keys: Sequence[str], *, at: datetime | None) -> Mapping[str, bytes]:
        """Return the payloads of keys that are there, and record their use at a time; None, or a read-only database, records nothing."""
        with self._db.reading() as connection:
            found = dict(connection.execute(_GET_RESULTS, (kind, json_text(list(keys)))).fetchall())
        if found and at is not None and not self._db.readonly:
            stamp = timestamp(at)
            self._db.write_many(_TOUCH_RESULT, [(stamp, kind, key) for key in found])
        return found

    def put_results(self, kind: str, payloads: Mapping[str, bytes], *, at: datetime) -> None:
        """Store or replace results of models, by kind and key: content hash and model identity."""
        stamp = timestamp(at)
        rows = [(kind, key, payload, stamp, stamp) for key, payload in payloads.items()]
        self._db.write_many(_PUT_RESULT, rows)

    def results_bytes(self) -> int:
        """Return the size of all results."""
        with self._db.reading() as connection:
            return int(connection.execute(_RESULT_BYTES).fetchone()[0])

    def evict_results(self, *, max_bytes: int) -> int:
        """Delete the least recently used results until the rest fit.

        Returns:
            The number of results deleted.
        """
        return self._db.write(_EVICT_RESULTS, (max_bytes,))


def surroundings_row(record: DocumentRecord) -> str | None:
    """Return the surroundings of a picture as `picture_surroundings` has them; None without any."""
    return record.surroundings.model_dump_json() if record.surroundings != Surroundings() else None


def picture_rows(record: DocumentRecord) -> list[PictureRow]:
    """Return the rows of `picture_pages` of a document."""
    text = record.document.text
    return [_picture_row(record, page) for page in (text.pictures if text else ())]


def caption_rows(record: DocumentRecord) -> list[CaptionRow]:
    """Return the rows of `caption_pages` of a document."""
    text = record.document.text
    if text is None or record.asset.media_type.kind == "audio":
        return []
    captions, doc_id = record.captions, str(record.document.doc_id)
    pages = sorted({*text.pictures, *text.illustrated})
    return [(doc_id, page, captions[page].model if page in captions else None) for page in pages]


class ShownPictures:
    """The pictures that the blocks of a document show or link to, with what stands around each; blocks come in their order."""

    def __init__(self) -> None:
        self._labels: dict[str, dict[str, None]] = {}
        self._before = ""

    def add(self, block: Block) -> None:
        """Note the pictures of the next block, by the addresses as they are written; pages of the web are among them."""
        from kebab_core import PICTURE_SUFFIXES, list_links, shorten_label, show_link

        text = block.text if block.kind in {"paragraph", "quote"} else ""
        for _, link in list_links(block):
            name = link.href.partition("#")[0].partition("?")[0].rpartition("/")[2]
            if block.kind != "image_ref" and not name.lower().endswith(PICTURE_SUFFIXES):
                continue
            own = text.partition(show_link(link.text, link.href))[0].strip()
            before = _last_sentence(own or self._before)
            found = self._labels.setdefault(link.href, {})
            labels = (*block.heading_path, before, "" if _is_name(link.text, name) else link.text)
            found.update((shorten_label(label, _MOST_LABEL_CHARS), None) for label in labels if label.strip())
        if block.kind != "image_ref":
            self._before = text

    def rows(self) -> list[ShownRow]:
        """Return the rows of `shown_pictures`, without the document."""
        return [
            (address, json.dumps(list(labels), ensure_ascii=False))
            for address, labels in sorted(self._labels.items())
        ]


def _last_sentence(text: str) -> str:
    from kebab_text import split_sentences

    sentences = split_sentences(text)
    return text[sentences[-1].start :].strip() if sentences else ""


def _is_name(alt: str, name: str) -> bool:
    """Whether an alternative text says nothing: the name of the file, or a size."""
    return alt in {name, name.rpartition(".")[0]} or _SIZE.fullmatch(alt) is not None


def _picture_row(record: DocumentRecord, page: int) -> PictureRow:
    doc_id, reading = str(record.document.doc_id), record.readings.get(page)
    if reading is None:
        return doc_id, page, None, None, None, None, None, None
    failure = None if reading.failure is None else reading.failure.model_dump_json(exclude_none=True)
    lines = None
    if reading.text is not None or reading.speech is not None:
        lines = (
            len(reading.text.regions)
            if reading.text
            else len(reading.speech.segments if reading.speech else ())
        )
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


def _itself(row: sqlite3.Row) -> sqlite3.Row:
    return row


def _page_of(row: sqlite3.Row) -> PicturePage:
    return PicturePage(row["page"], row["engine_key"], _failure_of(row))


def _failure_of(row: sqlite3.Row) -> IngestFailure | None:
    from kebab_core import IngestFailure

    return None if row["failure_json"] is None else IngestFailure.model_validate_json(row["failure_json"])


def _shown_of(row: sqlite3.Row) -> ShownPicture:
    return ShownPicture(str.__new__(DocumentId, row[0]), row[1], tuple(json.loads(row[2])))


def _surrounded_of(row: sqlite3.Row) -> SurroundedPicture:
    return SurroundedPicture(
        doc_id=str.__new__(DocumentId, row["doc_id"]),
        source_id=SourceId(row["source_id"]),
        doc_path=str.__new__(WorkspacePath, row["workspace_path"]),
        surroundings=Surroundings.model_validate_json(row["surroundings_json"]),
    )


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
