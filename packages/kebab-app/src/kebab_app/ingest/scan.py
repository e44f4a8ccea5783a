"""Scanning the sources of a run: what is there, what is skipped, what could not be seen."""

from __future__ import annotations

from dataclasses import dataclass, field

from kebab_core import (
    IngestScope,
    SkippedPath,
    SkipReason,
    SourceConnector,
    SourceEntry,
    SourceScope,
    StorageError,
    UnreadableFolder,
    WorkspacePath,
)

from kebab_app.external_folder import EXTERNAL_FOLDER
from kebab_app.ingest.known import KnownFiles
from kebab_app.ingest.request import CancelToken, SourceTarget
from kebab_app.ingest.tally import Tally


@dataclass
class SourceScan:
    """What one scan of one source found."""

    target: SourceTarget
    changed: list[SourceEntry] = field(default_factory=list)
    """New, edited, touched or failed before; to be read."""
    unchanged: list[WorkspacePath] = field(default_factory=list)
    skipped: list[SkippedPath] = field(default_factory=list)
    """Left out for what was found in them before, and as they were."""
    seen: set[WorkspacePath] = field(default_factory=set)
    unreadable: dict[WorkspacePath, str] = field(default_factory=dict)
    """Folders that could not be looked into, with the reason."""
    messages: list[str] = field(default_factory=list)
    """One for each folder that could not be listed."""
    finished: bool = False
    """Whether the scan came to its end with the root readable."""

    @property
    def files(self) -> int:
        """How many files of a medium that can be read there are."""
        return len(self.changed) + len(self.unchanged) + len(self.skipped)

    @property
    def is_complete(self) -> bool:
        """Whether every file of the whole source was seen."""
        return self.finished and not self.unreadable and self.target.under is None


def scope_of(
    target: SourceTarget, *, exclude: tuple[str, ...], max_file_bytes: int, follow: bool
) -> SourceScope:
    """Return what the connector is told for one source; `exclude` is for kebab's own folders and holds everywhere."""
    return SourceScope(
        source_id=target.source.id,
        root=str(target.root),
        under=target.under,
        include=target.source.include,
        exclude=(*target.source.exclude, *exclude),
        kept=None if any(p.startswith(f"/{EXTERNAL_FOLDER}/") for p in exclude) else EXTERNAL_FOLDER,
        follow_symlinks=follow,
        max_file_bytes=max_file_bytes,
    )


def describe_scope(scope: SourceScope) -> IngestScope:
    """Return a scope as reports show it."""
    return IngestScope(
        source_id=scope.source_id,
        root=scope.root,
        under=scope.under,
        include=scope.include,
        exclude=scope.exclude,
    )


def scan_source(
    target: SourceTarget,
    scope: SourceScope,
    *,
    connector: SourceConnector,
    known: KnownFiles,
    tally: Tally,
    cancel: CancelToken,
) -> SourceScan:
    """Scan one source, counting what is skipped.

    Args:
        target: The source.
        scope: What the connector is told of it.
        connector: Finds the files.
        known: Tells which media can be read and which files are as they were.
        tally: Counts.
        cancel: Ends the scan early; the scan is then not finished.

    Returns:
        The files, in order of path.

    Raises:
        StorageError: The root is missing or cannot be listed.
    """
    scan = SourceScan(target)
    met = 0
    try:
        for item in connector.scan(scope):
            if cancel.is_cancelled:
                return scan
            match item:
                case SourceEntry():
                    met += 1
                    _take(item, scan, known=known, tally=tally)
                case SkippedPath():
                    met += 1
                    _leave_out(item, scan, tally=tally)
                case UnreadableFolder():
                    _pass_over(item, scan, root=scope.root)
    finally:
        tally.see(met)
    scan.finished = True
    return scan


def _leave_out(skipped: SkippedPath, scan: SourceScan, *, tally: Tally) -> None:
    tally.skip(skipped)
    if skipped.reason is SkipReason.UNREADABLE:
        scan.seen.add(skipped.workspace_path)


def _pass_over(folder: UnreadableFolder, scan: SourceScan, *, root: str) -> None:
    if folder.workspace_path is None:
        raise StorageError(f"cannot read source folder {root!r}: {folder.message}")
    scan.unreadable[folder.workspace_path] = folder.message
    scan.messages.append(f"{folder.workspace_path}: {folder.message}")


def _take(entry: SourceEntry, scan: SourceScan, *, known: KnownFiles, tally: Tally) -> None:
    """Sort a file; of one that is as it was nothing is kept but its path."""
    path = entry.workspace_path
    fingerprints = known.fingerprints(entry)
    if fingerprints is None:
        tally.skip(SkippedPath(workspace_path=path, reason=SkipReason.UNSUPPORTED_MEDIA))
        return
    scan.seen.add(path)
    if known.is_unchanged(entry, fingerprints):
        scan.unchanged.append(path)
    elif reason := known.skip_reason(entry, fingerprints):
        scan.skipped.append(SkippedPath(workspace_path=path, reason=reason))
    else:
        scan.changed.append(entry)
