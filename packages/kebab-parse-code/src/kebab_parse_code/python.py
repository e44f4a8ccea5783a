"""Definitions of Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_parse_code.rules import LanguageRules

if TYPE_CHECKING:
    from kebab_core import WorkspacePath
    from tree_sitter import Node

_ROOTS = frozenset({"src", "lib"})
_PACKAGE_FILES = frozenset({"__init__", "__main__"})
_QUERY = """
(function_definition name: (identifier) @name body: (block) @body) @function
(class_definition name: (identifier) @name body: (block) @body) @class
(module (expression_statement (assignment left: (identifier) @name) @constant))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @field)))
"""


def _module_names(path: WorkspacePath, _root: Node) -> Sequence[str]:
    *folders, file = str(path).rsplit(".", 1)[0].split("/")
    below = next((at + 1 for at, folder in enumerate(folders) if folder in _ROOTS), 0)
    return [*folders[below:], *(() if file in _PACKAGE_FILES else (file,))]


def _is_test(_definition: Node, names: Sequence[str]) -> bool:
    return names[-1].startswith(("test_", "Test"))


PYTHON = LanguageRules(
    name="python",
    grammar="tree_sitter_python:language",
    query=_QUERY,
    wrappers=frozenset({"decorated_definition"}),
    prefix=_module_names,
    is_test=_is_test,
)
