"""Scan of a source: its files, those that have changed, folders that could not be listed, and documents without a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kebab_core import (
    CancelToken,
    DocFilter,
    DocSummary,
    FolderConnector,
    IngestScope,
    Message,
    Repository,
    ScanItem,
    SkippedPath,
    SkipReason,
    SourceConnector,
    SourceEntry,
    SourceId,
    SourceScope,
    StorageError,
    UnreadableFolder,
    WorkspacePath,
)

from kebab_ingest.disk_files import folders_of

if TYPE_CHECKING:
    from kebab_core import DocumentStore

    from kebab_ingest.previous_state import PreviousState
    from kebab_ingest.request import SourceTarget
    from kebab_ingest.run_record import IngestCounters

IGNORE_FILE = ".kebabignore"
_REPOSITORY_MARK = ".git"


@dataclass
class SourceScan:
    """Result of one scan of one source."""

    target: SourceTarget
    changed: list[SourceEntry] = field(default_factory=list)
    """New, edited, touched or failed before; to be read."""
    unchanged: list[WorkspacePath] = field(default_factory=list)
    skipped: list[SkippedPath] = field(default_factory=list)
    """Left out before for their content, and unchanged."""
    seen: set[WorkspacePath] = field(default_factory=set)
    """Files that were met, whatever becomes of them."""
    unreadable: dict[WorkspacePath, Message] = field(default_factory=dict)
    """Folders that could not be looked into, with the reason."""
    left_out: set[WorkspacePath] = field(default_factory=set)
    """Folders, and files that have a document, which a rule leaves out: they are there, but not wanted any more."""
    messages: list[str] = field(default_factory=list)
    """One for each folder that could not be listed."""
    repositories: list[Repository] = field(default_factory=list)
    """Checkouts that were met, and the one that the root lies in."""
    finished: bool = False
    """Whether the scan came to its end with the root readable."""

    @property
    def files(self) -> int:
        """Number of files of media that can be read."""
        return len(self.changed) + len(self.unchanged) + len(self.skipped)

    @property
    def is_complete(self) -> bool:
        """Whether every file of the whole source was seen."""
        return self.finished and not self.unreadable and self.target.places == (None,)

    def find_missing(self, paths: Iterable[str]) -> list[WorkspacePath]:
        """Select from known paths of the source those that are missing, in order. See `is_missing`."""
        return [path for path in map(WorkspacePath, sorted(set(paths) - self.seen)) if self.is_missing(path)]

    def is_left_out(self, path: WorkspacePath) -> bool:
        """Whether a rule leaves a path out, or a folder above it."""
        return path in self.left_out or not self.left_out.isdisjoint(folders_of(path))

    def is_missing(self, path: WorkspacePath) -> bool:
        """Whether the scan should have met a file and did not."""
        return (
            path not in self.seen
            and not self.seen.intersection(folders_of(path))  # a file that another one holds goes with that
            and any(place is None or is_beneath(path, place) for place in self.target.places)
            and not any(is_beneath(path, folder) for folder in self.unreadable)
        )


def describe_scope(scope: SourceScope) -> IngestScope:
    """Convert a scope into the form of reports."""
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
    previous: PreviousState,
    counters: IngestCounters,
    cancel: CancelToken,
) -> SourceScan:
    """Scan one source and count what is skipped.

    Args:
        target: The source.
        scope: The same for the connector.
        connector: Finds the files.
        previous: Tells which media can be read and which files are unchanged.
        counters: Counts.
        cancel: Ends the scan early; the scan is then not finished.

    Returns:
        The files, in order of path.

    Raises:
        StorageError: The root is missing or cannot be listed.
    """
    scan = SourceScan(target)
    met = 0
    _add_repository(None, scan, scope, connector)
    try:
        for item in _scan_places(target, scope, connector):
            if cancel.is_cancelled:
                return scan
            match item:
                case SourceEntry() if item.workspace_path.name == IGNORE_FILE:
                    continue  # a rule of the user's for kebab, no document that it cannot read
                case SourceEntry():
                    met += 1
                    _sort_entry(item, scan, previous=previous, counters=counters)
                case SkippedPath():
                    met += 1
                    _add_skipped(item, scan, previous=previous, counters=counters)
                    folder, _, name = item.workspace_path.rpartition("/")
                    if name == _REPOSITORY_MARK and folder:
                        _add_repository(WorkspacePath(folder), scan, scope, connector)
                case UnreadableFolder():
                    _add_unreadable(item, scan, root=scope.root)
    finally:
        counters.scanned += met
    scan.finished = True
    return scan


def _add_repository(
    folder: WorkspacePath | None, scan: SourceScan, scope: SourceScope, connector: SourceConnector
) -> None:
    found = connector.read_repository(scope, folder) if isinstance(connector, FolderConnector) else None
    if found is not None:
        scan.repositories.append(found)


def _scan_places(target: SourceTarget, scope: SourceScope, connector: SourceConnector) -> Iterator[ScanItem]:
    """Scan the parts of a source one after the other; those of `among` need not exist.

    Yields:
        The items of each.

    Raises:
        StorageError: The root is missing or cannot be listed, or there is no `under`.
    """
    if not target.among:
        yield from connector.scan(scope)
        return
    for place in target.among:
        with suppress(StorageError):
            yield from connector.scan(scope.model_copy(update={"under": place}))
    next(iter(connector.scan(scope)), None)  # raises where what is missing is the root


def _add_skipped(
    skipped: SkippedPath, scan: SourceScan, *, previous: PreviousState, counters: IngestCounters
) -> None:
    counters.add_skipped(skipped)
    if skipped.is_folder or skipped.workspace_path in previous.states:
        scan.left_out.add(skipped.workspace_path)
    if skipped.reason is SkipReason.UNREADABLE:
        scan.seen.add(skipped.workspace_path)


def _add_unreadable(folder: UnreadableFolder, scan: SourceScan, *, root: str) -> None:
    if folder.workspace_path is None:
        raise StorageError("cannot read source folder {root!r}: {reason}", _root=root, _reason=folder.message)
    scan.unreadable[folder.workspace_path] = folder.message
    scan.messages.append(f"{folder.workspace_path}: {folder.message}")


def _sort_entry(
    entry: SourceEntry, scan: SourceScan, *, previous: PreviousState, counters: IngestCounters
) -> None:
    """Sort a file into unsupported, unchanged, skipped or changed; of an unchanged one only the path is kept."""
    path = entry.workspace_path
    fingerprints = previous.fingerprints(entry)
    if fingerprints is None:
        counters.add_skipped(SkippedPath(workspace_path=path, reason=SkipReason.UNSUPPORTED_MEDIA))
        return
    scan.seen.add(path)
    if previous.is_unchanged(entry, fingerprints):
        attached = previous.find_attached(path)
        if any(not previous.is_attached_unchanged(entry, each) for each in attached):
            scan.changed.append(entry)
            return
        skipped = previous.find_skipped(path)
        scan.unchanged += [path, *attached]
        scan.skipped += skipped
        counters.scanned += len(attached) + len(skipped)
    elif reason := previous.skip_reason(entry, fingerprints):
        scan.skipped.append(SkippedPath(workspace_path=path, reason=reason))
    else:
        scan.changed.append(entry)


def find_orphans(
    documents: DocumentStore, connector: SourceConnector, scopes: Iterable[SourceScope]
) -> list[DocSummary]:
    """Find the documents that no source would ingest any more: it is not configured, or its scan leaves the file out.

    A source whose root cannot be listed or is empty has no orphans: an unmounted drive is not a decision.

    Args:
        documents: All documents.
        connector: Finds the files.
        scopes: All configured sources, each whole.

    Returns:
        The documents, by source and path.
    """
    wanted: set[tuple[SourceId, WorkspacePath]] = set()
    unreadable: list[tuple[SourceId, WorkspacePath | None]] = []
    for scope in scopes:
        source_id = SourceId(scope.source_id)
        is_empty = True
        try:
            for item in connector.scan(scope):
                is_empty = False
                if isinstance(item, SourceEntry):
                    wanted.add((source_id, item.workspace_path))
                elif isinstance(item, UnreadableFolder):
                    unreadable.append((source_id, item.workspace_path))
        except StorageError:
            is_empty = True
        if is_empty:
            unreadable.append((source_id, None))
    return [
        summary
        for summary in documents.list_documents(DocFilter())
        if not any(
            (summary.source_id, path) in wanted for path in (summary.doc_path, *folders_of(summary.doc_path))
        )
        and not any(
            summary.source_id == source and (folder is None or is_beneath(summary.doc_path, folder))
            for source, folder in unreadable
        )
    ]


def is_beneath(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies below it."""
    return path == folder or path.startswith(f"{folder}/")
