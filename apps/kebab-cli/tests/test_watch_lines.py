"""The lines of a watch: what became of which file."""

from __future__ import annotations

import pytest
from kebab_cli.render import Console
from kebab_cli.views.watch import WatchView
from kebab_core import CancelToken, IngestCounts, IngestItem, IngestReport, IngestResult, RunId, WorkspacePath
from kebab_testing.fakes.clock import START


def test_each_file_is_named_beside_what_became_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    kinds = {"z.md": IngestResult.NEW, "a.md": IngestResult.REMOVED, "b.md": IngestResult.UPDATED}
    report = IngestReport(
        run_id=RunId("run"),
        counts=IngestCounts(scanned=2, new=1, updated=1, removed=1),
        items=tuple(IngestItem(kind=kind, doc_path=WorkspacePath(path)) for path, kind in kinds.items()),
        scopes=(),
        duration_ms=100,
        started_at=START,
        finished_at=START,
    )
    WatchView(Console(), CancelToken()).tell(report)
    said = capsys.readouterr().out.strip()
    assert said.endswith("1 new: z.md, 1 updated: b.md, 1 removed: a.md  (0.1 s)")
