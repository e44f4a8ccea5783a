"""Definitions of TypeScript."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kebab_parse_code.javascript import LEADING, SHARED_QUERY, WRAPPERS, file_names, read_script_names
from kebab_parse_code.rules import LanguageRules

if TYPE_CHECKING:
    from kebab_core import WorkspacePath

_QUERY = f"""
{SHARED_QUERY}
(function_signature name: (_) @name) @function.declaration
(method_signature name: (_) @name) @method.declaration
(abstract_method_signature name: (_) @name) @method.declaration
(abstract_class_declaration name: (_) @name body: (_) @body) @class
(public_field_definition name: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method
(public_field_definition name: (_) @name) @field
(interface_declaration name: (_) @name body: (_) @body) @interface
(interface_body (property_signature name: (_) @name) @field)
(type_alias_declaration name: (_) @name) @type.declaration
(type_alias_declaration value: (object_type (property_signature name: (_) @name) @field))
(enum_declaration name: (_) @name body: (_) @body) @enum
(enum_body name: (_) @name @member)
(enum_assignment name: (_) @name) @member
(internal_module name: (_) @name body: (_) @body) @namespace
(module name: (_) @name body: (_) @body) @namespace
(internal_module body: (statement_block (_ (variable_declarator name: (identifier) @name) @constant)))
(internal_module
  body: (statement_block (export_statement (_ (variable_declarator name: (identifier) @name) @constant))))
(ambient_declaration (_ (variable_declarator name: (identifier) @name) @constant))
"""


def _with_markup(path: WorkspacePath) -> Sequence[LanguageRules]:
    return (_TSX,) if str(path).lower().endswith(".tsx") else ()


TYPESCRIPT = LanguageRules(
    name="typescript",
    grammar="tree_sitter_typescript:language_typescript",
    query=_QUERY,
    wrappers=WRAPPERS,
    leading=LEADING,
    prefix=file_names,
    names=read_script_names,
    alternatives=_with_markup,
)
_TSX = replace(TYPESCRIPT, grammar="tree_sitter_typescript:language_tsx")
