"""Dates without a zone are those of this machine, as whoever wrote them meant."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from kebab_parse.metadata import read_instant


@pytest.fixture(params=["Asia/Seoul", "America/New_York"])
def _zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("_zone")
@pytest.mark.parametrize("written", ["2025-05-03", "2025.5.3", "2025-05-03 23:10", "2025-05-03T00:05:00"])
def test_a_date_without_a_zone_stays_the_day_that_was_written(written: str) -> None:
    found = read_instant(written)
    assert found is not None
    assert f"{found.astimezone():%Y-%m-%d}" == "2025-05-03"


def test_a_time_with_a_zone_keeps_it() -> None:
    found = read_instant("2025-05-03T09:30:00+09:00")
    assert found is not None
    assert found.isoformat() == "2025-05-03T00:30:00+00:00"
