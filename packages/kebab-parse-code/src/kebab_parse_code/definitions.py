"""Definitions of a syntax tree, in the order of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import DependencyMissingError, Message, Remedy, SymbolKind
from tree_sitter import Language, Parser, Query, QueryCursor

from kebab_parse_code.rules import nodes_above

if TYPE_CHECKING:
    from kebab_core import WorkspacePath
    from tree_sitter import Node

    from kebab_parse_code.rules import LanguageRules

SCOPE = "scope"
"""Capture of what gives names to the definitions inside without being one."""
TEST = "test"
"""Capture of a test that has a title instead of a symbol."""
_TYPES = frozenset({SCOPE, "class", "struct", "union", "enum", "interface"})
_CONTAINERS = _TYPES | {"namespace"}
"""Kinds whose definitions inside are units of their own."""
_MEMBERS = frozenset({"constant", "field", "member"})
"""Kinds that are no units of their own, but for constants of several lines."""
_CALLABLE = frozenset({"function", "method"})
_MAX_DEPTH = 32
"""Definitions deeper than this are only lines of the one around them: names grow with the square of the depth."""
_MAX_PIECES = 10_000
"""Of one place that the grammar cannot read."""
_SIGNATURE_CHARS = 300
_SIGNATURE_BYTES = 4 * _SIGNATURE_CHARS
_MAX_CHAIN = 1000
"""Names joined by points or the like: queries take time in proportion to the square of them."""
_CHAIN = re.compile(rb"(?<![\w$])(?:[\w$]++(?:\(\))?+\s*+(?:\.|::|->)\s*+)++")
_LINK = re.compile(rb"\.|::|->")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition, with the lines that belong to it."""

    kind: str
    """A value of `SymbolKind`, `SCOPE` or `TEST`."""
    names: tuple[str, ...]
    """Its own names with those around it, outermost first, without the prefix of the file."""
    first_row: int
    """First row with comments, decorators and attributes, from 0."""
    last_row: int
    """Last row, included."""
    signature: str
    is_unit: bool
    """Whether it may be a unit of its own: every definition around it is a container; a declaration has a comment above it or,
    if nothing calls it, several lines; a constant has several lines."""
    is_container: bool
    """Whether definitions inside may be units of their own."""
    is_around: bool
    """Whether its own lines belong to what is around it, as those of a C++ namespace do."""
    is_declaration: bool
    """Whether it only says what is defined elsewhere, as prototypes and the signatures of overloads do."""
    is_test: bool

    @property
    def symbol_kind(self) -> SymbolKind | None:
        """Its kind; None for a scope and a test with a title."""
        return None if self.kind in {SCOPE, TEST} else SymbolKind(self.kind)


class _Found(NamedTuple):
    """A definition as the query finds it."""

    kind: str
    trait: str
    """What follows the kind in the capture: `around`, `declaration`, `scope`, `test` or nothing."""
    node: Node
    names: Sequence[Node]
    body: Node | None


def parse(
    rules: LanguageRules, path: WorkspacePath, source: bytes, warnings: list[Message]
) -> tuple[LanguageRules, Node]:
    """Parse a file, of which every line ends with a line feed.

    One with a chain of more than 1,000 names is read as an empty one: `warnings` gets a message.

    Returns:
        The rules that read most of it, and the root of the tree. Where others read as much, those given, or those of a simpler
        language that the file may be in.
    """
    if any(len(_LINK.findall(chain[0])) > _MAX_CHAIN for chain in _CHAIN.finditer(source)):
        warnings.append(
            Message(
                "it has a chain of more than {names:,} names, and no definition of it is a symbol",
                names=_MAX_CHAIN,
            )
        )
        source = b""
    root = parse_source(rules, source)
    others = rules.alternatives(path) if root.has_error or _count_doubtful(rules, root) else ()
    best = min(
        [(rules, root), *((other, parse_source(other, source)) for other in others)], key=_count_unread
    )
    simpler = best[0].simpler(path)
    if simpler is None or find_nodes(best[0], best[0].only, best[1]):
        return best
    readings = [(each, parse_source(each, source)) for each in (simpler, *simpler.alternatives(path))]
    return min([*readings, best], key=lambda read: _count_unread(read)[0])


