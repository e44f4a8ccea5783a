"""What differs from language to language: where definitions are, and how their symbols are written.

A language is one module that makes its `LanguageRules`, and a row of `LANGUAGES`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_core import WorkspacePath
    from tree_sitter import Node


_MAX_ABOVE = 200
_NOT_IN_NAMES = re.compile(r"\W")


def no_prefix(_path: WorkspacePath, _root: Node) -> Sequence[str]:
    """Return no names: symbols of the language begin with the definition itself."""
    return ()


def module_names(path: WorkspacePath, *, roots: Set[str], package_files: Set[str]) -> Sequence[str]:
    """Return the names of the module that a file is, by its path below the last folder `src`, else below the first root.

    Characters that no name has are underscores.

    Args:
        path: That of the file.
        roots: Folders of modules besides `src`.
        package_files: Files without extension that are the module of their folder.
    """
    *folders, file = PurePosixPath(str(path)).with_suffix("").parts
    sources = [at + 1 for at, folder in enumerate(folders) if folder == "src"]
    others = [at + 1 for at, folder in enumerate(folders) if folder in roots]
    below = sources[-1] if sources else others[0] if others else 0
    names = (*folders[below:], *(() if file in package_files else (file,)))
    return [_NOT_IN_NAMES.sub("_", name) for name in names]


def read_names(nodes: Sequence[Node], _definition: Node) -> Sequence[str]:
    """Return the texts of the nodes that were captured as names, in their order."""
    return [text_of(node) for node in nodes]


def as_it_is(source: bytes) -> bytes:
    """Return the source: the grammar reads it without help."""
    return source


def no_alternatives(_path: WorkspacePath) -> Sequence[LanguageRules]:
    """Return no rules: those of the language read all its files."""
    return ()


def nothing_simpler(_path: WorkspacePath) -> LanguageRules | None:
    """Return None: no file of the language may be in another one."""
    return None


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
    its body, if it has one, in it or behind it, as `@body`. Of patterns that capture one node, the first counts. Captures that begin with `_`
    are for predicates. A word may follow the kind:

    - `@kind.declaration` has no body. A prototype is a unit if a comment stands above it, an alias or a macro if it has
      several lines; otherwise it is a member of what is around it.
    - `@kind.scope`: definitions inside are units, as those in a class are.
    - `@kind.around`: lines between the definitions inside belong to what is around it.

    `@scope` only gives names to the definitions inside, `@scope.test` to tests, and `@test` is a test with a title."""
    separator: str = "."
    wrappers: frozenset[str] = frozenset()
    """Types of nodes that belong to the definition that they hold, such as decorators and `export`."""
    leading: frozenset[str] = frozenset({"comment"})
    """Types of nodes that belong to the definition that follows them: comments, attributes."""
    prose: str = "(comment) @prose"
    """A query that captures comments and the like, by which the natural language of a file is detected."""
    prefix: Callable[[WorkspacePath, Node], Sequence[str]] = no_prefix
    """Names that all symbols of a file begin with, joined like the others."""
    names: Callable[[Sequence[Node], Node], Sequence[str]] = read_names
    """The names of a definition, outermost first, given the nodes captured as names and the definition."""
    prepare: Callable[[bytes], bytes] = as_it_is
    """What the grammar reads in place of a source: the same program with every character at its place."""
    doubtful: frozenset[str] = frozenset()
    """Types of nodes that stand for lines which the grammar cannot read if they are outside of everything else."""
    alternatives: Callable[[WorkspacePath], Sequence[LanguageRules]] = no_alternatives
    """Rules that read a file of this path instead where they leave fewer bytes unread, such as those of C for a header."""
    simpler: Callable[[WorkspacePath], LanguageRules | None] = nothing_simpler
    """Rules of the language that a file of this path is in where it has nothing of `only`, such as those of C for a header."""
    only: str = ""
    """A query that captures what only this language has."""
    is_test: Callable[[Node, Sequence[str]], bool] = is_never_test
    """Whether a definition with these names is a test."""


def nodes_above(node: Node, types: Set[str]) -> Iterator[Node]:
    """Yield the siblings of these types directly before a node, the nearest first, at most 200.

    A sibling after many comments takes time in proportion to their number.
    """
    above = node.prev_sibling
    for _ in range(_MAX_ABOVE):
        if above is None or above.type not in types:
            break
        yield above
        above = above.prev_sibling


def text_of(node: Node) -> str:
    """Return the text of a node."""
    return (node.text or b"").decode("utf-8", errors="replace")
