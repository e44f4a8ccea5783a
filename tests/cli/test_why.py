"""`kebab why` as people read it and programs run it."""

from __future__ import annotations

import os
import time
import unicodedata
from datetime import datetime, timedelta

import pytest


def test_page_leads_from_the_answer_over_the_steps_to_the_next_step(quick) -> None:  # type: ignore[no-untyped-def]
    quick.write(".gitignore", "초안/\n")
    quick.write("초안/메모.md", "# 메모\n")
    done = quick("why", "초안/메모.md")
    assert done.code == 1
    assert done.stdout.splitlines() == [
        "초안/메모.md is not found: the folder 초안 is ignored by line 1 of .gitignore: 초안/",
        "",
        f"✓ source  default: {quick.notes}",
        "✗ rules   the folder 초안 is ignored by line 1 of .gitignore: 초안/",
        "",
        "next: delete line 1 of .gitignore, or add the line !/초안/ at the end of .gitignore; then kebab ingest",
    ]
    assert done.stderr == ""


def test_page_of_a_query_shows_passages_words_and_places(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("why", "한국어/색인.md", "--query", "색인 규칙 우주선")
    assert done.code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "한국어/색인.md is found: its best passage is hit 1 of 1"
    assert "✓ vectors  no embedding model is configured; only full-text search finds it" in lines
    start = lines.index("passages:")
    assert lines[start + 1].startswith("    1. #L3-L7  § 색인  [")
    assert lines[start + 2].startswith("    2. #L9-L11  § 색인 > 규칙  [")
    assert any(line.endswith("우주선  not in it; nowhere in the index") for line in lines)
    assert any(line.endswith("규칙  in passage 2; 1 passage of the index") for line in lines)
    assert lines[lines.index("rank:") + 1].startswith("  lexical  rank 1 of 1, probability ")
    assert not lines[-1].startswith("next:")


def test_remarks_on_the_way_have_hints_and_the_first_is_the_next_step(quick) -> None:  # type: ignore[no-untyped-def]
    quick.write("english/deployment.md", "# Deployment\n\nAnother text.\n")
    quick.write(".kebabignore", "english/\n")
    lines = quick("why", "english/deployment.md").stdout.splitlines()
    assert lines[0].startswith(
        "english/deployment.md is indexed, but the folder english is ignored by line 1"
    )
    (file,) = [at for at, line in enumerate(lines) if line.startswith("! file")]
    assert lines[file + 1] == "           hint: kebab ingest"
    assert lines[-1].startswith("next: delete line 1 of .kebabignore")


def test_flags_of_searching_need_a_query(quick) -> None:  # type: ignore[no-untyped-def]
    for flags in (["--lang", "ko"], ["--k", "3"], ["--mode", "lexical"], ["--max-tokens", "9"]):
        done = quick("why", "한국어/색인.md", *flags)
        assert (done.code, done.stdout) == (2, "")
        assert f"{flags[0]} applies to a search: add --query" in done.stderr
        assert "hint: kebab why --help" in done.stderr


def test_name_that_is_given_decomposed_is_shown_and_found_composed(quick) -> None:  # type: ignore[no-untyped-def]
    name = unicodedata.normalize("NFD", "한국어/색인.md")
    assert quick("why", name).stdout.startswith("한국어/색인.md is indexed")


def test_names_and_contents_cannot_drive_the_terminal(quick) -> None:  # type: ignore[no-untyped-def]
    quick.write("a\x1b[31m\u202eb.md", "# t\x1b]0;x\x07\n\nword\n")
    quick("ingest")
    done = quick("why", "a\x1b[31m\u202eb.md", "--query", "word \x1b[1m")
    assert done.code == 0
    assert not {"\x1b", "\x07", "\u202e"} & set(done.stdout)


def test_colours_and_marks_are_shown_on_a_terminal(quick, terminal) -> None:  # type: ignore[no-untyped-def]
    shown = terminal(quick, "why", "한국어/색인.md").stdout
    assert "\x1b[32m✓\x1b[0m source" in shown
    assert "\x1b[3" not in terminal(quick, "why", "한국어/색인.md", env={"NO_COLOR": "1"}).stdout


def test_path_is_taken_from_where_the_command_is_run(indexed, terminal, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(indexed.notes / "한국어")
    done = terminal(indexed, "why", "색인.md", "--json", streams=[])
    assert done.last["doc_path"] == "한국어/색인.md"


def test_file_that_cannot_be_read_is_told_with_the_stage(kb, ordinary_user) -> None:  # type: ignore[no-untyped-def]
    path = kb.write("locked.md", "# Locked\n")
    path.chmod(0)
    try:
        before = kb("why", str(path), "--json").last
        assert (before["verdict"], before["failure"]["stage"]) == ("failed", "read")
        assert kb("ingest").code == 0
        report = kb("why", str(path), "--json").last
        assert (report["verdict"], report["failure"]["stage"]) == ("failed", "read")
        assert report["failure"]["code"] == "io_error"
        assert report["failure"]["at"]
        assert "could not be read at" in report["steps"][-1]["detail"]
        for told in (before, report):
            assert told["fix"] == f"check the permissions of {str(path)!r}; then kebab ingest {path}"
    finally:
        path.chmod(0o600)
    assert kb("why", str(path), "--json").last["fix"] == f"kebab ingest {path}"
    assert kb("ingest", str(path)).code == 0
    assert kb("why", str(path)).code == 0


def test_indexed_file_that_cannot_be_read_any_more_is_not_told_to_have_changed(kb, ordinary_user) -> None:  # type: ignore[no-untyped-def]
    path = kb.write("locked.md", "# Locked\n")
    assert kb("ingest").code == 0
    path.chmod(0)
    try:
        for run in ([], ["--verify"], ["--force"]):
            kb("ingest", *run)
            report = kb("why", str(path), "--json").last
            steps = {step["name"]: step for step in report["steps"]}
            assert "has changed on disk" not in steps["file"]["detail"], run
    finally:
        path.chmod(0o600)
    assert steps["ingest"]["fix"] == f"check the permissions of {str(path)!r}; then kebab ingest {path}"


def test_name_that_is_not_utf8_can_be_asked_about_as_ingest_prints_it(kb) -> None:  # type: ignore[no-untyped-def]
    bad = os.fsencode(kb.notes) + b"/caf\xe9.md"
    try:
        with open(bad, "wb") as file:  # noqa: PTH123 - a Path is text
            file.write(b"# Menu\n")
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    assert "caf\\xe9.md" in kb("ingest", "--json").stdout.replace("\\\\", "\\")
    for name in ("caf\\xe9.md", f"{kb.notes}/caf\\xe9.md"):
        done = kb("why", name, "--json")
        assert (done.code, done.last["verdict"], done.last["doc_path"]) == (1, "left_out", "caf\\xe9.md")
        assert done.last["rule"]["reason"] == "unusable_name"
    assert "has a name that is not UTF-8" in kb("why", "caf\\xe9.md").stdout


def test_file_below_a_folder_that_cannot_be_entered_is_told_with_the_folder(kb, ordinary_user) -> None:  # type: ignore[no-untyped-def]
    path = kb.write("locked/sub/a.md", "# Locked\n")
    folder = kb.notes / "locked"
    folder.chmod(0)
    try:
        for name in (str(path), "locked/sub/a.md"):
            done = kb("why", name, "--json")
            assert (done.code, done.last["verdict"]) == (1, "unreadable_folder")
            assert "the folder locked cannot be read" in done.last["summary"]
    finally:
        folder.chmod(0o700)


@pytest.mark.parametrize("flags", [["--readonly"], []])
def test_nothing_is_written(quick, flags: list[str]) -> None:  # type: ignore[no-untyped-def]
    quick.write("new.md", "# New\n")
    before = {path: path.stat().st_mtime_ns for path in quick.folder.rglob("*") if path.is_file()}
    for name in ("new.md", "한국어/색인.md"):
        quick("why", name, *flags)
    after = {path: path.stat().st_mtime_ns for path in quick.folder.rglob("*") if path.is_file()}
    side_files = (".sqlite-wal", ".sqlite-shm")
    assert {path for path in after if not path.name.endswith(side_files)} == {
        path for path in before if not path.name.endswith(side_files)
    }
    assert all(after[path] == before[path] for path in before if not path.name.endswith(side_files))


def test_times_are_local_on_a_screen_and_utc_in_json(quick, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    path = "english/deployment.md"
    details = [step["detail"] for step in quick("why", path, "--json").last["steps"]]
    (told,) = [each.partition("indexed at ")[2] for each in details if "indexed at" in each]
    here = datetime.strptime(told, "%Y-%m-%d %H:%M UTC") + timedelta(hours=9)  # noqa: DTZ007 - compared as text
    monkeypatch.setenv("TZ", "KST-9")
    time.tzset()
    try:
        shown = quick("why", path, env={"TZ": "KST-9"}).stdout
    finally:
        monkeypatch.undo()
        time.tzset()
    assert f"indexed at {here:%Y-%m-%d %H:%M}\n" in shown
