"""The cache of results that models derived from content, other than vectors: OCR, captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from kebab_store_sqlite.column_formats import json_text, timestamp
from kebab_store_sqlite.database import SqliteDatabase

_GET = """
    SELECT cache_key, payload FROM derivation_cache
    WHERE kind = ? AND cache_key IN (SELECT value FROM json_each(?))
"""
_TOUCH = "UPDATE derivation_cache SET last_used_at = max(last_used_at, ?) WHERE kind = ? AND cache_key = ?"
_PUT = """
    INSERT INTO derivation_cache (kind, cache_key, payload, created_at, last_used_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (kind, cache_key) DO UPDATE SET payload = excluded.payload, last_used_at = excluded.last_used_at
"""
_SIZE = "SELECT coalesce(sum(length(payload)), 0) FROM derivation_cache"
_DELETE = "DELETE FROM derivation_cache WHERE kind = ? AND cache_key IN (SELECT value FROM json_each(?))"
_EVICT = """
    DELETE FROM derivation_cache WHERE rowid IN (
      SELECT rowid FROM (
        SELECT rowid, sum(length(payload)) OVER (ORDER BY last_used_at DESC, kind, cache_key) AS newest_bytes
        FROM derivation_cache
      ) WHERE newest_bytes > ?
    )
"""


class SqliteDerivationCache:
    """Results that models derived from content, by content hash and model identity; a read-only database does not record their use."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database

    def get_many(self, kind: str, keys: Sequence[str], *, at: datetime | None) -> Mapping[str, bytes]:
        """Return the cached payloads by key, and record their use at a time; None records nothing."""
        with self._db.reading() as connection:
            found = dict(connection.execute(_GET, (kind, json_text(list(keys)))).fetchall())
        if found and at is not None and not self._db.readonly:
            stamp = timestamp(at)
            self._db.write_many(_TOUCH, [(stamp, kind, key) for key in found])
        return found

    def put_many(self, kind: str, payloads: Mapping[str, bytes], *, at: datetime) -> None:
        """Store or replace payloads."""
        stamp = timestamp(at)
        rows = [(kind, key, payload, stamp, stamp) for key, payload in payloads.items()]
        self._db.write_many(_PUT, rows)

    def size_bytes(self) -> int:
        """Return the size of all payloads."""
        with self._db.reading() as connection:
            return int(connection.execute(_SIZE).fetchone()[0])

    def evict(self, *, max_bytes: int) -> int:
        """Delete the least recently used payloads until the rest fit.

        Returns:
            The number of payloads deleted.
        """
        return self._db.write(_EVICT, (max_bytes,))
