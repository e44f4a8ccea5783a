"""Excluded files: the reason as a sentence, and the changes that let the file in.

Pure functions over the rules of a scan; `scan_explanation` calls them with the settings of a source.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from kebab_core import (
    CodeIngestSettings,
    IgnoreEdit,
    PathVerdict,
    RuleOrigin,
    SkippedPath,
    SkipReason,
    SkipRule,
    SourceEntry,
    SourceScope,
)

from kebab_diagnose.explanation import ExclusionRule

_MAX_BARRIERS = 50
"""Rules that are looked for one behind the other."""
_PATTERN_SIGNS = frozenset("\\*?[]")
_BYTES_PER_MB = 1024 * 1024
_THEN_INGEST = "; then kebab ingest"
INTERNAL_KEY = "storage.data_dir"
"""Stands for the pattern that keeps kebab's own folder out of a source."""

Judge = Callable[[SourceScope, Mapping[str, IgnoreEdit]], PathVerdict | None]
"""The verdict of a scan on a file with another scope, or as if ignore files were edited."""


@dataclass(frozen=True, kw_only=True)
class Exclusion:
    """A file or folder that a scan leaves out, with the settings that the sentences name."""

    skipped: SkippedPath
    rule: SkipRule | None
    file: Path
    """Place of the file on disk."""
    place: Path
    """Place of what is left out: the file, or the folder above it."""
    external_fix: str
    """How to ingest a file outside of the source; empty for one inside."""
    setting: str | None
    """Key of the setting that the rule stands in; None for a rule that stands elsewhere."""
    code: CodeIngestSettings

    @property
    def matched(self) -> ExclusionRule:
        """The rule as explanations carry it."""
        rule = self.rule
        return ExclusionRule(
            reason=self.skipped.reason,
            path=self.skipped.workspace_path,
            is_folder=self.skipped.is_folder,
            origin=rule.origin if rule else None,
            name=self.setting or (rule.name if rule else None),
            pattern=rule.pattern if rule else None,
            line=rule.line if rule else None,
            limit_bytes=rule.limit if rule else None,
        )

    @property
    def reason(self) -> str:
        """The file or folder, and the reason, as a sentence."""
        what = f"the folder {self.skipped.workspace_path}" if self.skipped.is_folder else "the file"
        return f"{what} {self._sentences[0]}"

    @property
    def fix(self) -> str:
        """The remedy for this rule alone."""
        return self._sentences[1]

    @property
    def _sentences(self) -> tuple[str, str]:
        rule = self.rule
        if rule is None:
            return self._by_reason()
        if rule.origin is RuleOrigin.IGNORE_FILE:
            why = f"is ignored by line {rule.line} of {rule.name}: {(rule.pattern or '').strip()}"
            return why, f"delete line {rule.line} of {rule.name}{_THEN_INGEST}"
        if rule.origin is RuleOrigin.BUILT_IN:
            return _by_built_in_name(rule)
        return self._by_setting(rule)

    def _by_setting(self, rule: SkipRule) -> tuple[str, str]:
        key = self.setting
        match rule.name:
            case "exclude" if key == INTERNAL_KEY:
                return "is kebab's own: it lies in the data folder", f"move the document out of {key}"
            case "exclude" | "code.extra_skip_globs":
                why = "is excluded by" if rule.name == "exclude" else "is left out by"
                return f"{why} {key}: {rule.pattern}", f"take {rule.pattern!r} out of {key}{_THEN_INGEST}"
            case "follow_symlinks":
                return "is a link, and links are not followed", f"set {key} = true{_THEN_INGEST}"
            case "include":
                return f"matches no pattern of {key}", f"add a pattern for it to {key}{_THEN_INGEST}"
        limit = rule.limit or 0
        size = f"{limit} bytes" if rule.name.startswith("code.") else f"{limit // _BYTES_PER_MB} MB"
        return f"is larger than {key} allows ({size})", f"raise {key}, or split the file{_THEN_INGEST}"

    def _by_reason(self) -> tuple[str, str]:
        leads_to = os.path.realpath(self.place)
        sentences = {
            SkipReason.UNSUPPORTED_MEDIA: (
                "is of a kind that kebab cannot read",
                f"save it as Markdown or plain text (kebab schema lists what can be read){_THEN_INGEST}",
            ),
            SkipReason.SIZE_EXCEEDED: (
                f"has more lines than ingest.code.max_file_lines allows ({self.code.max_file_lines})",
                f"raise ingest.code.max_file_lines, or split the file{_THEN_INGEST}",
            ),
            SkipReason.GENERATED: (
                "says in its first lines that a program generated it",
                f"set ingest.code.skip_generated = false{_THEN_INGEST}",
            ),
            SkipReason.BINARY_CONTENT: (
                "is named like text, but what it holds is binary or in an encoding other than UTF-8 and UTF-16",
                f"check what is in it and save it as text in UTF-8{_THEN_INGEST}",
            ),
            SkipReason.EMPTY: ("holds nothing to index", f"write something into it{_THEN_INGEST}"),
            SkipReason.SYMLINK_OUTSIDE: (
                f"is a link to {leads_to}, outside of its source",
                self.external_fix,
            ),
            SkipReason.SYMLINK_LOOP: ("is a link into its own way", "remove the link"),
            SkipReason.LINKED_TWICE: (
                f"is a link to {leads_to}, which is looked at under its own name",
                f"kebab why {shlex.quote(os.path.realpath(self.file))}",
            ),
            SkipReason.NOT_REGULAR: (
                "is no regular file but a pipe, socket or device",
                "pipe the text into kebab ingest-stdin --title TITLE",
            ),
            SkipReason.BROKEN_LINK: (
                "is a link to nothing",
                f"mend the link or put the file in its place{_THEN_INGEST}",
            ),
            SkipReason.UNUSABLE_NAME: ("has a name that is not UTF-8", f"rename it{_THEN_INGEST}"),
            SkipReason.SPELLED_TWICE: (
                "has a name that another one beside it has too, once both are composed alike (NFC)",
                f"rename one of the two{_THEN_INGEST}",
            ),
            SkipReason.UNREADABLE: ("cannot be looked at", f"check its permissions{_THEN_INGEST}"),
        }
        reason = self.skipped.reason
        return sentences.get(reason, (f"is left out ({reason.value})", "kebab ingest"))


