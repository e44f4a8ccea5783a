"""State of a knowledge base at a glance: sources, documents, the last run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_core import Coverage, IngestRun

    from kebab_app.knowledge_base import KnowledgeBase


@dataclass(frozen=True, kw_only=True)
class Overview:
    """State of a knowledge base."""

    is_set_up: bool
    """There is a configuration, or the folder that is read without one."""
    coverage: Coverage | None
    """Documents by state; None where there is no database."""
    documents: dict[str, int]
    """Number of documents by source."""
    last_run: IngestRun | None
    """The ingest that started last."""
    is_writing: bool
    """Another process writes to it."""


def build_overview(base: KnowledgeBase) -> Overview:
    """Sum up a knowledge base; loads no model and makes no database."""
    if not base.has_database:
        return Overview(
            is_set_up=base.is_set_up, coverage=None, documents={}, last_run=None, is_writing=False
        )
    from kebab_app.store import find_writer

    threshold = base.loaded.settings.search.stale_threshold_days
    runs = base.history.jobs.list_runs(limit=1)
    return Overview(
        is_set_up=True,
        coverage=base.index.documents.coverage(now=base.clock.now(), stale_threshold_days=threshold),
        documents={str(name): count for name, count in base.index.documents.count_by_source().items()},
        last_run=runs[0] if runs else None,
        is_writing=find_writer(base.data_dir) is not None,
    )
