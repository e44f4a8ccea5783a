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
_IN_BRANCH = "(block (expression_statement (assignment left: (identifier) @name) @constant))"
_QUERY = f"""
(function_definition name: (identifier) @name body: (block) @body) @function
(class_definition name: (identifier) @name body: (block) @body) @class
(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @type.declaration
(module (expression_statement (assignment left: [(identifier) @name (pattern_list (identifier) @name)]) @constant))
(module [(if_statement {_IN_BRANCH}) (try_statement {_IN_BRANCH})])
(module (_ [(elif_clause {_IN_BRANCH}) (else_clause {_IN_BRANCH}) (except_clause {_IN_BRANCH})]))
((class_definition superclasses: (argument_list [(identifier) (attribute)] @_base)
  body: (block (expression_statement (assignment left: (identifier) @name) @member)))
  (#match? @_base "(Enum|Flag)$"))
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
