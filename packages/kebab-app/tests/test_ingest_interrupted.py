"""Runs that die, runs at the same time, readers in between."""

from __future__ import annotations

import os
import platform
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_app import App, IngestOptions, build_overview
from kebab_config import read_environment
from kebab_core import (
    CancelToken,
    DocFilter,
    FetchDocument,
    IngestEvent,
    JobFilter,
    LockedError,
    NoHitReason,
    NotIndexedError,
    ReadonlyModeError,
    SearchMode,
    SearchQuery,
    StorageError,
)
from kebab_store_sqlite import SqliteJobRepo, find_writer, hold_writer_lock
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

from tests.command_server import CODE, PATIENCE_S, ForkedProcess, find_command_server
from tests.remedies import say

if TYPE_CHECKING:
    from conftest import Base

PROGRAM = """
import sys
from pathlib import Path
from kebab_app import App, IngestOptions
from kebab_config import load_settings

config, home, stop_at, path = sys.argv[1:]
loaded = load_settings(config_path=Path(config), environ={"HOME": home})
told = 0

def tell(event):
    global told
    if event.kind == "heartbeat":  # when there is one depends on the machine
        return
    told += 1
    print(event.kind, flush=True)
    if told == int(stop_at):
        sys.stdin.readline()

with App(loaded) as app:
    app.ingest(Path(path) if path else None, sink=tell)
"""

DYING = """
import os, signal, sys
from pathlib import Path
from kebab_core import CancelToken
from kebab_app import App
from kebab_ingest import IngestRequest, IngestRun
from kebab_app.ingest_wiring import build_ingest_resources
from kebab_config import load_settings
import dataclasses

config, home, method = sys.argv[1:]

class Dying:
    def __init__(self, inner):
        self.inner = inner
    def __getattr__(self, name):
        if name == method:
            os.kill(os.getpid(), signal.SIGKILL)
        return getattr(self.inner, name)

with App(load_settings(config_path=Path(config), environ={"HOME": home})) as app:
    resources = build_ingest_resources(app.base)
    stores = {name: Dying(getattr(resources, name)) for name in ("documents", "source_files")}
    resources = dataclasses.replace(resources, **stores)
    request = IngestRequest(targets=app.base.targets)
    IngestRun(resources, request, sink=lambda event: None, cancel=CancelToken()).run()
"""


def run_program(base: Base, program: str, *arguments: str) -> ForkedProcess:
    environ = dict(read_environment())
    server = find_command_server(environ)
    given = [CODE, program, str(base.config_path), base.environ["HOME"], *arguments]
    return ForkedProcess(server.address, given, environ=environ, cwd=base.home)


@contextmanager
def stopped_ingest(base: Base, at_event: int, path: str = "") -> Iterator[ForkedProcess]:
    """Run ingest in another process until it has told so many events but heartbeats; there it waits for a line."""
    base.load()
    with run_program(base, PROGRAM, str(at_event), path) as process:
        try:
            for _ in range(at_event):
                assert process.stdout.readline()
            yield process
        finally:
            process.kill()


def kill_ingest(base: Base, at_event: int, path: str = "") -> None:
    with stopped_ingest(base, at_event, path) as process:
        process.kill()
        process.wait()


def check(base: Base, name: str) -> bool:
    return next(check.ok for check in base.app.doctor().checks if check.name == name)


