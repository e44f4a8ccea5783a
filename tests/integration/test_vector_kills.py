"""A run that is killed while it makes vectors leaves no wrong hit, and the next one gives every chunk its vector."""

from pathlib import Path

import pytest
from kebab_testing.families import is_thorough

from tests.integration.kill_points import KillPoint, When
from tests.integration.killed_vectors import find_vector_faults
from tests.integration.vector_kill_points import VECTOR_POINTS

CERTAIN = [point for point in VECTOR_POINTS if point.when is not When.DURING]
"""Where a place does not depend on the machine."""


@pytest.mark.thorough
@pytest.mark.parametrize("point", CERTAIN, ids=lambda point: point.name)
def test_run_after_a_kill_gives_every_chunk_its_vector(point: KillPoint, tmp_path: Path) -> None:
    needs_index = any(part in f"{point.target} {point.within}" for part in ("lance", "approximate"))
    # each of its processes takes long to load
    index = "lancedb" if needs_index or is_thorough() else "matrix"
    assert find_vector_faults(tmp_path, point, vector_index=index) == []


def test_there_are_places_enough_and_each_has_a_name_of_its_own() -> None:
    assert len({point.name for point in VECTOR_POINTS}) == len(VECTOR_POINTS) >= 50
