"""A run that is killed anywhere leaves whole documents, and the next one an index as built from nothing."""

from pathlib import Path

import pytest

from tests.integration.kill_points import POINTS, KillPoint, Victim, When
from tests.integration.killed_runs import find_faults

CERTAIN = [point for point in POINTS if point.when is not When.DURING]
"""Where a place does not depend on the machine."""


@pytest.mark.thorough
@pytest.mark.parametrize("point", CERTAIN, ids=lambda point: point.name)
def test_the_run_after_a_kill_makes_the_index_of_a_first_run(point: KillPoint, tmp_path: Path) -> None:
    assert find_faults(tmp_path, point) == []


def test_there_are_points_enough_of_all_kinds_each_with_a_name_of_its_own() -> None:
    assert len({point.name for point in POINTS}) == len(POINTS) >= 40
    assert {point.victim for point in CERTAIN} == set(Victim)
