"""The schema: its version, the migrations to the newest one, rows by column name, and the formats of columns.

Columns hold JSON, plain or compressed, instants and file times.
"""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from kebab_core import DatabaseCorruptError, Message, Model, Remedy, SchemaTooNewError, SchemaTooOldError

if TYPE_CHECKING:
    from kebab_core import Clock
    from sqlite_utils import Database

OLDEST_SCHEMA = 17
"""The oldest schema version that is migrated: the number of the initial migration. Numbers below it are never used again."""
SCHEMA_VERSION = 17
"""The newest schema version: the number of the last migration."""
FULL_TEXT_TABLES = ("chunks_fts", "chunks_exact")
_FILE_NAME = re.compile(r"V(\d{3})__(\w+)\.sql")

_Model = TypeVar("_Model", bound=Model)
_REPEATED = (
    b'"kind":"unchanged","moved","removed","skipped","failed","updated","skip_reason":"message":"warnings":["'
    b'{"kind":"new","source_id":"default","doc_path":"","doc_id":"","asset_id":"","moved_from":null,"byte_len":,'
    b'"block_count":,"chunk_count":,"parser_version":"md-v6","chunker_version":"md-heading-v4","skip_reason":null,'
    b'"error":null,"warnings":[]},{"events":[{"at":"2026-11-30T00:00:00.000000Z","agent":"kebab-source-fs","kind":'
    b'"discovered"},{"at":"","agent":"kebab-parse-md","kind":"parsed","note":"md-v6"},{"at":"","agent":"kebab-chunk",'
    b'"kind":"chunked","note":"md-heading-v4: 10 chunks"},{"at":"","agent":"kebab-analysis","kind":"indexed","note":"ko-en@4"}]}'
)
"""Dictionary of compressed JSON: provenance and items of runs. Not to be changed, since what is stored is read with it."""
_WINDOW = 32 * 1024
"""Bytes that DEFLATE looks back."""
_MAX_UNPACKED_BYTES = 512 * 1024 * 1024
_FIRST_INSTANT = datetime(1970, 1, 1, tzinfo=UTC)


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


def insert_statement(table: str, columns: Collection[str], *, verb: str = "INSERT") -> str:
    """Return the statement that inserts values by column name."""
    return f"{verb} INTO {table} ({', '.join(columns)}) VALUES (:{', :'.join(columns)})"


def fields_of(row: sqlite3.Row) -> dict[str, Any]:
    """Return a row by field: a column `name` as it is, the JSON of a column `name_json` parsed."""
    return {
        column.removesuffix("_json"): json.loads(value) if value and column.endswith("_json") else value
        for column, value in zip(row.keys(), row, strict=True)
    }


def as_model(kind: type[_Model]) -> Callable[[sqlite3.Row], _Model]:
    """Return the function that makes a model of a row with its fields."""
    return lambda row: kind.model_validate(fields_of(row))


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def json_text(value: object) -> str:
    """Return JSON data as text, compact and not escaped to ASCII."""
    return _ENCODER.encode(value)


def json_array(items: Iterable[str]) -> str:
    """Join JSON texts to one JSON array."""
    return f"[{','.join(items)}]"


def pack_json(text: str) -> bytes:
    """Compress JSON that is read seldom."""
    return pack(text.encode(), _REPEATED)


def unpack_json(packed: bytes) -> str:
    """Return the JSON that `pack_json` was given.

    Raises:
        ValueError: It is damaged.
    """
    return unpack(packed, _REPEATED, most=_MAX_UNPACKED_BYTES).decode()


def pack(data: bytes, dictionary: bytes) -> bytes:
    """Compress data that repeats a dictionary, of which the end counts."""
    packer = zlib.compressobj(zdict=dictionary[-_WINDOW:])
    return packer.compress(data) + packer.flush()


def unpack(packed: bytes, dictionary: bytes, *, most: int = 0) -> bytes:
    """Return the data that `pack` was given with this dictionary.

    Args:
        packed: The compressed data.
        dictionary: The same.
        most: Bytes that it may unpack to; 0 is no limit.

    Raises:
        ValueError: It is damaged, belongs to another dictionary, or is too large.
    """
    unpacker = zlib.decompressobj(zdict=dictionary[-_WINDOW:])
    try:
        data = unpacker.decompress(packed, most)
    except zlib.error as error:
        raise ValueError("compressed data is damaged") from error
    if unpacker.unconsumed_tail:
        raise ValueError("compressed data is too large")
    if not unpacker.eof:
        raise ValueError("compressed data is cut off")
    return data


def timestamp(at: datetime) -> str:
    """Return an aware instant as RFC 3339 in UTC with six decimals: of one width, so that text order is time order."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def nanoseconds(at: datetime) -> int:
    """Return an aware instant as file times count it: nanoseconds since 1970, as far as SQLite's integers reach (1677 to 2262)."""
    exact = (at - _FIRST_INSTANT) // timedelta(microseconds=1) * 1000
    return max(-(2**63), min(exact, 2**63 - 1))
