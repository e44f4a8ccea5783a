"""Readers while documents are replaced, two writers at once, and a writer that is killed under a reader."""

import json
import subprocess
import sys
import threading
from pathlib import Path

from kebab_app import App
from kebab_core import DocFilter, SearchQuery

from tests.integration.kill_points import POINTS
from tests.integration.killed_runs import NEW, OLD, ROOT, KilledBase, dump_documents
from tests.integration.whole_documents import FILES, make_version, read_until

ROUNDS, READERS = 3, 2


def made_of(tmp_path: Path, files: dict[str, bytes]) -> KilledBase:
    base = KilledBase(tmp_path)
    base.write(files)
    base.ingest()
    return base


def test_readers_in_threads_see_only_whole_documents(tmp_path: Path) -> None:
    base = made_of(tmp_path, make_version(0))
    loaded, done = base.load(), threading.Event()
    faults: list[list[str]] = []
    readers = [
        threading.Thread(target=lambda: faults.append(read_until(loaded, done.is_set)))
        for _ in range(READERS)
    ]
    for reader in readers:
        reader.start()
    try:
        for number in range(1, ROUNDS):
            base.write(make_version(number))
            with App(loaded) as app:
                app.ingest()
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert faults == [[]] * READERS


def test_readers_in_processes_see_only_whole_documents(tmp_path: Path) -> None:
    base = made_of(tmp_path, make_version(0))
    command = [
        sys.executable,
        "-m",
        "tests.integration.whole_documents",
        str(tmp_path / "data.toml"),
        str(tmp_path),
    ]
    readers = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(READERS)
    ]
    loaded = base.load()
    try:
        assert [reader.stdout.readline() for reader in readers if reader.stdout] == ["ready\n"] * READERS
        for number in range(1, ROUNDS):
            base.write(make_version(number))
            with App(loaded) as app:
                app.ingest()
    finally:
        (tmp_path / "done").touch()
        said = [reader.communicate()[1] for reader in readers]
    for reader, text in zip(readers, said, strict=True):
        assert (reader.returncode, text) == (0, ""), text


def test_of_two_writers_at_once_one_writes_and_one_says_so(tmp_path: Path) -> None:
    base = KilledBase(tmp_path)
    base.write(make_version(0))
    base.load()
    command = [sys.executable, "-m", "kebab_cli", "ingest", "--json", "--config", str(tmp_path / "data.toml")]
    environ = {"HOME": str(tmp_path)}
    writers = [
        subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    said = [writer.communicate()[1] for writer in writers]
    assert 0 in {writer.returncode for writer in writers}
    for writer, text in zip(writers, said, strict=True):
        assert (writer.returncode, text) == (0, "") or json.loads(text)["code"] == "locked"
    with App(base.load()) as app:
        assert app.doctor().ok
        assert len(app.list_documents(DocFilter())) == FILES


def test_a_reader_that_is_open_while_the_writer_dies_goes_on_and_sees_the_next_run(tmp_path: Path) -> None:
    base = made_of(tmp_path, OLD)
    point = next(point for point in POINTS if point.name == "replace: after chunks")
    with App(base.load(), readonly=True) as reader:
        before = dump_documents(reader)
        base.write(NEW)
        assert base.kill(point) < 0
        assert reader.search(SearchQuery(text="색인", k=3)).hits
        assert dump_documents(reader) == before
        base.ingest()
        assert set(dump_documents(reader)) == set(NEW) - {"turned.md"}
