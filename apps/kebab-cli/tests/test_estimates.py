"""How long a run takes is told once, early, and only where it is worth waiting for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from kebab_cli.estimates import Estimate
from kebab_core import AssetFinished, IngestResult, WorkspacePath
from kebab_testing.tables import walk

START = datetime(2026, 1, 1, tzinfo=UTC)
PATH = WorkspacePath("a.md")


@walk(("total", "told"), [(20, []), (1000, ["reading takes about 16 min"])])
def test_a_run_of_more_than_a_minute_is_announced_once(total: int, told: list[str]) -> None:
    estimate, lines = Estimate(), []
    for index in range(1, 18):
        at = START + timedelta(seconds=index)
        lines.append(
            estimate.look(AssetFinished(ts=at, idx=index, total=total, path=PATH, result=IngestResult.NEW))
        )
    assert [line.partition(";")[0] for line in lines if line] == told


def test_a_first_file_that_takes_long_does_not_count() -> None:
    estimate, lines = Estimate(), []
    for index in range(1, 200):
        at = START + timedelta(seconds=60 + index / 20)
        lines.append(
            estimate.look(AssetFinished(ts=at, idx=index, total=3000, path=PATH, result=IngestResult.NEW))
        )
    assert [line.partition(";")[0] for line in lines if line] == ["reading takes about 2 min"]
