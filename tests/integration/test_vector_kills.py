"""A run that is killed while it makes vectors leaves no wrong hit, and the next one gives every chunk its vector."""

from pathlib import Path

import pytest

from tests.integration.killed_vectors import find_vector_faults
from tests.integration.vector_kill_points import VECTOR_POINTS, VECTOR_SAMPLE

BY_NAME = {point.name: point for point in VECTOR_POINTS}


@pytest.mark.parametrize("name", VECTOR_SAMPLE)
def test_run_after_a_kill_gives_every_chunk_its_vector(name: str, tmp_path: Path) -> None:
    assert find_vector_faults(tmp_path, BY_NAME[name]) == []


def test_there_are_places_enough_and_each_has_a_name_of_its_own() -> None:
    assert len(BY_NAME) == len(VECTOR_POINTS) >= 50