@pytest.mark.thorough
@pytest.mark.parametrize("at_event", [1, 2, 3, 4, 6])
def test_run_that_was_killed_is_shown_until_the_next_one_completes_its_work(
    base: Base, at_event: int
) -> None:
    for name in "abc":
        base.write(f"{name}.md", f"# {name}")
    kill_ingest(base, at_event)

    assert not check(base, "ingest_finished")
    assert check(base, "sqlite_integrity")
    run = base.ingest()

    done = max(0, (at_event - 2) // 2)
    assert run.counts.get("unchanged", 0) >= done
    assert base.paths() == ["a.md", "b.md", "c.md"]
    assert len(base.asset_files()) == 3
    assert check(base, "ingest_finished")
    assert check(base, "sqlite_integrity")
    jobs = SqliteJobRepo(base.app.base.open_for_reading()).list(JobFilter())
    assert sorted(job.status.value for job in jobs) == ["failed", "succeeded"]
    assert base.ingest().counts == {"scanned": 3, "unchanged": 3}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "method", ["put_asset", "replace_document", "remove_documents", "record_scan", "collect_assets"]
)
def test_kill_at_any_write_leaves_whole_documents_and_no_orphan_files(base: Base, method: str) -> None:
    base.write("a.md", "one")
    base.write("b.md", "stays")
    base.ingest()
    base.close()
    base.write("a.md", "two and more")
    base.write("new.md", "new")
    (base.root / "b.md").rename(base.root / "moved.md")
    with run_program(base, DYING, method) as died:
        assert died.wait(PATIENCE_S) == -signal.SIGKILL

    for document in base.documents().values():
        assert base.app.fetch(FetchDocument(doc_id=document.doc_id)).text in {
            "one",
            "two and more",
            "stays",
            "new",
        }
    base.ingest()

    assert base.paths() == ["a.md", "moved.md", "new.md"]
    assert len(base.asset_files()) == 3
    assert check(base, "sqlite_integrity")


def test_run_over_a_part_does_not_hide_that_the_whole_was_interrupted(base: Base) -> None:
    base.write("sub/a.md", "a")
    base.write("b.md", "b")
    kill_ingest(base, 1)

    base.ingest(base.root / "sub")
    assert not check(base, "ingest_finished")

    base.ingest()
    assert check(base, "ingest_finished")


def test_interrupted_run_over_a_part_is_made_good_by_a_run_over_that_part(base: Base) -> None:
    base.write("sub/deep/a.md", "a")
    kill_ingest(base, 1, str(base.root / "sub" / "deep"))

    base.ingest(base.root / "sub")

    assert check(base, "ingest_finished")


def test_interrupted_run_is_made_good_though_its_source_is_no_longer_configured(base: Base) -> None:
    base.set_sources({"id": "old", "root": str(base.root)})
    base.write("a.md")
    kill_ingest(base, 1)
    base.set_sources({"id": "new", "root": str(base.root)})

    base.ingest()

    assert check(base, "ingest_finished")


def abort_ingest(base: Base, path: Path | None = None) -> None:
    cancel = CancelToken()
    cancel.cancel()
    base.ingest(path, cancel=cancel)


def test_aborted_run_does_not_settle_an_interrupted_one(base: Base) -> None:
    base.write("a.md")
    kill_ingest(base, 1)

    abort_ingest(base)

    assert not check(base, "ingest_finished")
    assert len(SqliteJobRepo(base.app.base.open_for_reading()).unfinished_runs()) == 2


def test_aborted_run_leaves_the_index_incomplete_until_a_run_completes_its_work(base: Base) -> None:
    base.write("a.md", "rollback")
    base.write("sub/b.md", "two")
    abort_ingest(base)

    missed = base.app.search(SearchQuery(text="rollback"))
    assert not missed.coverage.ingest_running
    assert missed.coverage.ingest_interrupted
    assert missed.no_hit_reason is NoHitReason.INDEX_EMPTY
    doctor = {check.name: check for check in base.app.doctor().checks}
    assert (doctor["ingest_finished"].ok, say(doctor["ingest_finished"])) == (False, "kebab ingest")

    base.ingest(base.root / "sub")
    incomplete = base.app.search(SearchQuery(text="rollback"))
    assert incomplete.coverage.ingest_interrupted
    assert incomplete.no_hit_reason is NoHitReason.NOTHING_MATCHES

    base.ingest()
    assert not base.app.search(SearchQuery(text="rollback")).coverage.ingest_interrupted
    assert check(base, "ingest_finished")


def test_aborted_run_over_a_part_is_made_good_by_a_run_over_that_part(base: Base) -> None:
    base.write("sub/a.md", "a")
    base.ingest()
    abort_ingest(base, base.root / "sub")
    assert not check(base, "ingest_finished")

    base.ingest(base.root / "sub")

    assert check(base, "ingest_finished")


