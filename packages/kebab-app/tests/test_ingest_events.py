"""What a run tells while it is at work, and how it ends when it is asked to stop."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from kebab_app import IngestOptions
from kebab_core import (
    CancelToken,
    CanonicalDocument,
    ExtractContext,
    Extractor,
    IngestEvent,
    JobFilter,
    MediaType,
)
from kebab_ingest import LONG_FILE_BYTES, TICK_SECONDS
from kebab_store_sqlite import SqliteJobRepo

if TYPE_CHECKING:
    from conftest import Base, Outcome

TERMINAL = {"completed", "aborted"}


def assert_lawful(events: Sequence[IngestEvent]) -> None:
    """Check the order that every watcher may rely on."""
    kinds = [event.kind for event in events if event.kind != "heartbeat"]
    scanned = kinds.index("scan_completed")
    assert set(kinds[:scanned]) == {"scan_started"}
    assert kinds[-1] in TERMINAL
    assert set(kinds[scanned + 1 : -1]) <= {"asset_started", "asset_finished"}
    assert sum(kind in TERMINAL for kind in kinds) == 1
    assets = [event for event in events if event.kind in {"asset_started", "asset_finished"}]
    finished = [event for event in assets if event.kind == "asset_finished"]
    assert [event.idx for event in finished] == list(range(1, len(finished) + 1))
    for event, following in itertools.pairwise(assets):
        if event.kind == "asset_started":
            assert (following.kind, following.path, following.idx) == (
                "asset_finished",
                event.path,
                event.idx,
            )


def cancel_at(
    kind: str, number: int = 1
) -> tuple[CancelToken, Callable[[IngestEvent], None], list[IngestEvent]]:
    """Return a token that is cancelled by the n-th event of a kind, the sink that does it, and what it saw."""
    cancel, events = CancelToken(), []

    def sink(event: IngestEvent) -> None:
        events.append(event)
        if sum(seen.kind == kind for seen in events) == number:
            cancel.cancel()

    return cancel, sink, events


def test_unchanged_files_are_counted_without_an_event_where_none_is_wanted(base: Base) -> None:
    for number in range(3):
        base.write(f"{number}.md", f"note {number}")
    base.ingest()
    base.write("2.md", "another text")
    events: list[IngestEvent] = []
    report = base.app.ingest(sink=events.append, options=IngestOptions(tells_unchanged=False))
    assert (report.counts.unchanged, report.counts.updated) == (2, 1)
    assert [(event.path, event.idx, event.total) for event in events if event.kind == "asset_finished"] == [
        ("2.md", 3, 3)
    ]


def test_events_of_a_run_with_every_result_are_in_order_and_count_to_the_total(base: Base) -> None:
    base.write("edited.md", "one")
    base.write("gone.md", "going")
    base.write("moving.md", "on the move")
    base.write("still.md", "the same")
    base.ingest()
    base.write("edited.md", "two and more")
    (base.root / "gone.md").unlink()
    (base.root / "moving.md").rename(base.root / "arrived.md")
    base.write("new.md", "brand new")
    base.write("binary.md", b"\0" * 64)

    run = base.ingest()

    assert_lawful(run.events)
    finished = [event for event in run.events if event.kind == "asset_finished"]
    assert {str(event.path): event.result.value for event in finished} == {
        "arrived.md": "moved",
        "binary.md": "skipped",
        "edited.md": "updated",
        "gone.md": "removed",
        "new.md": "new",
        "still.md": "unchanged",
    }
    assert {event.total for event in finished} == {6}
    (scanned,) = [event for event in run.events if event.kind == "scan_completed"]
    assert scanned.total == 6
    assert run.events[-1].counts == run.report.counts


def test_events_of_two_sources_count_through(base: Base) -> None:
    base.set_sources({"id": "a", "root": str(base.home / "a")}, {"id": "b", "root": str(base.home / "b")})
    base.write("one.md", root=base.home / "a")
    base.write("two.md", root=base.home / "b")

    run = base.ingest()

    assert_lawful(run.events)
    assert run.kinds[:3] == ["scan_started", "scan_started", "scan_completed"]
    assert run.events[-2].idx == run.events[-2].total == 2


def test_long_files_of_all_sources_come_last_and_the_shortest_of_them_first(base: Base) -> None:
    first, second = base.home / "a", base.home / "b"
    base.set_sources({"id": "a", "root": str(first)}, {"id": "b", "root": str(second)})
    base.write("1 longest.txt", b"\0" * (LONG_FILE_BYTES + 2), root=first)
    base.write("2 long.txt", b"\0" * LONG_FILE_BYTES, root=first)
    base.write("3 short.txt", b"\0" * (LONG_FILE_BYTES - 1), root=first)
    base.write("4 gone.txt", "gone", root=second)
    base.write("5 short.txt", root=second)
    base.ingest(second / "4 gone.txt")
    (second / "4 gone.txt").unlink()

    run = base.ingest(prune=True)

    assert_lawful(run.events)
    assert [event.path for event in run.events if event.kind == "asset_finished"] == [
        "3 short.txt",
        "5 short.txt",
        "2 long.txt",
        "1 longest.txt",
        "4 gone.txt",
    ]


def test_asset_events_say_medium_and_chunks(base: Base) -> None:
    base.write("a.txt", "plain")

    events = base.ingest().events

    (started,) = [event for event in events if event.kind == "asset_started"]
    (finished,) = [event for event in events if event.kind == "asset_finished"]
    assert (started.path, started.media) == ("a.txt", "text")
    assert finished.chunks == 1


def test_run_leaves_one_row_of_runs_and_one_of_jobs(base: Base) -> None:
    base.write("a.md")

    report = base.ingest().report

    database = base.app.base.open_for_reading()
    (run,) = SqliteJobRepo(database).list_runs()
    (job,) = SqliteJobRepo(database).list(JobFilter())
    assert run.report == report
    assert (job.status.value, job.payload) == ("succeeded", {"run_id": report.run_id})


def test_cancel_before_the_scan_aborts_with_lawful_events(base: Base) -> None:
    base.write("a.md")
    cancel = CancelToken()
    cancel.cancel()

    run = base.ingest(cancel=cancel)

    assert run.kinds == ["scan_started", "scan_completed", "aborted"]
    assert run.report.aborted
    assert base.paths() == []


@pytest.mark.parametrize(
    ("kind", "number"), [("scan_started", 1), ("scan_completed", 1), ("asset_finished", 2)]
)
def test_cancelled_run_keeps_what_is_done_and_the_next_completes(base: Base, kind: str, number: int) -> None:
    for name in "abc":
        base.write(f"{name}.md", name)
    cancel, sink, events = cancel_at(kind, number)

    report = base.app.ingest(sink=sink, cancel=cancel)

    assert_lawful(events)
    assert events[-1].kind == "aborted"
    assert report.aborted
    assert len(base.paths()) == report.counts.new == (2 if kind == "asset_finished" else 0)
    assert base.app.base.index.source_files.list_scans() == []
    completed = base.ingest()
    assert completed.counts.get("unchanged", 0) == report.counts.new
    assert base.paths() == ["a.md", "b.md", "c.md"]


def test_cancel_in_hand_finishes_the_file_in_hand(base: Base) -> None:
    base.write("a.md")
    base.write("b.md")
    cancel, sink, events = cancel_at("asset_started")

    base.app.ingest(sink=sink, cancel=cancel)

    assert_lawful(events)
    assert base.paths() == ["a.md"]


def test_cancelled_run_removes_nothing(base: Base) -> None:
    gone = base.write("a.md")
    base.write("b.md")
    base.ingest()
    gone.unlink()
    base.write("c.md", "other")
    cancel, sink, _ = cancel_at("asset_finished")

    base.app.ingest(sink=sink, cancel=cancel)

    assert "a.md" in base.paths()
    assert base.ingest().counts["removed"] == 1


def test_cancel_between_sources_leaves_the_second_for_the_next_run(base: Base) -> None:
    base.set_sources({"id": "a", "root": str(base.home / "a")}, {"id": "b", "root": str(base.home / "b")})
    base.write("one.md", root=base.home / "a")
    base.write("two.md", root=base.home / "b")
    cancel, sink, events = cancel_at("asset_finished")

    base.app.ingest(sink=sink, cancel=cancel)

    assert_lawful(events)
    assert base.paths() == ["a:one.md"]
    assert base.ingest().counts == {"scanned": 2, "unchanged": 1, "new": 1}


def test_cancelled_run_is_recorded_as_canceled_and_with_its_report(base: Base) -> None:
    base.write("a.md")
    cancel, sink, _ = cancel_at("scan_completed")
    report = base.app.ingest(sink=sink, cancel=cancel)

    database = base.app.base.open_for_reading()
    (job,) = SqliteJobRepo(database).list(JobFilter())
    (run,) = SqliteJobRepo(database).unfinished_runs()
    assert run.report == report
    assert job.status.value == "canceled"


def test_run_that_fails_ends_with_one_terminal_event_and_a_failed_job(base: Base) -> None:
    base.root.rmdir()
    events: list[IngestEvent] = []

    with pytest.raises(Exception, match="cannot read source folder"):
        base.app.ingest(sink=events.append)

    assert [event.kind for event in events] == ["scan_started", "aborted"]
    (job,) = SqliteJobRepo(base.app.base.open_for_reading()).list(JobFilter())
    assert job.status.value == "failed"
    assert "cannot read source folder" in (job.error or "")


def test_watcher_that_fails_ends_the_run_with_its_own_error(base: Base) -> None:
    base.write("a.md")
    base.write("b.md")

    def broken(event: IngestEvent) -> None:
        if event.kind == "asset_finished":
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        base.app.ingest(sink=broken)

    assert base.paths() == ["a.md"]
    assert base.ingest().counts == {"scanned": 2, "unchanged": 1, "new": 1}


class Waiting:
    """An extractor that works until it is let go."""

    def __init__(self, inner: Extractor, released: threading.Event) -> None:
        self.inner = inner
        self.released = released

    def supports(self, media_type: MediaType) -> bool:
        return self.inner.supports(media_type)

    def parser_version(self) -> str:
        return self.inner.parser_version()

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        assert self.released.wait(timeout=60)
        return self.inner.extract(context, content)


class Releasing(list[IngestEvent]):
    """A list of events that lets the extractor go when it hears a heartbeat."""

    def __init__(self, released: threading.Event) -> None:
        super().__init__()
        self.released = released

    def append(self, event: IngestEvent) -> None:
        super().append(event)
        if event.kind == "heartbeat":
            self.released.set()


def test_slow_file_is_accompanied_by_heartbeats_that_name_it(base: Base) -> None:
    base.write("slow.md")
    released = threading.Event()
    recipes = [replace(recipe, extractor=Waiting(recipe.extractor, released)) for recipe in base.recipes()]

    run: Outcome = base.run_with(recipes=recipes, sink=Releasing(released))

    assert_lawful(run.events)
    beat = next(event for event in run.events if event.kind == "heartbeat")
    assert (beat.phase, beat.path, beat.idx, beat.total) == ("ingest", "slow.md", 1, 1)
    assert run.counts == {"scanned": 1, "new": 1}


def test_watcher_that_fails_on_a_heartbeat_ends_the_run_at_the_next_event(base: Base) -> None:
    class Broken(Releasing):
        def append(self, event: IngestEvent) -> None:
            super().append(event)
            if event.kind == "heartbeat":
                raise BrokenPipeError

    base.write("a.md")
    base.write("b.md")
    released = threading.Event()
    events = Broken(released)
    recipes = [replace(recipe, extractor=Waiting(recipe.extractor, released)) for recipe in base.recipes()]

    with pytest.raises(BrokenPipeError):
        base.run_with(recipes=recipes, sink=events)

    assert [event.kind for event in events][-2:] == ["heartbeat", "aborted"]
    assert base.paths() == ["a.md"]


def test_silence_between_two_beats_is_never_longer_than_two_seconds() -> None:
    assert 2 * TICK_SECONDS <= 2
