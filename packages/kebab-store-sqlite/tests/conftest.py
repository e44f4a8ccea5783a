from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kebab_store_sqlite import SqliteDatabase, check_integrity, open_database
from kebab_testing.fakes.clock import FixedClock


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "share" / "kebab"


@pytest.fixture
def database(data_dir: Path) -> Iterator[SqliteDatabase]:
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=100) as opened:
        yield opened
        assert check_integrity(opened) == []
