"""Excluded files: the reason as a sentence, and the remedies that let the file in.

Pure functions over the rules of a scan; `ingest_explanation` calls them with the settings of a source.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from kebab_core import (
    CodeIngestSettings,
    IgnoreEdit,
    Message,
    PathVerdict,
    Remedy,
    RuleOrigin,
    SkippedPath,
    SkipReason,
    SkipRule,
    SourceEntry,
    SourceScope,
    find_better_format,
    split_extension,
)

from kebab_diagnose.explanation import ExclusionRule

_MAX_BARRIERS = 50
"""Rules that are looked for one behind the other."""
_PATTERN_SIGNS = frozenset("\\*?[]")
_BYTES_PER_MB = 1024 * 1024
_BINARY_BYTES = 8000
"""Bytes of a file in which a zero byte says that it is no text."""
_INGEST = Remedy(kind="ingest")
_WITHOUT_INGEST = frozenset({
    "ingest",
    "ingest_file",
    "ingest_text",
    "add_source",
    "init",
    "explain_file",
})
"""Kinds of remedies of a single rule that no ingest has to follow."""
INTERNAL_KEY = "storage.data_dir"
"""Stands for the pattern that keeps kebab's own folder out of a source."""

VerdictLookup = Callable[[SourceScope, Mapping[str, IgnoreEdit]], PathVerdict | None]
"""The verdict of a scan on a file with another scope, or as if ignore files were edited."""


