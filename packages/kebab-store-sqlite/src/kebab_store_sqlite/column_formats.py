"""Rows by column name, and the text formats of columns: JSON, instants and file times."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from kebab_core import Model

_Model = TypeVar("_Model", bound=Model)
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


def timestamp(at: datetime) -> str:
    """Return an aware instant as RFC 3339 in UTC with six decimals: of one width, so that text order is time order."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def nanoseconds(at: datetime) -> int:
    """Return an aware instant as file times count it: nanoseconds since 1970, as far as SQLite's integers reach (1677 to 2262)."""
    exact = (at - _FIRST_INSTANT) // timedelta(microseconds=1) * 1000
    return max(-(2**63), min(exact, 2**63 - 1))
