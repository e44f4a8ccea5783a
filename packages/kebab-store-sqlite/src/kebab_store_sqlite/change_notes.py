"""Notes of the documents that are written, in `kv`, once documents have been published to a lake.

They are made by triggers of each connection that writes; a base without a lake has none. What is shown of a document may change with
others, those of the same title, and with its repository.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

PUBLICATION = "publication"
"""Key in `kv` of the last publication."""
CHANGED = "changed:"
"""Beginning of the keys of documents that were written since; their values are random."""
_OF_TEXT = "SELECT d.doc_id FROM chunks c JOIN documents d USING (doc_no) WHERE c.text_hash = {row}.text_hash"
_OF_TITLE = "SELECT doc_id FROM metadata_titles WHERE title = {row}.title"
_OF_REPOSITORY = """
    SELECT doc_id FROM documents WHERE source_id = {row}.source_id AND ({row}.folder = ''
      OR workspace_path > {row}.folder || '/' AND workspace_path < {row}.folder || '0')
"""
_OF_ROWS = {
    "documents": "SELECT {row}.doc_id AS doc_id",
    "vectors": _OF_TEXT,
    "metadata_titles": _OF_TITLE,
    "repositories": _OF_REPOSITORY,
}
"""The documents that a row of a table belongs to."""
_TRIGGER = f"""
    CREATE TEMP TRIGGER IF NOT EXISTS note_{{event}}_of_{{table}} AFTER {{event}} ON main.{{table}} BEGIN
      INSERT OR REPLACE INTO kv (key, value) SELECT '{CHANGED}' || doc_id, lower(hex(randomblob(8))) FROM ({{documents}});
    END
"""
_PUBLISHED = f"SELECT 1 FROM kv WHERE key = '{PUBLICATION}'"


def note_changes(connection: sqlite3.Connection) -> None:
    """Have a connection note the documents that it changes, if the base has been published."""
    if connection.execute(_PUBLISHED).fetchone() is None:
        return
    for table, documents in _OF_ROWS.items():
        for event, row in (("INSERT", "new"), ("UPDATE", "new"), ("DELETE", "old")):
            connection.execute(_TRIGGER.format(event=event, table=table, documents=documents.format(row=row)))