@dataclass(frozen=True, kw_only=True)
class Exclusion:
    """A file or folder that a scan leaves out, with the settings that its remedies name."""

    skipped: SkippedPath
    rule: SkipRule | None
    file: Path
    """Place of the file on disk."""
    place: Path
    """Place of what is left out: the file, or the folder above it."""
    external_remedy: Remedy | None
    """How to ingest a file outside of the source; None for one inside."""
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
    def message(self) -> Message:
        """The file or folder, and the reason, as a sentence."""
        why = self._verdict[0]
        if not self.skipped.is_folder:
            return Message("the file {why}", why=why)
        return Message("the folder {path} {why}", path=self.skipped.workspace_path, why=why)

    @property
    def remedy(self) -> Remedy:
        """The remedy for this rule alone."""
        action = self.action
        return action if action.kind in _WITHOUT_INGEST else action.followed_by(_INGEST)

    @property
    def action(self) -> Remedy:
        """The remedy without the ingest that follows."""
        return self._verdict[1]

    @property
    def _verdict(self) -> tuple[Message, Remedy]:
        rule = self.rule
        if rule is None:
            return self._by_reason()
        if rule.origin is RuleOrigin.IGNORE_FILE:
            why = Message(
                "is ignored by line {line} of {path}: {pattern}",
                line=rule.line,
                path=rule.name,
                pattern=(rule.pattern or "").strip(),
            )
            return why, Remedy(kind="delete_lines", path=rule.name, line_numbers=(rule.line or 0,))
        if rule.origin is RuleOrigin.BUILT_IN:
            return _by_built_in_name(rule)
        return self._by_setting(rule)

    def _by_setting(self, rule: SkipRule) -> tuple[Message, Remedy]:  # noqa: PLR0911 - a case for each setting
        key = (self.setting or "").partition(" of ")[0]
        match rule.name:
            case "exclude" if key == INTERNAL_KEY:
                return Message("is kebab's own: it lies in the data folder"), Remedy(
                    advice=Message("move the document out of {setting}", setting=key)
                )
            case "exclude":
                why = Message(
                    "is excluded by {setting}: {pattern}", setting=self.setting, pattern=rule.pattern
                )
                return why, self._take_out(rule)
            case "code.extra_skip_globs":
                why = Message(
                    "is excluded by {setting}, pattern {pattern}", setting=self.setting, pattern=rule.pattern
                )
                return why, self._take_out(rule)
            case "code.skip_generated":
                why = Message("is a lock file or a minified file, by its name: programs write those")
                return why, Remedy(kind="set", setting=key, value=False)
            case "follow_symlinks":
                return Message("is a link, and links are not followed"), Remedy(
                    kind="set", setting=key, value=True
                )
            case "include":
                why = Message("matches no pattern of {setting}", setting=self.setting)
                return why, Remedy(advice=Message("add a pattern for it to {setting}", setting=self.setting))
        limit = rule.limit or 0
        if rule.name.startswith("code."):
            why = Message("is larger than {setting} allows ({limit} bytes)", setting=key, limit=limit)
        else:
            limit //= _BYTES_PER_MB
            why = Message("is larger than {setting} allows ({limit} MB)", setting=key, limit=limit)
        return why, self._raise_or_split(key)

    def _take_out(self, rule: SkipRule) -> Remedy:
        return Remedy(
            advice=Message("remove {pattern!r} from {setting}", pattern=rule.pattern, setting=self.setting)
        )

    def _raise_or_split(self, key: str) -> Remedy:
        split = Remedy(advice=Message("split the file"))
        return Remedy(kind="raise_setting", setting=key, otherwise=split)

    def _by_size(self) -> tuple[Message, Remedy]:
        """A file of source code that was read to see whether it is something else."""
        key, limit = "ingest.code.max_file_lines", self.code.max_file_lines
        why = Message("has more lines than ingest.code.max_file_lines allows ({limit})", limit=limit)
        with suppress(OSError):
            if self.place.stat().st_size > self.code.max_file_bytes:
                key, limit = "ingest.code.max_file_bytes", self.code.max_file_bytes
                why = Message("is larger than {setting} allows ({limit} bytes)", setting=key, limit=limit)
        return why, self._raise_or_split(key)

    def _by_reason(self) -> tuple[Message, Remedy]:
        leads_to, path = os.path.realpath(self.place), str(self.place)
        reasons = {
            SkipReason.UNSUPPORTED_MEDIA: (
                Message("is of a kind that kebab cannot read"),
                _save_as(path),
            ),
            SkipReason.SIZE_EXCEEDED: self._by_size(),
            SkipReason.GENERATED: (
                Message(
                    "was made by a program: its first lines say so, or its lines are too long to be read"
                ),
                Remedy(kind="set", setting="ingest.code.skip_generated", value=False),
            ),
            SkipReason.BINARY_CONTENT: (
                Message(
                    "is named like text, but what it holds is binary or in an encoding that it does not show"
                )
                if split_extension(Path(path).name)[1]
                else Message("has a name without an extension, and what it holds is no text"),
                Remedy(advice=Message("save {path!r} as UTF-8", path=path)),
            ),
            SkipReason.SECRET: (
                Message(
                    "holds a private key or an access key near its beginning, which is not to be found by search"
                ),
                Remedy(advice=Message("take the key out of {path!r}", path=path)),
            ),
            SkipReason.EMPTY: (
                Message("has nothing to index"),
                Remedy(advice=Message("write something into it")),
            ),
            SkipReason.SYMLINK_OUTSIDE: (
                Message("is a link to {path}, outside of its source", path=leads_to),
                self.external_remedy or _INGEST,
            ),
            SkipReason.SYMLINK_LOOP: (
                Message("is a link to a folder that contains it"),
                Remedy(advice=Message("remove the link")),
            ),
            SkipReason.LINKED_TWICE: (
                Message("is a link to {path}, which is indexed under its own name", path=leads_to),
                Remedy(kind="explain_file", path=os.path.realpath(self.file)),
            ),
            SkipReason.NOT_REGULAR: (
                Message("is no regular file but a pipe, socket or device"),
                Remedy(kind="ingest_text"),
            ),
            SkipReason.BROKEN_LINK: (
                Message("is a link to nothing"),
                Remedy(advice=Message("repair the link or put the file in its place")),
            ),
            SkipReason.UNUSABLE_NAME: (
                Message("has a name that is not UTF-8"),
                Remedy(advice=Message("rename {path!r}", path=path)),
            ),
            SkipReason.SPELLED_TWICE: (
                Message("has a name that another one beside it has too, once both are composed alike (NFC)"),
                Remedy(advice=Message("rename one of the two")),
            ),
            SkipReason.UNREADABLE: (
                Message("cannot be read"),
                Remedy(kind="check_permissions", path=path),
            ),
        }
        reason = self.skipped.reason
        return reasons.get(reason, (Message("is excluded ({reason})", reason=reason.value), _INGEST))