def _count_unread(read: tuple[LanguageRules, Node]) -> tuple[int, int]:
    """Return the bytes that a grammar could not read and, of less weight, the places where it could not."""
    counts = [count for _, count in error_rows(read[1])]
    return sum(counts) + _count_doubtful(*read), len(counts)


def _count_doubtful(rules: LanguageRules, root: Node) -> int:
    if not rules.doubtful:
        return 0
    return sum(node.end_byte - node.start_byte for node in root.named_children if node.type in rules.doubtful)


def parse_source(rules: LanguageRules, source: bytes) -> Node:
    """Parse a source by the grammar of these rules."""
    return Parser(_language(rules.grammar)).parse(rules.prepare(source)).root_node


def error_rows(root: Node) -> Iterator[tuple[range, int]]:
    """Yield what the grammar could not read: the rows of each place and its bytes, 0 where something is missing."""
    for node in error_nodes(root):
        yield range(node.start_point.row, _last_row(node) + 1), node.end_byte - node.start_byte


def error_nodes(root: Node) -> Iterator[Node]:
    """Yield the outermost nodes of what the grammar could not read or that are missing, in any order."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.is_error or node.is_missing:
            yield node
        elif node.has_error:
            todo += node.children


def _run_query(rules: LanguageRules, query: str, root: Node) -> list[tuple[int, dict[str, list[Node]]]]:
    """Return pattern and captures of each match; none in a file that the grammar leaves in too many pieces.

    A query takes time in proportion to the square of them.
    """
    if _is_in_pieces(root):
        return []
    return QueryCursor(_query(rules.grammar, query)).matches(root)


def _is_in_pieces(root: Node) -> bool:
    return any(node.child_count > _MAX_PIECES for node in error_nodes(root))


def find_definitions(
    rules: LanguageRules, source: bytes, root: Node, warnings: list[Message] | None = None
) -> list[Definition]:
    """Find the definitions of a file, outer ones before those inside.

    Constants and declarations but for macros inside of functions are left out, and so is what has no name, or `_`. A node that several
    patterns capture is what the first of them says. A declaration and the definition of the same names
    in the next row are one.

    `warnings` gets a message where a bound leaves some out.
    """
    found: dict[tuple[int, int], _Found] = {}
    kinds: dict[int, str] = {}
    for _, captures in sorted(_run_query(rules, rules.query, root), key=itemgetter(0)):
        body = next(iter(captures.pop("body", ())), None)
        names = captures.pop("name", [])
        for capture, (node, *_) in captures.items():
            if capture.startswith("_"):
                continue
            kind, _, trait = capture.partition(".")
            if kinds.setdefault(node.id, kind) != kind:
                continue
            # Several fields may be one node: `int a, b;`.
            key = node.id, names[0].id if names and kind in _MEMBERS else 0
            found.setdefault(key, _Found(kind, trait, node, names, body))
    definitions: list[Definition] = []
    too_deep = 0
    around: list[tuple[int, int, Definition]] = []
    for each in sorted(found.values(), key=lambda each: (each.node.start_byte, -each.node.end_byte)):
        while around and (around[-1][0] <= each.node.start_byte or around[-1][1] == each.node.id):
            around.pop()
        too_deep += len(around) >= _MAX_DEPTH
        own = tuple(rules.names(each.names, each.node)) if len(around) < _MAX_DEPTH else ()
        if not own or not all(own) or own[-1] == "_":
            continue
        outer = around[-1][2] if around else None
        is_local = outer is not None and not outer.is_container
        if is_local and (each.kind == "constant" or (each.trait == "declaration" and each.kind != "macro")):
            continue
        definition = _join_declaration(definitions, _define(rules, each, own, outer=outer, source=source))
        definitions.append(definition)
        end = max(each.node.end_byte, each.body.end_byte if each.body else 0)
        around.append((end, each.node.id, definition))
    if warnings is not None:
        warnings += _list_bounds(root, too_deep)
    return definitions


def _join_declaration(definitions: list[Definition], definition: Definition) -> Definition:
    """Return a definition with the declaration of the same names in the row above it, which is taken from the list."""
    before = definitions[-1] if definitions else None
    if (
        before is None
        or not before.is_declaration
        or before.names != definition.names
        or before.last_row + 1 != definition.first_row
    ):
        return definition
    definitions.pop()
    return replace(definition, first_row=before.first_row, is_unit=before.is_unit or definition.is_unit)


def _list_bounds(root: Node, too_deep: int) -> Iterator[Message]:
    if _is_in_pieces(root):
        yield Message(
            "more than {pieces:,} pieces of it in a row cannot be read, and no definition of it is a symbol",
            pieces=_MAX_PIECES,
        )
    if too_deep:
        yield Message(
            "{count} definition deeper than {depth} is no symbol",
            plural="{count} definitions deeper than {depth} are no symbols",
            count=too_deep,
            depth=_MAX_DEPTH,
        )


def find_nodes(rules: LanguageRules, query: str, root: Node) -> list[Node]:
    """Find the nodes that a query captures, in the order of the file."""
    found = (nodes for _, captures in _run_query(rules, query, root) for nodes in captures.values())
    return sorted(chain.from_iterable(found), key=lambda node: node.start_byte)


def known_types(rules: LanguageRules, types: Iterable[str]) -> list[str]:
    """Return those of these types of nodes that the grammar has."""
    language = _language(rules.grammar)
    return [each for each in types if language.id_for_node_kind(each, True)]  # noqa: FBT003 - positional only


def _define(
    rules: LanguageRules, found: _Found, own: tuple[str, ...], *, outer: Definition | None, source: bytes
) -> Definition:
    kind = found.kind
    whole = found.node
    while whole.parent is not None and whole.parent.type in rules.wrappers:
        whole = whole.parent
    if kind == "function" and (len(own) > 1 or (outer is not None and outer.kind in _TYPES)):
        kind = "method"
    first_row, row = _first_row(rules, whole), whole.start_point.row
    last_row = max(_last_row(whole), _last_row(found.body or whole))
    is_container = kind in _CONTAINERS or found.trait == "scope"
    is_declaration = found.trait == "declaration"
    is_whole = kind not in _MEMBERS or (kind == "constant" and last_row > row)
    return Definition(
        kind=kind,
        names=(*(outer.names if outer else ()), *own),
        first_row=first_row,
        last_row=last_row,
        signature=_signature(found, whole, source),
        is_unit=(is_container or is_whole)
        and not (is_declaration and first_row == row and (kind in _CALLABLE or last_row == row))
        and (outer is None or (outer.is_container and outer.is_unit)),
        is_container=is_container,
        is_around=found.trait == "around",
        is_declaration=is_declaration,
        is_test=kind == TEST
        or found.trait == "test"
        or (outer is not None and outer.is_test)
        or rules.is_test(whole, own),
    )


def _first_row(rules: LanguageRules, node: Node) -> int:
    """Return the first row of a node with the comments and attributes that stand directly above it.

    A comment of the form `/** ... */` may be followed by a blank line.
    """
    first = node.start_point.row
    for above in nodes_above(node, rules.leading):
        before = above.prev_sibling
        is_remark = (
            before is not None
            and _last_row(before) == above.start_point.row
            and before.type not in rules.leading
        )
        gap = 2 if (above.text or b"").startswith(b"/**") else 1
        if is_remark or _last_row(above) < first - gap:
            break
        first = above.start_point.row
    return first


def _last_row(node: Node) -> int:
    """Return the last row with a character of a node."""
    end = node.end_point
    return end.row - 1 if end.column == 0 and end.row > node.start_point.row else end.row


def _signature(found: _Found, whole: Node, source: bytes) -> str:
    """Return a definition without its body, with what is around it if that begins in the same row."""
    first = whole if whole.start_point.row == found.node.start_point.row else found.node
    end = found.body.start_byte if found.body is not None else found.node.end_byte
    text = source[first.start_byte : min(end, first.start_byte + _SIGNATURE_BYTES)]
    return _SPACE.sub(" ", text.decode("utf-8", errors="replace")).strip()[:_SIGNATURE_CHARS]


@cache
def _language(grammar: str) -> Language:
    module, _, function = grammar.partition(":")
    try:
        return Language(getattr(import_module(module), function)())
    except ImportError as error:
        raise DependencyMissingError(
            "source code cannot be parsed: {reason}",
            remedy=Remedy(kind="install_packages", name=module.replace("_", "-")),
            _reason=str(error),
        ) from error


@cache
def _query(grammar: str, query: str) -> Query:
    return Query(_language(grammar), query)
