"""Large files cost memory: it is spent in a process of its own, and what is too much costs one file only."""

from __future__ import annotations

import os
import resource
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pytest
from kebab_app.wiring import PreparerRecipe
from kebab_core import (
    CodeIngestSettings,
    IngestFailure,
    IngestSettings,
    SearchQuery,
    SkipReason,
    SourceEntry,
    SourceScope,
    SourceSettings,
)
from kebab_ingest import LARGE_FILE_BYTES, FileTask, IsolatedWorker, Prepared, Workers
from kebab_source_fs import FilesystemConnector
from kebab_testing.fakes.clock import START

if TYPE_CHECKING:
    from conftest import Base

MB = 1024 * 1024
PAGE = resource.getpagesize()


def make_tasks(root: Path, files: dict[str, bytes]) -> list[FileTask]:
    root.mkdir()
    for name, content in files.items():
        (root / name).write_bytes(content)
    source = SourceSettings(id="default", root=str(root))  # type: ignore[arg-type]
    scan = FilesystemConnector(CodeIngestSettings()).scan(SourceScope(root=str(root)))
    return [
        FileTask(entry=entry, source=source, known_checksum=None, at=START)
        for entry in scan
        if isinstance(entry, SourceEntry)
    ]


@pytest.fixture
def recipe(tmp_path: Path) -> PreparerRecipe:
    return PreparerRecipe(ingest=IngestSettings(), data_dir=tmp_path / "data", copy_threshold_bytes=1000)


def allow_no_more_than(extra_bytes: int, pid: int) -> None:
    used = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[0]) * PAGE
    resource.prlimit(pid, resource.RLIMIT_AS, (used + extra_bytes, resource.RLIM_INFINITY))


def test_a_file_that_needs_more_memory_than_there_is_fails_alone_and_is_named(
    tmp_path: Path, recipe: PreparerRecipe
) -> None:
    huge = b"one line of words " * (LARGE_FILE_BYTES // 16)
    tasks = make_tasks(tmp_path / "root", {"a.md": b"# A", "b huge.txt": huge, "c.md": b"# C"})
    with Workers(recipe, count=1) as workers:
        allow_no_more_than(64 * MB, workers.pool.pids[0])
        first, failed, last = [prepared.outcome for prepared in workers.prepare_all(tasks)]
    assert isinstance(failed, IngestFailure)
    assert failed.code == "io_error"
    assert all(part in failed.message for part in ("b huge.txt", "18.0 MB"))
    assert "split" not in failed.message
    assert failed.remedy is not None
    assert failed.remedy.otherwise is not None
    assert (failed.remedy.advice, failed.remedy.otherwise.advice) == ("split the file", "leave it out")
    assert not isinstance(first, IngestFailure)
    assert not isinstance(last, IngestFailure)


def test_a_process_that_the_system_ends_over_a_large_file_was_short_of_memory(
    tmp_path: Path, recipe: PreparerRecipe
) -> None:
    tasks = make_tasks(tmp_path / "root", {"a.txt": b"\n" * LARGE_FILE_BYTES, "b.md": b"# B"})
    with Workers(recipe, count=1) as workers:
        os.kill(workers.pool.pids[0], signal.SIGKILL)
        failed, other = [prepared.outcome for prepared in workers.prepare_all(tasks)]
    assert isinstance(failed, IngestFailure)
    assert "a.txt" in failed.message
    assert failed.remedy is not None
    assert failed.remedy.advice == "split the file"
    assert not isinstance(other, IngestFailure)


def test_only_large_files_are_prepared_apart_and_answers_keep_the_order(
    tmp_path: Path, recipe: PreparerRecipe
) -> None:
    files = {"a.md": b"# A", "b.md": b"# B\n\n" + b"word " * 50, "c.md": b"\0" * 400, "d.md": b"# D"}
    tasks = make_tasks(tmp_path / "root", files)
    prepare = recipe()
    here: list[str] = []

    def prepare_here(task: FileTask) -> Prepared:
        here.append(task.entry.workspace_path)
        return prepare(task)

    with IsolatedWorker(prepare_here, recipe, large_bytes=100) as preparer:
        outcomes = [prepared.outcome for prepared in preparer.prepare_all(tasks)]
    assert here == ["a.md", "d.md"]
    assert outcomes == [prepare(task).outcome for task in tasks]
    assert outcomes[2] is SkipReason.BINARY_CONTENT


def test_no_process_is_started_for_small_files(tmp_path: Path, recipe: PreparerRecipe) -> None:
    (task,) = make_tasks(tmp_path / "root", {"a.md": b"# A"})
    broken = int  # makes nothing that prepares
    with IsolatedWorker(recipe(), broken) as preparer:  # type: ignore[arg-type]
        (prepared,) = preparer.prepare_all([task])
    assert not isinstance(prepared.outcome, IngestFailure)


class CrampedWorkers(Workers):
    """Workers on a machine that has little memory left."""

    def __enter__(self) -> Self:
        super().__enter__()
        for pid in self.pool.pids:
            allow_no_more_than(64 * MB, pid)
        return self


def test_the_version_before_stays_when_a_large_file_takes_too_much_memory(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kebab_ingest.file_workers.Workers", CrampedWorkers)
    base.write("a.txt", "zebra")
    base.write("b.txt", "melon")
    base.ingest()
    base.write("a.txt", "🦓 zebra two ".encode() * (2 * LARGE_FILE_BYTES // 15))
    base.write("b.txt", "melon two")
    outcome = base.ingest()
    assert outcome.counts == {"scanned": 2, "updated": 1, "errors": 1}
    error = outcome.item("a.txt").error
    assert error is not None
    assert error.remedy is not None
    assert error.remedy.advice == "split the file"
    (hit,) = base.app.search(SearchQuery(text="zebra")).hits
    assert (hit.snippet, hit.stale) == ("zebra", True)
