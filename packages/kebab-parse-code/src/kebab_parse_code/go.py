"""Definitions of Go."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_parse_code.rules import LanguageRules, text_of

if TYPE_CHECKING:
    from kebab_core import WorkspacePath
    from tree_sitter import Node

_QUERY = """
(function_declaration name: (_) @name body: (_) @body) @function
(function_declaration name: (_) @name) @function
(method_declaration name: (_) @name body: (_) @body) @method
(method_declaration name: (_) @name) @method
(source_file (type_declaration "type" . (type_spec name: (_) @name type: (struct_type (_) @body))) @struct)
(source_file (type_declaration "type" . (type_spec name: (_) @name type: (interface_type "{" @body))) @interface)
(source_file (type_declaration "type" . [(type_spec name: (_) @name) (type_alias name: (_) @name)]) @type)
(source_file (type_declaration "(" (type_spec name: (_) @name type: (struct_type (_) @body)) @struct))
(source_file (type_declaration "(" (type_spec name: (_) @name type: (interface_type "{" @body)) @interface))
(source_file (type_declaration "(" [(type_spec name: (_) @name) (type_alias name: (_) @name)] @type))
(type_spec type: (struct_type (field_declaration_list (field_declaration name: (_) @name) @field)))
(type_spec type: (struct_type (field_declaration_list (field_declaration !name type: [
  (type_identifier) @name
  (qualified_type name: (_) @name)
  (generic_type type: (type_identifier) @name)
]) @field)))
(method_elem name: (_) @name) @method.declaration
(source_file (const_declaration (const_spec (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (_) @name) @constant))
(source_file (var_declaration (var_spec_list (var_spec name: (_) @name) @constant)))
"""
_TEST_NAME = re.compile(r"(?:Test|Benchmark|Example|Fuzz)(?![a-z])")


def _package_name(_path: WorkspacePath, root: Node) -> Sequence[str]:
    clause = next((node for node in root.named_children if node.type == "package_clause"), None)
    return [text_of(name) for name in clause.named_children[:1]] if clause is not None else []


def _names(nodes: Sequence[Node], definition: Node) -> Sequence[str]:
    if definition.type == "type_declaration" and any(node.type == "(" for node in definition.children):
        return []  # each type of a group is a definition
    names = [text_of(node) for node in nodes]
    receiver = definition.child_by_field_name("receiver")
    return names if receiver is None else [_receiver_name(receiver), *names]


def _receiver_name(receiver: Node) -> str:
    """Return `T` or `(*T)`, without type parameters."""
    parameter = next((node for node in receiver.named_children if node.type == "parameter_declaration"), None)
    node = parameter.child_by_field_name("type") if parameter is not None else None
    is_pointer = False
    while node is not None and node.type in {"pointer_type", "parenthesized_type", "generic_type"}:
        is_pointer = is_pointer or node.type == "pointer_type"
        node = node.named_children[0] if node.named_children else None
    name = text_of(node) if node is not None else ""
    return f"(*{name})" if is_pointer else name


def _is_test(definition: Node, names: Sequence[str]) -> bool:
    return definition.type == "function_declaration" and _TEST_NAME.match(names[-1]) is not None


GO = LanguageRules(
    name="go",
    grammar="tree_sitter_go:language",
    query=_QUERY,
    prefix=_package_name,
    names=_names,
    is_test=_is_test,
)
