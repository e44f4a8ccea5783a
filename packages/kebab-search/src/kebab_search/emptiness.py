"""Why nothing was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kebab_core import Coverage, NoHitReason, SearchFilters


class Emptiness(NamedTuple):
    """The nearest reason for an empty result, and for filters which of their fields it is."""

    reason: NoHitReason
    filters: tuple[str, ...] = ()


def explain_emptiness(
    filters: SearchFilters, *, coverage: Coverage, finds: Callable[[SearchFilters], bool]
) -> Emptiness:
    """Return the nearest reason for finding nothing.

    Args:
        filters: Those that were in force.
        coverage: What was searched.
        finds: Tells whether the same query under other filters finds anything.
    """
    if not coverage.documents_indexed and not coverage.ingest_running:
        return Emptiness(NoHitReason.INDEX_EMPTY)
    if not filters.is_empty and finds(SearchFilters()):
        return Emptiness(NoHitReason.FILTERED_OUT, _blocking(filters, finds))
    return Emptiness(NoHitReason.STILL_INDEXING if coverage.ingest_running else NoHitReason.NOTHING_MATCHES)


def _blocking(filters: SearchFilters, finds: Callable[[SearchFilters], bool]) -> tuple[str, ...]:
    """Return the fields without any one of which there would be hits, or all that are set if there are none."""
    used = tuple(name for name, value in filters if value)
    if len(used) == 1:
        return used
    without = (filters.model_copy(update={name: SearchFilters.model_fields[name].default}) for name in used)
    return tuple(name for name, rest in zip(used, without, strict=True) if finds(rest)) or used
