"""What earlier runs did with a file that is no longer there."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import IngestResult, SourceId, WorkspacePath

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase

_RUNS = 50
"""How many of the last runs are looked through."""


class PastEnd(NamedTuple):
    """How a document left its path."""

    at: datetime
    moved_to: WorkspacePath | None
    """Where the file turned up again; None where it was removed."""


def find_past_end(base: KnowledgeBase, source_id: SourceId, path: WorkspacePath) -> PastEnd | None:
    """Return how the document of a path left the index last; None where no run that is kept tells."""
    from kebab_store_sqlite import SqliteIngestRunRepo

    if not base.has_database:
        return None
    for run in SqliteIngestRunRepo(base.open_for_reading()).list_runs(limit=_RUNS):
        for item in (run.report.items if run.report else None) or ():
            if item.source_id != source_id or run.report is None:
                continue
            if item.kind is IngestResult.REMOVED and item.doc_path == path:
                return PastEnd(run.report.finished_at, None)
            if item.kind is IngestResult.MOVED and item.moved_from == path:
                return PastEnd(run.report.finished_at, item.doc_path)
    return None
