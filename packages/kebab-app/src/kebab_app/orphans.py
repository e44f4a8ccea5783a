"""Documents in the index that the configuration in force would not put there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import DocFilter, DocSummary, SourceEntry, SourceId, UnreadableFolder, WorkspacePath

from kebab_app.ingest.removal import is_beneath
from kebab_app.ingest.scan import scope_of
from kebab_app.ingest_use_case import build_connector, find_targets, internal_exclude

if TYPE_CHECKING:
    from kebab_app.app import App

_BYTES_PER_MB = 1024 * 1024


def find_orphans(app: App) -> list[DocSummary]:
    """Return documents whose source is no longer configured, or whose file a scan no longer takes.

    A source whose root cannot be listed has no orphans: an unmounted drive is not a decision.

    Args:
        app: The knowledge base.

    Returns:
        The documents, by source and path.

    Raises:
        StorageError: A root is missing or cannot be listed.
    """
    wanted, unreadable = _scan_sources(app)
    return [
        summary
        for summary in app.list_documents(DocFilter())
        if (summary.source_id, summary.doc_path) not in wanted
        and not any(
            summary.source_id == source and is_beneath(summary.doc_path, folder)
            for source, folder in unreadable
        )
    ]


def _scan_sources(
    app: App,
) -> tuple[set[tuple[SourceId, WorkspacePath]], list[tuple[SourceId, WorkspacePath]]]:
    connector = build_connector(app)
    wanted: set[tuple[SourceId, WorkspacePath]] = set()
    unreadable: list[tuple[SourceId, WorkspacePath]] = []
    for target in find_targets(app, None):
        source_id = SourceId(target.source.id)
        scope = scope_of(
            target,
            exclude=internal_exclude(target.root, app.data_dir),
            max_file_bytes=app.loaded.settings.ingest.max_file_mb * _BYTES_PER_MB,
            follow=app.loaded.settings.workspace.follow_symlinks,
        )
        for item in connector.scan(scope):
            if isinstance(item, SourceEntry):
                wanted.add((source_id, item.workspace_path))
            elif isinstance(item, UnreadableFolder) and item.workspace_path is not None:
                unreadable.append((source_id, item.workspace_path))
    return wanted, unreadable
