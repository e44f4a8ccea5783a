"""Screens about files that could not be ingested."""

from __future__ import annotations

import pytest
from kebab_cli.render import Console
from kebab_cli.views.ingest import render_report
from kebab_cli.views.watch import WatchView
from kebab_core import (
    CancelToken,
    DocumentId,
    IngestCounts,
    IngestFailure,
    IngestItem,
    IngestReport,
    IngestResult,
    Message,
    Remedy,
    RunId,
    WorkspacePath,
)
from kebab_testing.fakes.clock import START


def shown(
    capsys: pytest.CaptureFixture[str], remedy: Remedy | None, doc_id: DocumentId | None = None
) -> list[str]:
    failure = IngestFailure(code="timeout", message=Message("it took too long"), remedy=remedy)
    item = IngestItem(kind=IngestResult.ERROR, doc_path=WorkspacePath("a.srt"), doc_id=doc_id, error=failure)
    report = IngestReport(
        run_id=RunId("run"),
        counts=IngestCounts(scanned=1, errors=1),
        items=(item,),
        scopes=(),
        duration_ms=1,
        started_at=START,
        finished_at=START,
    )
    render_report(Console(), report)
    return capsys.readouterr().out.splitlines()


def test_failed_file_is_followed_by_what_to_do_about_it(capsys: pytest.CaptureFixture[str]) -> None:
    leave_out = Remedy(advice=Message("leave it out"))
    lines = shown(
        capsys, Remedy(kind="raise_setting", setting="ingest.extract_timeout_s", otherwise=leave_out)
    )
    at = lines.index("  failed a.srt: it took too long")
    assert lines[at + 1] == "  hint: raise ingest.extract_timeout_s, or leave it out"


def test_failed_file_without_a_remedy_has_no_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert not any("hint: raise" in line for line in shown(capsys, None))


def test_earlier_versions_are_spoken_of_only_where_there_are_some(capsys: pytest.CaptureFixture[str]) -> None:
    note = "note: earlier versions of failed files stay searchable, marked stale"
    assert note not in shown(capsys, None)
    assert note in shown(capsys, None, DocumentId("0" * 32))


def test_a_watch_tells_a_folder_that_was_not_read_apart_from_files_that_failed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = IngestReport(
        run_id=RunId("run"),
        counts=IngestCounts(scanned=1, new=1),
        unreadable_folders=("locked: Permission denied",),
        scopes=(),
        duration_ms=1,
        started_at=START,
        finished_at=START,
    )
    WatchView(Console(), CancelToken()).tell(report)
    shown = capsys.readouterr()
    assert "1 new, 1 folder not read" in shown.out
    assert "cannot read locked: Permission denied; the documents in it stay" in shown.err
