"""Checks of the database in a backup: its schema is that of kebab, and its rows name no other places.

The export makes them, too: a backup that cannot be imported is worse than an error now.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from kebab_core import InvalidInputError, Message, WorkspacePath

from kebab_store_sqlite.document_parts import check_part, register_functions
from kebab_store_sqlite.schema import apply_migrations, load_migrations, stored_version

if TYPE_CHECKING:
    from kebab_core import Clock

_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT GLOB 'sqlite_stat[0-9]'"
"""All but the tables of ANALYZE, which a user may have run."""
_PATHS = "SELECT workspace_path, disk_path FROM documents"
_ASSETS = """
    SELECT 1 FROM assets WHERE NOT (
      {asset_id} AND {checksum} AND byte_len >= 0 AND CASE storage_kind
        WHEN 'copied' THEN storage_path = 'assets/' || substr(asset_id, 1, 2) || '/' || asset_id
        ELSE storage_path GLOB '/*' AND instr(storage_path, char(0)) = 0 AND storage_path || '/' NOT GLOB '*/../*'
      END
    )
"""
_VECTORS = """
    SELECT 1 FROM vectors v LEFT JOIN embedding_models m USING (model_no)
    WHERE length(v.text_hash) <> 16 OR length(v.vector) IS NOT 2 * m.dimensions
"""


_PARTS = "SELECT chunks, terms, blocks FROM document_parts"
_MAX_PART_BYTES = 512 * 1024 * 1024
"""Of a part, unpacked: more than the largest file that is read by default. Searches and integrity checks unpack them."""


def find_foreign_object(
    connection: sqlite3.Connection, *, version: int, clock: Clock
) -> tuple[str, str] | None:
    """Return kind and name of a table, view, index or trigger that kebab did not make; None without any. See below."""
    own = {name for _, name, *_ in _make_schema(version, clock)}
    objects = [(kind, name) for kind, name, *_ in _read_schema(connection) if name not in own]
    return max(objects, key=lambda each: (each[0] != "index", each), default=None)


def find_foreign_content(connection: sqlite3.Connection, *, version: int, clock: Clock) -> list[str]:
    """Compare a database with what kebab writes; return the differences.

    The schema is compared first, since a view or a trigger of somebody else can run anything that SQL can.

    Args:
        connection: To the database.
        version: Version of its schema, as its manifest says it.
        clock: For the stamps of the empty base that it is compared with.

    Raises:
        DatabaseCorruptError: It belongs to another program.
        DatabaseError: SQLite cannot read it.
    """
    found = _read_schema(connection)
    if not found:
        return [Message("it is empty")]
    if not any(name == "schema_meta" for _, name, *_ in found):
        stored_version(connection)  # raises
    if differences := found ^ _make_schema(version, clock):
        kind, name, *_ = max(differences)  # a view, a trigger or a table before its indexes
        return [
            Message(
                "the {kind} {name} is not that of schema {version}", kind=kind, name=name, version=version
            )
        ]
    if stored_version(connection) != version:
        return [Message("it does not have schema {version}", version=version)]
    tables = [table for table, query in _row_checks() if connection.execute(f"{query} LIMIT 1").fetchone()]
    if not all(_are_document_paths(*row) for row in connection.execute(_PATHS)):
        tables.append("documents")
    if not all(map(_has_plausible_size, connection.execute(_PARTS))):
        tables.append("document_parts")
    return [Message("a row of {table} is not one that kebab writes", table=table) for table in tables]


def _read_schema(connection: sqlite3.Connection) -> set[tuple[str, str, str, str]]:
    """Return type, name, table and definition of everything in a database."""
    rows = connection.execute(_SCHEMA).fetchall()
    return {(kind, name, table, " ".join((sql or "").split())) for kind, name, table, sql in rows}


def _make_schema(version: int, clock: Clock) -> set[tuple[str, str, str, str]]:
    """Return the same of an empty base."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        register_functions(connection)
        migrations = [migration for migration in load_migrations() if migration.version <= version]
        apply_migrations(connection, migrations, clock=clock)
        return _read_schema(connection)


def _row_checks() -> Iterator[tuple[str, str]]:
    """Yield tables with queries of their wrong rows."""
    yield "assets", _ASSETS.format(asset_id=_is_hex("asset_id", 32), checksum=_is_hex("checksum", 64))
    yield "documents", f"SELECT 1 FROM documents WHERE NOT ({_is_hex('doc_id', 32)})"
    yield "chunks", f"SELECT 1 FROM chunks WHERE NOT ({_is_hex('chunk_id', 32)})"
    yield "chunks", "SELECT 1 FROM chunks WHERE length(text_hash) <> 16"
    yield "embedding_models", "SELECT 1 FROM embedding_models WHERE dimensions NOT BETWEEN 1 AND 65536"
    yield "vectors", _VECTORS


def _is_hex(column: str, digits: int) -> str:
    """Return the SQL condition that a text has so many hex digits and nothing else, such as a NUL with text after it."""
    sizes = f"length({column}) = {digits} AND length(CAST({column} AS BLOB)) = {digits}"
    return f"{sizes} AND {column} NOT GLOB '*[^0-9a-f]*'"


def _are_document_paths(workspace_path: str, disk_path: str) -> bool:
    """True if a path inside a source is one, and the path on disk leads out of no folder; a plugin may give any other."""
    try:
        is_normal = WorkspacePath(workspace_path) == workspace_path
    except InvalidInputError:
        return False
    return is_normal and "\0" not in disk_path and ".." not in disk_path.split("/")


def _has_plausible_size(row: sqlite3.Row) -> bool:
    try:
        check_part(tuple(row), most=_MAX_PART_BYTES)
    except (ValueError, TypeError):
        return False
    return True
