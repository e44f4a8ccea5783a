"""One order of candidates, whatever the size of the page that is cut from it.

How deep the index is looked at decides what boosts can lift. If the depth followed the number of hits asked for, a
second page would not go on where the first ended. So places are given out in steps, the first ten, then up to twenty,
forty and so on, each from as many candidates as that step is worth: the first places do not depend on the last ones.
"""

from __future__ import annotations

from collections.abc import Sequence

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


def put_in_order(
    candidates: Sequence[Candidate], *, places: int, beside: Sequence[Candidate] = ()
) -> list[Candidate]:
    """Return the best candidates, best first, equal ones by the rank that the index gave them.

    Args:
        candidates: By that rank; at least `pool_size(step_above(places))` of them where there are so many.
        places: How many are needed, at least 1.
        beside: More candidates from the first step on, whatever `candidates` says of the same chunks.

    Returns:
        These and those up to the next step: a beginning of what any greater number would give. Scores never rise: a
        candidate that would have beaten those before it, but was looked at only in a later step, has their score.
    """
    placed: list[Candidate] = []
    waiting = list(beside)
    taken = {candidate.found.chunk.chunk_id for candidate in beside}
    looked = step = 0
    while step < places:
        step = step_above(step + 1)
        pool = candidates[looked : pool_size(step)]
        waiting += [candidate for candidate in pool if candidate.found.chunk.chunk_id not in taken]
        looked = pool_size(step)
        waiting.sort(key=lambda candidate: (-candidate.score, candidate.lexical_rank))
        chosen, waiting = waiting[: step - len(placed)], waiting[step - len(placed) :]
        placed += _never_above(chosen, placed[-1].score) if placed else chosen
    return placed


def _never_above(candidates: Sequence[Candidate], score: float) -> list[Candidate]:
    return [candidate._replace(score=min(candidate.score, score)) for candidate in candidates]
