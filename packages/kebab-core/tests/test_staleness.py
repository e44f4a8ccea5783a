from datetime import UTC, datetime, timedelta

from kebab_core import DocumentId, IndexedDocument, SourceType, TrustLevel, WorkspacePath
from kebab_testing.tables import walk

NOW = datetime(2026, 3, 31, tzinfo=UTC)


@walk(
    ("scan_age_days", "indexed_age_days", "changed_on_disk", "threshold_days", "stale"),
    [
        (0, 365, False, 30, False),
        (30, 365, False, 30, False),
        (30.001, 365, False, 30, True),
        (365, 0, False, 30, True),
        (None, 0, False, 30, False),
        (None, 30, False, 30, False),
        (None, 30.001, False, 30, True),
        (0, 0, True, 30, True),
        (None, 0, True, 30, True),
        (365, 365, False, 0, False),
        (None, 365, False, 0, False),
        (0, 0, True, 0, True),
    ],
)
def test_a_document_is_stale_when_it_was_last_looked_at_long_ago_or_its_file_changed(
    *,
    scan_age_days: float | None,
    indexed_age_days: float,
    changed_on_disk: bool,
    threshold_days: int,
    stale: bool,
) -> None:
    scanned = None if scan_age_days is None else NOW - timedelta(days=scan_age_days)
    document = IndexedDocument(
        doc_id=DocumentId("0" * 32),
        doc_path=WorkspacePath("a.md"),
        title="a",
        lang="en",
        media="markdown",
        source_type=SourceType.MARKDOWN,
        trust_level=TrustLevel.PRIMARY,
        indexed_at=NOW - timedelta(days=indexed_age_days),
        last_complete_scan_at=scanned,
        changed_on_disk=changed_on_disk,
    )
    assert document.is_stale(now=NOW, threshold_days=threshold_days) is stale
