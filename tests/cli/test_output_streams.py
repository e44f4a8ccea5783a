"""Where output goes wrong: a reader that leaves, a full disk, a locale that knows no Hangul."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from kebab_testing.families import sample

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


def run_into(
    kb,
    *arguments: str,
    env: dict[str, str] | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
) -> tuple[int, bytes, bytes]:  # type: ignore[no-untyped-def]
    """Run a command; what it writes into streams that are not given is returned after its exit code."""
    with (
        Path(os.devnull).open("rb") as nothing,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        wait = kb.kebab.start(
            *(*arguments, "--config", str(kb.config)),
            environ=kb.kebab.environment(env),
            streams=[
                nothing.fileno(),
                out.fileno() if stdout is None else stdout,
                err.fileno() if stderr is None else stderr,
            ],
        )
        code = wait()
        out.seek(0)
        err.seek(0)
        return code, out.read(), err.read()


def closed_pipe() -> int:
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@pytest.mark.parametrize("arguments", [["search", "색인"], ["list", "docs", "--json"], ["--help"]])
def test_a_reader_that_leaves_is_no_failure(arguments: list[str], indexed) -> None:  # type: ignore[no-untyped-def]
    assert run_into(indexed, *arguments, stdout=closed_pipe()) == (0, b"", b"")


def run_closed(kb, *arguments: str, closed: str = ">&-") -> subprocess.CompletedProcess[str]:  # type: ignore[no-untyped-def]
    """Run a command with a standard stream closed, as a shell does."""
    return subprocess.run(
        ["sh", "-c", f'"$@" {closed}', "sh", *kb.kebab.command(*arguments)],
        env=kb.kebab.environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.thorough
def test_every_command_refuses_to_work_unheard(indexed, leaf_commands: set[str]) -> None:  # type: ignore[no-untyped-def]
    before = sorted(path.stat().st_mtime_ns for path in indexed.data.rglob("*"))
    for command in sample(sorted(leaf_commands)):
        done = run_closed(indexed, *command.split(), "--config", str(indexed.config))
        assert (done.returncode, done.stdout) == (2, ""), command
        assert done.stderr.startswith("error: standard output is closed\nhint: "), command
    assert sorted(path.stat().st_mtime_ns for path in indexed.data.rglob("*")) == before


def test_a_closed_output_is_an_error_object_for_programs(indexed) -> None:  # type: ignore[no-untyped-def]
    done = run_closed(indexed, "search", "색인", "--json", "--config", str(indexed.config))
    assert (done.returncode, json.loads(done.stderr)["code"]) == (2, "io_error")


@pytest.mark.thorough
@pytest.mark.parametrize("closed", ["2>&-", "<&-", "2>&- <&-"])
@pytest.mark.parametrize("command", ["search", "ask"])
def test_other_closed_streams_are_no_failure(command: str, closed: str, indexed) -> None:  # type: ignore[no-untyped-def]
    arguments = [command, "how long does rolling back take?", "--config", str(indexed.config)]
    done = run_closed(indexed, *arguments, closed=closed)
    assert (done.returncode, done.stderr) == (0, "")
    assert "five minutes" in done.stdout


def test_a_text_from_a_closed_input_is_no_text(indexed) -> None:  # type: ignore[no-untyped-def]
    done = run_closed(indexed, "ingest-stdin", "--title", "x", "--config", str(indexed.config), closed="<&-")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no text to ingest" in done.stderr


def test_an_ingest_whose_reader_leaves_counts_as_interrupted(kb) -> None:  # type: ignore[no-untyped-def]
    assert run_into(kb, "ingest", "--json", stdout=closed_pipe()) == (130, b"", b"")
    assert kb("ingest").code == 0
    assert kb("doctor").code == 0


@needs_full
@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_a_full_disk_below_stdout_is_an_error_with_a_hint(flags: list[str], indexed) -> None:  # type: ignore[no-untyped-def]
    with FULL.open("wb") as full:
        code, _, err = run_into(indexed, "search", "색인", *flags, stdout=full.fileno())
    said = err.decode()
    assert code == 2
    assert "no space left" in said
    assert "free some disk space" in said
    assert len(said.splitlines()) == (1 if flags else 2)


@needs_full
def test_an_error_that_cannot_be_told_still_is_the_exit_code(indexed) -> None:  # type: ignore[no-untyped-def]
    with FULL.open("wb") as full:
        assert run_into(indexed, "search", " ", stderr=full.fileno())[0] == 2


@pytest.mark.thorough
@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp949"])
def test_wire_objects_are_utf8_under_any_locale(encoding: str, indexed) -> None:  # type: ignore[no-untyped-def]
    code, out, err = run_into(indexed, "search", "색인", "--json", env={"PYTHONIOENCODING": encoding})
    assert (code, err) == (0, b"")
    assert "색인" in json.loads(out.decode("utf-8"))["hits"][0]["snippet"]


def test_what_a_locale_cannot_show_is_escaped_for_people(indexed) -> None:  # type: ignore[no-untyped-def]
    code, out, err = run_into(indexed, "search", "색인", env={"PYTHONIOENCODING": "latin-1"})
    assert (code, err) == (0, b"")
    assert b"\\uc0c9\\uc778" in out


def test_an_argument_that_is_not_text_is_an_error(indexed) -> None:  # type: ignore[no-untyped-def]
    done = indexed("search", os.fsdecode(b"\xff\xfe"), "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")
