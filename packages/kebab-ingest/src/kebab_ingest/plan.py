"""The plan for one source, made before the first document is written: which documents are removed, moved or held.

Three things keep a document whose file was not seen: the run looked at another part of the source, a folder above it
could not be listed, or so much would go that an unmounted drive is likelier than a clean-up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kebab_core import (
    CancelToken,
    Clock,
    KebabError,
    SourceConnector,
    SourceEntry,
    SourceId,
    TrackedFile,
    WorkspacePath,
)

from kebab_ingest.disk_files import folders_of
from kebab_ingest.preparation import LONG_FILE_BYTES
from kebab_ingest.scan import SourceScan

if TYPE_CHECKING:
    from kebab_core import SourceFileStore

    from kebab_ingest.previous_state import PreviousState

HELD_SHARE = 0.5
"""A removal of more than this share of a source is held, …"""
HELD_MIN_DOCUMENTS = 20
"""… if it is also more than this many documents."""


@dataclass
class SourcePlan:
    """Work on one source, beside the files that its scan found changed."""

    scan: SourceScan
    previous: PreviousState
    moved_from: Mapping[WorkspacePath, TrackedFile] = field(default_factory=dict)
    """Gone files by the path where they turned up again."""
    removals: list[TrackedFile] = field(default_factory=list)
    held: int = 0
    """Documents of gone files that stay until the user confirms their removal."""
    is_whole: bool = False
    """Whether everything that is to be done is in it."""

    @property
    def short_files(self) -> list[SourceEntry]:
        """Changed files that take little time each, in order of path."""
        return [entry for entry in self.scan.changed if not _is_long(entry)]

    @property
    def long_files(self) -> list[SourceEntry]:
        """Other changed files, shortest first."""
        return sorted(filter(_is_long, self.scan.changed), key=lambda entry: entry.stamp.byte_len)

    @property
    def size(self) -> int:
        """Number of files that get a result."""
        return self.scan.files + len(self.removals)


def _is_long(entry: SourceEntry) -> bool:
    return entry.stamp.byte_len >= LONG_FILE_BYTES


@dataclass(frozen=True, kw_only=True)
class Planner:
    """Makes plans; reads only files that may have moved."""

    source_files: SourceFileStore
    connector: SourceConnector
    clock: Clock
    cancel: CancelToken
    prune: bool

    def plan(self, scan: SourceScan, previous: PreviousState) -> SourcePlan:
        """Make the plan of one source. Nothing is removed where scan or planning did not come to its end."""
        plan = SourcePlan(scan, previous)
        if scan.finished and not self.cancel.is_cancelled:
            self._plan_removals(plan)
            plan.is_whole = True
        return plan

    def _find_gone(self, plan: SourcePlan) -> list[TrackedFile]:
        scan, source_id = plan.scan, SourceId(plan.scan.target.source.id)
        files = (
            self.source_files.tracked_file(source_id, p) for p in scan.find_missing(plan.previous.states)
        )
        return [file for file in files if file is not None]

    def _plan_removals(self, plan: SourcePlan) -> None:
        gone = self._find_gone(plan)
        if not gone:
            return
        plan.moved_from = match_moves(gone, self._new_checksums(plan, gone))
        moved = {file.workspace_path for file in plan.moved_from.values()}
        removals = [
            file
            for file in gone
            if file.workspace_path not in moved
            and moved.isdisjoint(folders_of(file.workspace_path))  # what a file holds moves with it
        ]
        unwanted = [file for file in removals if plan.scan.is_left_out(file.workspace_path)]
        vanished = len(removals) - len(unwanted)
        is_much = vanished > HELD_MIN_DOCUMENTS and not self.prune
        if is_much and must_hold(gone=vanished, tracked=plan.previous.count_documents()):
            plan.held, plan.removals = vanished, unwanted
        else:
            plan.removals = removals

    def _new_checksums(self, plan: SourcePlan, gone: list[TrackedFile]) -> dict[WorkspacePath, str]:
        """Checksums of new files by path; only those of a gone file's size are read for it."""
        sizes = {file.stamp.byte_len for file in gone}
        now = self.clock.now()
        checksums: dict[WorkspacePath, str] = {}
        for entry in plan.scan.changed:
            if entry.stamp.byte_len not in sizes or entry.workspace_path in plan.previous.states:
                continue
            try:
                file = self.connector.read(entry, discovered_at=now)
            except KebabError:
                continue  # reported when the file is ingested
            checksums[entry.workspace_path] = file.asset.checksum
        return checksums


def match_moves(
    gone: Sequence[TrackedFile], new_checksums: Mapping[WorkspacePath, str]
) -> dict[WorkspacePath, TrackedFile]:
    """Pair gone files with new ones of equal content, where there is exactly one of each.

    Args:
        gone: Files that are no longer there.
        new_checksums: Content of files that are there for the first time, by path.

    Returns:
        Gone files by the path where they turned up again.
    """
    gone_counts = Counter(file.checksum for file in gone)
    new_counts = Counter(new_checksums.values())
    gone_by_checksum = {file.checksum: file for file in gone if gone_counts[file.checksum] == 1}
    return {
        path: gone_by_checksum[checksum]
        for path, checksum in new_checksums.items()
        if new_counts[checksum] == 1 and checksum in gone_by_checksum
    }


def must_hold(*, gone: int, tracked: int) -> bool:
    """Whether the removal of `gone` of `tracked` documents needs the user's confirmation."""
    return gone > HELD_MIN_DOCUMENTS and gone > tracked * HELD_SHARE
