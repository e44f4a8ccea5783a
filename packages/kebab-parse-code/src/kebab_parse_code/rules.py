"""What differs from language to language: where definitions are, and how their symbols are written.

A language is one module that makes its `LanguageRules`, and a row of `languages`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_core import WorkspacePath
    from tree_sitter import Node


def no_prefix(_path: WorkspacePath, _root: Node) -> Sequence[str]:
    """Return no names: symbols of the language begin with the definition itself."""
    return ()


def read_names(nodes: Sequence[Node], _definition: Node) -> Sequence[str]:
    """Return the texts of the nodes that were captured as names, in their order."""
    return [text_of(node) for node in nodes]


def no_alternatives(_path: WorkspacePath) -> Sequence[LanguageRules]:
    """Return no rules: those of the language read all its files."""
    return ()


def is_never_test(_definition: Node, _names: Sequence[str]) -> bool:
    """Return False: what is a test is told by the path alone."""
    return False


@dataclass(frozen=True, kw_only=True, eq=False)
class LanguageRules:
    """Where a language has definitions, and how their symbols are written."""

    name: str
    """As in `CodeMedia.lang`."""
    grammar: str
    """`module:function` of the grammar's distribution."""
    query: str
    """A tree-sitter query. Each pattern captures the definition as a kind of `SymbolKind`, its name or names as `@name`, and
    its body, if it has one, as `@body`. `@kind.declaration` only says what is defined elsewhere: it is a unit of its own if
    a comment stands above it. `@scope` only gives names to the definitions inside, `@test` is a test with a title. Of
    patterns that capture one node, the first counts."""
    separator: str = "."
    wrappers: frozenset[str] = frozenset()
    """Types of nodes that belong to the definition that they hold, such as decorators and `export`."""
    leading: frozenset[str] = frozenset({"comment"})
    """Types of nodes that belong to the definition that follows them: comments, attributes."""
    prefix: Callable[[WorkspacePath, Node], Sequence[str]] = no_prefix
    """Names that all symbols of a file begin with, joined like the others."""
    names: Callable[[Sequence[Node], Node], Sequence[str]] = read_names
    """The names of a definition, outermost first, given the nodes captured as names and the definition."""
    alternatives: Callable[[WorkspacePath], Sequence[LanguageRules]] = no_alternatives
    """Rules that read a file of this path instead where they leave fewer bytes unread, such as those of C for a header."""
    is_test: Callable[[Node, Sequence[str]], bool] = is_never_test
    """Whether a definition with these names is a test."""


def text_of(node: Node) -> str:
    """Return the text of a node."""
    return (node.text or b"").decode("utf-8", errors="replace")