def _by_built_in_name(rule: SkipRule) -> tuple[Message, Remedy]:
    if rule.name == "mark":
        why = Message(
            "is always skipped: {pattern} in or beside it marks content made by programs",
            pattern=rule.pattern,
        )
    else:
        why = Message(
            "is always skipped: names like {pattern} belong to programs, not to documents",
            pattern=rule.pattern,
        )
    return why, Remedy(advice=Message("move the document to a folder of its own, under another name"))


def find_barriers(
    first: PathVerdict, scope: SourceScope, find_verdict: VerdictLookup
) -> Iterator[tuple[SkippedPath, SkipRule | None]]:
    """Find every rule that leaves a file out, each as if those before it were gone.

    Args:
        first: The verdict of a scan.
        scope: The scope of that scan.
        find_verdict: Returns the verdict with a changed scope or edited ignore files.

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
        verdict = find_verdict(scope, edits)


def find_added_lines(
    skipped: SkippedPath, rule: SkipRule | None, scope: SourceScope, find_verdict: VerdictLookup
) -> tuple[str, ...]:
    """Find the fewest lines at the end of an ignore file that let a file in; none where no such lines suffice."""
    if rule is None or rule.origin is not RuleOrigin.IGNORE_FILE:
        return ()
    inside = skipped.workspace_path.removeprefix(rule.name.rpartition("/")[0]).removeprefix("/")
    if _PATTERN_SIGNS.intersection(inside):
        return ()
    back = f"!/{inside}{'/' if skipped.is_folder else ''}"
    for lines in ((back,), (back, f"{back}**")) if skipped.is_folder else ((back,),):
        verdict = find_verdict(scope, {rule.name: IgnoreEdit(added=lines)})
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


def find_remedy(barriers: Sequence[Exclusion], added: tuple[str, ...]) -> Remedy:
    """Compose the remedy that removes every rule that leaves a file out.

    Args:
        barriers: All of them, in the order of the scan.
        added: Lines that do instead of deleting, at the end of the first ignore file.
    """
    others = [one.action for one in barriers if not _is_in_file(one.rule)]
    if len(barriers) == 1 and others:
        return barriers[0].remedy
    if barriers[-1].skipped.reason in {SkipReason.SYMLINK_OUTSIDE, SkipReason.LINKED_TWICE}:
        return others[-1]  # nothing that lets the link in makes it a document
    lines: dict[str, set[int]] = {}
    for rule in (one.rule for one in barriers):
        if _is_in_file(rule):
            lines.setdefault(rule.name, set()).add(rule.line or 0)
    steps = [
        Remedy(kind="delete_lines", path=name, line_numbers=tuple(sorted(numbers)))
        for name, numbers in lines.items()
    ]
    if added:
        append = Remedy(kind="add_lines", path=next(iter(lines)), names=added)
        steps = [_sequence(steps).model_copy(update={"otherwise": append})]
    return _sequence([*dict.fromkeys([*steps, *others]), _INGEST])


def _sequence(steps: Sequence[Remedy]) -> Remedy:
    first, *rest = steps
    for step in rest:
        first = first.followed_by(step)
    return first


def _is_in_file(rule: SkipRule | None) -> TypeGuard[SkipRule]:
    return rule is not None and rule.origin is RuleOrigin.IGNORE_FILE


def _save_as(path: str) -> Remedy:
    """Return what to do about a file of a kind that is not read: another format of its own program, else text."""
    name = find_better_format(split_extension(Path(path).name)[1])
    if name is not None:
        return Remedy(advice=Message("open it in its own program and save it as {name}", name=name))
    return Remedy(kind="ingest_file" if is_text(path) else "save_as_text", path=path)


def is_text(path: str) -> bool:
    """Whether a file seems to be text, which is ingested by its name whatever its extension; False where it cannot be read."""
    try:
        if not Path(path).is_file():  # opening a pipe would wait for a writer
            return False
        with Path(path).open("rb") as file:
            return b"\0" not in file.read(_BINARY_BYTES)
    except OSError:
        return False
