"""Checks of folders, of the database, and of what ingest stored in it.

A new check is a function and a line of the table at the end.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kebab_core import CopyLook, KebabError, Message, Moment, Remedy, format_address

from kebab_diagnose.access import HealthAccess
from kebab_diagnose.failure_remedies import find_failure_remedy

NOT_CONFIGURED = Message("not configured")
"""Detail of a check of something that the settings do without."""
NOTHING_INGESTED = Message("nothing ingested yet")
NO_DATABASE = Message("no database yet")
_SET_DATA_DIR = Remedy(kind="set", setting="storage.data_dir")
_MIN_FREE_BYTES = 200 * 1024 * 1024
_SHOWN_PARTS = 6
_OTHER_USERS = stat.S_IRWXG | stat.S_IRWXO
_START_OVER = Remedy(kind="reset_data", then=Remedy(kind="ingest"))


@dataclass(frozen=True)
class Problem:
    """A fault that a check found."""

    detail: Message
    remedy: Remedy


Check = Callable[[HealthAccess], Message | Problem]
"""Returns the detail of a check that passes, or a problem; an error that it raises is a failed check, too."""


def check_config(access: HealthAccess) -> Message:
    """Name the file of the settings; one that cannot be loaded leaves nothing to check."""
    return access.config


def check_sources(access: HealthAccess) -> Message | Problem:
    """Check that the folder of every source can be read."""
    for root in access.roots:
        if not root.is_dir():
            return Problem(
                Message("{root} is not a folder", root=str(root)),
                remedy=Remedy(
                    kind="create_folder",
                    path=str(root),
                    otherwise=Remedy(kind="set", setting="workspace.root"),
                ),
            )
        if not os.access(root, os.R_OK | os.X_OK):
            return Problem(
                Message("{root} cannot be read", root=str(root)),
                remedy=Remedy(kind="check_permissions", path=str(root)),
            )
    return Message("{roots}", roots=", ".join(map(str, access.roots)))


def check_data_dir_writable(access: HealthAccess) -> Message | Problem:
    """Check that the data folder can be written, or made, unless nothing is to be written."""
    if access.readonly:
        return Message("{folder} (not needed: writing is switched off)", folder=str(access.data_dir))
    existing = _nearest_existing(access.data_dir)
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return Problem(
            Message("{folder} cannot be written", folder=str(existing)),
            remedy=Remedy(kind="check_permissions", path=str(existing), otherwise=_SET_DATA_DIR),
        )
    if access.database:
        access.database.require_unprotected()
    if existing == access.data_dir:
        return Message("{folder}", folder=str(existing))
    return Message("{folder} (will be made)", folder=str(access.data_dir))


def check_data_dir_private(access: HealthAccess) -> Message | Problem:
    """Check that no other user may list the data folder."""
    if not access.data_dir.is_dir():
        return Message("not made yet (will be yours alone)")
    if access.data_dir.stat().st_mode & _OTHER_USERS:
        return Problem(
            Message("others on this machine may look into {folder}", folder=str(access.data_dir)),
            remedy=Remedy(kind="make_private", path=str(access.data_dir)),
        )
    return Message("yours alone")


def check_disk_space(access: HealthAccess) -> Message | Problem:
    """Check that there is some free space for the data folder."""
    existing = _nearest_existing(access.data_dir)
    free = shutil.disk_usage(existing).free
    if free < _MIN_FREE_BYTES:
        return Problem(
            Message("{free} MB free at {folder}", free=free // 1_000_000, folder=str(existing)),
            remedy=Remedy(kind="free_space", path=str(existing), otherwise=_SET_DATA_DIR),
        )
    sizes = measure_folder(access.data_dir)
    if not sizes:
        return Message("{free} GB free", free=free // 1_000_000_000)
    return Message(
        "{free} GB free, {size} MB in the data folder ({parts})",
        free=free // 1_000_000_000,
        size=_megabytes(sum(sizes.values())),
        parts=_list_sizes(sizes),
    )


def measure_folder(folder: Path) -> dict[str, int]:
    """Return the bytes of each file and subfolder of a folder, by name; empty where it cannot be read."""
    try:
        return {path.name: _size_of(path) for path in sorted(folder.iterdir())}
    except OSError:
        return {}


def _size_of(path: Path) -> int:
    """Return the bytes of a file or of all files below a folder; 0 for what cannot be read."""
    try:
        if path.is_dir() and not path.is_symlink():
            return sum(map(_size_of, path.iterdir()))
        return path.lstat().st_size
    except OSError:
        return 0


def _list_sizes(sizes: Mapping[str, int]) -> str:
    """Return the largest parts with their megabytes, such as `passages 12.1, full_text 9.6`."""
    largest = sorted(sizes.items(), key=lambda each: -each[1])[:_SHOWN_PARTS]
    return ", ".join(f"{name} {_megabytes(size)}" for name, size in largest)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f}"


def _nearest_existing(path: Path) -> Path:
    return next(candidate for candidate in (path, *path.parents) if candidate.exists())


def check_database(access: HealthAccess) -> Message:
    """Open the database, and count its documents."""
    if access.database is None:
        return Message("no database yet (an ingest makes it)")
    database, sizes = access.database, access.database.table_sizes()
    return Message(
        "{file} (schema v{schema}, {documents} documents{sizes})",
        file=database.path.name,
        schema=database.schema_version(),
        documents=database.documents().stats().doc_count,
        sizes=f"; MB: {_list_sizes(sizes)}" if sizes else "",
    )


def check_integrity(access: HealthAccess) -> Message | Problem:
    """Check that the database is whole."""
    if access.database is None:
        return NO_DATABASE
    damage = access.database.find_damage()
    if damage:
        return Problem(Message("{damage}", damage=damage[0]), remedy=advise_on_damage(access))
    return Message("no damage found")


def advise_on_damage(access: HealthAccess) -> Remedy:
    """Name what helps a damaged database: full-text indexes are made again, with other damage everything is."""
    try:
        is_beyond_repair = access.database is None or access.database.find_table_damage()
    except KebabError:
        return _START_OVER
    return _START_OVER if is_beyond_repair else Remedy(kind="repair")


def check_lexical_index(access: HealthAccess) -> Message | Problem:
    """Check that the analyser in force reads the full-text index."""
    if access.database is None:
        return NO_DATABASE
    index, analyzer = access.database.lexical_index(), access.analyzer()
    stored, version = index.analyzer_version(), analyzer.version
    if stored is None:
        return Message("empty")
    if not analyzer.reads(stored):
        return Problem(
            Message("made by {stored}, this kebab analyses with {version}", stored=stored, version=version),
            remedy=Remedy(kind="ingest"),
        )
    return Message(
        "{count} chunk, {analyzer}",
        plural="{count} chunks, {analyzer}",
        count=index.corpus_size(),
        analyzer=stored,
    )


def check_korean_analysis(access: HealthAccess) -> Message | Problem:
    """Check that the Korean dictionary is there."""
    analyzer = access.analyzer()
    if not analyzer.analyze("형태소 분석"):
        return Problem(Message("the Korean dictionary finds no words"), remedy=Remedy(kind="reinstall"))
    return Message("{analyzer}", analyzer=analyzer.version)


def check_ingest_finished(access: HealthAccess) -> Message | Problem:
    """Check that no ingest run was interrupted."""
    if access.database is None:
        return NOTHING_INGESTED
    unfinished = access.database.unfinished_runs()
    if not unfinished:
        return Message("no interrupted run")
    if (writer := access.find_writer()) is not None:
        return Message("an ingest is running (pid {writer})", writer=writer)
    return Problem(
        Message(
            "the run of {started_at} did not finish",
            started_at=Moment(unfinished[0].started_at),
        ),
        remedy=Remedy(kind="ingest"),
    )


def check_files_readable(access: HealthAccess) -> Message | Problem:
    """Check that ingest failed on no file."""
    if access.database is None:
        return NOTHING_INGESTED
    failures = access.database.source_files().list_failures()
    if not failures:
        return Message("every file could be read")
    first = failures[0]
    shown = format_address(first.source_id, first.workspace_path)
    mend = find_failure_remedy(first.failure, shown)
    failed = Message("{path}: {reason}", path=shown, reason=first.failure.message)
    if more := len(failures) - 1:
        failed = Message("{failed} and {more} more", failed=failed, more=more)
    return Problem(
        failed, remedy=Remedy(kind="explain_file", path=shown, then=mend.followed_by(Remedy(kind="ingest")))
    )


def check_removals_settled(access: HealthAccess) -> Message | Problem:
    """Check that no document is kept although its file is gone."""
    if access.database is None:
        return NOTHING_INGESTED
    if held := access.database.documents().stats().held_document_count:
        return Problem(
            Message(
                "{held} documents are kept although their files are gone: so many at once look like a "
                "missing drive",
                held=held,
            ),
            remedy=restore_or_prune(),
        )
    return Message("no document waits for its removal")


def restore_or_prune() -> Remedy:
    """The remedy for documents that are kept although their files are gone."""
    restore = Remedy(kind="restore_files", then=Remedy(kind="ingest"))
    return restore.model_copy(update={"otherwise": Remedy(kind="prune")})


def count_unindexed_copies(access: HealthAccess) -> int:
    """Count the copies of files beside a database without documents, which a lost database leaves behind.

    Returns:
        The number; 0 while an ingest is at work.
    """
    if access.find_writer() is not None:
        return 0
    if access.database is None:
        return access.count_asset_files()
    if access.database.documents().stats().doc_count:
        return 0
    return access.database.assets().audit_assets(CopyLook.NAMES).strays


def check_assets(access: HealthAccess) -> Message | Problem:
    """Check that the copies of files are whole and belong to documents."""
    if copies := count_unindexed_copies(access):
        return Problem(
            Message(
                "no document is indexed, but {copies} copies of files are kept: the database was lost, or "
                "its first ingest did not come to its end",
                copies=copies,
            ),
            remedy=Remedy(kind="restore_backup", otherwise=Remedy(kind="read_files_again")),
        )
    if access.database is None:
        return NOTHING_INGESTED
    audit = access.database.assets().audit_assets(CopyLook.SIZES)
    if audit.damaged:
        return Problem(
            Message(
                "{damaged} copies of files are damaged, {lost} are gone",
                damaged=len(audit.damaged),
                lost=len(audit.lost),
            ),
            remedy=Remedy(kind="verify_files"),
        )
    if audit.lost:
        return Problem(
            Message("the copies of {lost} files are gone", lost=len(audit.lost)), remedy=Remedy(kind="ingest")
        )
    if audit.strays and access.find_writer() is None and not access.database.unfinished_runs():
        return Problem(
            Message(
                "{strays} copies of files belong to no document: the database may be older than they are",
                strays=audit.strays,
            ),
            remedy=Remedy(kind="ingest"),
        )
    return Message("every copied file is there")


def check_scratch(access: HealthAccess) -> Message | Problem:
    """Check that no killed export or import left its scratch folder."""
    if not access.scratch:
        return Message("no leftovers")
    return Problem(
        Message(
            "a killed export or import left {size} MB in {folder}",
            size=_megabytes(sum(map(_size_of, access.scratch))),
            folder=str(access.scratch[0].parent),
        ),
        remedy=Remedy(kind="repair"),
    )


STORAGE_CHECKS: dict[str, Check] = {
    "config_loaded": check_config,
    "workspace_readable": check_sources,
    "data_dir_writable": check_data_dir_writable,
    "data_dir_private": check_data_dir_private,
    "disk_space": check_disk_space,
    "sqlite_open": check_database,
    "sqlite_integrity": check_integrity,
    "lexical_index": check_lexical_index,
    "korean_analysis": check_korean_analysis,
    "ingest_finished": check_ingest_finished,
    "files_readable": check_files_readable,
    "removals_settled": check_removals_settled,
    "assets_kept": check_assets,
    "scratch_swept": check_scratch,
}
"""By wire name, in the order of the report."""
