"""The step `ingest` of an explanation: what became of a file that the rules let in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_core import Remedy, SkippedPath, SourceId

from kebab_diagnose.explanation import TIME_FORMAT, FailureDetail
from kebab_diagnose.scan_explanation import ScanExplanation

if TYPE_CHECKING:
    from kebab_core import FileFailure, SkipReason, SourceEntry

    from kebab_diagnose.access import IndexAccess, SourceAccess, SourceLocation
    from kebab_diagnose.explanation import ExclusionRule, ExplanationTrace, IngestStage

_STAGES: dict[IngestStage, str] = {
    "scan": "looked at",
    "read": "read",
    "content": "taken for what it holds",
    "parse": "parsed",
    "cut": "cut into passages",
    "analyse": "analysed",
    "store": "stored",
}


@dataclass(frozen=True)
class IngestExplanation:
    """Explains by the records of ingest, and by a trial where there are none, whether a file became a document.

    Args:
        sources: The sources.
        index: The index; None where nothing was ingested.
        trace: Gets the step.
    """

    sources: SourceAccess
    index: IndexAccess | None
    trace: ExplanationTrace

    def explain(
        self, location: SourceLocation, entry: SourceEntry, *, is_tracked: bool
    ) -> ExclusionRule | FailureDetail | None:
        """Add the step `ingest`.

        Args:
            location: Where the file lies.
            entry: The file as a scan finds it.
            is_tracked: Whether the index has an older version of it, or this one.

        Returns:
            The rule by which its content keeps it out, or the error; None where there is neither.
        """
        failure = self._recorded_failure(entry)
        if failure is not None:
            return self._explain_failure(failure, location, entry, is_tracked=is_tracked)
        if not is_tracked:
            return self._explain_missing(location, entry)
        self.trace.ok("ingest", "ingested")
        return None

    def _recorded_failure(self, entry: SourceEntry) -> FileFailure | None:
        key = (entry.source_id, entry.workspace_path)
        known = self.index.source_files.list_failures() if self.index else ()
        return next((one for one in known if (one.source_id, one.workspace_path) == key), None)

    def _recorded_skip(self, entry: SourceEntry) -> SkipReason | None:
        """Look up why the content of a file kept it out, as long as the file is unchanged."""
        key = (entry.workspace_path, entry.stamp)
        known = self.index.source_files.remembered_skips(SourceId(entry.source_id)) if self.index else ()
        return next((one.reason for one in known if (one.workspace_path, one.stamp) == key), None)

    def _explain_failure(
        self, failure: FileFailure, location: SourceLocation, entry: SourceEntry, *, is_tracked: bool
    ) -> FailureDetail:
        code, message = failure.failure.code, failure.failure.message
        trial = self.sources.try_file(entry, location.source)
        is_same = trial is not None and trial.failure is not None and trial.failure.code == code
        stage = trial.stage if trial is not None and is_same else None
        what = f"could not be {_STAGES[stage]}" if stage else "could not be ingested"
        detail = f"it {what} at {failure.failed_at:{TIME_FORMAT}} UTC: {message}"
        remedy = _mend(entry)
        if trial is not None and trial.failure is None and trial.skip is None:
            detail, remedy = f"{detail}; it could be now", _ingest(entry)
        if is_tracked:
            self.trace.note("ingest", f"its newest version could not be taken in: {detail}", remedy=remedy)
        else:
            self.trace.stop("failed", "ingest", detail, remedy=remedy)
        return FailureDetail(stage=stage, code=code, message=message, at=failure.failed_at)

    def _explain_missing(
        self, location: SourceLocation, entry: SourceEntry
    ) -> ExclusionRule | FailureDetail | None:
        trial = self.sources.try_file(entry, location.source)
        skip = self._recorded_skip(entry) if trial is None else trial.skip
        if skip is not None:
            scan = ScanExplanation(self.sources, self.trace)
            exclusion = scan.describe(location, SkippedPath(entry.workspace_path, skip), None)
            self.trace.stop("left_out", "ingest", exclusion.reason, remedy=exclusion.remedy)
            return exclusion.matched
        if trial is not None and (failure := trial.failure) is not None:
            detail = f"it cannot be {_STAGES[trial.stage]}: {failure.message}"
            self.trace.stop("failed", "ingest", detail, remedy=_mend(entry))
            return FailureDetail(stage=trial.stage, code=failure.code, message=failure.message)
        remedy = _ingest(entry)
        if (writer := self.sources.find_writer()) is not None:
            detail = f"it is not ingested yet; a run is at work (pid {writer})"
            remedy = Remedy(kind="wait_for_writer", count=writer, then=remedy)
        else:
            detail = f"it is not ingested yet{self._describe_last_run(location)}"
        self.trace.stop("not_ingested", "ingest", detail, remedy=remedy)
        return None

    def _describe_last_run(self, location: SourceLocation) -> str:
        if self.index is None:
            return "; nothing is"
        if self.index.runs.unfinished_runs():
            return "; the last run was interrupted"
        for scan in self.index.source_files.list_scans():
            if scan.source_id == location.source.id:
                return f"; the last full run over its source was at {scan.completed_at:{TIME_FORMAT}} UTC"
        return ""


def _mend(entry: SourceEntry) -> Remedy:
    if not os.access(entry.disk_path, os.R_OK):
        return Remedy(kind="check_permissions", path=entry.disk_path, then=_ingest(entry))
    leave_out = Remedy(kind="exclude_file", path=entry.disk_path)
    return Remedy(kind="mend_file", path=entry.disk_path, otherwise=leave_out).followed_by(_ingest(entry))


def _ingest(entry: SourceEntry) -> Remedy:
    return Remedy(kind="ingest", path=entry.disk_path)
