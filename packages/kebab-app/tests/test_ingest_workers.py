"""Processes that prepare files: answers in order, none lost when one dies, none left when the parent does."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from kebab_app.wiring import PreparerRecipe
from kebab_core import (
    CodeIngestSettings,
    IngestFailure,
    IngestSettings,
    InternalError,
    PackedDocument,
    SkipReason,
    SourceEntry,
    SourceScope,
    SourceSettings,
    hash_bytes,
)
from kebab_ingest import FileTask, SameContent, Workers
from kebab_source_fs import FilesystemConnector

NOW = datetime(2026, 11, 21, tzinfo=UTC)
DEATH_TIMEOUT_MS = 20_000


def make_tasks(root: Path, files: dict[str, bytes]) -> list[FileTask]:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    scan = FilesystemConnector(CodeIngestSettings()).scan(SourceScope(root=str(root)))
    source = SourceSettings(id="default", root=str(root))  # type: ignore[arg-type]
    return [
        FileTask(entry=entry, source=source, known_checksum=None, at=NOW)
        for entry in scan
        if isinstance(entry, SourceEntry)
    ]


@pytest.fixture
def recipe(tmp_path: Path) -> PreparerRecipe:
    return PreparerRecipe(ingest=IngestSettings(), data_dir=tmp_path / "data", copy_threshold_bytes=1000)


def many(count: int) -> dict[str, bytes]:
    return {f"{n:03}.md": f"# 제목 {n}\n\n본문 {n}".encode() for n in range(count)}


def test_answers_are_what_this_process_would_give_in_the_order_of_the_tasks_and_no_process_is_left(
    tmp_path: Path, recipe: PreparerRecipe
) -> None:
    others = {"x.txt": b"plain", "y.md": b"\x00\x01" * 99, "z.md": b"# Gone"}
    tasks = make_tasks(tmp_path / "root", many(20) | others)
    Path(tasks[-1].entry.disk_path).unlink()
    prepare = recipe()
    with Workers(recipe, count=2) as workers:
        there = [prepared.outcome for prepared in workers.prepare_all(tasks)]
        next(workers.prepare_all(tasks))  # leaving early leaves no process
        watched = [os.pidfd_open(pid) for pid in workers.pool.pids]
    assert all(has_ended(descriptor) for descriptor in watched)
    paths = [o.workspace_path for o in there if isinstance(o, PackedDocument)]
    assert paths == [task.entry.workspace_path for task in tasks[:-2]]
    assert there[:-1] == [prepare(task).outcome for task in tasks[:-1]]
    assert there[-2] is SkipReason.BINARY_CONTENT
    assert isinstance(there[-1], IngestFailure)


def test_known_content_is_not_prepared(tmp_path: Path, recipe: PreparerRecipe) -> None:
    (task,) = make_tasks(tmp_path / "root", {"a.md": b"same"})
    known = FileTask(entry=task.entry, source=task.source, known_checksum=hash_bytes(b"same"), at=NOW)
    assert isinstance(recipe()(known).outcome, SameContent)


def test_a_process_that_dies_costs_one_file_and_is_replaced(tmp_path: Path, recipe: PreparerRecipe) -> None:
    tasks = make_tasks(tmp_path / "root", many(12))
    with Workers(recipe, count=1) as workers:
        answers = workers.prepare_all(tasks)
        first = next(answers)
        os.kill(workers.pool.pids[0], signal.SIGKILL)
        rest = [prepared.outcome for prepared in answers]
    failures = [o for o in rest if isinstance(o, IngestFailure)]
    assert isinstance(first.outcome, PackedDocument)
    assert len(rest) == 11
    assert len(failures) <= 1
    assert all("died" in failure.message for failure in failures)
    stored = [o.workspace_path for o in rest if isinstance(o, PackedDocument)]
    assert stored == sorted(stored)


def test_a_process_that_cannot_start_is_an_error() -> None:
    broken = partial(int, "not a number")
    with pytest.raises(InternalError), Workers(broken, count=1):  # type: ignore[arg-type]
        pass


def test_processes_die_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from kebab_ingest import Workers;"
        "from kebab_app.wiring import PreparerRecipe; from kebab_core import IngestSettings;"
        f"r = PreparerRecipe(ingest=IngestSettings(), data_dir=Path({str(tmp_path)!r}), copy_threshold_bytes=1);"
        "w = Workers(r, count=2).__enter__(); print(*w.pool.pids, flush=True); sys.stdin.read()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    watched = [os.pidfd_open(int(pid)) for pid in parent.stdout.readline().split()]
    parent.kill()
    parent.communicate()
    assert len(watched) == 2
    assert all(has_ended(descriptor) for descriptor in watched)


def has_ended(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    try:
        return bool(poll.poll(DEATH_TIMEOUT_MS))
    finally:
        os.close(descriptor)
