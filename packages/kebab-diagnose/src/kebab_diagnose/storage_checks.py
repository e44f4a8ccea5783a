"""Checks of folders, of the database, and of what ingest stored in it.

Each takes what it looks at. A new one is a function here and a row of `kebab_app.doctor`, which opens that.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import Message, Moment, Remedy, format_address

from kebab_diagnose.failure_remedies import find_failure_remedy

if TYPE_CHECKING:
    from kebab_core import Analyzer, AssetAudit, FileFailure, IngestRun, LexicalIndex, StoreStats

NOT_CONFIGURED = Message("not configured")
"""Detail of a check of something that the settings do without."""
NOTHING_INGESTED = Message("nothing ingested yet")
NO_DATABASE = Message("no database yet")
_SET_DATA_DIR = Remedy(kind="set", setting="storage.data_dir")
_MIN_FREE_BYTES = 200 * 1024 * 1024
_SHOWN_PARTS = 6
_OTHER_USERS = stat.S_IRWXG | stat.S_IRWXO
START_OVER = Remedy(kind="reset_data", then=Remedy(kind="ingest"))


@dataclass(frozen=True)
class Problem:
    """A fault that a check found."""

    detail: Message
    remedy: Remedy


Check = Callable[[], Message | Problem]
"""Returns the detail of a check that passes, or a problem; an error that it raises is a failed check, too."""


def check_sources(roots: Sequence[Path]) -> Message | Problem:
    """Check that the folder of every source can be read."""
    for root in roots:
        if not root.is_dir():
            return Problem(
                Message("{root} is not a folder", root=str(root)),
                remedy=Remedy(
                    advice=Message("make the folder {path!r} yourself", path=str(root)),
                    otherwise=Remedy(kind="set", setting="workspace.root"),
                ),
            )
        if not os.access(root, os.R_OK | os.X_OK):
            return Problem(
                Message("{root} cannot be read", root=str(root)),
                remedy=Remedy(kind="check_permissions", path=str(root)),
            )
    return Message("{roots}", roots=", ".join(map(str, roots)))


def check_data_dir_writable(data_dir: Path) -> Message | Problem:
    """Check that the data folder can be written, or made."""
    existing = _nearest_existing(data_dir)
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return Problem(
            Message("{folder} cannot be written", folder=str(existing)),
            remedy=Remedy(kind="check_permissions", path=str(existing), otherwise=_SET_DATA_DIR),
        )
    if existing == data_dir:
        return Message("{folder}", folder=str(existing))
    return Message("{folder} (will be created)", folder=str(data_dir))


def check_data_dir_private(data_dir: Path) -> Message | Problem:
    """Check that no other user may list the data folder."""
    if not data_dir.is_dir():
        return Message("not created yet (only you will have access)")
    if data_dir.stat().st_mode & _OTHER_USERS:
        return Problem(
            Message("other users of this machine can read {folder}", folder=str(data_dir)),
            remedy=Remedy(kind="make_private", path=str(data_dir)),
        )
    return Message("only you have access")


def check_disk_space(data_dir: Path) -> Message | Problem:
    """Check that there is some free space for the data folder."""
    existing = _nearest_existing(data_dir)
    free = shutil.disk_usage(existing).free
    if free < _MIN_FREE_BYTES:
        return Problem(
            Message("{free} MB free at {folder}", free=free // 1_000_000, folder=str(existing)),
            remedy=Remedy(kind="free_space", path=str(existing), otherwise=_SET_DATA_DIR),
        )
    sizes = measure_folder(data_dir)
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


def _size_of(path: Path | str) -> int:
    """Return the bytes of a file or of all files below a folder; 0 for what cannot be read."""
    try:
        status = os.lstat(path)
        if not stat.S_ISDIR(status.st_mode):
            return status.st_size
        with os.scandir(path) as entries:
            return sum(_size_of(entry.path) for entry in entries)
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


def describe_database(
    path: Path, stats: StoreStats, *, schema_version: int, sizes: Mapping[str, int]
) -> Message:
    """Describe an open database.

    Args:
        path: Its file.
        stats: Of its documents.
        schema_version: Of its schema.
        sizes: Bytes of each table, the largest first; empty where SQLite does not count them.
    """
    return Message(
        "{file} (schema v{schema}, {documents} documents{sizes})",
        file=path.name,
        schema=schema_version,
        documents=stats.doc_count,
        sizes=f"; MB: {_list_sizes(sizes)}" if sizes else "",
    )


def advise_on_damage(table_damage: Sequence[str]) -> Remedy:
    """Name what helps a damaged database: full-text indexes are made again, with other damage everything is.

    Args:
        table_damage: Problems outside the full-text indexes, which can be made again from the rest.
    """
    return START_OVER if table_damage else Remedy(kind="repair")


def check_lexical_index(index: LexicalIndex, analyzer: Analyzer) -> Message | Problem:
    """Check that the analyser in force reads the full-text index."""
    stored, version = index.analyzer_version(), analyzer.version
    if stored is None:
        return Message("empty")
    if not analyzer.reads(stored):
        return Problem(
            Message("made by {stored}, this kebab analyses with {version}", stored=stored, version=version),
            remedy=Remedy(kind="ingest"),
        )
    return Message(
        "{count} passage, {analyzer}",
        plural="{count} passages, {analyzer}",
        count=index.corpus_size(),
        analyzer=stored,
    )


def check_korean_analysis(analyzer: Analyzer) -> Message | Problem:
    """Check that the Korean dictionary is there."""
    if not analyzer.analyze("형태소 분석"):
        return Problem(
            Message("the Korean dictionary finds no words"), remedy=Remedy(advice=Message("reinstall kebab"))
        )
    return Message("{analyzer}", analyzer=analyzer.version)


def check_ingest_finished(unfinished: Sequence[IngestRun], writer: int | None) -> Message | Problem:
    """Check that no ingest run was interrupted.

    Args:
        unfinished: The unfinished runs, newest first.
        writer: Process id of the holder of the writer lock, looked up after them.
    """
    if not unfinished:
        return Message("no interrupted run")
    if writer is not None:
        return Message("an ingest is running (pid {writer})", writer=writer)
    return Problem(
        Message(
            "the run of {started_at} did not finish",
            started_at=Moment(unfinished[0].started_at),
        ),
        remedy=Remedy(kind="ingest"),
    )


def check_files_readable(failures: Sequence[FileFailure]) -> Message | Problem:
    """Check that ingest failed on no file."""
    if not failures:
        return Message("every file could be read")
    first = failures[0]
    shown = format_address(first.source_id, first.workspace_path)
    mend = find_failure_remedy(first.failure, shown)
    failed = Message("{path}: {reason}", path=shown, reason=first.failure.message)
    if more := len(failures) - 1:
        failed = Message("{failed}; {more} more could not be read", failed=failed, more=more)
    return Problem(
        failed, remedy=Remedy(kind="explain_file", path=shown, then=mend.followed_by(Remedy(kind="ingest")))
    )


def check_removals_settled(stats: StoreStats) -> Message | Problem:
    """Check that no document is kept although its file is gone."""
    if held := stats.held_document_count:
        return Problem(
            Message(
                "{held} documents are kept although their files are gone: so many at once look like a "
                "missing drive",
                held=held,
            ),
            remedy=restore_or_prune(),
        )
    return Message("no removal is held")


def restore_or_prune() -> Remedy:
    """The remedy for documents that are kept although their files are gone."""
    restore = Remedy(advice=Message("bring the files back"), then=Remedy(kind="ingest"))
    return restore.model_copy(update={"otherwise": Remedy(kind="prune")})


def check_unindexed_copies(copies: int) -> Problem | None:
    """Check that there are no copies of files beside a database without documents, which a lost database leaves behind."""
    if not copies:
        return None
    return Problem(
        Message(
            "no document is indexed, but {copies} copies of files are kept: the database was lost, or "
            "its first ingest did not finish",
            copies=copies,
        ),
        remedy=Remedy(advice=Message("restore it from a backup"), otherwise=Remedy(kind="read_files_again")),
    )


def check_assets(audit: AssetAudit, *, are_strays_settled: bool) -> Message | Problem:
    """Check that the copies of files are whole and belong to documents.

    Args:
        audit: The comparison of the copies with the database, by their sizes.
        are_strays_settled: Whether no run is at work or was interrupted that copies without a document may belong to.
    """
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
    if audit.strays and are_strays_settled:
        return Problem(
            Message(
                "{strays} copies of files belong to no document: the database may be older than they are",
                strays=audit.strays,
            ),
            remedy=Remedy(kind="ingest"),
        )
    return Message("every copied file is there")


def check_scratch(scratch: Sequence[Path]) -> Message | Problem:
    """Check that no killed export or import left its scratch folder."""
    if not scratch:
        return Message("no leftovers")
    return Problem(
        Message(
            "a killed export or import left {size} MB in {folder}",
            size=_megabytes(sum(map(_size_of, scratch))),
            folder=str(scratch[0].parent),
        ),
        remedy=Remedy(kind="repair"),
    )
