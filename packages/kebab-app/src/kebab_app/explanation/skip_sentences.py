"""Why a file is left out, in a sentence, and what lets it in."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import NamedTuple

from kebab_core import CodeIngestSettings, RuleOrigin, SkipReason, SkipRule, WorkspacePath

_BYTES_PER_MB = 1024 * 1024


class LeftOut(NamedTuple):
    """A file that is left out.

    Attributes:
        reason: Why.
        path: What the reason is about: the file, or the folder above it; inside the source.
        is_folder: Which of the two.
        place: Where the file lies.
        at: Where lies what is left out: the file or the folder above it.
        remedy: What to do about all that leaves it out; None where nothing else than this does.
        taking_in: What takes in what lies outside of the source.
        rule: The rule.
        exclude_key: The setting that an exclude pattern stands in.
        include_key: The setting that include patterns stand in.
        code: Which files of source code are left out.
    """

    reason: SkipReason
    path: WorkspacePath
    is_folder: bool
    place: Path
    at: Path
    remedy: str | None = None
    taking_in: str = ""
    rule: SkipRule | None = None
    exclude_key: str | None = None
    include_key: str = "workspace.include"
    code: CodeIngestSettings = CodeIngestSettings()


def describe_left_out(left_out: LeftOut) -> tuple[str, str]:
    """Return why a file is left out, and what to do about it."""
    what = f"the folder {left_out.path}" if left_out.is_folder else "the file"
    if left_out.rule is not None:
        why, fix = _by_rule(left_out, left_out.rule)
    else:
        why, fix = _by_reason(left_out)
    return f"{what} {why}", left_out.remedy or fix


def _by_rule(left_out: LeftOut, rule: SkipRule) -> tuple[str, str]:
    if rule.origin is RuleOrigin.IGNORE_FILE:
        return _by_ignore_file(rule)
    if rule.origin is RuleOrigin.BUILT_IN:
        return _by_name(rule)
    return _by_setting(left_out, rule)


def _by_ignore_file(rule: SkipRule) -> tuple[str, str]:
    why = f"is ignored by line {rule.line} of {rule.name}: {(rule.pattern or '').strip()}"
    return why, f"delete line {rule.line} of {rule.name}; then kebab ingest"


def _by_name(rule: SkipRule) -> tuple[str, str]:
    if rule.name == "mark":
        why = f"is never taken: {rule.pattern} in or beside it says that programs made what is in it"
    else:
        why = f"is never taken: names like {rule.pattern} are those of programs, not of documents"
    return why, "move the document to a folder of its own, under another name; then kebab ingest"


def _by_setting(left_out: LeftOut, rule: SkipRule) -> tuple[str, str]:
    match rule.name:
        case "exclude" if left_out.exclude_key is None:
            return "is kebab's own: it lies in the data folder", "move the document out of storage.data_dir"
        case "exclude":
            why = f"is excluded by {left_out.exclude_key}: {rule.pattern}"
            return why, f"take {rule.pattern!r} out of {left_out.exclude_key}; then kebab ingest"
        case "code.extra_skip_globs":
            why = f"is left out by ingest.code.extra_skip_globs: {rule.pattern}"
            return why, f"take {rule.pattern!r} out of ingest.code.extra_skip_globs; then kebab ingest"
        case "follow_symlinks":
            why = "is a link, and links are not followed"
            return why, "set workspace.follow_symlinks = true; then kebab ingest"
        case "include":
            why = f"matches no pattern of {left_out.include_key}"
            return why, f"add a pattern for it to {left_out.include_key}; then kebab ingest"
    key = "ingest.code.max_file_bytes" if rule.name.startswith("code.") else "ingest.max_file_mb"
    limit = rule.limit or 0
    unit = f"{limit} bytes" if rule.name.startswith("code.") else f"{limit // _BYTES_PER_MB} MB"
    return f"is larger than {key} allows ({unit})", f"raise {key}, or split the file; then kebab ingest"


def _by_reason(left_out: LeftOut) -> tuple[str, str]:
    again = "then kebab ingest"
    target, leads_to = os.path.realpath(left_out.place), os.path.realpath(left_out.at)
    sentences = {
        SkipReason.UNSUPPORTED_MEDIA: (
            "is of a kind that kebab cannot read",
            f"save it as Markdown or plain text (kebab schema lists what can be read); {again}",
        ),
        SkipReason.SIZE_EXCEEDED: (
            f"has more lines than ingest.code.max_file_lines allows ({left_out.code.max_file_lines})",
            f"raise ingest.code.max_file_lines, or split the file; {again}",
        ),
        SkipReason.GENERATED: (
            "says in its first lines that a program generated it",
            f"set ingest.code.skip_generated = false; {again}",
        ),
        SkipReason.BINARY_CONTENT: (
            "is named like text, but what it holds is binary or in an encoding other than UTF-8 and UTF-16",
            f"check what is in it and save it as text in UTF-8; {again}",
        ),
        SkipReason.EMPTY: ("holds nothing to index", f"write something into it; {again}"),
        SkipReason.SYMLINK_OUTSIDE: (
            f"is a link to {leads_to}, outside of its source",
            left_out.taking_in,
        ),
        SkipReason.SYMLINK_LOOP: ("is a link into its own way", "remove the link"),
        SkipReason.LINKED_TWICE: (
            f"is a link to {leads_to}, which is looked at under its own name",
            f"kebab why {shlex.quote(target)}",
        ),
        SkipReason.NOT_REGULAR: (
            "is no regular file but a pipe, socket or device",
            "pipe the text into kebab ingest-stdin --title TITLE",
        ),
        SkipReason.BROKEN_LINK: (
            "is a link to nothing",
            f"mend the link or put the file in its place; {again}",
        ),
        SkipReason.UNUSABLE_NAME: ("has a name that is not UTF-8", f"rename it; {again}"),
        SkipReason.SPELLED_TWICE: (
            "has a name that another one beside it has too, once both are composed alike (NFC)",
            f"rename one of the two; {again}",
        ),
        SkipReason.UNREADABLE: ("cannot be looked at", f"check its permissions; {again}"),
    }
    return sentences.get(left_out.reason, (f"is left out ({left_out.reason.value})", "kebab ingest"))
