"""How far a cosine stands out from those of all passages in its script.

Cosines of a model are squeezed into a narrow band that lies elsewhere for every query and every pair of languages, so
that 0.84 says nothing. Deviations above the mean of the whole index do: they compare between queries, corpora and
scripts, and do not depend on how many passages were looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kebab_core import LanguageSpread

from kebab_search.scripts import Script, script_of_language

_LEAST_DEVIATION = 0.005


class Spread(NamedTuple):
    """Cosines of a query with many passages."""

    vectors: float
    mean: float
    deviation: float

    def standing(self, cosine: float) -> float:
        """Return by how many deviations a cosine is above the mean."""
        return (cosine - self.mean) / max(self.deviation, _LEAST_DEVIATION)


def spreads_by_script(
    spreads: Iterable[LanguageSpread], *, usual: Spread | None = None
) -> Mapping[Script, Spread]:
    """Return how the cosines of a query are spread over the passages of each script of an index.

    Args:
        spreads: By language.
        usual: What is usual for the model, as if of so many vectors more; None: nothing is known.
    """
    by_script: dict[Script, list[Spread]] = {}
    for spread in spreads:
        held = Spread(spread.vectors, spread.mean, spread.deviation)
        by_script.setdefault(script_of_language(spread.lang), []).append(held)
    prior = [] if usual is None else [usual]
    return {script: _together([*held, *prior]) for script, held in by_script.items()}


def _together(spreads: list[Spread]) -> Spread:
    vectors = sum(spread.vectors for spread in spreads)
    mean = sum(spread.vectors * spread.mean for spread in spreads) / vectors
    variance = sum(spread.vectors * (spread.deviation**2 + (spread.mean - mean) ** 2) for spread in spreads)
    return Spread(vectors, mean, math.sqrt(variance / vectors))