@pytest.mark.parametrize("kind", ["asset_started", "asset_finished"])
def test_cancel_during_the_last_file_leaves_nothing_undone(base: Base, kind: str) -> None:
    base.write("a.md", "a")
    base.write("b.md", "b")
    cancel, started = CancelToken(), []

    def watch(event: IngestEvent) -> None:
        started.append(event.kind == kind)
        if sum(started) == 2:
            cancel.cancel()

    report = base.app.ingest(sink=watch, cancel=cancel)

    assert report.aborted
    coverage = base.app.search(SearchQuery(text="rollback")).coverage
    assert (coverage.ingest_running, coverage.ingest_interrupted) == (False, False)
    assert check(base, "ingest_finished")
    assert base.ingest().counts == {"scanned": 2, "unchanged": 2}


@pytest.mark.thorough
@pytest.mark.parametrize("event", range(1, 6))
def test_document_that_was_given_and_called_off_leaves_no_unfinished_run(base: Base, event: int) -> None:
    base.write("a.md", "a")
    base.ingest()
    cancel, seen = CancelToken(), []

    def watch(told: IngestEvent) -> None:
        seen.append(told)
        if len(seen) == event:
            cancel.cancel()

    report = base.app.ingest_text("# given\n\nrollback", title="T", sink=watch, cancel=cancel)

    assert report.aborted is (event < 5)
    found = base.app.search(SearchQuery(text="unheard"))
    assert (found.coverage.ingest_running, found.coverage.ingest_interrupted) == (False, False)
    assert found.no_hit_reason is NoHitReason.NOTHING_MATCHES
    base.ingest()
    assert len(base.app.search(SearchQuery(text="rollback")).hits) == 1


def test_run_that_failed_halfway_leaves_the_index_incomplete(base: Base) -> None:
    base.write("a.md", "a")

    def fail(event: IngestEvent) -> None:
        if event.kind == "asset_finished":
            raise RuntimeError("whoever watches failed")

    with pytest.raises(RuntimeError):
        base.app.ingest(sink=fail)

    assert not check(base, "ingest_finished")


def test_run_over_a_place_that_does_not_exist_leaves_nothing_undone(base: Base) -> None:
    base.write("a.md", "a")
    base.ingest()

    with pytest.raises(StorageError):
        base.ingest(base.root / "typo.md")

    assert check(base, "ingest_finished")


def test_second_writer_is_refused_and_told_who_holds_the_lock(base: Base) -> None:
    base.write("a.md")
    with stopped_ingest(base, 2) as process, pytest.raises(LockedError) as caught:
        base.ingest()

    details = caught.value.details
    assert (details["pid"], details["host"]) == (process.pid, socket.gethostname())
    assert details["command"]
    assert "kebab ingest --wait" in str(say(caught.value))


def test_running_ingest_is_told_from_an_interrupted_one(base: Base) -> None:
    base.write("a.md", "one")
    with stopped_ingest(base, 2) as process:
        doctor = {check.name: check for check in base.app.doctor().checks}
        finished = doctor["ingest_finished"]
        assert (finished.ok, finished.detail) == (True, f"an ingest is running (pid {process.pid})")
        coverage = base.app.search(SearchQuery(text="one")).coverage
        assert (coverage.ingest_running, coverage.ingest_interrupted) == (True, False)
        process.kill()
        process.wait()
        coverage = base.app.search(SearchQuery(text="one")).coverage
        assert (coverage.ingest_running, coverage.ingest_interrupted) == (False, True)


