"""Documents in the index that the configuration in force would not put there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import (
    DocFilter,
    DocSummary,
    SourceEntry,
    SourceId,
    StorageError,
    UnreadableFolder,
    WorkspacePath,
)

from kebab_app.ingest.removal import is_beneath
from kebab_app.ingest.scan import scope_of
from kebab_app.ingest_use_case import build_connector, find_targets, internal_exclude

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase

_BYTES_PER_MB = 1024 * 1024


def find_orphans(base: KnowledgeBase) -> list[DocSummary]:
    """Return documents whose source is no longer configured, or whose file a scan no longer takes.

    A source whose root cannot be listed or is empty has no orphans: an unmounted drive is not a decision.

    Args:
        base: The knowledge base.

    Returns:
        The documents, by source and path.
    """
    wanted, unreadable = _scan_sources(base)
    return [
        summary
        for summary in base.documents.list_documents(DocFilter())
        if (summary.source_id, summary.doc_path) not in wanted
        and not any(
            summary.source_id == source and (folder is None or is_beneath(summary.doc_path, folder))
            for source, folder in unreadable
        )
    ]


def _scan_sources(
    base: KnowledgeBase,
) -> tuple[set[tuple[SourceId, WorkspacePath]], list[tuple[SourceId, WorkspacePath | None]]]:
    """Return the files that are there, and the folders that cannot be listed; None is a whole source."""
    connector = build_connector(base)
    wanted: set[tuple[SourceId, WorkspacePath]] = set()
    unreadable: list[tuple[SourceId, WorkspacePath | None]] = []
    for target in find_targets(base, None):
        source_id = SourceId(target.source.id)
        scope = scope_of(
            target,
            exclude=internal_exclude(target.root, base.data_dir),
            max_file_bytes=base.loaded.settings.ingest.max_file_mb * _BYTES_PER_MB,
            follow=base.loaded.settings.workspace.follow_symlinks,
        )
        is_empty = True
        try:
            for item in connector.scan(scope):
                is_empty = False
                if isinstance(item, SourceEntry):
                    wanted.add((source_id, item.workspace_path))
                elif isinstance(item, UnreadableFolder):
                    unreadable.append((source_id, item.workspace_path))
        except StorageError:
            unreadable.append((source_id, None))
        if is_empty:
            unreadable.append((source_id, None))  # as the place of an unmounted drive would be
    return wanted, unreadable
