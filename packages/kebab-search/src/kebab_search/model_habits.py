"""What is usual for a model, measured; by its id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kebab_search.standing import Spread


class Floors(NamedTuple):
    """How far a passage that shares no word with a query must stand out to be a hit, in deviations above the mean.

    Attributes:
        known: Where the index knows a word of the query.
        known_abroad: The same for a passage in another script than the query.
        unknown: Where it knows none.
        abroad: The same for a passage in another script.
        gibberish: Where it knows none and the query looks like letters at random.
    """

    known: float
    known_abroad: float
    unknown: float
    abroad: float
    gibberish: float


class ModelHabits(NamedTuple):
    """What is known of a model beforehand.

    Attributes:
        plain: How its cosines are spread between a query and passages of any subject in its script; None: unknown.
        centred: The same between scripts, the mean of questions taken away.
        floors: What passages must stand out by.
    """

    plain: Spread | None
    centred: Spread | None
    floors: Floors


_PRIOR_VECTORS = 30
"""How many vectors what is usual counts as: the mean of ten passages says little."""
_HABITS: Mapping[str, ModelHabits] = {
    # Of passages that answer a question, one in a hundred stands out less than 1.5 in the same script, 3.0 across; of
    # the nearest to letters at random, one in a hundred more than 6 and 7.5 (2026-11).
    "multilingual-e5-small": ModelHabits(
        Spread(_PRIOR_VECTORS, 0.78, 0.021),
        Spread(_PRIOR_VECTORS, 0.0, 0.033),
        Floors(1.5, 2.4, 3.0, 3.3, 7.5),
    ),
}
_OTHERS = ModelHabits(None, None, Floors(0.0, 0.0, 2.5, 2.5, 7.5))
"""Only its own cosines tell; what is usual of one model says nothing of another."""


def habits_of(model_id: str) -> ModelHabits:
    """Return what is usual for a model."""
    return _HABITS.get(model_id, _OTHERS)
