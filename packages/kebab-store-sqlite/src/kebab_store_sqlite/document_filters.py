"""Filters as SQL: one condition for each field that is set, joined by AND."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from kebab_core import DocFilter, SearchFilters

from kebab_store_sqlite.json_fields import json_text
from kebab_store_sqlite.timestamps import timestamp

_AMONG = "IN (SELECT value FROM json_each(?))"


class Condition(NamedTuple):
    """A condition on a row `d` of `documents`; `value` is its only parameter."""

    sql: str
    value: str | int


def search_conditions(filters: SearchFilters) -> list[Condition]:
    """Return what documents must satisfy to be found by a search."""
    found = _common(filters)
    if filters.trust_min is not None:
        found.append(Condition("d.trust_rank <= ?", filters.trust_min.rank))
    if filters.ingested_after is not None:
        found.append(Condition("d.indexed_at > ?", timestamp(filters.ingested_after)))
    found += (
        _among("doc_id", filters.doc_id)
        + _among("repo", filters.repo)
        + _among("code_lang", filters.code_lang)
    )
    return found + _among("source_type", filters.source_type)


def listing_conditions(criteria: DocFilter) -> list[Condition]:
    """Return what documents must satisfy to be listed."""
    return _common(criteria)


def where(conditions: list[Condition]) -> str:
    """Return the WHERE clause, empty for no conditions."""
    return f"WHERE {' AND '.join(condition.sql for condition in conditions)}" if conditions else ""


def _common(criteria: SearchFilters | DocFilter) -> list[Condition]:
    found = _among("source_id", criteria.source_id) + _among("media", criteria.media)
    if criteria.tags_any:
        tags = json_text([unicodedata.normalize("NFC", tag) for tag in criteria.tags_any])
        found.append(Condition(f"d.doc_id IN (SELECT doc_id FROM document_tags WHERE tag {_AMONG})", tags))  # noqa: S608
    if criteria.path_glob:
        matches = "SELECT 1 FROM json_each(?) WHERE path_matches(value, d.workspace_path)"
        found.append(Condition(f"EXISTS ({matches})", json_text(criteria.path_glob)))
    return found + _among("lang", criteria.lang)


def _among(column: str, values: tuple[str, ...]) -> list[Condition]:
    return [Condition(f"d.{column} {_AMONG}", json_text(values))] if values else []
