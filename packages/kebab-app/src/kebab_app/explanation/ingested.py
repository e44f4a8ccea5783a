"""What ingest did with a file that the rules let in."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from kebab_core import FileFailure, SkippedPath, SkipReason, SourceEntry, SourceId
from kebab_wire import WhyFailureV1, WhyRuleV1

from kebab_app.explanation.admission import describe_rule, wire_rule
from kebab_app.explanation.skip_sentences import describe_left_out
from kebab_app.explanation.trial import Trial, try_file
from kebab_app.writer_lock import find_writer

if TYPE_CHECKING:
    from kebab_ingest import SourceTarget

    from kebab_app.explanation.named_file import NamedFile
    from kebab_app.explanation.way import Way
    from kebab_app.knowledge_base import KnowledgeBase

_STAGES = {
    "scan": "looked at",
    "read": "read",
    "content": "taken for what it holds",
    "parse": "parsed",
    "cut": "cut into passages",
    "analyse": "analysed",
    "store": "stored",
}
_TIME = "%Y-%m-%d %H:%M"


class IngestLook:
    """Looks for what the store has of a file, and tries it where that says too little.

    Args:
        base: The knowledge base.
        named: The file; the rules let it in.
        way: Gets the step.
    """

    def __init__(self, base: KnowledgeBase, named: NamedFile, way: Way) -> None:
        self._base = base
        self._named = named
        self._way = way
        self.rule: WhyRuleV1 | None = None
        self.failure: WhyFailureV1 | None = None

    def look(self, target: SourceTarget, entry: SourceEntry) -> None:
        """Find out why a file is in no document, or that the last look at it failed."""
        failure = self._known_failure(entry)
        if self._named.tracked is not None:
            self._stored(failure, target, entry)
        elif failure is not None:
            self._failed(failure, target, entry)
        else:
            self._not_ingested(target, entry)

    def _known_failure(self, entry: SourceEntry) -> FileFailure | None:
        if not self._base.has_database:
            return None
        key = (entry.source_id, entry.workspace_path)
        known = self._base.documents.list_failures()
        return next((one for one in known if (one.source_id, one.workspace_path) == key), None)

    def _known_skip(self, entry: SourceEntry) -> SkipReason | None:
        """Return why the content of a file kept it out, as long as it is the same."""
        if not self._base.has_database:
            return None
        key = (entry.workspace_path, entry.stamp)
        known = self._base.documents.remembered_skips(SourceId(entry.source_id))
        return next((one.reason for one in known if (one.workspace_path, one.stamp) == key), None)

    def _stored(self, failure: FileFailure | None, target: SourceTarget, entry: SourceEntry) -> None:
        if failure is None:
            self._way.go_on("ingest", "ingested")
            return
        detail, fix = self._describe_failure(failure, target, entry)
        self._way.remark("ingest", f"its newest version could not be taken in: {detail}", fix=fix)

    def _failed(self, failure: FileFailure, target: SourceTarget, entry: SourceEntry) -> None:
        detail, fix = self._describe_failure(failure, target, entry)
        self._way.stop("failed", "ingest", detail, fix=fix)

    def _describe_failure(
        self, failure: FileFailure, target: SourceTarget, entry: SourceEntry
    ) -> tuple[str, str]:
        trial = try_file(self._base, entry, target.source)
        is_same = (
            trial is not None and trial.failure is not None and trial.failure.code == failure.failure.code
        )
        stage = trial.stage if trial is not None and is_same else None
        self.failure = WhyFailureV1(
            stage=stage,
            code=failure.failure.code,
            message=failure.failure.message,
            at=failure.failed_at,
        )
        what = f"could not be {_STAGES[stage]}" if stage else "could not be ingested"
        detail = f"it {what} at {failure.failed_at:{_TIME}} UTC: {failure.failure.message}"
        if trial is not None and trial.failure is None and trial.skip is None:
            return f"{detail}; it could be now", self._ingest(entry)
        return detail, self._mending(entry)

    def _not_ingested(self, target: SourceTarget, entry: SourceEntry) -> None:
        trial = try_file(self._base, entry, target.source)
        skip = self._known_skip(entry) if trial is None else trial.skip
        if skip is not None:
            self._left_out(target, SkippedPath(entry.workspace_path, skip))
        elif trial is not None and trial.failure is not None:
            self._would_fail(trial, entry)
        elif (writer := find_writer(self._base.data_dir)) is not None:
            self._way.stop(
                "not_ingested",
                "ingest",
                f"it is not ingested yet; a run is at work (pid {writer})",
                fix=f"wait for the run to finish; then {self._ingest(entry)} if it is still missing",
            )
        else:
            self._way.stop(
                "not_ingested", "ingest", f"it is not ingested yet{self._since()}", fix=self._ingest(entry)
            )

    def _would_fail(self, trial: Trial, entry: SourceEntry) -> None:
        if trial.failure is None:
            return
        self.failure = WhyFailureV1(stage=trial.stage, code=trial.failure.code, message=trial.failure.message)
        self._way.stop(
            "failed",
            "ingest",
            f"it cannot be {_STAGES[trial.stage]}: {trial.failure.message}",
            fix=self._mending(entry),
        )

    def _left_out(self, target: SourceTarget, skipped: SkippedPath) -> None:
        left_out = describe_rule(self._base, target, skipped, None)
        why, fix = describe_left_out(left_out)
        self.rule = wire_rule(left_out)
        self._way.stop("left_out", "ingest", why, fix=fix)

    def _since(self) -> str:
        """Return when its source was last scanned to its end, or that the last run was interrupted."""
        from kebab_store_sqlite import SqliteIngestRunRepo

        if not self._base.has_database:
            return "; nothing is"
        if SqliteIngestRunRepo(self._base.open_for_reading()).unfinished_runs():
            return "; the last run was interrupted"
        target = self._named.target
        scans = self._base.documents.list_scans()
        for scan in scans:
            if target is not None and scan.source_id == target.source.id:
                return f"; the last full run over its source was at {scan.completed_at:{_TIME}} UTC"
        return ""

    def _mending(self, entry: SourceEntry) -> str:
        if not os.access(entry.disk_path, os.R_OK):
            return f"check the permissions of the file; then {self._ingest(entry)}"
        return f"mend the file or leave it out; then {self._ingest(entry)}"

    @staticmethod
    def _ingest(entry: SourceEntry) -> str:
        return f"kebab ingest {shlex.quote(entry.disk_path)}"
