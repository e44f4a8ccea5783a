"""Lines that keep a grammar from reading what follows them, such as a function with a bracket that nothing closes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import Message

from kebab_parse_code.definitions import error_nodes, find_definitions, parse_source

if TYPE_CHECKING:
    from tree_sitter import Node

    from kebab_parse_code.rules import LanguageRules

_MAX_TRIES = 16
_MAX_BYTES = 4_000_000
"""Of all tries of a file together: each parses it once more."""
_MAX_ENDS = 3
"""Lines at the margin that are tried as the end of a place: a definition may have its type, or a remark, at the margin too."""
_AT_MARGIN = re.compile(rb"[A-Za-z_@$/~\x80-\xff]|#\[")
"""A line that may begin something: not indented, no closing bracket, no directive."""
_NOT_BLANK = re.compile(rb"[^\s]")


class _Reading(NamedTuple):
    root: Node
    units: int
    errors: int


def read_again(
    rules: LanguageRules, source: bytes, root: Node, notes: list[Message]
) -> tuple[Node, frozenset[int]]:
    """Read a file again without the lines that its grammar cannot read, where they hide what follows.

    A place without which more definitions are read, or as many with fewer errors, is blank in what the grammar reads. It begins with the
    definition around an error, or with a line at the margin inside of it from which on the source has an error of its own, and ends before the
    next line at the margin. `notes` gets one if more places are left than are tried.

    Returns:
        The root of the tree, and the rows that were blanked.
    """
    unread: set[int] = set()
    tried: set[tuple[int, int]] = set()
    places = _places(rules, root, source)
    best: _Reading | None = None
    for _ in range(min(_MAX_TRIES, _MAX_BYTES // max(len(source), 1))):
        place = next((each for each in places if each not in tried), None)
        if place is None:
            break
        tried.add(place)
        best = best or _read(rules, source, root)
        lines = source.split(b"\n")
        lines[place[0] : place[1]] = [_NOT_BLANK.sub(b" ", line) for line in lines[place[0] : place[1]]]
        blanked = b"\n".join(lines)
        again = _read(rules, blanked, parse_source(rules, blanked))
        if (
            again.units >= best.units
            and again.errors <= best.errors
            and (again.units, -again.errors) > (best.units, -best.errors)
        ):
            best, source = again, blanked
            unread.update(range(*place))
            places = _places(rules, best.root, source)
    else:
        if any(each not in tried for each in places):
            notes.append(
                Message(
                    "only {tries} of the places that cannot be read were tried again; definitions behind others may be no symbols",
                    tries=len(tried),
                )
            )
    return (best.root if best else root), frozenset(unread)


def _read(rules: LanguageRules, source: bytes, root: Node) -> _Reading:
    units = sum(each.is_unit for each in find_definitions(rules, source, root))
    return _Reading(root, units, sum(1 for _ in error_nodes(root)))


def _places(rules: LanguageRules, root: Node, source: bytes) -> Iterator[tuple[int, int]]:
    """Yield first row and end of the places to try, those of the first error first.

    An error that ends before the next line at the margin hides nothing.
    """
    lines = source.split(b"\n")
    seen: set[int] = set()
    margins = [row for row, line in enumerate(lines) if _AT_MARGIN.match(line)]
    for node in sorted(error_nodes(root), key=lambda node: node.start_byte):
        around = node.parent if node.is_missing else node
        if around is None or not _swallowed(around, margins):
            continue
        while around.start_point.column and around.parent is not None:
            around = around.parent
        if around.id in seen:
            continue
        seen.add(around.id)
        first = around.start_point.row
        ends = _swallowed(around, margins)
        for start, end in pairwise([first, *ends]):
            if parse_source(rules, b"\n".join(lines[start:end]) + b"\n").has_error:
                yield start, end
        yield from ((first, end) for end in ends[1:_MAX_ENDS])


def _swallowed(around: Node, margins: Sequence[int]) -> list[int]:
    """Return the rows at the margin after the first row of a node."""
    first, last = around.start_point.row, around.end_point.row
    return [*margins[bisect_right(margins, first) : bisect_right(margins, last)]]
