"""Which documents were written since they were published to a lake, so that a publication reads no others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from kebab_core import DocumentId

from kebab_store_sqlite.change_notes import CHANGED, PUBLICATION
from kebab_store_sqlite.document_rows import TITLE_IN_PLACE
from kebab_store_sqlite.embedding_models import GET_VALUE, PUT_VALUE, number_of, value_of
from kebab_store_sqlite.schema import json_text
from kebab_store_sqlite.source_files import REPO_OF_DOCUMENT

if TYPE_CHECKING:
    import sqlite3

    from kebab_core import EmbeddingIdentity

    from kebab_store_sqlite.database import SqliteDatabase

_CHANGES = f"SELECT key, value FROM kv WHERE key >= '{CHANGED}' AND key < '{CHANGED[:-1]};'"
_FORGET = "DELETE FROM kv WHERE key = ? AND value = ?"
_STATES = f"""
    SELECT d.doc_id, d.doc_version || ' ' || d.indexed_at || ' ' || d.mtime_ns || ' ' || hex(substr(d.provenance, -4)) || ' '
      || coalesce({REPO_OF_DOCUMENT}, '') || ' ' || coalesce({TITLE_IN_PLACE}, '') || ' ' || d.disk_path || ' '
      || d.analyzer_version || ' ' || (SELECT count(*) FROM chunks c CROSS JOIN vectors v ON v.model_no = :model_no AND v.text_hash = c.text_hash
          WHERE c.doc_no = d.doc_no)
    FROM documents d
"""
_AMONG = " WHERE d.doc_id IN (SELECT value FROM json_each(:among))"


class SqlitePublicationLog:
    """Implements `PublicationLog` on SQLite."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database

    def one_state(self) -> AbstractContextManager[object]:
        """Return a context in which all reads of this thread see one state."""
        return self._db.one_state()

    def list_changes(self, publication: str) -> dict[DocumentId, str] | None:
        """Return the documents that were written since a publication, each with a mark of its last change; None if it is not the last."""
        with self._db.snapshot() as connection:
            if self._db.read_first(GET_VALUE, (PUBLICATION,), value_of) != publication:
                return None
            rows = connection.execute(_CHANGES)
            return {str.__new__(DocumentId, key.removeprefix(CHANGED)): mark for key, mark in rows}

    def list_states(
        self, model: EmbeddingIdentity | None, *, among: Collection[DocumentId] | None = None
    ) -> dict[DocumentId, str]:
        """Return a text for every document that changes with whatever is stored of it, and with the number of its vectors of a model."""
        with self._db.snapshot() as connection:
            named = {"model_no": 0 if model is None else number_of(connection, model)}
            if among is None:
                return dict(_states(connection, _STATES, named))
            return dict(_states(connection, _STATES + _AMONG, {**named, "among": json_text(sorted(among))}))

    def note_publication(self, publication: str, changes: Mapping[DocumentId, str]) -> None:
        """Note that a publication has these changes; one that was changed again meanwhile stays noted."""
        if not changes and self._db.read_first(GET_VALUE, (PUBLICATION,), value_of) == publication:
            return
        with self._db.writing() as connection:
            connection.execute(PUT_VALUE, (PUBLICATION, publication))
            connection.executemany(
                _FORGET, [(f"{CHANGED}{doc_id}", mark) for doc_id, mark in changes.items()]
            )


def _states(
    connection: sqlite3.Connection, query: str, named: Mapping[str, object]
) -> Iterator[tuple[DocumentId, str]]:
    for doc_id, state in connection.execute(query, named):
        yield str.__new__(DocumentId, doc_id), state
