"""Definitions of Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_parse_code.rules import LanguageRules, module_names

if TYPE_CHECKING:
    from kebab_core import WorkspacePath
    from tree_sitter import Node

_ROOTS = frozenset({"lib"})
_PACKAGE_FILES = frozenset({"__init__", "__main__"})
_QUERY = """
(function_definition name: (identifier) @name body: (block) @body) @function
(class_definition name: (identifier) @name body: (block) @body) @class
(module (expression_statement (assignment left: (identifier) @name) @constant))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @field)))
"""
_PROSE = """
(comment) @prose
(module . (expression_statement (string) @prose))
(block . (expression_statement (string) @prose))
"""


def _module_names(path: WorkspacePath, _root: Node) -> Sequence[str]:
    return module_names(path, roots=_ROOTS, package_files=_PACKAGE_FILES)


def _is_test(_definition: Node, names: Sequence[str]) -> bool:
    return names[-1].startswith(("test_", "Test"))


PYTHON = LanguageRules(
    name="python",
    grammar="tree_sitter_python:language",
    query=_QUERY,
    wrappers=frozenset({"decorated_definition"}),
    prose=_PROSE,
    prefix=_module_names,
    is_test=_is_test,
)