def _by_built_in_name(rule: SkipRule) -> tuple[str, str]:
    if rule.name == "mark":
        why = f"is never taken: {rule.pattern} in or beside it says that programs made what is in it"
    else:
        why = f"is never taken: names like {rule.pattern} are those of programs, not of documents"
    return why, f"move the document to a folder of its own, under another name{_THEN_INGEST}"


def find_barriers(
    first: PathVerdict, scope: SourceScope, judge: Judge
) -> Iterator[tuple[SkippedPath, SkipRule | None]]:
    """Find every rule that leaves a file out, each judged as if those before it were gone.

    Args:
        first: The verdict of a scan.
        scope: The scope of that scan.
        judge: Gives the verdict with a changed scope or edited ignore files.

    Yields:
        What is left out, and by which rule, in the order in which a scan meets them. Nothing follows a rule that
        cannot be removed.
    """
    verdict: PathVerdict | None = first
    edits: dict[str, IgnoreEdit] = {}
    for _ in range(_MAX_BARRIERS):
        if verdict is None or not isinstance(verdict.item, SkippedPath):
            return
        yield verdict.item, verdict.rule
        changed = _without(scope, edits, verdict.rule) if verdict.rule else None
        if changed is None:
            return
        scope = changed
        verdict = judge(scope, edits)


def find_added_lines(
    skipped: SkippedPath, rule: SkipRule | None, scope: SourceScope, judge: Judge
) -> tuple[str, ...]:
    """Find the fewest lines at the end of an ignore file that let a file in; none where no such lines suffice."""
    if rule is None or rule.origin is not RuleOrigin.IGNORE_FILE:
        return ()
    inside = skipped.workspace_path.removeprefix(rule.name.rpartition("/")[0]).removeprefix("/")
    if _PATTERN_SIGNS.intersection(inside):
        return ()
    back = f"!/{inside}{'/' if skipped.is_folder else ''}"
    for lines in ((back,), (back, f"{back}**")) if skipped.is_folder else ((back,),):
        verdict = judge(scope, {rule.name: IgnoreEdit(added=lines)})
        if verdict is not None and isinstance(verdict.item, SourceEntry):
            return lines
    return ()


def _without(scope: SourceScope, edits: dict[str, IgnoreEdit], rule: SkipRule) -> SourceScope | None:
    """Remove a rule from a scope, or from an ignore file in `edits`; None for a rule that cannot be removed."""
    if rule.origin is RuleOrigin.IGNORE_FILE and rule.line is not None:
        edit = edits.get(rule.name, IgnoreEdit())
        edits[rule.name] = edit._replace(dropped=edit.dropped | {rule.line})
        return scope
    if rule.origin is not RuleOrigin.SETTING:
        return None
    match rule.name:
        case "exclude":
            kept = tuple(pattern for pattern in scope.exclude if pattern != rule.pattern)
            return scope.model_copy(update={"exclude": kept})
        case "follow_symlinks":
            return scope.model_copy(update={"follow_symlinks": True})
        case "include":
            return scope.model_copy(update={"include": ("**/*",)})
    return None


def describe_fix(barriers: Sequence[Exclusion], added: tuple[str, ...]) -> str:
    """Describe what removes every rule that leaves a file out.

    Args:
        barriers: All of them, in the order of the scan.
        added: Lines that do instead of deleting, at the end of the first ignore file.
    """
    if len(barriers) == 1 and not _is_in_file(barriers[0].rule):
        return barriers[0].fix
    lines: dict[str, list[int]] = {}
    for rule in (one.rule for one in barriers):
        if _is_in_file(rule):
            lines.setdefault(rule.name, []).append(rule.line or 0)
    actions = [f"delete {_name_lines(numbers)} of {name}" for name, numbers in lines.items()]
    if added:
        what = f"{'lines' if len(added) > 1 else 'line'} {' and '.join(added)}"
        first = next(iter(lines))
        actions[-1] += f", or add the {what} at {'its end' if len(lines) == 1 else f'the end of {first}'}"
    actions += [one.fix.removesuffix(_THEN_INGEST) for one in barriers if not _is_in_file(one.rule)]
    if barriers[-1].skipped.reason in {SkipReason.SYMLINK_OUTSIDE, SkipReason.LINKED_TWICE}:
        return actions[-1]  # nothing that lets the link in makes it a document
    return "; ".join(dict.fromkeys(actions)) + _THEN_INGEST


def _is_in_file(rule: SkipRule | None) -> TypeGuard[SkipRule]:
    return rule is not None and rule.origin is RuleOrigin.IGNORE_FILE


def _name_lines(numbers: list[int]) -> str:
    shown = [str(number) for number in sorted(set(numbers))]
    if len(shown) == 1:
        return f"line {shown[0]}"
    return f"lines {', '.join(shown[:-1])} and {shown[-1]}"
