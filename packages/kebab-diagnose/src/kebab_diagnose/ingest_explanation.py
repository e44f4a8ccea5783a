"""The steps `source`, `rules` and `ingest` of an explanation: the way of a file from the disk to a document."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import (
    Message,
    Moment,
    PathVerdict,
    Remedy,
    RuleOrigin,
    SkippedPath,
    SkipReason,
    SkipRule,
    SourceEntry,
    SourceId,
    UnreadableFolder,
)

from kebab_diagnose.exclusion import (
    INTERNAL_KEY,
    Exclusion,
    find_added_lines,
    find_barriers,
    find_remedy,
    is_text,
)
from kebab_diagnose.explanation import FailureDetail
from kebab_diagnose.failure_remedies import find_failure_remedy
from kebab_diagnose.file_lookup import judge_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kebab_core import FileFailure, IgnoreEdit, IngestFailure, SourceScope
    from kebab_ingest import SourceTarget

    from kebab_diagnose.access import IndexAccess, SourceAccess
    from kebab_diagnose.explanation import ExclusionRule, ExplanationTrace, IngestStage
    from kebab_diagnose.file_lookup import LocatedFile, Removal

_SETTING_KEYS = {
    "code.extra_skip_globs": "ingest.code.extra_skip_globs",
    "code.max_file_bytes": "ingest.code.max_file_bytes",
    "code.skip_generated": "ingest.code.skip_generated",
    "max_file_bytes": "ingest.max_file_mb",
    "follow_symlinks": "workspace.follow_symlinks",
}
"""Keys of settings, by the names of the scanner's rules."""
_STAGES: dict[IngestStage, Message] = {
    "scan": Message("looked at"),
    "read": Message("read"),
    "content": Message("identified by its content"),
    "parse": Message("parsed"),
    "cut": Message("cut into passages"),
    "analyse": Message("analysed"),
    "store": Message("stored"),
}


