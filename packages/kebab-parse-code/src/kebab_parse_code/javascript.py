"""Definitions of JavaScript, and those that TypeScript shares with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_parse_code.rules import LanguageRules, text_of

if TYPE_CHECKING:
    from kebab_core import WorkspacePath
    from tree_sitter import Node

DEFAULT_EXPORT = "default"
_UNNAMED = frozenset({"module", "exports", "prototype", "this"})
"""Parts of `module.exports.x`, `X.prototype.y` and `this.z` that name nothing."""
_PATH = re.compile(r"[#$\w]++(?:\.[#$\w]++)*+")
_FUNCTION = "[(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]"
_HAS_FUNCTIONS = "(object [(method_definition) (pair value: [(arrow_function) (function_expression) (generator_function)])])"
SHARED_QUERY = f"""
(function_declaration name: (_) @name body: (_) @body) @function
(generator_function_declaration name: (_) @name body: (_) @body) @function
(class_declaration name: (_) @name body: (_) @body) @class
(method_definition name: (_) @name body: (_) @body) @method
(variable_declarator name: (identifier) @name value: {_FUNCTION}) @function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @class
(variable_declarator name: (identifier) @name value: {_HAS_FUNCTIONS} @body) @constant.scope
(assignment_expression left: (_) @name right: {_FUNCTION}) @function
(assignment_expression left: (_) @name right: (class body: (_) @body)) @class
(assignment_expression left: (member_expression) @name right: {_HAS_FUNCTIONS} @body) @constant.scope
(pair key: (_) @name value: {_FUNCTION}) @function
(pair key: (_) @name value: {_HAS_FUNCTIONS} @body) @field.scope
(export_statement "default" value: {_FUNCTION}) @function
(export_statement "default" declaration: (_ !name body: (_) @body)) @function
(export_statement "default" value: (class body: (_) @body)) @class
(export_statement "default" value: {_HAS_FUNCTIONS} @body) @constant.scope
(program (_ (variable_declarator name: (identifier) @name) @constant))
(program (export_statement (_ (variable_declarator name: (identifier) @name) @constant)))
((call_expression function: (_) @_called
  arguments: (arguments . [(string) (template_string)] @name
    [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @scope.test
  (#match? @_called "^(describe|context|suite)\\\\b"))
((call_expression function: (_) @_called
  arguments: (arguments . [(string) (template_string)] @name
    [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @test
  (#match? @_called "^(it|test|specify)\\\\b"))
(program (expression_statement (call_expression
  arguments: (arguments (function_expression name: (_) @name body: (_) @body))) @function))
"""
WRAPPERS = frozenset({
    "assignment_expression",
    "ambient_declaration",
    "export_statement",
    "expression_statement",
    "lexical_declaration",
    "variable_declaration",
})
LEADING = frozenset({"comment", "decorator"})


def file_names(path: WorkspacePath, _root: Node) -> Sequence[str]:
    """Return the path without its extension, as one name."""
    folder, slash, file = str(path).rpartition("/")
    return [f"{folder}{slash}{file.rpartition('.')[0].removesuffix('.d')}"]


def read_script_names(nodes: Sequence[Node], definition: Node) -> Sequence[str]:
    """Return the names of a definition; that of a default export without a name is `default`.

    Keys that only running the file would tell and what `require` returns have none.
    """
    if _is_import(definition):
        return ()
    if not nodes:
        return [DEFAULT_EXPORT]
    names = [name for node in nodes for name in _names_of(node)]
    if definition.type == "assignment_expression" and names:
        return [name for name in names if name not in _UNNAMED] or _own_names(definition)
    return names


def _is_import(definition: Node) -> bool:
    value = definition.child_by_field_name("value")
    called = value.child_by_field_name("function") if value is not None else None
    return definition.type == "variable_declarator" and called is not None and called.text == b"require"


def _own_names(assignment: Node) -> Sequence[str]:
    """Return the name of the function that is all of `module.exports`; of an object, functions inside are exported."""
    right = assignment.child_by_field_name("right")
    if right is None or right.type == "object":
        return ()
    name = right.child_by_field_name("name")
    return [text_of(name) if name is not None else DEFAULT_EXPORT]


def _names_of(node: Node) -> Sequence[str]:
    """Return the parts of a name; nothing if it is not one."""
    if node.type in {"string", "template_string"}:
        return [text_of(node)[1:-1]]
    text = text_of(node)
    if node.type in {"member_expression", "nested_identifier"}:
        return text.split(".") if _PATH.fullmatch(text) else ()
    if node.type == "computed_property_name":
        return [text] if _PATH.fullmatch(text[1:-1]) else ()
    return () if node.type == "subscript_expression" else [text]


JAVASCRIPT = LanguageRules(
    name="javascript",
    grammar="tree_sitter_javascript:language",
    query=SHARED_QUERY
    + f"""
(field_definition property: (_) @name value: {_FUNCTION}) @method
(field_definition property: (_) @name) @field
""",
    wrappers=WRAPPERS,
    leading=LEADING,
    prefix=file_names,
    names=read_script_names,
)