def test_vectors_are_waited_for_while_an_ingest_runs_and_ingested_where_it_was_interrupted(
    base: Base,
) -> None:
    base.write("a.md", "one")
    base.embedder = BagOfWordsEmbedder()

    def ask_for_vectors() -> tuple[NoHitReason | None, str]:
        hints = set()
        for mode in (SearchMode.HYBRID, SearchMode.VECTOR):
            found = base.app.search(SearchQuery(text="uno", mode=mode))
            assert found.coverage.leg_failure is not None
            hints.add(str(say(found.coverage.leg_failure)))
        (hint,) = hints
        return found.no_hit_reason, hint

    with stopped_ingest(base, 2) as process:
        at_work = f"search again later: kebab is updating the index (pid {process.pid})"
        assert ask_for_vectors() == (NoHitReason.STILL_INDEXING, at_work)
        process.kill()
        process.wait()
        assert ask_for_vectors() == (NoHitReason.INDEX_EMPTY, "kebab ingest")
    base.embedder = None
    base.close()
    base.ingest()
    base.close()
    base.embedder = BagOfWordsEmbedder()
    with pytest.raises(NotIndexedError) as refused:
        base.app.search(SearchQuery(text="uno", mode=SearchMode.VECTOR))
    assert say(refused.value) == "kebab embed"


def test_lock_named_for_a_process_that_lives_but_holds_none_is_nobody_s(base: Base) -> None:
    base.data_dir.mkdir()
    lock = base.data_dir / "writer.lock"
    for text in (
        f'{{"pid": {os.getpid()}, "host": "{platform.node()}"}}',
        f'{{"pid": {os.getpid()}, "host": "elsewhere"}}',
        '{"pid": "unknown"}',
        '{"pid": 99999999999999999999}',
        "\udcff",
        "",
    ):
        lock.write_text(text, encoding="utf-8", errors="surrogateescape")
        assert find_writer(base.data_dir) is None
    lock.unlink()
    assert find_writer(base.data_dir) is None


def test_writer_is_found_while_it_holds_the_lock_and_not_after(base: Base) -> None:
    with hold_writer_lock(base.data_dir):
        assert find_writer(base.data_dir) == os.getpid()
    assert find_writer(base.data_dir) is None


def test_progress_of_a_run_is_seen_from_another_process_until_it_ends(base: Base) -> None:
    base.write("a.md")
    base.write("b.md")
    with stopped_ingest(base, 3) as process:
        work = build_overview(base.app.base).work
        assert work is not None
        assert (work.pid, work.done, work.total) == (process.pid, 0, 2)
        coverage = build_overview(base.app.base).coverage
        assert coverage is not None
        assert (coverage.ingest_running, coverage.ingest_interrupted) == (True, False)
        process.kill()
        process.wait()
        overview = build_overview(base.app.base)
        assert overview.coverage is not None
        assert (overview.coverage.ingest_running, overview.coverage.ingest_interrupted) == (False, True)
    assert build_overview(base.app.base).work is None


def test_progress_of_a_run_that_has_ended_is_not_that_of_the_process_that_writes(base: Base) -> None:
    base.write("a.md")
    base.ingest()
    with hold_writer_lock(base.data_dir):
        work = build_overview(base.app.base).work
        assert work is not None
        assert (work.pid, work.total, work.path) == (os.getpid(), 0, "")


def test_second_writer_that_waits_goes_on_after_the_first(base: Base) -> None:
    base.write("a.md")
    events: list[IngestEvent] = []
    with stopped_ingest(base, 2) as process:
        told = threading.Event()

        def watch(event: IngestEvent) -> None:
            events.append(event)
            told.set()

        waiting = threading.Thread(
            target=lambda: base.app.ingest(sink=watch, options=IngestOptions(wait=True))
        )
        waiting.start()
        assert told.wait(60)
        (first, *_) = events
        assert (first.kind, first.phase) == ("heartbeat", "wait")
        assert f"(pid {process.pid}, host {platform.node()})" in first.waits_for
        process.stdin.write(b"\n")
        process.wait()
        waiting.join()

    assert [event.kind for event in events][-1] == "completed"
    assert events[-1].counts.unchanged == 1


