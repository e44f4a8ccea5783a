"""Log files: one for each run, private, and not for ever."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kebab_app import configure_logging
from kebab_core import CancelToken, DocFilter, ScanStarted, SearchMode, SearchQuery, StorageError
from kebab_ingest import open_run_log
from kebab_testing.full_disks import small_files

from tests.remedies import say

if TYPE_CHECKING:
    from kebab_config import LoadedSettings

    from conftest import Base


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    logger = logging.getLogger("kebab")
    before = (logger.handlers[:], logger.propagate, logger.level)
    yield logger
    for handler in logger.handlers:
        handler.close()
    logger.handlers, logger.propagate = before[0], before[1]
    logger.setLevel(before[2])


def start_log(loaded: LoadedSettings, *, debug: bool) -> None:
    configure_logging(loaded.settings.logging, loaded.paths.log_dir, debug=debug)


def run_logs(base: Base) -> list[Path]:
    return sorted((base.data_dir / "logs").glob("ingest-*.ndjson"))


def test_run_is_logged_as_its_events_without_unchanged_files(base: Base) -> None:
    base.write("a.md")
    base.ingest()
    base.write("b.md")
    base.ingest()

    first, second = (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for path in run_logs(base)
    )

    assert [event["kind"] for event in first] == [
        "scan_started",
        "scan_completed",
        "asset_started",
        "asset_finished",
        "completed",
    ]
    assert [event["path"] for event in second if event["kind"] == "asset_finished"] == ["b.md"]


def test_event_is_on_disk_before_the_watcher_hears_of_it(base: Base) -> None:
    base.write("a.md")
    lines: list[int] = []

    base.app.ingest(
        sink=lambda _: lines.append(len(run_logs(base)[0].read_text(encoding="utf-8").splitlines()))
    )

    assert lines == [1, 2, 3, 4, 5]


def rows(base: Base) -> tuple[list[str], list[str]]:
    """The runs and the jobs that the database knows, newest first."""
    with closing(sqlite3.connect(base.data_dir / "kebab.sqlite")) as connection:
        runs = connection.execute("SELECT run_id FROM ingest_runs ORDER BY rowid DESC").fetchall()
        jobs = connection.execute("SELECT payload_json FROM jobs ORDER BY rowid DESC").fetchall()
    return [run for (run,) in runs], [json.loads(payload)["run_id"] for (payload,) in jobs]


def test_runs_are_known_to_the_database_as_long_as_their_logs(base: Base) -> None:
    base.configure("logging", keep_runs=3)
    ids = []
    for _ in range(5):
        ids.append(base.ingest().report.run_id)
        base.clock.advance(timedelta(days=10))
    newest = ids[::-1]
    assert rows(base) == (newest[:3], newest[:3])
    base.configure("logging", keep_runs=3, retention_days=15)
    last = base.ingest().report.run_id
    assert rows(base) == ([last, newest[0]], [last, newest[0]])


def test_a_run_that_left_work_undone_is_known_until_it_is_done(base: Base) -> None:
    base.configure("logging", keep_runs=1)
    base.write("a.md")
    base.write("sub/b.md")
    token = CancelToken()
    token.cancel()
    stopped = base.ingest(cancel=token).report
    for _ in range(2):
        part = base.ingest(base.root / "sub").report
        assert rows(base)[0] == [part.run_id, stopped.run_id]
    whole = base.ingest().report
    assert rows(base)[0] == [whole.run_id]


def test_only_the_newest_logs_are_kept(base: Base) -> None:
    base.configure("logging", keep_runs=2)
    for _ in range(4):
        base.ingest()
        base.clock.advance(timedelta(minutes=1))

    stamps = [path.name.split("-")[1] for path in run_logs(base)]

    assert len(stamps) == 2
    assert stamps == sorted(stamps)
    assert stamps[-1] == f"{base.clock.now() - timedelta(minutes=1):%Y%m%dT%H%M%S%f}"


def test_old_logs_are_deleted_and_other_files_are_not(base: Base) -> None:
    base.configure("logging", retention_days=7)
    base.ingest()
    (base.data_dir / "logs" / "notes.txt").write_text("mine", encoding="utf-8")
    base.clock.advance(timedelta(days=8))
    base.ingest()

    assert len(run_logs(base)) == 1
    assert (base.data_dir / "logs" / "notes.txt").exists()


def test_retention_of_zero_days_keeps_old_logs(base: Base) -> None:
    base.configure("logging", retention_days=0)
    base.ingest()
    base.clock.advance(timedelta(days=10_000))
    base.ingest()

    assert len(run_logs(base)) == 2


def test_log_folder_that_cannot_be_made_is_an_error_of_storage(base: Base) -> None:
    base.write("a.md")
    base.data_dir.mkdir()
    (base.data_dir / "logs").write_text("a file", encoding="utf-8")

    with pytest.raises(StorageError) as caught:
        base.ingest()

    assert say(caught.value)


def test_run_log_on_a_full_disk_is_a_clear_error_and_can_be_closed(base: Base) -> None:
    event = ScanStarted(ts=base.clock.now(), root="r" * 1000)
    with (
        open_run_log(base.load().paths.log_dir, base.load().settings.logging, clock=base.clock) as log,
        small_files(500),
        pytest.raises(StorageError) as caught,
    ):
        log(event)

    assert "disk space" in str(say(caught.value))


def test_program_log_on_a_full_disk_spoils_nothing(
    base: Base, logger: logging.Logger, capfd: pytest.CaptureFixture[str]
) -> None:
    start_log(base.load(), debug=False)
    with small_files(0):
        logger.error("cannot be written")
        assert capfd.readouterr().err == ""

    logger.error("can be written")
    assert "can be written" in (base.app.loaded.paths.log_dir / "kebab.log").read_text("utf-8")


def test_program_log_is_private_json_and_made_only_when_there_is_something_to_say(
    base: Base, logger: logging.Logger
) -> None:
    loaded = base.load()
    start_log(loaded, debug=False)
    logging.getLogger("kebab.ingest").info("too quiet")
    assert not loaded.paths.log_dir.exists()

    logging.getLogger("kebab.ingest").warning("말하자면 %s", "x", extra={"doc_id": "d1"})

    path = loaded.paths.log_dir / "kebab.log"
    line = json.loads(path.read_text(encoding="utf-8"))
    assert (line["level"], line["message"], line["doc_id"]) == ("warning", "말하자면 x", "d1")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_debug_logs_everything_and_configuring_again_logs_once(base: Base, logger: logging.Logger) -> None:
    loaded = base.load()
    start_log(loaded, debug=False)
    start_log(loaded, debug=True)

    logging.getLogger("kebab.search").debug("detail")

    assert len((loaded.paths.log_dir / "kebab.log").read_text(encoding="utf-8").splitlines()) == 1


SECRET = "zugzwang"


def logged(base: Base) -> list[dict[str, Any]]:
    """Take the lines of the log so far."""
    path = base.app.loaded.paths.log_dir / "kebab.log"
    text = path.read_text(encoding="utf-8")
    path.write_bytes(b"")
    assert SECRET not in text
    return [json.loads(line) for line in text.splitlines()]


def steps_of(lines: list[dict[str, Any]], logger: str) -> list[str]:
    return [line["message"] for line in lines if line["logger"] == logger]


@pytest.mark.usefixtures("embedding", "logger")
def test_debug_logs_each_step_with_ids_counts_and_times_and_no_text(base: Base) -> None:
    base.write("a.md", f"# A {SECRET}\n\nThe {SECRET} backup is kept for 30 days.\n")
    start_log(base.load(), debug=True)
    base.app.ingest()
    lines = logged(base)
    file_steps = ["read", "extract", "chunk", "analyse", "pack", "commit"]
    assert steps_of(lines, "kebab.ingest") == file_steps
    assert steps_of(lines, "kebab.embedding") == ["embed", "commit"]
    assert len({line["trace_id"] for line in lines}) == 1
    assert all(isinstance(line["ms"], int) for line in lines)
    (document,) = base.app.list_documents(DocFilter())
    of_file = [line for line in lines if line["logger"] == "kebab.ingest"]
    assert {line["doc_id"] for line in of_file} == {document.doc_id}
    stored = of_file[-1]["chunk_ids"]
    assert len(stored) == of_file[-1]["chunks"] == 1

    hit = base.app.search(SearchQuery(text=f"{SECRET} backup", mode=SearchMode.HYBRID)).hits[0]
    lines = logged(base)
    assert [line["message"] for line in lines] == [
        "query_analysis",
        "lexical_candidates",
        "query_vector",
        "vector_candidates",
        "fusion",
        "hydration",
    ]
    assert (lines[-1]["doc_ids"], lines[-1]["chunk_ids"]) == ([hit.doc_id], [hit.chunk_id])
    found = {line["message"]: line["chunk_ids"] for line in lines if "chunk_ids" in line}
    assert found == dict.fromkeys(["lexical_candidates", "fusion", "hydration"], stored)

    answer = base.app.ask(f"How long is the {SECRET} backup kept?")
    lines = logged(base)
    steps = steps_of(lines, "kebab.rag")
    assert steps == ["retrieval", "gate", "packing", "generation", "verification", "answer"]
    assert len({line["trace_id"] for line in lines}) == 1
    assert lines[-1]["answer_id"] == answer.retrieval.trace_id
    assert "hydration" in steps_of(lines, "kebab.search")


@pytest.mark.usefixtures("logger")
def test_lines_of_a_file_have_the_first_chunk_ids_and_the_path_where_there_is_no_document(base: Base) -> None:
    base.write("long.md", "\n\n".join(f"# Part {n}\n\nThe backup is kept for {n} days." for n in range(9)))
    base.write("binary.md", "\0" * 100)
    start_log(base.load(), debug=True)
    base.app.ingest()
    long, skipped = {}, []
    for line in logged(base):
        if "path" in line:
            skipped.append(line)
        elif line["message"] == "commit":
            long = line
    assert (long["chunks"], len(long["chunk_ids"])) == (9, 5)
    assert {line["path"] for line in skipped} == {"binary.md"}
    assert "commit" in steps_of(skipped, "kebab.ingest")
    assert not any("doc_id" in line for line in skipped)


@pytest.mark.usefixtures("logger")
def test_level_of_the_settings_logs_steps_too_and_every_other_level_none(base: Base) -> None:
    base.write("a.md", "# A\n\nThe backup is kept for 30 days.\n")
    base.configure("logging", level="info")
    start_log(base.load(), debug=False)
    base.app.ingest()
    assert not (base.app.loaded.paths.log_dir / "kebab.log").exists()
    base.configure("logging", level="debug")
    start_log(base.load(), debug=False)
    base.app.search("backup")
    assert [line["message"] for line in logged(base)] == [
        "query_analysis",
        "lexical_candidates",
        "fusion",
        "hydration",
    ]
