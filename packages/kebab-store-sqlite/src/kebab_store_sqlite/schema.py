"""The version of the schema, and the migrations to the newest one."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import Clock, DatabaseCorruptError, Remedy, SchemaTooNewError

from kebab_store_sqlite.column_formats import timestamp

if TYPE_CHECKING:
    from sqlite_utils import Database

SCHEMA_VERSION = 11
"""The newest schema version: the number of the last migration."""
SYMBOLS_SCHEMA = 10
"""The first version with the symbols of source code."""
VECTORS_SCHEMA = 7
"""The first version with vectors in the database."""
_PACK_DOCUMENTS = "SELECT pack_documents();\n"
"""The statement of a migration that a function carries out; as a function of SQL it would hide the errors of SQLite."""
_FILE_NAME = re.compile(r"V(\d{3})__(\w+)\.sql")


class Migration(NamedTuple):
    """One migration; they are applied in order of `version`, each in its own transaction."""

    version: int
    description: str
    sql: str


def load_migrations() -> list[Migration]:
    """Return all migrations, by version."""
    folder = files("kebab_store_sqlite").joinpath("migrations")
    named = [(file, _FILE_NAME.fullmatch(file.name)) for file in folder.iterdir()]
    return sorted(
        Migration(int(name[1]), name[2].replace("_", " "), file.read_text(encoding="utf-8"))
        for file, name in named
        if name is not None
    )


def read_schema_version(connection: sqlite3.Connection) -> int:
    """Return the database's schema version, 0 for an empty file.

    Raises:
        DatabaseCorruptError: The database belongs to another program.
        SchemaTooNewError: A newer kebab has written it.
    """
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master LIMIT 100")}
    if not tables:
        return 0
    if "schema_meta" not in tables:
        raise DatabaseCorruptError("the file is a database of another program")
    row = connection.execute("SELECT value FROM schema_meta WHERE key = 'schema_version'").fetchone()
    if row is None or not row[0].isdigit():
        raise DatabaseCorruptError("the database does not say which schema it has")
    version = int(row[0])
    if version > SCHEMA_VERSION:
        raise SchemaTooNewError(
            "the database has schema {schema_version}, this kebab knows {known}",
            remedy=Remedy(
                kind="upgrade", otherwise=Remedy(kind="change_setting", setting="storage.data_dir")
            ),
            schema_version=version,
            _known=SCHEMA_VERSION,
        )
    return version


def apply_migrations(
    connection: sqlite3.Connection, migrations: Sequence[Migration], *, data_dir: Path, clock: Clock
) -> None:
    """Migrate the database to the newest schema; each migration is atomic.

    Two processes may call this at once: the second one finds nothing left to do.

    Args:
        connection: To the database.
        migrations: In order.
        data_dir: Its folder, where earlier versions kept vectors.
        clock: For the stamps of migrations.
    """
    from sqlite_utils import Database

    from kebab_store_sqlite.vector_takeover import register_functions

    database = Database(connection, recursive_triggers=False, execute_plugins=False)
    register_functions(connection, data_dir)
    for migration in migrations:
        connection.execute("BEGIN IMMEDIATE")
        try:
            if migration.version > read_schema_version(connection):
                _apply(database, migration, applied_at=timestamp(clock.now()))
        except BaseException:
            connection.rollback()
            raise
        connection.commit()


def _statements_of(script: str) -> Iterator[str]:
    """Yield the statements of a script; `executescript` would first commit the transaction that makes it atomic."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _apply(database: Database, migration: Migration, *, applied_at: str) -> None:
    from kebab_store_sqlite.parts_takeover import pack_documents

    for statement in _statements_of(migration.sql):
        if statement.endswith(_PACK_DOCUMENTS):
            pack_documents(database.conn)
        else:
            database.execute(statement)
    database.execute(
        "INSERT INTO migrations (id, applied_at, description) VALUES (?, ?, ?)",
        (migration.version, applied_at, migration.description),
    )
    database.execute(
        "INSERT OR REPLACE INTO schema_meta (key, value) VALUES ('schema_version', ?)",
        (str(migration.version),),
    )
