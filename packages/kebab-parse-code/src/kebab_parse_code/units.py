"""Units: the lines of a file, each in exactly one definition or in the lines between definitions."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import MODULE_SYMBOL, TOP_LEVEL_SYMBOL, CodeSymbol

from kebab_parse_code.definitions import SCOPE, Definition, error_rows

if TYPE_CHECKING:
    from tree_sitter import Node

_FEW_ROWS = 3
"""Of a leftover that is joined with another beside it."""
_CLOSING = re.compile(r"\W*+|\s*+[})\]][\s})\];,]*+(?://.*|/\*.*|#.*)?|\s*+#\s*+endif\b.*")
"""A line without a word, or of closing brackets with a remark."""


class Unit(NamedTuple):
    """Consecutive lines of a file."""

    definition: Definition | None
    """What they define or are a part of; None outside of all definitions."""
    first_row: int
    """From 0; neither it nor the last row is blank."""
    last_row: int
    """Included."""
    members: tuple[Definition, ...]
    """The definitions in these lines that are no units, in their order."""
    is_head: bool
    """Whether it begins with the beginning of its definition."""
    is_broken: bool = False
    """Whether the grammar cannot read most of the lines, and nothing is defined in them."""


def cut_units(
    lines: Sequence[str], definitions: Sequence[Definition], root: Node, unread: Set[int] = frozenset()
) -> list[Unit]:
    """Cut a file into units, in order: every line that is not blank is in exactly one.

    A definition is a unit if none of its lines belongs to another one that does not hold it whole. Lines of closing
    brackets after a unit belong to that unit, and the line that opens a scope to its first definition.

    Args:
        lines: The lines of the file.
        definitions: Those of the file, outer ones before those inside.
        root: The syntax tree.
        unread: Rows that were kept from the grammar.
    """
    owners: list[int | None] = [None] * len(lines)
    members: list[Definition] = []
    for number, definition in enumerate(definitions):
        rows = range(definition.first_row, min(definition.last_row, len(lines) - 1) + 1)
        if (
            definition.is_unit
            and not definition.is_around
            and _may_own(owners, definitions, definition, rows)
        ):
            owners[rows.start : rows.stop] = [number] * len(rows)
        else:
            members.append(definition)
    broken = {*unread, *(row for rows, _ in error_rows(root) for row in rows)}
    runs = [
        (owner, list(rows))
        for (owner, _), rows in groupby(
            range(len(lines)), key=lambda row: (owners[row], row in broken and owners[row] is None)
        )
    ]
    units = _join_leftovers(_join_closing(lines, _runs_to_units(lines, runs, definitions, broken)))
    return _join_scopes(_place_members(units, members))


def _may_own(
    owners: Sequence[int | None], definitions: Sequence[Definition], definition: Definition, rows: range
) -> bool:
    """Whether all rows have one owner, which begins in an earlier row and holds them, or none."""
    if not rows:
        return False
    owner = owners[rows.start]
    if any(owners[row] != owner for row in rows):
        return False
    if owner is None:
        return True
    outer = definitions[owner]
    return outer.first_row < definition.first_row and definition.names[: len(outer.names)] == outer.names


def _runs_to_units(
    lines: Sequence[str],
    runs: Sequence[tuple[int | None, list[int]]],
    definitions: Sequence[Definition],
    broken: Set[int],
) -> Iterator[Unit]:
    for owner, rows in runs:
        filled = [row for row in rows if lines[row].strip()]
        if not filled:
            continue
        definition = None if owner is None else definitions[owner]
        yield Unit(
            definition,
            filled[0],
            filled[-1],
            (),
            is_head=definition is not None and rows[0] == definition.first_row,
            is_broken=owner is None and rows[0] in broken,
        )


def _join_closing(lines: Sequence[str], units: Iterator[Unit]) -> list[Unit]:
    joined: list[Unit] = []
    for unit in units:
        rows = range(unit.first_row, unit.last_row + 1)
        if joined and not unit.is_head and all(_CLOSING.fullmatch(lines[row]) for row in rows):
            joined[-1] = joined[-1]._replace(last_row=unit.last_row)
        else:
            joined.append(unit)
    return joined


def _join_leftovers(units: Iterable[Unit]) -> list[Unit]:
    """Join a few lines outside of definitions that the grammar cannot read with those that it can, and the other way round."""
    joined: list[Unit] = []
    for unit in units:
        before = joined[-1] if joined else None
        if (
            before is None
            or before.definition
            or unit.definition
            or min(map(_row_count, (before, unit))) > _FEW_ROWS
        ):
            joined.append(unit)
        else:
            larger = max(before, unit, key=_row_count)
            joined[-1] = before._replace(last_row=unit.last_row, is_broken=larger.is_broken)
    return joined


def _row_count(unit: Unit) -> int:
    return unit.last_row + 1 - unit.first_row


def _place_members(units: Sequence[Unit], members: Sequence[Definition]) -> Iterator[Unit]:
    starts = [unit.first_row for unit in units]
    own: list[list[Definition]] = [[] for _ in units]
    for member in members:
        own[max(bisect_right(starts, member.first_row) - 1, 0)].append(member)
    for unit, defined in zip(units, own, strict=True):
        yield unit._replace(members=tuple(defined))


def _join_scopes(units: Iterator[Unit]) -> list[Unit]:
    """Give the lines that open a scope to the first definition in it, if they define nothing."""
    joined: list[Unit] = []
    for unit in units:
        scope = joined[-1].definition if joined and joined[-1].is_head and not joined[-1].members else None
        is_first = scope is not None and scope.kind == SCOPE and unit.first_row <= scope.last_row
        joined.append(unit._replace(first_row=joined.pop().first_row) if is_first and unit.is_head else unit)
    return joined


def unit_symbol(unit: Unit, *, has_definitions: bool, name: str) -> str | None:
    """Return the symbol of a unit; `name` is that of its definition with the prefix of the file."""
    if unit.is_broken:
        return None
    if unit.definition is None:
        return TOP_LEVEL_SYMBOL if has_definitions else MODULE_SYMBOL
    return name


def code_symbol(definition: Definition, name: str) -> CodeSymbol | None:
    """Return the symbol that a definition defines under this name; None for a scope."""
    kind = definition.symbol_kind
    if kind is None:
        return None
    return CodeSymbol(
        symbol=name,
        kind=kind,
        line_start=definition.first_row + 1,
        line_end=definition.last_row + 1,
        signature=definition.signature,
    )
