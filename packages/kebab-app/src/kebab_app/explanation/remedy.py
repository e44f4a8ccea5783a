"""What lets a left-out file in: every rule in its way at once, each judged as if those before it were gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeGuard

from kebab_core import (
    IgnoreEdit,
    PathVerdict,
    RuleOrigin,
    SkippedPath,
    SkipReason,
    SkipRule,
    SourceEntry,
    SourceScope,
)

_MOST = 50
"""Rules in the way of one file that are looked for."""
_PATTERN_SIGNS = frozenset("\\*?[]")

Judge = Callable[[SourceScope, Mapping[str, IgnoreEdit]], PathVerdict | None]


class Barrier(NamedTuple):
    """Something in the way: what it leaves out, and by which rule."""

    item: SkippedPath
    rule: SkipRule | None


def find_barriers(first: Barrier, scope: SourceScope, judge: Judge) -> Iterator[Barrier]:
    """Yield all that leaves a file out, in the order in which a scan comes upon it.

    Args:
        first: The first of them.
        scope: What is scanned.
        judge: Tells what a scan would make of the file, with other patterns or other ignore files.

    Yields:
        Rules that something can be done about; the last may be of another kind.
    """
    barrier: Barrier | None = first
    edits: dict[str, IgnoreEdit] = {}
    for _ in range(_MOST):
        if barrier is None:
            return
        yield barrier
        changed = _without(scope, edits, barrier.rule) if barrier.rule else None
        if changed is None:
            return
        scope = changed
        barrier = _barrier(judge(scope, edits))


def find_added_lines(first: Barrier, scope: SourceScope, judge: Judge) -> tuple[str, ...]:
    """Return the fewest lines at the end of an ignore file that let a file in; none where such lines do not suffice."""
    rule = first.rule
    if rule is None or rule.origin is not RuleOrigin.IGNORE_FILE:
        return ()
    inside = first.item.workspace_path.removeprefix(rule.name.rpartition("/")[0]).removeprefix("/")
    if _PATTERN_SIGNS.intersection(inside):
        return ()
    back = f"!/{inside}{'/' if first.item.is_folder else ''}"
    for lines in ((back,), (back, f"{back}**")) if first.item.is_folder else ((back,),):
        verdict = judge(scope, {rule.name: IgnoreEdit(added=lines)})
        if verdict is not None and isinstance(verdict.item, SourceEntry):
            return lines
    return ()


def _barrier(verdict: PathVerdict | None) -> Barrier | None:
    if verdict is None or not isinstance(verdict.item, SkippedPath):
        return None
    return Barrier(verdict.item, verdict.rule)


def _without(scope: SourceScope, edits: dict[str, IgnoreEdit], rule: SkipRule) -> SourceScope | None:
    """Return a scope without a rule, or None for one that cannot be thought away; ignore files are edited in place."""
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


def describe_barriers(barriers: list[tuple[Barrier, str]], added: tuple[str, ...]) -> str:
    """Return what to do about all that leaves a file out.

    Args:
        barriers: Each with what is to be done about it alone.
        added: Lines that do instead of deleting, at the end of the ignore file that comes first.
    """
    rules = [barrier.rule for barrier, _ in barriers]
    if len(barriers) == 1 and not _is_in_file(rules[0]):
        return barriers[0][1]
    lines: dict[str, list[int]] = {}
    for one in rules:
        if _is_in_file(one):
            lines.setdefault(one.name, []).append(one.line or 0)
    deeds = [f"delete {_name_lines(numbers)} of {name}" for name, numbers in lines.items()]
    if added:
        what = f"{'lines' if len(added) > 1 else 'line'} {' and '.join(added)}"
        first = next(iter(lines))
        deeds[-1] += f", or add the {what} at {'its end' if len(lines) == 1 else f'the end of {first}'}"
    last = barriers[-1][0]
    leads_nowhere = last.item.reason in {SkipReason.SYMLINK_OUTSIDE, SkipReason.LINKED_TWICE}
    for (_, fix), one in zip(barriers, rules, strict=True):
        if not _is_in_file(one):
            deeds.append(fix.removesuffix("; then kebab ingest"))
    if leads_nowhere:  # nothing that lets the link in makes it a document
        return deeds[-1]
    return f"{'; '.join(dict.fromkeys(deeds))}; then kebab ingest"


def _is_in_file(rule: SkipRule | None) -> TypeGuard[SkipRule]:
    return rule is not None and rule.origin is RuleOrigin.IGNORE_FILE


def _name_lines(numbers: list[int]) -> str:
    shown = [str(number) for number in sorted(set(numbers))]
    if len(shown) == 1:
        return f"line {shown[0]}"
    return f"lines {', '.join(shown[:-1])} and {shown[-1]}"
