"""The first steps of an explanation: the source that a file lies in, and the rules of its scan."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import PathVerdict, Remedy, RuleOrigin, SkippedPath, SkipReason, SkipRule, SourceEntry

from kebab_diagnose.exclusion import INTERNAL_KEY, Exclusion, find_added_lines, find_barriers, find_remedy
from kebab_diagnose.explanation import TIME_FORMAT
from kebab_diagnose.file_lookup import judge_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kebab_core import IgnoreEdit, SourceScope, UnreadableFolder

    from kebab_diagnose.access import SourceAccess, SourceLocation
    from kebab_diagnose.explanation import ExplanationTrace
    from kebab_diagnose.file_lookup import LocatedFile, Removal

_SETTING_KEYS = {
    "code.extra_skip_globs": "ingest.code.extra_skip_globs",
    "code.max_file_bytes": "ingest.code.max_file_bytes",
    "max_file_bytes": "ingest.max_file_mb",
    "follow_symlinks": "workspace.follow_symlinks",
}
"""Keys of settings, by the names of the scanner's rules."""


@dataclass(frozen=True)
class ScanExplanation:
    """Explains by its source and the rules of the scan whether a file is ingested.

    Args:
        sources: The sources.
        trace: Gets the steps.
    """

    sources: SourceAccess
    trace: ExplanationTrace

    def explain_source(self, file: LocatedFile) -> None:
        """Add the step `source`: the source that the file lies in, or that there is none or it is gone from it."""
        location = file.location
        if location is None:
            self._explain_outside(file)
            return
        where = f"{location.source.id}: {location.root}"
        if not location.has_root:
            self._explain_missing_root(file, where)
        elif file.removal is not None:
            self._explain_removal(file.path, file.removal)
        else:
            copied = f"; the copy of {file.original}" if file.original else ""
            others = f"; not to be taken for {', '.join(file.others)}" if file.others else ""
            self._explain_location(f"{where}{copied}{others}", file.namesake)

    def _explain_location(self, where: str, namesake: Path | None) -> None:
        if namesake is None:
            self.trace.ok("source", where)
            return
        other = f"./{namesake}"
        detail = f"meant is the file of this path in {where}, and not {other}, which lies in no source"
        self.trace.note("source", detail, remedy=Remedy(kind="explain_other_file", path=other))

    def _explain_outside(self, file: LocatedFile) -> None:
        if file.tracked is not None:
            source = f"its source {file.tracked.source_id} is configured no more"
            remedy = Remedy(
                kind="restore_source",
                name=file.tracked.source_id,
                otherwise=Remedy(kind="reset_orphans"),
            )
            self.trace.note("source", f"{source}; what was indexed of it is still found", remedy=remedy)
            return
        roots = ", ".join(str(source.root) for source in self.sources.locations)
        detail = f"it lies outside every configured source ({roots})"
        self.trace.stop("outside_sources", "source", detail, remedy=self._ingest_outside(file.path))

    def _explain_missing_root(self, file: LocatedFile, where: str) -> None:
        detail = f"the folder of its source is missing ({where})"
        remedy = Remedy(kind="check_drive", path=str(file.location.root) if file.location else None)
        if file.tracked is None:
            self.trace.stop("source_missing", "source", detail, remedy=remedy)
        else:
            self.trace.note("source", detail, remedy=remedy)

    def _explain_removal(self, path: Path, removal: Removal) -> None:
        when = f"by the run that ended at {removal.at:{TIME_FORMAT}} UTC"
        if removal.moved_to is None:
            detail = f"it is gone from disk and was removed from the index {when}"
            remedy = Remedy(kind="restore_file", path=str(path), then=Remedy(kind="ingest"))
        else:
            detail = f"it was found moved to {removal.moved_to} {when}"
            remedy = Remedy(kind="explain_file", path=removal.moved_to)
        self.trace.stop("removed", "source", detail, remedy=remedy)

    def find_exclusion(self, file: LocatedFile) -> tuple[Exclusion, Remedy] | None:
        """Find the rule that leaves a file out, and what lets the file in; None for a file that a scan takes."""
        location = file.location
        if location is None or file.verdict is None:
            return None
        first = self._with_media(file.verdict)
        if not isinstance(first.item, SkippedPath):
            return None
        scope = self.sources.scope_of(location)

        def judge(changed: SourceScope, edits: Mapping[str, IgnoreEdit]) -> PathVerdict | None:
            verdict = judge_file(self.sources, location, changed, edits)
            return verdict and self._with_media(verdict)

        barriers = [self.describe(location, item, rule) for item, rule in find_barriers(first, scope, judge)]
        return barriers[0], find_remedy(barriers, find_added_lines(first.item, first.rule, scope, judge))

    def _with_media(self, verdict: PathVerdict) -> PathVerdict:
        """Leave out a file that no parser takes."""
        item = verdict.item
        if not isinstance(item, SourceEntry) or self.sources.can_read(item.workspace_path.rpartition("/")[2]):
            return verdict
        return PathVerdict(SkippedPath(item.workspace_path, SkipReason.UNSUPPORTED_MEDIA))

    def explain_exclusion(self, exclusion: Exclusion, remedy: Remedy, *, is_stored: bool) -> None:
        """Add the step `rules` for a file that is left out; one that is still in the index is found until the next run."""
        if is_stored:
            detail = f"{exclusion.reason}; the next run removes what was indexed before"
            self.trace.note("rules", detail, remedy=remedy)
        else:
            self.trace.stop("left_out", "rules", exclusion.reason, remedy=remedy)

    def explain_unreadable(self, folder: UnreadableFolder, *, is_stored: bool) -> None:
        """Add the step `rules` for a file below a folder that cannot be listed."""
        detail = f"the folder {folder.workspace_path} cannot be looked into: {folder.message}"
        remedy = Remedy(kind="check_permissions", path=folder.workspace_path, then=Remedy(kind="ingest"))
        if is_stored:
            self.trace.note("rules", detail, remedy=remedy)
        else:
            self.trace.stop("unreadable_folder", "rules", detail, remedy=remedy)

    def describe(self, location: SourceLocation, skipped: SkippedPath, rule: SkipRule | None) -> Exclusion:
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

    def _setting_of(self, location: SourceLocation, rule: SkipRule | None) -> str | None:
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
        folder, readable = str(path.parent), self.sources.can_read(path.name)
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
            Path(os.path.realpath(source.root)).is_relative_to(real) for source in self.sources.locations
        )
