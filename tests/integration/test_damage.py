"""A damaged file costs no crash and no hit without a word, and what is then advised heals: a sample of `bench.damage`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from kebab_testing.families import is_thorough

from tests.command_server import CommandServer, find_command_server
from tests.integration.damaged_bases import DamagedBases, Trial
from tests.integration.damages import (
    delete,
    empty,
    flip_bit,
    replace,
    scramble,
    swap_pages,
    truncate,
    zero_page,
)

AT_REST = [
    Trial("database", flip_bit, 1596840319),
    Trial("database", swap_pages, 1283288560),
    Trial("database", delete, 3762902158),
    Trial("log of the database", truncate, 2099557270),
    Trial("manifest of LanceDB", scramble, 4),
    Trial("data of LanceDB", replace, 2518931407),
    Trial("settings of LanceDB", truncate, 4),
    Trial("matrix", zero_page, 3273696371),
    Trial("copies of files", empty, 1845498497),
]
RUNNING = [Trial("matrix", truncate, 1), Trial("database", swap_pages, 2)]


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damage")


@pytest.fixture(scope="module")
def commands() -> Iterator[CommandServer]:
    if not is_thorough():
        yield find_command_server({})
        return
    with closing(
        CommandServer({}, ["lancedb"])
    ) as server:  # each process would take more than a second to load it
        yield server


@pytest.fixture(scope="module")
def bases(scratch: Path, commands: CommandServer) -> DamagedBases:
    """Bases whose vectors are compared one by one."""
    return DamagedBases(scratch / "bases", commands, vector_index="matrix")


@pytest.fixture(scope="module")
def indexed_bases(scratch: Path, commands: CommandServer) -> DamagedBases:
    """Bases with an index of LanceDB, which each process takes long to load."""
    return DamagedBases(scratch / "indexed bases", commands)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "trial"),
    [("indexed_bases" if "LanceDB" in trial.place else "bases", trial) for trial in AT_REST],
    ids=[f"{trial.name} {trial.seed}" for trial in AT_REST],
)
def test_damage_at_rest_is_told_and_healed(request: pytest.FixtureRequest, kind: str, trial: Trial) -> None:
    bases: DamagedBases = request.getfixturevalue(kind)
    assert bases.find_faults(trial) == []


@pytest.mark.thorough
@pytest.mark.parametrize("trial", RUNNING, ids=lambda trial: trial.name)
def test_a_server_outlives_damage_and_finds_everything_once_it_is_mended(
    bases: DamagedBases, trial: Trial
) -> None:
    assert bases.find_running_faults(trial) == []
