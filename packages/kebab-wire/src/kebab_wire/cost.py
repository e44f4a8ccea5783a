"""Costs of wire objects against `max_tokens`: tokens of their JSON, by an estimate that the caller hands in."""

from __future__ import annotations

from collections.abc import Callable

from kebab_core import IndexedChunk, SearchHit

from kebab_wire.base import wire_json
from kebab_wire.brief import wire_brief_hit
from kebab_wire.fetch import wire_fetched_chunk
from kebab_wire.search import wire_search_hit

_TWO_IDS = 18
"""Tokens that the ids of a hit cost beyond the estimate, which takes their digits for words and numbers."""


def hit_cost(hit: SearchHit, *, count: Callable[[str], int]) -> int:
    """Return the tokens of a hit as a part of `search_response.v1`."""
    return count(wire_json(wire_search_hit(hit)))


def brief_hit_cost(hit: SearchHit, *, count: Callable[[str], int]) -> int:
    """Return the tokens of a hit as a part of `search_brief.v1`."""
    return count(wire_json(wire_brief_hit(hit))) + _TWO_IDS


def fetched_chunk_cost(chunk: IndexedChunk, *, count: Callable[[str], int]) -> int:
    """Return the tokens of a neighbour of a fetched chunk."""
    return count(wire_json(wire_fetched_chunk(chunk)))
