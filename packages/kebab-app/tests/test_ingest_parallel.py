"""Many files: prepared by processes, stored in order, with the same result as in one process."""

from __future__ import annotations

from kebab_core import IngestResult
from kebab_ingest import MIN_FILES_FOR_WORKERS

COUNT = MIN_FILES_FOR_WORKERS + 8


def test_many_files_give_what_one_process_gives_in_order_with_their_assets(base) -> None:  # type: ignore[no-untyped-def]
    for n in range(COUNT):
        base.write(f"{n:03}.md", f"---\ntags: [t{n}]\n---\n# 제목 {n}\n\n본문 {n} and text.\n")
    base.write("bad.md", b"\x00\x01\x02" * 50)
    base.configure("ingest", workers=2)
    parallel = base.ingest()
    pairs = [(e.kind, e.idx) for e in parallel.events if e.kind in {"asset_started", "asset_finished"}]
    items = parallel.report.items or ()
    assets = base.asset_files()
    together = {path: (d.doc_id, d.chunk_count, d.tags) for path, d in base.documents().items()}

    base.configure("ingest", workers=1)
    alone = base.ingest(force=True)

    assert parallel.counts == {"scanned": COUNT + 1, "new": COUNT, "skipped": 1}
    assert pairs == [(k, n) for n in range(1, COUNT + 2) for k in ("asset_started", "asset_finished")]
    assert assets == {item.asset_id for item in items if item.kind is IngestResult.NEW}
    assert alone.counts == {"scanned": COUNT + 1, "updated": COUNT, "skipped": 1}
    assert {path: (d.doc_id, d.chunk_count, d.tags) for path, d in base.documents().items()} == together


def test_touched_files_are_compared_by_processes_and_left_alone(base) -> None:  # type: ignore[no-untyped-def]
    written = [base.write(f"{n:03}.md", f"text {n}") for n in range(COUNT)]
    base.configure("ingest", workers=1)
    base.ingest()
    base.configure("ingest", workers=2)
    revision = base.app.base.index.documents.corpus_revision()
    for path in written:
        base.touch(path)
    assert base.ingest().counts == {"scanned": COUNT, "unchanged": COUNT}
    assert base.app.base.index.documents.corpus_revision() == revision
