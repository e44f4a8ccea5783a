"""One order of candidates, whatever the size of the page that is cut from it.

How deep an index is looked at decides what boosts can lift. If the depth followed the number of hits asked for, a
second page would not go on where the first ended. So places are given out in steps, the first ten, then up to twenty,
forty and so on, each from as many candidates as that step is worth: the first places do not depend on the last ones.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kebab_core import ChunkId

from kebab_search.hits import Candidate

_FIRST_STEP = 10


def pool_size(places: int) -> int:
    """Return how many chunks are boosted to give out so many places.

    Twice as many and twenty: beyond this many no hit rose into the first ten.
    """
    return 2 * places + 20


def step_above(places: int) -> int:
    """Return the first of 10, 20, 40, … that is no less."""
    step = _FIRST_STEP
    while step < places:
        step *= 2
    return step


FIRST_POOL = pool_size(step_above(1))
"""The chunks that are looked at to give out the first places, however many hits are asked for."""


def pool_of(depth: int) -> int:
    """Return how deep is looked in the step in which candidates of a depth come in."""
    step = step_above(1)
    while pool_size(step) < depth:
        step = step_above(step + 1)
    return pool_size(step)


def put_in_order(
    candidates: Sequence[Candidate], *, places: int, beside: Sequence[Candidate] = ()
) -> list[Candidate]:
    """Return the best candidates, best first, equal ones by their ranks.

    Args:
        candidates: In any order; all that are no deeper than `pool_size(step_above(places))` on one of the legs.
        places: How many are needed, at least 1.
        beside: More candidates from the first step on, whatever `candidates` says of the same chunks.

    Returns:
        These and those up to the next step: a beginning of what any greater number would give. Scores never rise: a
        candidate that would have beaten those before it, but was looked at only in a later step, has their score.
    """
    placed: list[Candidate] = []
    waiting = list(beside)
    taken = {candidate.chunk_id for candidate in beside}
    looked = step = 0
    while step < places:
        step = step_above(step + 1)
        waiting += [
            candidate
            for candidate in candidates
            if looked < candidate.depth <= pool_size(step) and candidate.chunk_id not in taken
        ]
        looked = pool_size(step)
        waiting.sort(key=_place)
        chosen, waiting = waiting[: step - len(placed)], waiting[step - len(placed) :]
        placed += _never_above(chosen, placed[-1].score) if placed else chosen
    return placed


def _place(candidate: Candidate) -> tuple[float, int, int, ChunkId]:
    """Return what candidates are ordered by."""
    ranks = (candidate.lexical_rank, candidate.vector_rank)
    first, second = (sys.maxsize if rank is None else rank for rank in ranks)
    return -candidate.score, first, second, candidate.chunk_id


def _never_above(candidates: Sequence[Candidate], score: float) -> list[Candidate]:
    return [candidate._replace(score=min(candidate.score, score)) for candidate in candidates]
