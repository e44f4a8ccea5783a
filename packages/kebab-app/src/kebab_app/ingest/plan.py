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

from kebab_app.ingest.known import KnownFiles
from kebab_app.ingest.memory import LONG_FILE_BYTES
from kebab_app.ingest.removal import find_gone, match_moves, must_hold
from kebab_app.ingest.request import CancelToken
from kebab_app.ingest.scan import SourceScan


@dataclass
class SourcePlan:
    """The work on one source, beside the files that its scan found changed."""

    scan: SourceScan
    known: KnownFiles
    """What the store knew of the source before the run."""
    moved_from: Mapping[WorkspacePath, TrackedFile] = field(default_factory=dict)
    """Gone files by the path where they turned up again."""
    removals: list[TrackedFile] = field(default_factory=list)
    held: int = 0
    """Documents of gone files that stay until the user confirms it."""
    is_whole: bool = False
    """Whether nothing that is to be done is missing from it."""

    @property
    def short_files(self) -> list[SourceEntry]:
        """The changed files that take no time worth speaking of, in order of path."""
        return [entry for entry in self.scan.changed if not _is_long(entry)]

    @property
    def long_files(self) -> list[SourceEntry]:
        """The other changed files, shortest first."""
        return sorted(filter(_is_long, self.scan.changed), key=lambda entry: entry.stamp.byte_len)

    @property
    def size(self) -> int:
        """How many files, and folders that could not be looked into, get a result."""
        return self.scan.files + len(self.removals) + len(self.scan.unreadable)


def _is_long(entry: SourceEntry) -> bool:
    return entry.stamp.byte_len >= LONG_FILE_BYTES


@dataclass(frozen=True, kw_only=True)
class Planner:
    """Makes plans; reads only files that may have moved."""

    documents: DocumentStore
    connector: SourceConnector
    clock: Clock
    cancel: CancelToken
    prune: bool

    def plan(self, scan: SourceScan, known: KnownFiles) -> SourcePlan:
        """Return what to do. Nothing is removed where the scan or the planning did not come to its end."""
        plan = SourcePlan(scan, known)
        if scan.finished and not self.cancel.is_cancelled:
            self._plan_removals(plan)
            plan.is_whole = True
        return plan

    def _find_gone(self, plan: SourcePlan) -> list[TrackedFile]:
        scan, source_id = plan.scan, SourceId(plan.scan.target.source.id)
        gone = find_gone(
            plan.known.states, seen=scan.seen, under=scan.target.under, unreadable=scan.unreadable
        )
        files = (self.documents.tracked_file(source_id, path) for path in gone)
        return [file for file in files if file is not None]

    def _plan_removals(self, plan: SourcePlan) -> None:
        gone = self._find_gone(plan)
        if not gone:
            return
        plan.moved_from = match_moves(gone, self._new_checksums(plan, gone)).old_path_of
        moved = {file.workspace_path for file in plan.moved_from.values()}
        removals = [file for file in gone if file.workspace_path not in moved]
        if must_hold(gone=len(removals), tracked=len(plan.known.states)) and not self.prune:
            plan.held = len(removals)
        else:
            plan.removals = removals

    def _new_checksums(self, plan: SourcePlan, gone: list[TrackedFile]) -> dict[WorkspacePath, str]:
        """Return the content of new files; only those of a gone file's size are read for it."""
        sizes = {file.stamp.byte_len for file in gone}
        now = self.clock.now()
        checksums: dict[WorkspacePath, str] = {}
        for entry in plan.scan.changed:
            if entry.stamp.byte_len not in sizes or entry.workspace_path in plan.known.states:
                continue
            try:
                file = self.connector.read(entry, discovered_at=now)
            except KebabError:
                continue  # reported when the file is ingested
            checksums[entry.workspace_path] = file.asset.checksum
        return checksums
