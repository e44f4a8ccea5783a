"""Filters as SQL: one condition for each field that is set, joined by AND."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from kebab_core import SearchFilters

from kebab_store_sqlite.json_fields import json_text
from kebab_store_sqlite.timestamps import timestamp

_AMONG = "IN (SELECT value FROM json_each(?))"


class Condition(NamedTuple):
    """A condition on a row `d` of `documents`; `value` is its only parameter."""

    sql: str
    value: str | int


def filter_conditions(filters: SearchFilters) -> list[Condition]:
    """Return what documents must satisfy to be found by a search, or listed."""
    found = _among("source_id", filters.source_id) + _among("media", filters.media)
    found += _labels(filters)
    if filters.trust_min is not None:
        found.append(Condition("d.trust_rank <= ?", filters.trust_min.rank))
    if filters.ingested_after is not None:
        found.append(Condition("d.indexed_at > ?", timestamp(filters.ingested_after)))
    for column in ("lang", "doc_id", "repo", "code_lang", "source_type"):
        found += _among(column, getattr(filters, column))
    return found


def where(conditions: list[Condition]) -> str:
    """Return the WHERE clause, empty for no conditions."""
    return f"WHERE {' AND '.join(condition.sql for condition in conditions)}" if conditions else ""


def _labels(filters: SearchFilters) -> list[Condition]:
    found = []
    if filters.tags_any:
        tags = json_text([_nfc(tag) for tag in filters.tags_any])
        found.append(Condition(f"d.doc_id IN (SELECT doc_id FROM document_tags WHERE tag {_AMONG})", tags))  # noqa: S608
    if filters.path_glob:
        matches = "SELECT 1 FROM json_each(?) WHERE path_matches(value, d.workspace_path)"
        found.append(Condition(f"EXISTS ({matches})", json_text(filters.path_glob)))
    return found


def _among(column: str, values: tuple[str, ...]) -> list[Condition]:
    if not values:
        return []
    return [Condition(f"d.{column} {_AMONG}", json_text([_nfc(value) for value in values]))]


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
