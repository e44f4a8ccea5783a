"""A run that is killed anywhere leaves whole documents, and the next one an index as built from nothing."""

from pathlib import Path

import pytest

from tests.integration.kill_points import POINTS, SAMPLE, Victim, When
from tests.integration.killed_runs import find_faults

BY_NAME = {point.name: point for point in POINTS}


@pytest.mark.parametrize("name", SAMPLE)
def test_the_run_after_a_kill_makes_the_index_of_a_first_run(name: str, tmp_path: Path) -> None:
    assert find_faults(tmp_path, BY_NAME[name]) == []


def test_there_are_points_enough_and_the_sample_is_of_all_kinds() -> None:
    sample = [BY_NAME[name] for name in SAMPLE]
    assert len(BY_NAME) == len(POINTS) >= 40
    assert {point.victim for point in sample} == set(Victim)
    assert When.DURING not in {point.when for point in sample}, "where that is depends on the machine"
