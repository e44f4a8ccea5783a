"""Deletion of what kebab made: never the user's files, never what another configuration points to.

What is kebab's own in a data folder is told by names that nobody else gives, never by the folder alone: a user may well
keep an `assets` or `logs` folder of their own there. They may also have put the data folder, or something in it, on another
disk by a link or a mount: then what kebab keeps there is kebab's, and the link and the folder that it leads to stay.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import Remedy, StorageError

from kebab_app.knowledge_base import DATABASE_NAME
from kebab_app.store import (
    ID_NAME,
    LOCK_FILE_NAME,
    LOCK_FILE_NAMES,
    REPLACED_FOLDER,
    RUN_FILE,
    SCRATCH_FOLDER,
    erase_deleted,
    hold_embedding_lock,
    hold_writer_lock,
)
from kebab_app.wiring import VECTORS_FOLDER

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase


_SIDE_FILES = r"(-wal|-shm|-journal)?"
_ENDS = ("-journal", "-shm", "-wal", "")
OWNED_FOLDERS: dict[str, re.Pattern[str]] = {
    "assets": re.compile(r"([0-9a-f]{2})/(\1[0-9a-f]{30}|\.\1[0-9a-f]{30}\.\d+\.\d+)"),
    "logs": re.compile(r"kebab\.log(\.\d{4}-\d{2}-\d{2})?|ingest-[0-9TZ-]+(-\d+)?\.ndjson"),
    "vectors": re.compile(r"\.?[0-9a-f]{32}\.(matrix|json)(\.\d+)?|[0-9a-f]{32}\.lance/.+"),
    "cache": re.compile(
        rf"eval/(kebab\.sqlite{_SIDE_FILES}|base-id)|model-files\.json|terminals/[0-9a-f]{32}[^/]*|\.hashes-[^/]+"
    ),
    "runs": RUN_FILE,
    "artifacts": re.compile(r"[0-9a-f]{32}/.+"),
    REPLACED_FOLDER: re.compile(r"(schema-\d+|base-[0-9a-f]{8})(-\d+)?/(kebab\.sqlite|(assets|runs)/.+)"),
    SCRATCH_FOLDER: re.compile(r".+"),
}
"""Folder to the relative POSIX paths of what kebab puts into it."""


class ResetScope(StrEnum):
    """Extent of a reset."""

    ALL = "all"
    DATA_ONLY = "data_only"
    VECTOR_ONLY = "vector_only"
    CONFIG_ONLY = "config_only"
    ORPHANS_ONLY = "orphans_only"


@dataclass(frozen=True, kw_only=True)
class ResetResult:
    """Result of a reset."""

    scope: ResetScope
    removed_paths: tuple[Path, ...] = ()
    dropped_vectors: int = 0
    """Vectors that were deleted; their passages wait for them again."""
    purged_paths: tuple[str, ...] | None = None
    """Paths of the documents that left the index; None where the scope has no documents."""


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
            return (
                _find_owned_below(base.data_dir / VECTORS_FOLDER, OWNED_FOLDERS[VECTORS_FOLDER])
                if data
                else []
            )
        case ResetScope.CONFIG_ONLY:
            return config
        case ResetScope.ORPHANS_ONLY:
            return []


def reset(base: KnowledgeBase, scope: ResetScope) -> ResetResult:
    """Delete what the configuration in force points to.

    Args:
        base: The knowledge base.
        scope: Extent of the reset.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        LockedError: Another process is writing or making vectors.
        StorageError: Something cannot be deleted.
    """
    base.require_writable()
    if scope is ResetScope.ORPHANS_ONLY:
        purged = _purge_orphans(base)
        return ResetResult(scope=scope, purged_paths=purged)
    dropped = 0
    if scope is not ResetScope.CONFIG_ONLY and _find_data(base.data_dir):
        with hold_embedding_lock(base.data_dir), hold_writer_lock(base.data_dir):
            doomed = plan_reset(base, scope)
            if scope is ResetScope.VECTOR_ONLY:
                dropped = _forget_vectors(base)
            _delete_all(base, doomed)
            if scope is not ResetScope.VECTOR_ONLY:
                _leave(base.data_dir)
    else:
        doomed = plan_reset(base, scope)
        _delete_all(base, doomed)
    return ResetResult(scope=scope, removed_paths=tuple(doomed), dropped_vectors=dropped)


def _find_data(data_dir: Path) -> list[Path]:
    """Return the paths in a data folder that kebab made; none where the folder has no database and no lock file."""
    if not any((data_dir / name).exists() for name in (DATABASE_NAME, LOCK_FILE_NAME)):
        return []
    return _find_owned(data_dir)


def _elsewhere(base: KnowledgeBase) -> list[Path]:
    """Return the paths that kebab made in folders of logs and of the cache outside the data folder."""
    paths = base.loaded.paths
    places = {"logs": paths.log_dir, "cache": paths.cache_dir}
    return [
        owned
        for name, folder in places.items()
        if not folder.is_relative_to(base.data_dir)
        for owned in _find_owned_below(folder, OWNED_FOLDERS[name])
    ]


def delete_path(path: Path) -> None:
    """Delete a file or a folder with all that is in it; of a link the link itself.

    Raises:
        StorageError: It cannot be deleted.
    """
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(
            "cannot delete {path!r}: {reason}",
            remedy=Remedy(kind="check_permissions", path=str(path)),
            path=str(path),
            _reason=error.strerror,
        ) from error


def _delete_all(base: KnowledgeBase, doomed: Iterable[Path]) -> None:
    base.close()
    for path in doomed:
        delete_path(path)


def _forget_vectors(base: KnowledgeBase) -> int:
    """Delete every vector; every passage waits for its own again.

    Returns:
        Number of vectors.
    """
    if not base.has_database:
        return 0
    base.open_for_writing()
    return base.index.embeddings.delete_all()


def _leave(data_dir: Path) -> None:
    """Remove the lock files and then the data folder, if nothing of the user's is in it."""
    for name in OWNED_FOLDERS:
        _remove_empty_folders(data_dir / name)
    for name in LOCK_FILE_NAMES:
        (data_dir / name).unlink(missing_ok=True)
    _remove_empty_folder(data_dir)


