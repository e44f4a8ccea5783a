"""Whether the rules let a file in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import (
    IgnoreEdit,
    PathVerdict,
    RuleOrigin,
    SkippedPath,
    SkipReason,
    SkipRule,
    SourceEntry,
    SourceScope,
    UnreadableFolder,
)
from kebab_wire import WhyRuleV1

from kebab_app.explanation.remedy import Barrier, describe_barriers, find_added_lines, find_barriers
from kebab_app.explanation.scanned import judge, place_of, scope_for
from kebab_app.explanation.skip_sentences import LeftOut, describe_left_out
from kebab_app.explanation.taking_in import advise_taking_in
from kebab_app.wiring import build_processor

if TYPE_CHECKING:
    from kebab_ingest import SourceTarget

    from kebab_app.explanation.named_file import NamedFile
    from kebab_app.explanation.way import Way
    from kebab_app.knowledge_base import KnowledgeBase

_KEYS = {
    "code.extra_skip_globs": "ingest.code.extra_skip_globs",
    "code.max_file_bytes": "ingest.code.max_file_bytes",
    "max_file_bytes": "ingest.max_file_mb",
    "follow_symlinks": "workspace.follow_symlinks",
}
"""Settings as people know them, by what a scan calls them."""


def find_left_out(base: KnowledgeBase, named: NamedFile) -> LeftOut | None:
    """Return why a scan leaves a file out; None for one that it takes, or that is not there."""
    if named.target is None or named.verdict is None:
        return None
    item, rule = _for_reading(base, named.verdict)
    if not isinstance(item, SkippedPath):
        return None
    left_out = describe_rule(base, named.target, item, rule)
    return left_out._replace(remedy=_find_remedy(base, named.target, Barrier(item, rule)))


def _for_reading(base: KnowledgeBase, verdict: PathVerdict) -> PathVerdict:
    """Return a verdict that also leaves out what nothing can read."""
    item = verdict.item
    if not isinstance(item, SourceEntry) or _is_readable(base, item):
        return verdict
    return PathVerdict(SkippedPath(item.workspace_path, SkipReason.UNSUPPORTED_MEDIA))


def _find_remedy(base: KnowledgeBase, target: SourceTarget, first: Barrier) -> str:
    """Return what to do about all that is in the way of a file."""
    scope = scope_for(base, target)

    def judge_again(changed: SourceScope, edits: Mapping[str, IgnoreEdit]) -> PathVerdict | None:
        verdict = judge(base, target, changed, edits)
        return verdict and _for_reading(base, verdict)

    barriers = [
        (one, describe_left_out(describe_rule(base, target, one.item, one.rule))[1])
        for one in find_barriers(first, scope, judge_again)
    ]
    return describe_barriers(barriers, find_added_lines(first, scope, judge_again))


def describe_rule(
    base: KnowledgeBase, target: SourceTarget, skipped: SkippedPath, rule: SkipRule | None
) -> LeftOut:
    """Return what is skipped in a source, with the settings that its rules stand in.

    Args:
        base: The knowledge base.
        target: Where in which source.
        skipped: What is skipped.
        rule: By which rule.

    Returns:
        All that sentences about it need.
    """
    return LeftOut(
        reason=skipped.reason,
        path=skipped.workspace_path,
        is_folder=skipped.is_folder,
        place=place_of(target),
        at=target.root / skipped.workspace_path,
        taking_in=_taking_in(base, target, skipped),
        rule=rule,
        exclude_key=_exclude_key(base, target, rule),
        include_key=_include_key(base, target),
        code=base.loaded.settings.ingest.code,
    )


def tell_left_out(way: Way, left_out: LeftOut, *, is_stored: bool) -> WhyRuleV1:
    """Note that a file is left out, and return by which rule.

    Args:
        way: Gets the step.
        left_out: What is left out, and why.
        is_stored: Whether the index still has it.

    Returns:
        The rule for the wire.
    """
    why, fix = describe_left_out(left_out)
    if is_stored:
        way.remark("rules", f"{why}; the next run removes what was indexed before", fix=fix)
    else:
        way.stop("left_out", "rules", why, fix=fix)
    return wire_rule(left_out)


def wire_rule(left_out: LeftOut) -> WhyRuleV1:
    """Return what leaves a file out for the wire."""
    rule = left_out.rule
    return WhyRuleV1(
        reason=left_out.reason,
        path=left_out.path,
        is_folder=left_out.is_folder,
        origin=rule.origin if rule else None,
        name=_name_of(left_out, rule) if rule else None,
        pattern=rule.pattern if rule else None,
        line=rule.line if rule else None,
        limit_bytes=rule.limit if rule else None,
    )


def tell_unreadable(way: Way, folder: UnreadableFolder, *, is_stored: bool) -> None:
    """Note that a folder above the file cannot be looked into."""
    detail = f"the folder {folder.workspace_path} cannot be looked into: {folder.message}"
    fix = "check the permissions of the folder; then kebab ingest"
    if is_stored:
        way.remark("rules", detail, fix=fix)
    else:
        way.stop("unreadable_folder", "rules", detail, fix=fix)


def _name_of(left_out: LeftOut, rule: SkipRule) -> str | None:
    if rule.origin is not RuleOrigin.SETTING:
        return rule.name
    match rule.name:
        case "exclude":
            return left_out.exclude_key or "storage.data_dir"
        case "include":
            return left_out.include_key
    return _KEYS[rule.name]


def _taking_in(base: KnowledgeBase, target: SourceTarget, skipped: SkippedPath) -> str:
    if skipped.reason is not SkipReason.SYMLINK_OUTSIDE:
        return ""
    return advise_taking_in(base, Path(os.path.realpath(place_of(target))))


def _exclude_key(base: KnowledgeBase, target: SourceTarget, rule: SkipRule | None) -> str | None:
    """Return where an exclude pattern is set; None for one of kebab's own."""
    workspace = base.loaded.settings.workspace
    if rule is None or rule.pattern in workspace.exclude:
        return "workspace.exclude"
    own = scope_for(base, target).exclude[len(target.source.exclude) :]
    if rule.pattern in own and rule.pattern not in target.source.exclude:
        return None
    return f"workspace.sources.exclude of {target.source.id}"


def _include_key(base: KnowledgeBase, target: SourceTarget) -> str:
    is_own = any(
        source.id == target.source.id and "include" in source.model_fields_set
        for source in base.loaded.settings.workspace.sources
    )
    return f"workspace.sources.include of {target.source.id}" if is_own else "workspace.include"


def _is_readable(base: KnowledgeBase, entry: SourceEntry) -> bool:
    processor = build_processor(base.loaded.settings.ingest.chunking, analyzer=base.analyzer)
    return processor.supports(entry.media_type)
