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
from kebab_app.ingest.processor import DocumentProcessor
from kebab_app.ingest.request import CancelToken, SourceTarget
from kebab_app.ingest.tally import Tally


@dataclass
class SourceScan:
    """What one scan of one source found."""

    target: SourceTarget
    entries: list[SourceEntry] = field(default_factory=list)
    seen: set[WorkspacePath] = field(default_factory=set)
    unreadable: dict[WorkspacePath, str] = field(default_factory=dict)
    """Folders that could not be looked into, with the reason."""
    messages: list[str] = field(default_factory=list)
    """One for each folder that could not be listed."""
    finished: bool = False
    """Whether the scan came to its end with the root readable."""

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
    processor: DocumentProcessor,
    tally: Tally,
    cancel: CancelToken,
) -> SourceScan:
    """Scan one source, counting what is skipped.

    Args:
        target: The source.
        scope: What the connector is told of it.
        connector: Finds the files.
        processor: Knows which media are supported.
        tally: Counts.
        cancel: Ends the scan early; the scan is then not finished.

    Returns:
        The files to look at, in order of path.

    Raises:
        StorageError: The root is missing or cannot be listed.
    """
    scan = SourceScan(target)
    for item in connector.scan(scope):
        if cancel.is_cancelled:
            return scan
        match item:
            case UnreadableFolder():
                if item.workspace_path is None:
                    raise StorageError(f"cannot read source folder {scope.root!r}: {item.message}")
                scan.unreadable[item.workspace_path] = item.message
                scan.messages.append(f"{item.workspace_path}: {item.message}")
            case SkippedPath():
                tally.see()
                tally.skip(item)
                if item.reason is SkipReason.UNREADABLE:
                    scan.seen.add(item.workspace_path)
            case SourceEntry():
                tally.see()
                _take(item, scan, processor, tally)
    scan.finished = True
    return scan


def _take(entry: SourceEntry, scan: SourceScan, processor: DocumentProcessor, tally: Tally) -> None:
    if processor.supports(entry.media_type):
        scan.entries.append(entry)
        scan.seen.add(entry.workspace_path)
    else:
        tally.skip(SkippedPath(workspace_path=entry.workspace_path, reason=SkipReason.UNSUPPORTED_MEDIA))
