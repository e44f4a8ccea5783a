from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from kebab_store_sqlite import SqliteDatabase, check_integrity, open_database
from kebab_testing.fakes.clock import FixedClock


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "share" / "kebab"


@pytest.fixture(scope="session")
def empty_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder without documents, to be copied: its schema takes most of the time of a test."""
    folder = tmp_path_factory.mktemp("empty") / "kebab"
    open_database(folder, clock=FixedClock(), copy_threshold_bytes=100).close()
    return folder


@pytest.fixture
def database(data_dir: Path, empty_base: Path) -> Iterator[SqliteDatabase]:
    shutil.copytree(empty_base, data_dir)
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=100) as opened:
        yield opened
        assert check_integrity(opened) == []
