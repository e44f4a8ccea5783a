"""What kebab writes down about its work: where, for whose eyes, in which form, and for how long."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from kebab_core import IngestEvent
from pydantic import TypeAdapter

EVENTS: TypeAdapter[IngestEvent] = TypeAdapter(IngestEvent)


def run_logs(folder: Path) -> list[Path]:
    return sorted(folder.glob("ingest-*.ndjson"))


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def fresh(kb, inside):  # type: ignore[no-untyped-def]
    return inside(kb)


def test_logs_follow_a_data_folder_of_its_own(fresh) -> None:  # type: ignore[no-untyped-def]
    assert fresh("ingest").code == 0
    assert len(run_logs(fresh.data / "logs")) == 1
    assert list(fresh.kebab.home.iterdir()) == []


def test_logs_of_the_default_data_folder_are_in_the_state_folder(fresh, tmp_path) -> None:  # type: ignore[no-untyped-def]
    fresh.config.write_text('[workspace]\nroot = "notes"\n')
    state = tmp_path / "state"
    before = os.umask(0)
    try:
        assert fresh("ingest", env={"XDG_STATE_HOME": str(state)}).code == 0
    finally:
        os.umask(before)
    assert (mode_of(state / "kebab"), mode_of(state / "kebab" / "logs")) == (0o700, 0o700)
    assert len(run_logs(state / "kebab" / "logs")) == 1
    assert (fresh.kebab.home / ".local/share/kebab/kebab.sqlite").is_file()


def test_everything_in_the_data_folder_is_for_its_owner_only(kb) -> None:  # type: ignore[no-untyped-def]
    before = os.umask(0)
    try:
        assert kb("ingest").code == 0
    finally:
        os.umask(before)
    paths = [kb.data, *kb.data.rglob("*")]
    assert {mode_of(path) for path in paths if path.is_dir()} == {0o700}
    assert {mode_of(path) for path in paths if path.is_file()} == {0o600}


def test_a_run_log_is_the_events_of_the_run_without_unchanged_files(fresh) -> None:  # type: ignore[no-untyped-def]
    printed = [event for event in fresh("ingest", "--json").objects if "kind" in event]
    fresh.write("third.md", "# 셋째\n")
    fresh("ingest")
    first, second = (
        [EVENTS.validate_json(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for path in run_logs(fresh.data / "logs")
    )
    assert [event.kind for event in first] == [event["kind"] for event in printed]
    told = [event for event in second if event.kind == "asset_finished"]
    assert [(event.path, event.result) for event in told] == [("third.md", "new")]
    assert second[-1].kind == "completed"


def test_an_aborted_run_is_logged_to_its_end(fresh) -> None:  # type: ignore[no-untyped-def]
    fresh.notes.rename(fresh.folder / "elsewhere")
    assert fresh("ingest").code == 2
    (log,) = run_logs(fresh.data / "logs")
    kinds = [json.loads(line)["kind"] for line in log.read_text(encoding="utf-8").splitlines()]
    assert kinds == ["scan_started", "aborted"]


def test_as_many_run_logs_are_kept_as_configured(fresh) -> None:  # type: ignore[no-untyped-def]
    fresh.config.write_text(fresh.config.read_text() + "[logging]\nkeep_runs = 2\n")
    names = []
    for _ in range(4):
        assert fresh("ingest").code == 0
        names.append(run_logs(fresh.data / "logs")[-1].name)
    assert [path.name for path in run_logs(fresh.data / "logs")] == names[-2:]


def test_run_logs_that_are_too_old_go_and_other_files_stay(fresh) -> None:  # type: ignore[no-untyped-def]
    logs = fresh.data / "logs"
    logs.mkdir(parents=True, mode=0o700)
    (logs / "ingest-20200101T000000000000-000.ndjson").write_text("{}\n")
    (logs / "mine.txt").write_text("not kebab's")
    assert fresh("ingest").code == 0
    assert [path.name for path in logs.iterdir() if path.name.startswith("ingest-2020")] == []
    assert (logs / "mine.txt").exists()


def test_the_program_log_holds_one_object_a_line_with_time_and_level(kb, ordinary_user) -> None:  # type: ignore[no-untyped-def]
    kb.write("locked.md", "# Locked").chmod(0)
    assert kb("ingest").code == 0
    log = kb.data / "logs" / "kebab.log"
    (entry,) = (json.loads(line) for line in log.read_text(encoding="utf-8").splitlines())
    assert entry["level"] == "warning"
    assert "locked.md" in entry["message"]
    assert {"ts", "logger"} <= entry.keys()
    assert mode_of(log) == 0o600


@pytest.mark.parametrize("command", ["search 색인", "list docs", "doctor", "schema", "config show"])
def test_reading_writes_no_log(command: str, quick) -> None:  # type: ignore[no-untyped-def]
    before = sorted(path.name for path in (quick.data / "logs").iterdir())
    assert quick(*command.split()).code == 0
    assert sorted(path.name for path in (quick.data / "logs").iterdir()) == before


def test_nothing_is_logged_while_writing_is_switched_off(quick) -> None:  # type: ignore[no-untyped-def]
    before = sorted(path.name for path in (quick.data / "logs").iterdir())
    assert quick("ingest", "--debug", env={"KEBAB_READONLY": "1"}).code == 2
    assert quick("search", "색인", "--readonly", "--debug").code == 0
    assert sorted(path.name for path in (quick.data / "logs").iterdir()) == before
