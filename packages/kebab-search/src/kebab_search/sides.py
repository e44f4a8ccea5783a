"""A query as it is put to a vector index: passages of each script are looked at from their own side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kebab_core import ChunkId, VectorMatrix

from kebab_search.scripts import Script
from kebab_search.standing import Spread


class Side(NamedTuple):
    """How passages of one script are looked at.

    Attributes:
        vector: By which vector, shape (1, d).
        spread: How its cosines with all of them are spread.
        languages: The languages of the index in that script; None alone where it has no others.
        is_foreign: Whether it is another script than the query's.
    """

    vector: VectorMatrix
    spread: Spread
    languages: tuple[str | None, ...]
    is_foreign: bool


class VectorQuestion(NamedTuple):
    """A query put to a vector index.

    Attributes:
        vector: As the model gave it, shape (1, d).
        script: Its own.
        sides: By script of the passages.
    """

    vector: VectorMatrix
    script: Script
    sides: Mapping[Script, Side]

    @property
    def vectors(self) -> float:
        """How many vectors the best known of its spreads rests on."""
        return max(side.spread.vectors for side in self.sides.values())

    @property
    def has_others(self) -> bool:
        """Whether there are passages in another script than its own, whose cosines say nothing beside its own's."""
        return any(side.is_foreign for side in self.sides.values())


class Near(NamedTuple):
    """A chunk that is among the nearest.

    Attributes:
        chunk_id: The chunk.
        standing: By how many deviations it is nearer than the mean of its script.
        rank: From 1, by that, among the chunks of all scripts that were let through.
    """

    chunk_id: ChunkId
    standing: float
    rank: int


class Placed(NamedTuple):
    """How near a chunk is, among the nearest or not.

    Attributes:
        script: Of its document.
        cosine: Of the query with it.
        standing: By how many deviations it is nearer than the mean of its script.
    """

    script: Script
    cosine: float
    standing: float
