"""Deleting what kebab made: never the user's files, never what another configuration points to."""

from __future__ import annotations

import shutil
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_app.writer_lock import LOCK_FILE_NAME, hold_writer_lock

if TYPE_CHECKING:
    from kebab_core import DocumentId
    from kebab_wire import ResetReport

    from kebab_app.app import App

OWNED_NAMES = (
    "kebab.sqlite",
    "kebab.sqlite-wal",
    "kebab.sqlite-shm",
    "kebab.sqlite-journal",
    "lancedb",
    "assets",
    "artifacts",
    "models",
    "runs",
    "logs",
)
"""What kebab puts into the data folder; anything else in it is not ours and stays."""


class ResetScope(StrEnum):
    """How much goes."""

    ALL = "all"
    DATA_ONLY = "data_only"
    VECTOR_ONLY = "vector_only"
    CONFIG_ONLY = "config_only"
    ORPHANS_ONLY = "orphans_only"


def plan_reset(app: App, scope: ResetScope) -> list[Path]:
    """Return the existing paths that a reset would delete. Orphans are documents, not paths."""
    data = [path for name in OWNED_NAMES if (path := app.data_dir / name).exists()]
    config_path = app.loaded.config_path
    config = [config_path] if config_path is not None and config_path.exists() else []
    match scope:
        case ResetScope.ALL:
            return [*data, *config]
        case ResetScope.DATA_ONLY:
            return data
        case ResetScope.VECTOR_ONLY:
            return [path for path in data if path.name == "lancedb"]
        case ResetScope.CONFIG_ONLY:
            return config
        case ResetScope.ORPHANS_ONLY:
            return []


def reset(app: App, scope: ResetScope) -> ResetReport:
    """Delete what the configuration in force points to.

    Args:
        app: The knowledge base.
        scope: How much.

    Returns:
        What was deleted.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        LockedError: Another process is writing.
    """
    from kebab_wire import ResetReport

    app.require_writable()
    if scope is ResetScope.ORPHANS_ONLY:
        purged = _purge_orphans(app)
        return ResetReport(
            scope=scope.value, removed_paths=(), orphans_purged=len(purged), purged_paths=purged
        )
    doomed = plan_reset(app, scope)
    if app.data_dir.is_dir():
        with hold_writer_lock(app.data_dir, wait=False):
            _delete(app, doomed)
        if scope in {ResetScope.ALL, ResetScope.DATA_ONLY}:
            _leave(app.data_dir)
    else:
        _delete(app, doomed)
    return ResetReport(scope=scope.value, removed_paths=tuple(str(path) for path in doomed))


def _delete(app: App, doomed: list[Path]) -> None:
    app.close()
    for path in doomed:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _leave(data_dir: Path) -> None:
    """Remove the lock file and then the data folder, if nothing of the user's is in it."""
    (data_dir / LOCK_FILE_NAME).unlink(missing_ok=True)
    if not any(data_dir.iterdir()):
        data_dir.rmdir()


def _purge_orphans(app: App) -> tuple[str, ...]:
    """Return the paths of documents that no configured source would ingest any more, now removed."""
    from kebab_app.orphans import find_orphans

    if not app.has_database:
        return ()
    with hold_writer_lock(app.data_dir, wait=False):
        orphans = find_orphans(app)
        doc_ids: list[DocumentId] = [orphan.doc_id for orphan in orphans]
        app.documents.remove_documents(doc_ids)
        app.documents.collect_assets()
    return tuple(orphan.doc_path for orphan in orphans)