def _find_owned(data_dir: Path) -> list[Path]:
    """Find what kebab put into a data folder: whole folders where all of it is kebab's, else single files.

    The database comes last, so that an interrupted clean-up leaves the mark that the rest is kebab's.
    """
    found: list[Path] = []
    for name, ours in OWNED_FOLDERS.items():
        found += _find_owned_below(data_dir / name, ours)
    database = data_dir / DATABASE_NAME
    places = dict.fromkeys((database.resolve(), database)) if database.is_symlink() else (database,)
    sides = (place.with_name(place.name + end) for place in places for end in _ENDS)
    own = (data_dir / ID_NAME, *sides)
    return [*found, *(path for path in own if os.path.lexists(path))]


def _find_owned_below(folder: Path, ours: re.Pattern[str]) -> list[Path]:
    """Find the folder itself if everything in it is kebab's, else the files that are, by path.

    For a linked or mounted folder it is what lies in it, at its real place.
    """
    if not folder.is_dir():
        return []
    is_linked = folder.is_symlink()
    folder = folder.resolve() if is_linked else folder
    files = list(_files_below(folder))
    kept = [path for path in files if not ours.fullmatch(path.relative_to(folder).as_posix())]
    if kept:
        return sorted(set(files) - set(kept))
    return sorted(folder.iterdir()) if is_linked or folder.is_mount() else [folder]


def _remove_empty_folders(folder: Path) -> None:
    """Remove the folders below `folder`, and itself, that hold nothing; the others stay."""
    if folder.is_symlink() or not folder.is_dir():
        return
    for child in list(folder.iterdir()):
        _remove_empty_folders(child)
    _remove_empty_folder(folder)


def _remove_empty_folder(folder: Path) -> None:
    """Remove a folder that holds nothing; one that may not be removed, such as a mount or a link, stays."""
    with suppress(OSError):
        folder.rmdir()


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield everything below that is not a folder; links are not followed."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            yield from _files_below(path)
        else:
            yield path


def _purge_orphans(base: KnowledgeBase) -> tuple[str, ...]:
    """Remove the documents that no configured source would ingest any more.

    Returns:
        Their paths.
    """
    if not base.has_database:
        return ()
    from kebab_ingest import build_scope, find_orphans

    from kebab_app.ingest_wiring import build_connector

    settings = base.loaded.settings
    scopes = [
        build_scope(target, data_dir=base.data_dir, workspace=settings.workspace, ingest=settings.ingest)
        for target in base.targets
    ]
    with hold_writer_lock(base.data_dir):
        orphans = find_orphans(base.index.documents, build_connector(base), scopes)
        base.index.documents.remove_documents([orphan.doc_id for orphan in orphans])
        base.index.documents.collect_assets()
        erase_deleted(base.open_for_writing())
    return tuple(orphan.doc_path for orphan in orphans)
