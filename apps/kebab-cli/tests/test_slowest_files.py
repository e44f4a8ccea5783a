from __future__ import annotations

from datetime import UTC, datetime

from kebab_cli.progress import SlowestFiles
from kebab_core import AssetFinished, Heartbeat, IngestEvent, IngestResult, WorkspacePath

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def finished(name: str, ms: int) -> AssetFinished:
    return AssetFinished(ts=NOW, idx=1, total=9, path=WorkspacePath(name), result=IngestResult.NEW, ms=ms)


def test_five_slowest_files_are_remembered_slowest_first():
    slowest = SlowestFiles(lambda event: None)
    for name, ms in {"a": 1500, "b": 9000, "c": 2000, "d": 1001, "e": 3000, "f": 1700}.items():
        slowest.watch(finished(name, ms))
    assert [file.path for file in slowest.files] == ["b", "e", "c", "f", "a"]


def test_file_of_up_to_a_second_is_not_slow():
    slowest = SlowestFiles(lambda event: None)
    slowest.watch(finished("a", 1000))
    assert slowest.files == []


def test_every_event_is_passed_on_in_order():
    seen: list[IngestEvent] = []
    slowest = SlowestFiles(seen.append)
    events: list[IngestEvent] = [finished("a", 5000), Heartbeat(ts=NOW, phase="scan", idx=0, total=0)]
    for event in events:
        slowest.watch(event)
    assert seen == events
