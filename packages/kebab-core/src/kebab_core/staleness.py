"""When a document must be called stale."""

from __future__ import annotations

from datetime import datetime, timedelta


def is_stale(
    *,
    last_complete_scan_at: datetime | None,
    indexed_at: datetime,
    changed_on_disk: bool,
    now: datetime,
    threshold_days: int,
) -> bool:
    """Tell whether what is stored of a document may no longer be what is on disk.

    Args:
        last_complete_scan_at: When the document's source was last scanned to its end; None if never.
        indexed_at: When the document was last processed; its age counts while there is no complete scan.
        changed_on_disk: Whether the file is known to have changed since it was indexed.
        now: The present, timezone-aware.
        threshold_days: Age beyond which a document is stale; 0 switches this rule off.

    Returns:
        True if the file is known to have changed, or if it was last looked at longer ago than the threshold.
    """
    if changed_on_disk:
        return True
    if threshold_days == 0:
        return False
    return now - (last_complete_scan_at or indexed_at) > timedelta(days=threshold_days)
