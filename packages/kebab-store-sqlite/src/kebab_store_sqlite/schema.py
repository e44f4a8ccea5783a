"""The version of the schema, and the migrations to the newest one."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import DatabaseCorruptError, Message, Remedy, SchemaTooNewError, SchemaTooOldError

from kebab_store_sqlite.column_formats import timestamp

if TYPE_CHECKING:
    from kebab_core import Clock
    from sqlite_utils import Database

OLDEST_SCHEMA = 17
"""The oldest schema version that is migrated: the number of the initial migration. Numbers below it are never used again."""
SCHEMA_VERSION = 17
"""The newest schema version: the number of the last migration."""
FULL_TEXT_TABLES = ("chunks_fts", "chunks_exact")
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
        SchemaTooOldError: The version is below `OLDEST_SCHEMA`.
        SchemaTooNewError: The version is above `SCHEMA_VERSION`.
    """
    version = stored_version(connection)
    if version != 0:
        require_known_schema(version)
    return version


def find_other_schema(connection: sqlite3.Connection) -> int | None:
    """Return the schema version of a database that is too old or too new; None of any other.

    Raises:
        DatabaseCorruptError: The database belongs to another program.
    """
    version = stored_version(connection)
    return None if version == 0 or OLDEST_SCHEMA <= version <= SCHEMA_VERSION else version


def require_known_schema(version: int) -> None:
    """Verify that a database of this schema version can be used, migrated if need be.

    Raises:
        SchemaTooOldError: The version is below `OLDEST_SCHEMA`.
        SchemaTooNewError: The version is above `SCHEMA_VERSION`.
    """
    if OLDEST_SCHEMA <= version <= SCHEMA_VERSION:
        return
    message = Message(
        "the database has schema {version}, which this kebab cannot read (it has {known}). A new one is made from your files, "
        "notes and copies of single files; stored answers, conversations, eval runs, and documents whose files are gone "
        "stay in the old one, which is kept",
        version=version,
        known=SCHEMA_VERSION,
    )
    anew = Remedy(kind="repair", then=Remedy(kind="ingest"))
    if version < OLDEST_SCHEMA:
        raise SchemaTooOldError(message, remedy=anew, schema_version=version)
    raise SchemaTooNewError(
        message, remedy=Remedy(advice=Message("use a newer kebab"), otherwise=anew), schema_version=version
    )


def stored_version(connection: sqlite3.Connection) -> int:
    """Return the schema version that a database names, 0 for an empty file.

    Raises:
        DatabaseCorruptError: The database belongs to another program.
    """
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master LIMIT 100")}
    if not tables:
        return 0
    if "schema_meta" not in tables:
        raise DatabaseCorruptError("the file is a database of another program")
    row = connection.execute("SELECT value FROM schema_meta WHERE key = 'schema_version'").fetchone()
    if row is None or not row[0].isdigit():
        raise DatabaseCorruptError("the database does not say which schema it has")
    return int(row[0])


def apply_migrations(
    connection: sqlite3.Connection, migrations: Sequence[Migration], *, clock: Clock
) -> None:
    """Migrate the database to the newest schema; each migration is atomic.

    Two processes may call this at once: the second one finds nothing left to do.

    Args:
        connection: To the database.
        migrations: In order.
        clock: For the stamps of migrations.
    """
    from sqlite_utils import Database

    database = Database(connection, recursive_triggers=False, execute_plugins=False)
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
    for statement in _statements_of(migration.sql):
        database.execute(statement)
    database.execute(
        "INSERT INTO migrations (id, applied_at, description) VALUES (?, ?, ?)",
        (migration.version, applied_at, migration.description),
    )
    database.execute(
        "INSERT OR REPLACE INTO schema_meta (key, value) VALUES ('schema_version', ?)",
        (str(migration.version),),
    )
