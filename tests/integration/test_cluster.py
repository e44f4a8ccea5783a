"""An ingest on a Ray cluster of two workers, one of which is killed in the middle, against a run by one process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from kebab_app import App
from kebab_config import load_settings, read_environment
from kebab_core import DocumentId
from kebab_ingest import LONG_FILE_BYTES
from kebab_testing.families import is_thorough
from kebab_wire import parse_wire

KEBAB = (sys.executable, "-P", "-m", "kebab_cli")
NOTES = 80
CONFIG = """\
schema_version = 1
[workspace]
root = "notes"
[storage]
data_dir = "{name}"
"""


def descendants(pid: int) -> list[int]:
    """The processes below a process, by `/proc`."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found[1:]


def kill_machine(process: subprocess.Popen[str]) -> None:
    """Kill a worker with everything that it started, as a machine that is switched off."""
    for pid in [*descendants(process.pid), process.pid]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


@contextmanager
def worker(home: Path, environ: dict[str, str], *flags: str) -> Iterator[subprocess.Popen[str]]:
    """A machine of the cluster, once it is part of it."""
    process = subprocess.Popen(
        [*KEBAB, "worker", "--cores", "1", *flags],
        env=environ,
        cwd=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        lines = []
        for line in process.stdout:
            lines.append(line)
            if "worker is ready" in line:
                break
        else:
            pytest.fail("".join(lines))
        yield process
    finally:
        kill_machine(process)


def list_ids(home: Path, name: str) -> dict[DocumentId, list[str]]:
    """The chunks of all documents."""
    with App(load_settings(config_path=home / f"{name}.toml", environ={"HOME": str(home)})) as app:
        documents = app.base.index.documents
        return {
            entry.doc_id: [chunk.chunk_id for chunk in documents.list_chunks(entry.doc_id)]
            for entry in documents.list_entries()
        }


@pytest.mark.thorough
@pytest.mark.enable_socket
@pytest.mark.skipif(sys.platform != "linux", reason="kills a machine by its process tree")
def test_a_worker_that_is_killed_loses_and_doubles_nothing_and_the_ids_are_those_of_a_single_run(
    tmp_path: Path,
) -> None:
    if not is_thorough():
        pytest.skip("starts a cluster; runs with -m thorough")
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(NOTES):
        (notes / f"{number:03}.md").write_text(f"# Note {number}\n\n색인 {number}은 매일 만든다.\n", "utf-8")
    gap = "\n" * (LONG_FILE_BYTES // 100)
    (notes / "long.txt").write_text(gap.join(f"paragraph {each}" for each in range(101)), "utf-8")
    for name in ("one", "cluster"):
        (tmp_path / f"{name}.toml").write_text(CONFIG.format(name=name), "utf-8")
    run = (*KEBAB, "ingest", "--summary-only", "--no-embed")
    with ExitStack() as held:
        # names of sockets below it must not exceed 107 bytes
        sessions = held.enter_context(tempfile.TemporaryDirectory(prefix="ray-"))
        environ = {"HOME": str(tmp_path), "PATH": read_environment()["PATH"], "RAY_TMPDIR": sessions}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        held.enter_context(worker(tmp_path, environ, "--port", str(port)))
        second = held.enter_context(worker(tmp_path, environ, "--join", f"127.0.0.1:{port}"))
        command = [*run, "--config", "cluster.toml", "--cluster", f"127.0.0.1:{port}", "--json"]
        ingest = held.enter_context(
            subprocess.Popen(command, cwd=tmp_path, env=environ, stdout=subprocess.PIPE, text=True)
        )
        assert ingest.stdout is not None
        done = 0
        while done < NOTES // 4 and (line := ingest.stdout.readline()):
            done += '"asset_finished"' in line
        kill_machine(second)
        report = parse_wire(ingest.stdout.readlines()[-1])
        assert ingest.wait() == 0
    assert done == NOTES // 4
    assert (report.new, report.errors) == (NOTES + 1, 0)
    subprocess.run([*run, "--config", "one.toml"], cwd=tmp_path, env=environ, check=True)
    assert list_ids(tmp_path, "cluster") == list_ids(tmp_path, "one")
