"""Files of the index whose permissions were taken away: which one, and what to type."""

from __future__ import annotations

import subprocess

import pytest

READING = [("search", "색인"), ("list", "docs"), ("schema",)]


@pytest.fixture
def barred(indexed, ordinary_user):  # type: ignore[no-untyped-def]
    """An index whose commands run as somebody whom permissions bind."""
    return indexed


@pytest.mark.thorough
@pytest.mark.parametrize("arguments", [*READING, ("ingest",)])
def test_an_index_that_may_not_be_read_is_named_with_the_next_step(
    arguments: tuple[str, ...], barred
) -> None:  # type: ignore[no-untyped-def]
    file = barred.data / "kebab.sqlite"
    file.chmod(0)
    done = barred(*arguments)
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-2:] == [f"error: '{file}' may not be read", f"hint: chmod u+rwX {file}"]


def test_an_index_that_may_not_be_written_is_searched(barred) -> None:  # type: ignore[no-untyped-def]
    (barred.data / "kebab.sqlite").chmod(0o400)
    assert barred("search", "색인").code == 0


def test_an_index_that_may_not_be_written_answers_and_says_that_it_keeps_nothing(barred) -> None:  # type: ignore[no-untyped-def]
    (barred.data / "kebab.sqlite").chmod(0o400)
    done = barred("ask", "색인은 언제 다시 만들어지나요?", "--json")
    assert (done.code, done.last["grounded"], done.last["persisted"]) == (0, True, False)


@pytest.mark.parametrize(("name", "mode"), [("kebab.sqlite", 0o400), ("kebab.sqlite-wal", 0)])
def test_what_keeps_an_index_from_being_written_is_named_with_the_next_step(
    name: str, mode: int, barred
) -> None:  # type: ignore[no-untyped-def]
    file = barred.data / name
    file.touch()
    file.chmod(mode)
    refused = barred("ingest", "--json")
    assert (refused.code, refused.error["code"]) == (2, "readonly_mode")
    assert str(file) in refused.error["message"]
    commands = [step.split() for step in refused.error["hint"].split("; then ")]
    assert commands[0] == ["chmod", "u+rwX", str(file)]
    for typed in commands:
        subprocess.run(typed, check=True)
    assert barred("ingest").code == 0


def test_doctor_names_the_index_that_may_not_be_written(barred) -> None:  # type: ignore[no-untyped-def]
    file = barred.data / "kebab.sqlite"
    file.chmod(0o400)
    done = barred("doctor", "--json")
    failed = {check["name"]: check["hint"] for check in done.last["checks"] if not check["ok"]}
    assert (done.code, failed) == (3, {"data_dir_writable": f"chmod u+rwX {file}"})


def test_doctor_names_the_index_that_may_not_be_read(barred) -> None:  # type: ignore[no-untyped-def]
    file = barred.data / "kebab.sqlite"
    file.chmod(0)
    done = barred("doctor", "--json")
    (check,) = [check for check in done.last["checks"] if check["name"] == "sqlite_open"]
    assert (done.code, check["ok"]) == (3, False)
    assert str(file) in check["detail"]


def test_folders_that_may_not_be_read_are_counted_apart_from_files(barred) -> None:  # type: ignore[no-untyped-def]
    barred.write("a.md", "# A\n\nText.\n")
    barred.write("broken.pdf", "no PDF")
    barred.write("locked/b.md", "# B\n\nText.\n")
    folder = barred.notes / "locked"
    folder.chmod(0)
    try:
        done = barred("ingest")
    finally:
        folder.chmod(0o700)
    counts = done.stdout.splitlines()[0].partition("(")[0]
    assert counts.split()[1:] == [
        "4",
        "files,",
        "1",
        "new,",
        "2",
        "unchanged,",
        "1",
        "failed,",
        "1",
        "folder",
        "not",
        "read",
    ]
