"""Rows by column name, and the formats of columns: JSON, plain or compressed, instants and file times."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from kebab_core import Model

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
_MAX_UNPACKED_BYTES = 512 * 1024 * 1024
_FIRST_INSTANT = datetime(1970, 1, 1, tzinfo=UTC)


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


def json_text(value: object) -> str:
    """Return JSON data as text, compact and not escaped to ASCII."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_array(items: Iterable[str]) -> str:
    """Join JSON texts to one JSON array."""
    return f"[{','.join(items)}]"


def pack_json(text: str) -> bytes:
    """Compress JSON that is read seldom."""
    packer = zlib.compressobj(zdict=_REPEATED)
    return packer.compress(text.encode()) + packer.flush()


def unpack_json(packed: bytes) -> str:
    """Return the JSON that `pack_json` was given.

    Raises:
        ValueError: It is damaged.
    """
    unpacker = zlib.decompressobj(zdict=_REPEATED)
    try:
        text = unpacker.decompress(packed, _MAX_UNPACKED_BYTES)
    except zlib.error as error:
        raise ValueError("compressed JSON is damaged") from error
    if not unpacker.eof:
        raise ValueError("compressed JSON is cut off or too large")
    return text.decode()


def timestamp(at: datetime) -> str:
    """Return an aware instant as RFC 3339 in UTC with six decimals: of one width, so that text order is time order."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def nanoseconds(at: datetime) -> int:
    """Return an aware instant as file times count it: nanoseconds since 1970, as far as SQLite's integers reach (1677 to 2262)."""
    exact = (at - _FIRST_INSTANT) // timedelta(microseconds=1) * 1000
    return max(-(2**63), min(exact, 2**63 - 1))
