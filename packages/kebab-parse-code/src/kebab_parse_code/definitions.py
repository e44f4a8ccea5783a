"""Definitions of a syntax tree, in the order of the file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import SymbolKind
from tree_sitter import Language, Parser, Query, QueryCursor

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from kebab_parse_code.rules import LanguageRules

SCOPE = "scope"
"""Capture of what gives names to the definitions inside without being one."""
_CONTAINERS = frozenset({SCOPE, "class", "struct", "union", "enum", "interface", "namespace"})
"""Kinds whose definitions inside are units of their own."""
_MEMBERS = frozenset({"constant", "field", "member"})
"""Kinds that are never units of their own."""
_SIGNATURE_CHARS = 300
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition, with the lines that belong to it."""

    kind: str
    """A value of `SymbolKind`, or `SCOPE`."""
    names: tuple[str, ...]
    """Its own names with those around it, outermost first, without the prefix of the file."""
    first_row: int
    """First row with comments, decorators and attributes, from 0."""
    last_row: int
    """Last row, included."""
    signature: str
    is_unit: bool
    """Whether it may be a unit of its own: every definition around it is a container."""
    is_test: bool

    @property
    def symbol_kind(self) -> SymbolKind | None:
        """Its kind; None for a scope."""
        return None if self.kind == SCOPE else SymbolKind(self.kind)


class _Found(NamedTuple):
    """A definition as the query finds it."""

    kind: str
    node: Node
    names: Sequence[Node]
    body: Node | None


def parse(rules: LanguageRules, source: bytes) -> Tree:
    """Parse a file, of which every line ends with a line feed."""
    return _parser(rules.grammar).parse(source)


def find_definitions(rules: LanguageRules, root: Node) -> list[Definition]:
    """Find the definitions of a file, outer ones before those inside."""
    found: dict[int, _Found] = {}
    for _, captures in QueryCursor(_query(rules)).matches(root):
        body = next(iter(captures.pop("body", ())), None)
        names = captures.pop("name", [])
        (kind, (node,)), *_ = captures.items()
        found.setdefault(node.id, _Found(kind, node, names, body))
    definitions: list[Definition] = []
    around: list[tuple[int, Definition]] = []
    for each in sorted(found.values(), key=lambda each: (each.node.start_byte, -each.node.end_byte)):
        while around and around[-1][0] <= each.node.start_byte:
            around.pop()
        own = tuple(rules.names(each.names, each.node))
        if not own or not all(own):
            continue
        definition = _define(rules, each, own, around[-1][1] if around else None)
        definitions.append(definition)
        around.append((each.node.end_byte, definition))
    return definitions


def _define(
    rules: LanguageRules, found: _Found, own: tuple[str, ...], outer: Definition | None
) -> Definition:
    kind = found.kind
    whole = found.node
    while whole.parent is not None and whole.parent.type in rules.wrappers:
        whole = whole.parent
    if kind == "function" and outer is not None and outer.kind in _CONTAINERS - {"namespace"}:
        kind = "method"
    return Definition(
        kind=kind,
        names=(*(outer.names if outer else ()), *own),
        first_row=_first_row(rules, whole),
        last_row=_last_row(whole),
        signature=_signature(found.node, found.body),
        is_unit=kind not in _MEMBERS and (outer is None or (outer.kind in _CONTAINERS and outer.is_unit)),
        is_test=(outer is not None and outer.is_test) or rules.is_test(whole, own),
    )


def _first_row(rules: LanguageRules, node: Node) -> int:
    """Return the first row of a node with the comments and attributes that stand directly above it."""
    first = node.start_point.row
    above = node.prev_sibling
    while above is not None and above.type in rules.leading and _last_row(above) >= first - 1:
        before = above.prev_sibling
        if (
            before is not None
            and _last_row(before) == above.start_point.row
            and before.type not in rules.leading
        ):
            break  # a remark at the end of a line of code
        first, above = above.start_point.row, before
    return first


def _last_row(node: Node) -> int:
    """Return the last row with a character of a node."""
    end = node.end_point
    return end.row - 1 if end.column == 0 and end.row > node.start_point.row else end.row


def _signature(node: Node, body: Node | None) -> str:
    text = node.text or b""
    head = text[: body.start_byte - node.start_byte] if body is not None else text
    return _SPACE.sub(" ", head.decode("utf-8", errors="replace")).strip()[:_SIGNATURE_CHARS]


@cache
def _language(grammar: str) -> Language:
    module, _, function = grammar.partition(":")
    return Language(getattr(import_module(module), function)())


@cache
def _parser(grammar: str) -> Parser:
    return Parser(_language(grammar))


@cache
def _query(rules: LanguageRules) -> Query:
    return Query(_language(rules.grammar), rules.query)