def test_run_that_is_called_off_while_it_waits_is_aborted_and_leaves_nothing_behind(base: Base) -> None:
    base.write("a.md")
    outside = base.write("letter.md", "letter", root=base.home / "downloads")
    for start in (
        lambda **how: base.app.ingest(options=IngestOptions(wait=True), **how),
        lambda **how: base.app.ingest_file(outside, wait=True, **how),
        lambda **how: base.app.ingest_text("text", title="T", wait=True, **how),
    ):
        cancel, events = CancelToken(), []

        def watch(event: IngestEvent, cancel: CancelToken = cancel, seen: list[IngestEvent] = events) -> None:
            seen.append(event)
            cancel.cancel()

        with hold_writer_lock(base.data_dir):
            report = start(sink=watch, cancel=cancel)
        assert [event.kind for event in events] == ["heartbeat", "aborted"]
        assert (report.aborted, report.items, report.counts.scanned) == (True, (), 0)
    assert not (base.root / "_external").exists()
    base.ingest()
    assert check(base, "ingest_finished")


def test_waiting_for_a_writer_is_told_again_and_again(base: Base) -> None:
    base.write("a.md")
    cancel, beats = CancelToken(), []

    def watch(event: IngestEvent) -> None:
        beats.append(event)
        if len(beats) == 3:
            cancel.cancel()

    with hold_writer_lock(base.data_dir):
        base.app.ingest(sink=watch, cancel=cancel, options=IngestOptions(wait=True))

    assert [event.kind for event in beats] == ["heartbeat"] * 3 + ["aborted"]


def test_lock_of_a_dead_process_holds_nobody_up(base: Base) -> None:
    base.write("a.md")
    kill_ingest(base, 2)

    assert base.ingest().counts == {"scanned": 1, "new": 1}


def test_reader_sees_the_old_document_whole_until_the_new_one_is_whole(base: Base) -> None:
    old, new = ("\n\n".join(f"# {word} {n}\n\ntext" for n in range(50)) for word in ("old", "new"))
    base.write("a.md", old)
    base.ingest()
    base.write("a.md", new)
    seen: list[tuple[str, str | None, int]] = []

    def read(event: IngestEvent) -> None:
        if event.kind in {"asset_started", "asset_finished"}:
            with App(base.load(), readonly=True, clock=base.clock) as reader:
                (document,) = reader.list_documents(DocFilter())
                text = reader.fetch(FetchDocument(doc_id=document.doc_id)).text
                seen.append((event.kind, text, reader.base.index.documents.stats().chunk_count))

    base.app.ingest(sink=read)

    assert seen == [("asset_started", old, 50), ("asset_finished", new, 50)]


def test_search_finishes_over_what_it_began_with_when_documents_are_replaced_meanwhile(base: Base) -> None:
    base.write("a.md", "alpha one")
    base.ingest()
    inner = base.app.base.index.terms

    class Overtaken:
        """An index that everything changes behind as soon as it has answered."""

        def __getattr__(self, name: str) -> object:
            return getattr(inner, name)

        def search(self, *args: object, **options: object) -> object:
            matches = inner.search(*args, **options)
            base.write("a.md", "alpha two")
            with App(base.load(), clock=base.clock) as writer:
                writer.ingest()
            return matches

    base.app.base.index.__dict__["terms"] = Overtaken()

    (hit,) = base.app.search(SearchQuery(text="alpha")).hits

    assert (hit.snippet, hit.stale) == ("alpha one", True)


def test_readonly_refuses_every_write_and_changes_nothing(base: Base) -> None:
    from kebab_app import ResetScope

    base.write("a.md")
    base.ingest()
    base.close()
    base.write("b.md")
    base.readonly = True
    before = _snapshot(base.data_dir)

    with pytest.raises(ReadonlyModeError):
        base.ingest()
    for scope in ResetScope:
        with pytest.raises(ReadonlyModeError):
            base.app.reset(scope)
    assert base.paths() == ["a.md"]
    base.app.fetch(FetchDocument(doc_id=base.documents()["a.md"].doc_id))
    base.app.doctor()
    base.close()

    assert _snapshot(base.data_dir) == before
    assert base.config_path.exists()


def _snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return the files but those by which SQLite's readers and writers agree on who reads what."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }


def test_everything_kebab_writes_is_for_its_owner_only(base: Base) -> None:
    base.write("a.md")
    base.ingest()

    modes = {path: path.stat().st_mode & 0o777 for path in (base.data_dir, *base.data_dir.rglob("*"))}

    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    assert os.umask(0o022) == 0o022