@dataclass(frozen=True)
class IngestExplanation:
    """Explains whether a file became a document: by its source, the rules of the scan, and the records of ingest.

    Args:
        sources: The sources.
        index: The index; None where nothing was ingested.
        trace: Gets the steps.
    """

    sources: SourceAccess
    index: IndexAccess | None
    trace: ExplanationTrace

    def explain(self, file: LocatedFile, *, is_stored: bool) -> ExclusionRule | FailureDetail | None:
        """Add the steps.

        Args:
            file: The file.
            is_stored: Whether the index has a version of it.

        Returns:
            The rule or the error that keeps it out; None where there is neither.
        """
        self._explain_source(file)
        location, found = file.location, file.verdict
        if self.trace.verdict or location is None or found is None:
            return None
        verdict = self._with_media(found)
        if isinstance(verdict.item, SkippedPath):
            return self._explain_exclusion(location, verdict, verdict.item, is_stored=is_stored)
        if isinstance(verdict.item, UnreadableFolder):
            self._explain_unreadable(verdict.item, is_stored=is_stored)
            return None
        self.trace.ok("rules", Message("no rule excludes it"))
        return self._explain_ingest(location, verdict.item, is_tracked=file.tracked is not None)

    def _explain_source(self, file: LocatedFile) -> None:
        """Add the step `source`: the source that the file lies in, or that there is none or it is gone from it."""
        location = file.location
        if location is None:
            self._explain_outside(file)
            return
        where = Message("{source_id}: {root}", source_id=location.source.id, root=str(location.root))
        if not location.has_root:
            self.trace.stop(
                "source_missing",
                "source",
                Message("the folder of its source is missing ({where})", where=where),
                remedy=Remedy(
                    advice=Message(
                        "check that the drive is mounted and that the configuration names the right folder"
                    )
                ),
                is_passed=file.tracked is not None,
            )
        elif file.removal is not None:
            self._explain_removal(file.path, file.removal)
        else:
            if file.original:
                where = Message("{where}; the copy of {original}", where=where, original=str(file.original))
            if file.others:
                where = Message(
                    "{where}; not to be confused with {others}", where=where, others=", ".join(file.others)
                )
            self._explain_location(where, file.namesake)

    def _explain_location(self, where: Message, namesake: Path | None) -> None:
        if namesake is None:
            self.trace.ok("source", where)
            return
        other = f"./{namesake}"
        detail = Message(
            "the path means the file in {where}, and not {other}, which lies in no source",
            where=where,
            other=other,
        )
        self.trace.note("source", detail, remedy=Remedy(kind="explain_other_file", path=other))

    def _explain_outside(self, file: LocatedFile) -> None:
        if file.tracked is not None:
            remedy = Remedy(
                advice=Message("configure the source {name} again", name=file.tracked.source_id),
                otherwise=Remedy(kind="reset_orphans"),
            )
            self.trace.note(
                "source",
                Message(
                    "its source {source_id} is no longer configured; its documents are still found",
                    source_id=file.tracked.source_id,
                ),
                remedy=remedy,
            )
            return
        roots = ", ".join(str(source.root) for source in self.sources.targets)
        detail = Message("it lies outside every configured source ({roots})", roots=roots)
        self.trace.stop("outside_sources", "source", detail, remedy=self._ingest_outside(file.path))

    def _explain_removal(self, path: Path, removal: Removal) -> None:
        at = Moment(removal.at)
        if removal.moved_to is None:
            detail = Message(
                "it is gone from disk and was removed from the index by the run that ended at {at}", at=at
            )
            remedy = Remedy(advice=Message("put {path!r} back", path=str(path)), then=Remedy(kind="ingest"))
        else:
            detail = Message(
                "it was found moved to {path} by the run that ended at {at}", path=removal.moved_to, at=at
            )
            remedy = Remedy(kind="explain_file", path=removal.moved_to)
        self.trace.stop("removed", "source", detail, remedy=remedy)

    def _explain_exclusion(
        self, location: SourceTarget, first: PathVerdict, skipped: SkippedPath, *, is_stored: bool
    ) -> ExclusionRule:
        """Add the step `rules` for a file that is left out; one that is still in the index is found until the next run."""
        scope = self.sources.scope_of(location)

        def find_verdict(changed: SourceScope, edits: Mapping[str, IgnoreEdit]) -> PathVerdict | None:
            verdict = judge_file(self.sources, location, changed, edits)
            return verdict and self._with_media(verdict)

        barriers = [
            self._describe(location, item, rule) for item, rule in find_barriers(first, scope, find_verdict)
        ]
        exclusion = barriers[0]
        detail = exclusion.message
        if is_stored:
            detail = Message("{reason}; the next run removes what was indexed before", reason=detail)
        self.trace.stop(
            "left_out",
            "rules",
            detail,
            remedy=find_remedy(barriers, find_added_lines(skipped, first.rule, scope, find_verdict)),
            is_passed=is_stored,
        )
        return exclusion.matched

    def _with_media(self, verdict: PathVerdict) -> PathVerdict:
        """Leave out a file that no parser takes."""
        item = verdict.item
        if not isinstance(item, SourceEntry) or self.sources.can_read(item.workspace_path.rpartition("/")[2]):
            return verdict
        return PathVerdict(SkippedPath(item.workspace_path, SkipReason.UNSUPPORTED_MEDIA))

    def _explain_unreadable(self, folder: UnreadableFolder, *, is_stored: bool) -> None:
        """Add the step `rules` for a file below a folder that cannot be listed."""
        detail = Message(
            "the folder {path} cannot be read: {reason}",
            path=folder.workspace_path,
            reason=folder.message,
        )
        remedy = Remedy(kind="check_permissions", path=folder.workspace_path, then=Remedy(kind="ingest"))
        self.trace.stop("unreadable_folder", "rules", detail, remedy=remedy, is_passed=is_stored)

    def _describe(self, location: SourceTarget, skipped: SkippedPath, rule: SkipRule | None) -> Exclusion:
        """Complete a skipped path of a source with the settings that its rule stands in."""
        is_outside = skipped.reason is SkipReason.SYMLINK_OUTSIDE
        return Exclusion(
            skipped=skipped,
            rule=rule,
            file=location.path,
            place=location.root / skipped.workspace_path,
            external_remedy=self._ingest_outside(Path(os.path.realpath(location.path)))
            if is_outside
            else None,
            setting=self._setting_of(location, rule),
            code=self.sources.ingest.code,
        )

    def _setting_of(self, location: SourceTarget, rule: SkipRule | None) -> str | None:
        if rule is None or rule.origin is not RuleOrigin.SETTING:
            return None
        source, workspace = location.source, self.sources.workspace
        if rule.name == "exclude":
            if rule.pattern in workspace.exclude:
                return "workspace.exclude"
            internal = self.sources.scope_of(location).exclude[len(source.exclude) :]
            if rule.pattern in internal and rule.pattern not in source.exclude:
                return INTERNAL_KEY
            return f"workspace.sources.exclude of {source.id}"
        if rule.name == "include":
            own = {one.id for one in workspace.sources if "include" in one.model_fields_set}
            return f"workspace.sources.include of {source.id}" if source.id in own else "workspace.include"
        return _SETTING_KEYS[rule.name]

    def _ingest_outside(self, path: Path) -> Remedy:
        """Find how to ingest a file outside all sources, alone or with its folder; only what succeeds."""
        if ".." in path.parts:
            path = Path(os.path.realpath(path.parent), path.name)
        folder, readable = str(path.parent), self.sources.can_read(path.name) or is_text(str(path))
        with_folder: Remedy | None = None
        if not self.sources.has_config:  # nothing can be ingested before there is one
            with_folder = Remedy(kind="init", path=folder, then=Remedy(kind="ingest"))
        elif not self._holds_source(path.parent):
            with_folder = Remedy(kind="add_source", path=folder)
        if not readable:
            return Remedy(kind="save_as_text", path=str(path), then=with_folder)
        if with_folder is not None and with_folder.kind == "init":
            return with_folder
        return Remedy(kind="ingest_file", path=str(path), otherwise=with_folder)

    def _holds_source(self, folder: Path) -> bool:
        """Whether a source lies in a folder, which then cannot be a source itself."""
        real = os.path.realpath(folder)
        return any(
            Path(os.path.realpath(source.root)).is_relative_to(real) for source in self.sources.targets
        )

    def _explain_ingest(
        self, location: SourceTarget, entry: SourceEntry, *, is_tracked: bool
    ) -> ExclusionRule | FailureDetail | None:
        """Add the step `ingest` for a file that a scan takes."""
        failure = self._recorded_failure(entry)
        if failure is not None:
            return self._explain_failure(failure, location, entry, is_tracked=is_tracked)
        if not is_tracked:
            return self._explain_missing(location, entry)
        self.trace.ok("ingest", Message("ingested"))
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
        self, failure: FileFailure, location: SourceTarget, entry: SourceEntry, *, is_tracked: bool
    ) -> FailureDetail:
        code, message = failure.failure.code, failure.failure.message
        trial = self.sources.try_file(entry, location.source)
        is_same = trial is not None and trial.failure is not None and trial.failure.code == code
        stage = trial.stage if trial is not None and is_same else None
        detail = Message(
            "it could not be {ingested} at {failed_at}: {reason}",
            ingested=_STAGES[stage] if stage else Message("ingested"),
            failed_at=Moment(failure.failed_at),
            reason=message,
        )
        remedy = _mend(entry, failure.failure)
        if trial is not None and trial.failure is None and trial.skip is None:
            detail, remedy = Message("{failure}; it could be now", failure=detail), _ingest(entry)
        if is_tracked:
            detail = Message("its newest version could not be indexed: {failure}", failure=detail)
        self.trace.stop("failed", "ingest", detail, remedy=remedy, is_passed=is_tracked)
        return FailureDetail(stage=stage, code=code, message=message, at=failure.failed_at)

    def _explain_missing(
        self, location: SourceTarget, entry: SourceEntry
    ) -> ExclusionRule | FailureDetail | None:
        trial = self.sources.try_file(entry, location.source)
        skip = self._recorded_skip(entry) if trial is None else trial.skip
        if skip is not None:
            exclusion = self._describe(location, SkippedPath(entry.workspace_path, skip), None)
            self.trace.stop("left_out", "ingest", exclusion.message, remedy=exclusion.remedy)
            return exclusion.matched
        if trial is not None and (failure := trial.failure) is not None:
            detail = Message(
                "it cannot be {ingested}: {reason}", ingested=_STAGES[trial.stage], reason=failure.message
            )
            self.trace.stop("failed", "ingest", detail, remedy=_mend(entry, failure))
            return FailureDetail(stage=trial.stage, code=failure.code, message=failure.message)
        remedy = _ingest(entry)
        if (writer := self.sources.writer) is not None:
            detail = Message("it is not ingested yet; a run is in progress (pid {writer})", writer=writer)
            remedy = Remedy(kind="wait_for_writer", count=writer, then=remedy)
        else:
            detail = self._describe_last_run(location)
        self.trace.stop("not_ingested", "ingest", detail, remedy=remedy)
        return None

    def _describe_last_run(self, location: SourceTarget) -> Message:
        if self.index is None:
            return Message("it is not ingested yet; nothing is")
        if self.index.jobs.unfinished_runs():
            return Message("it is not ingested yet; the last run was interrupted")
        for scan in self.index.source_files.list_scans():
            if scan.source_id == location.source.id:
                return Message(
                    "it is not ingested yet; the last full run over its source was at {at}",
                    at=Moment(scan.completed_at),
                )
        return Message("it is not ingested yet")


def _mend(entry: SourceEntry, failure: IngestFailure) -> Remedy:
    if not os.access(entry.disk_path, os.R_OK):
        return Remedy(kind="check_permissions", path=entry.disk_path, then=_ingest(entry))
    return find_failure_remedy(failure, entry.disk_path).followed_by(_ingest(entry))


def _ingest(entry: SourceEntry) -> Remedy:
    return Remedy(kind="ingest", path=entry.disk_path)
