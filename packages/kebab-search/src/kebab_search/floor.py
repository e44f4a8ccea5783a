"""Below what a passage that shares no word with a query is no hit.

Everything is somewhat near to everything, so that the nearest passages of a row of random letters are found as surely as
those of a question. What tells them apart: random letters are words that no passage holds, lie nearer to other random
letters than to questions, and their nearest passages stand out little.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from kebab_core import VectorMatrix

from kebab_search.anchors import Anchors, nearness
from kebab_search.model_habits import Floors

_SHARE_OF_MOST = 0.5
_USUAL_VECTORS = 3000
"""Of the indexes that floors were measured on."""
_PER_EXTREME = 0.9
_GIBBERISH = -0.003
"""How much nearer to questions than to gibberish a query may be and still count as such."""


class Floor(NamedTuple):
    """How far passages must stand out, in deviations above the mean of their script.

    Attributes:
        at_home: Those in the script of the query.
        abroad: All others.
    """

    at_home: float
    abroad: float


def floor_for(
    query: VectorMatrix, floors: Floors, *, anchors: Anchors, knows_words: bool, vectors: float
) -> Floor:
    """Return how far passages must stand out to be hits.

    Args:
        query: Its vector, shape (1, d).
        floors: Of the model.
        anchors: Of the model; without them gibberish is not told from words that no passage holds, and how far
            passages in another script stand out says nothing.
        knows_words: Whether any passage of the index holds a word of the query.
        vectors: How many vectors standings rest on: one of n stands out by no more than the root of n - 1, and the
            nearest of few by chance alone less far than the nearest of many.
    """
    most = _SHARE_OF_MOST * math.sqrt(max(vectors - 1, 0))
    if not anchors.questions:
        return Floor(min(floors.known, most) if knows_words else floors.gibberish, math.inf)
    if not knows_words and _is_gibberish(query, anchors):
        return Floor(floors.gibberish, floors.gibberish)
    if knows_words:
        return Floor(min(floors.known, most), min(floors.known_abroad, most))
    less = _PER_EXTREME * max(0.0, _usual_extreme(_USUAL_VECTORS) - _usual_extreme(vectors))
    return Floor(min(floors.unknown - less, most), min(floors.abroad - less, most))


def _usual_extreme(vectors: float) -> float:
    """Return about how far the nearest of so many passages stands out that have nothing to do with a query."""
    return math.sqrt(2 * math.log(max(vectors, 1.0)))


def _is_gibberish(query: VectorMatrix, anchors: Anchors) -> bool:
    gibberish, questions = nearness(query, anchors.gibberish), nearness(query, anchors.questions)
    return gibberish is not None and questions is not None and gibberish - questions > _GIBBERISH
