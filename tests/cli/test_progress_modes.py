"""How a run of ingest is watched: a bar on a terminal, lines elsewhere, objects for programs, nothing when quiet."""

from __future__ import annotations

import re
from email.message import EmailMessage

import pyte
import pytest

ESCAPE = "\x1b"


def last_screen(text: str, columns: int) -> list[str]:
    """What a terminal shows in the end of what was written to it, without empty lines."""
    screen = pyte.Screen(columns, 24)
    pyte.Stream(screen).feed(text.replace("\n", "\r\n"))
    return [line.rstrip() for line in screen.display if line.strip()]


def frames(text: str) -> list[str]:
    """Every picture of the bar, without colours."""
    return [re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", part) for part in re.split(r"[\r\n]+", text)]


def test_a_terminal_gets_a_bar_on_stderr_and_the_report_alone_on_stdout(kb, terminal) -> None:  # type: ignore[no-untyped-def]
    done = terminal(kb, "ingest", streams=["stderr"])
    assert done.code == 0
    assert re.fullmatch(r"done  2 files, 2 new  \(\d+ passages, \d+\.\d s\)\n", done.stdout)
    assert any("2/2" in frame for frame in frames(done.stderr))
    assert last_screen(done.stderr, 100) == []


def test_the_bar_and_the_report_share_one_terminal(kb, terminal) -> None:  # type: ignore[no-untyped-def]
    done = terminal(kb, "ingest", streams=["stdout", "stderr"])
    assert done.code == 0
    assert ESCAPE in done.stdout
    assert last_screen(done.stdout, 100)[0].startswith("done  2 files, 2 new")


def test_the_count_never_passes_its_total(kb, terminal) -> None:  # type: ignore[no-untyped-def]
    mail = EmailMessage()
    mail["Subject"] = "Files"
    mail.set_content("Three files.")
    for number in range(3):
        mail.add_attachment(
            f"# Attached {number}\n".encode(), maintype="text", subtype="markdown", filename=f"{number}.md"
        )
    kb.write("mail.eml", mail.as_bytes())
    shown = terminal(kb, "ingest", streams=["stderr"])
    assert shown.stdout.startswith("done  6 files")
    counts = re.findall(r"(\d+)/(\d+)", shown.stderr)
    assert ("6", "6") in counts
    assert all(int(done) <= int(total) for done, total in counts)


@pytest.mark.parametrize("columns", [32, 40, 60, 80, 100, 200])
def test_the_count_shows_at_every_width_and_no_line_overflows(columns: int, kb, terminal) -> None:  # type: ignore[no-untyped-def]
    kb.write(
        "아주 긴 이름의 폴더/그리고 그보다 더 긴 이름의 문서 하나, 끝이 보이지 않을 만큼.md", "# 제목\n\n글"
    )
    done = terminal(kb, "ingest", streams=["stderr"], columns=columns)
    assert done.code == 0
    shown = frames(done.stderr)
    assert any("3/3" in frame for frame in shown)
    from rich.cells import cell_len

    assert max(cell_len(frame) for frame in shown) <= columns


def test_a_failed_file_stays_on_the_screen_above_the_bar(kb, terminal) -> None:  # type: ignore[no-untyped-def]
    kb.write("broken.docx", b"no archive")
    done = terminal(kb, "ingest", streams=["stderr"])
    assert done.code == 0
    assert last_screen(done.stderr, 100) == ["could not read broken.docx"]
    assert "failed broken.docx" in done.stdout


@pytest.mark.parametrize("switch", [{"KEBAB_PROGRESS": "plain"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_none_gets_lines_instead_of_a_bar(switch: dict[str, str], kb, terminal) -> None:  # type: ignore[no-untyped-def]
    done = terminal(kb, "ingest", streams=["stderr"], env=switch)
    assert done.code == 0
    assert done.stderr.splitlines() == [f"scanning {kb.notes}", "2 files found"]


def test_elsewhere_lines_tell_what_goes_on(kb, inside) -> None:  # type: ignore[no-untyped-def]
    done = inside(kb)("ingest")
    assert done.stderr.splitlines() == [f"scanning {kb.notes}", "2 files found"]
    assert done.stdout.startswith("done  2 files, 2 new")


def test_lines_tell_files_to_read_from_documents_to_remove(quick) -> None:  # type: ignore[no-untyped-def]
    quick.write("third.md", "# Third")
    assert quick("ingest").code == 0
    (quick.notes / "third.md").unlink()
    done = quick("ingest")
    assert done.stderr.splitlines()[1] == "2 files found, 1 to remove"
    assert done.stdout.startswith("done  2 files, 2 unchanged, 1 removed")


def test_a_folder_that_was_emptied_is_not_said_to_have_had_nothing(quick) -> None:  # type: ignore[no-untyped-def]
    for path in quick.notes.rglob("*.md"):
        path.unlink()
    done = quick("ingest", "--prune")
    assert done.stdout.startswith("done  0 files, 2 removed")
    assert "no files here yet" not in done.stdout


@pytest.mark.parametrize("streams", [[], ["stdout", "stderr"]])
def test_quiet_tells_nothing_of_a_run_that_went_well(streams: list[str], kb, terminal) -> None:  # type: ignore[no-untyped-def]
    done = terminal(kb, "ingest", "--quiet", streams=streams)
    assert (done.code, done.stdout, done.stderr) == (0, "", "")


def test_quiet_tells_what_failed(kb, inside) -> None:  # type: ignore[no-untyped-def]
    quick = inside(kb)
    assert quick("ingest", "--quiet").stdout == ""
    for number in range(30):
        kb.write(f"many/{number}.md", f"# {number}")
    quick("ingest")
    for path in (kb.notes / "many").iterdir():
        path.unlink()
    assert "kebab ingest --prune" in quick("ingest", "--quiet").stdout


@pytest.mark.parametrize("streams", [[], ["stdout", "stderr"]])
def test_programs_get_every_event_in_order_and_nothing_else(streams: list[str], kb, terminal) -> None:  # type: ignore[no-untyped-def]
    done = terminal(kb, "ingest", "--json", streams=streams)
    assert (done.code, done.stderr) == (0, "")
    *events, report = done.objects
    kinds = [event["kind"] for event in events if event["kind"] != "heartbeat"]
    file = ["asset_started", "asset_finished"]
    assert kinds == ["scan_started", "scan_completed", *file, *file, "completed"]
    finished = [event for event in events if event["kind"] == "asset_finished"]
    assert [(event["idx"], event["total"], event["result"]) for event in finished] == [
        (1, 2, "new"),
        (2, 2, "new"),
    ]
    assert report["schema_version"] == "ingest_report.v1"
    assert len(report["items"]) == 2  # type: ignore[arg-type]
    assert ESCAPE not in done.stdout


def test_summary_only_leaves_the_files_out_of_the_report(kb, inside) -> None:  # type: ignore[no-untyped-def]
    report = inside(kb)("ingest", "--json", "--summary-only").last
    assert report.get("items") is None
    assert report["new"] == 2


def test_a_run_that_fails_ends_its_events_with_aborted(kb, inside) -> None:  # type: ignore[no-untyped-def]
    kb.notes.rename(kb.folder / "elsewhere")
    done = inside(kb)("ingest", "--json")
    assert done.code == 2
    assert [event["kind"] for event in done.objects] == ["scan_started", "aborted"]


def test_people_see_skips_failures_and_warnings_with_an_example_of_each(kb, inside) -> None:  # type: ignore[no-untyped-def]
    kb.write("photo.xyz", b"\x01")
    kb.write("binary.md", b"\0" * 9)
    kb.write("old.md", "한국어 문서입니다. 인코딩이 오래되었습니다.\n".encode("cp949"))
    done = inside(kb)("ingest")
    assert done.code == 0
    head, *details = done.stdout.splitlines()
    assert head.startswith("done  5 files, 3 new, 2 skipped")
    assert "  skipped 1: binary content, such as binary.md" in details
    assert "  skipped 1: unsupported media (.xyz 1)" in details
    assert any(line.startswith("  warning old.md: ") for line in details)
