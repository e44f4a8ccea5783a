"""Costs of wire objects against `max_tokens`: tokens of their JSON, by an estimate that the caller hands in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_core import IndexedChunk, SearchHit

_TWO_IDS = 18
"""Tokens that the ids of a hit cost beyond the estimate, which takes their digits for words and numbers."""

CountTokens = Callable[[str], int]


def hit_cost(count: CountTokens) -> Callable[[SearchHit], int]:
    """Return the cost of a hit as a part of `search_response.v1`."""

    def cost(hit: SearchHit) -> int:
        from kebab_wire.base import wire_json
        from kebab_wire.search import wire_search_hit

        return count(wire_json(wire_search_hit(hit)))

    return cost


def brief_hit_cost(count: CountTokens) -> Callable[[SearchHit], int]:
    """Return the cost of a hit as a part of `search_brief.v1`."""

    def cost(hit: SearchHit) -> int:
        from kebab_wire.base import wire_json
        from kebab_wire.brief import wire_brief_hit

        return count(wire_json(wire_brief_hit(hit))) + _TWO_IDS

    return cost


def fetched_chunk_cost(count: CountTokens) -> Callable[[IndexedChunk], int]:
    """Return the cost of a neighbour of a fetched chunk."""

    def cost(chunk: IndexedChunk) -> int:
        from kebab_wire.base import wire_json
        from kebab_wire.fetch import wire_fetched_chunk

        return count(wire_json(wire_fetched_chunk(chunk)))

    return cost
