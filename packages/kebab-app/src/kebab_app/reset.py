"""Deleting what kebab made: never the user's files, never what another configuration points to."""

from __future__ import annotations

import shutil
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kebab_core import StorageError

from kebab_app.knowledge_base import DATABASE_NAME
from kebab_app.owned import (
    OWNED_FOLDERS,
    find_owned,
    find_owned_below,
    remove_empty_folder,
    remove_empty_folders,
)
from kebab_app.writer_lock import LOCK_FILE_NAME, hold_writer_lock

if TYPE_CHECKING:
    from kebab_core import DocumentId
    from kebab_wire import ResetReport

    from kebab_app.knowledge_base import KnowledgeBase

_ScopeName = Literal["all", "data_only", "vector_only", "config_only", "orphans_only"]


class ResetScope(StrEnum):
    """How much goes."""

    ALL = "all"
    DATA_ONLY = "data_only"
    VECTOR_ONLY = "vector_only"
    CONFIG_ONLY = "config_only"
    ORPHANS_ONLY = "orphans_only"


def plan_reset(base: KnowledgeBase, scope: ResetScope) -> list[Path]:
    """Return the existing paths that a reset would delete. Orphans are documents, not paths."""
    data = _find_data(base.data_dir)
    config_path = base.loaded.config_path
    config = [config_path] if config_path is not None and config_path.exists() else []
    match scope:
        case ResetScope.ALL:
            return [*data, *_elsewhere(base), *config]
        case ResetScope.DATA_ONLY:
            return data
        case ResetScope.VECTOR_ONLY:
            return find_owned_below(base.data_dir / "lancedb", OWNED_FOLDERS["lancedb"]) if data else []
        case ResetScope.CONFIG_ONLY:
            return config
        case ResetScope.ORPHANS_ONLY:
            return []


def reset(base: KnowledgeBase, scope: ResetScope) -> ResetReport:
    """Delete what the configuration in force points to.

    Args:
        base: The knowledge base.
        scope: How much.

    Returns:
        What was deleted.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        LockedError: Another process is writing.
        StorageError: Something cannot be deleted.
    """
    from kebab_wire import ResetReport

    base.require_writable()
    if scope is ResetScope.ORPHANS_ONLY:
        purged = _purge_orphans(base)
        return ResetReport(
            scope=_wire_name(scope), removed_paths=(), orphans_purged=len(purged), purged_paths=purged
        )
    forgotten = 0
    if scope is not ResetScope.CONFIG_ONLY and _find_data(base.data_dir):
        with hold_writer_lock(base.data_dir):
            doomed = plan_reset(base, scope)
            if scope is ResetScope.VECTOR_ONLY:
                forgotten = _forget_vectors(base)
            _delete(base, doomed)
            if scope is not ResetScope.VECTOR_ONLY:
                _leave(base.data_dir)
    else:
        doomed = plan_reset(base, scope)
        _delete(base, doomed)
    return ResetReport(
        scope=_wire_name(scope),
        removed_paths=tuple(str(path) for path in doomed),
        embedding_rows_truncated=forgotten,
    )


def _find_data(data_dir: Path) -> list[Path]:
    """Return what kebab put into a data folder, nothing where the folder has never been kebab's."""
    if not any((data_dir / name).exists() for name in (DATABASE_NAME, LOCK_FILE_NAME)):
        return []
    return find_owned(data_dir)


def _wire_name(scope: ResetScope) -> _ScopeName:
    return scope.value


def _elsewhere(base: KnowledgeBase) -> list[Path]:
    """Return what is kebab's in folders of logs and of the cache outside the data folder."""
    paths = base.loaded.paths
    places = {"logs": paths.log_dir, "cache": paths.cache_dir}
    return [
        owned
        for name, folder in places.items()
        if not folder.is_relative_to(base.data_dir)
        for owned in find_owned_below(folder, OWNED_FOLDERS[name])
    ]


def _delete(base: KnowledgeBase, doomed: list[Path]) -> None:
    base.close()
    for path in doomed:
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(
                f"cannot delete {str(path)!r}: {error.strerror}", hint="check its permissions", path=str(path)
            ) from error


def _forget_vectors(base: KnowledgeBase) -> int:
    """Let every passage wait for its vector again; what models made stays in the cache, so that this costs little.

    Returns:
        How many rows went.
    """
    if not base.has_database:
        return 0
    base.open_for_writing()
    return base.embeddings.forget()


def _leave(data_dir: Path) -> None:
    """Remove the lock file and then the data folder, if nothing of the user's is in it."""
    for name in OWNED_FOLDERS:
        remove_empty_folders(data_dir / name)
    (data_dir / LOCK_FILE_NAME).unlink(missing_ok=True)
    remove_empty_folder(data_dir)


def _purge_orphans(base: KnowledgeBase) -> tuple[str, ...]:
    """Return the paths of documents that no configured source would ingest any more, now removed."""
    from kebab_app.orphans import find_orphans

    if not base.has_database:
        return ()
    from kebab_store_sqlite import erase_deleted

    with hold_writer_lock(base.data_dir):
        orphans = find_orphans(base)
        doc_ids: list[DocumentId] = [orphan.doc_id for orphan in orphans]
        base.documents.remove_documents(doc_ids)
        base.documents.collect_assets()
        erase_deleted(base.open_for_writing())
    return tuple(orphan.doc_path for orphan in orphans)
