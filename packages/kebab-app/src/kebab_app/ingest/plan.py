"""What a run is going to do to one source, worked out before the first document is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kebab_core import (
    Clock,
    DocumentStore,
    KebabError,
    SourceConnector,
    SourceEntry,
    SourceId,
    TrackedFile,
    WorkspacePath,
)

from kebab_app.ingest.file import FileIngest
from kebab_app.ingest.removal import find_gone, match_moves, must_hold
from kebab_app.ingest.request import CancelToken
from kebab_app.ingest.scan import SourceScan


@dataclass
class SourcePlan:
    """The work on one source; everything scanned is in exactly one of `unchanged` and `changed`."""

    scan: SourceScan
    tracked: Mapping[WorkspacePath, TrackedFile] = field(default_factory=dict)
    """What the store knew of the source before the run."""
    unchanged: list[SourceEntry] = field(default_factory=list)
    changed: list[SourceEntry] = field(default_factory=list)
    """New, edited, touched or failed before; to be read."""
    moved_from: Mapping[WorkspacePath, TrackedFile] = field(default_factory=dict)
    """Gone files by the path where they turned up again."""
    removals: list[TrackedFile] = field(default_factory=list)
    held: int = 0
    """Documents of gone files that stay until the user confirms it."""

    @property
    def size(self) -> int:
        """How many files, and folders that could not be looked into, get a result."""
        return len(self.scan.entries) + len(self.removals) + len(self.scan.unreadable)


@dataclass(frozen=True, kw_only=True)
class Planner:
    """Makes plans; reads the store once for each source, and only files that may have moved."""

    documents: DocumentStore
    connector: SourceConnector
    files: FileIngest
    clock: Clock
    cancel: CancelToken
    known_roots: Mapping[SourceId, str]
    """Folder of each source when it was last scanned to its end."""
    prune: bool
    _tracked: dict[SourceId, Mapping[WorkspacePath, TrackedFile]] = field(default_factory=dict)

    def plan(self, scan: SourceScan) -> SourcePlan:
        """Return what to do. Nothing is removed where the scan or the planning did not come to its end."""
        source_id = SourceId(scan.target.source.id)
        plan = SourcePlan(scan)
        plan.tracked = self._files_of(source_id)
        self._sort(plan, is_same_root=self.known_roots.get(source_id) in {None, str(scan.target.root)})
        if scan.finished and not self.cancel.is_cancelled:
            self._plan_removals(plan)
        return plan

    def _files_of(self, source_id: SourceId) -> Mapping[WorkspacePath, TrackedFile]:
        """Return what the store knows of a source; a run may look at many parts of one."""
        if source_id not in self._tracked:
            files = self.documents.tracked_files(source_id)
            self._tracked[source_id] = {file.workspace_path: file for file in files}
        return self._tracked[source_id]

    def _sort(self, plan: SourcePlan, *, is_same_root: bool) -> None:
        """A source whose folder moved keeps its stamps, but what is stored of its places must be renewed."""
        source = plan.scan.target.source
        for entry in plan.scan.entries:
            if self.cancel.is_cancelled:
                return
            tracked = plan.tracked.get(entry.workspace_path)
            same = is_same_root and self.files.is_unchanged(entry, source, tracked)
            (plan.unchanged if same else plan.changed).append(entry)

    def _plan_removals(self, plan: SourcePlan) -> None:
        scan = plan.scan
        gone = find_gone(
            plan.tracked.values(), seen=scan.seen, under=scan.target.under, unreadable=scan.unreadable
        )
        if not gone:
            return
        plan.moved_from = match_moves(gone, self._new_checksums(plan, gone)).old_path_of
        moved = {file.workspace_path for file in plan.moved_from.values()}
        removals = [file for file in gone if file.workspace_path not in moved]
        if must_hold(gone=len(removals), tracked=len(plan.tracked)) and not self.prune:
            plan.held = len(removals)
        else:
            plan.removals = removals

    def _new_checksums(self, plan: SourcePlan, gone: list[TrackedFile]) -> dict[WorkspacePath, str]:
        """Return the content of new files; only those of a gone file's size are read for it."""
        sizes = {file.stamp.byte_len for file in gone}
        now = self.clock.now()
        checksums: dict[WorkspacePath, str] = {}
        for entry in plan.changed:
            if entry.stamp.byte_len not in sizes or entry.workspace_path in plan.tracked:
                continue
            try:
                file = self.connector.read(entry, discovered_at=now)
            except KebabError:
                continue  # reported when the file is ingested
            checksums[entry.workspace_path] = file.asset.checksum
        return checksums
