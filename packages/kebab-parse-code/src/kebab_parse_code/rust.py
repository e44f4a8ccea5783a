"""Definitions of Rust."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_parse_code.rules import LanguageRules, module_names, nodes_above, text_of

if TYPE_CHECKING:
    from kebab_core import WorkspacePath
    from tree_sitter import Node

_QUERY = """
(function_item name: (_) @name body: (_) @body) @function
(function_signature_item name: (_) @name) @function.declaration
((macro_invocation macro: (identifier) @_macro (token_tree . (identifier) @name (token_tree) @body .)) @function
  (#match? @_macro "test"))
(struct_item name: (_) @name body: (field_declaration_list) @body) @struct
(struct_item name: (_) @name) @struct
(union_item name: (_) @name body: (_) @body) @union
(enum_item name: (_) @name body: (_) @body) @enum
(enum_variant name: (_) @name) @member
(trait_item name: (_) @name body: (_) @body) @interface
(impl_item type: (_) @name body: (_) @body) @scope
(mod_item name: (_) @name body: (_) @body) @namespace
(macro_definition name: (_) @name . ["(" "{" "["] @body) @macro
(field_declaration name: (_) @name) @field
(associated_type name: (_) @name) @type.declaration
(source_file (type_item name: (_) @name) @type)
(mod_item body: (declaration_list (type_item name: (_) @name) @type))
(source_file [(const_item name: (_) @name) (static_item name: (_) @name)] @constant)
(declaration_list [(const_item name: (_) @name) (static_item name: (_) @name)] @constant)
"""
_CRATE_FILES = frozenset({"lib", "main", "mod"})
_INNER_TYPES = {"generic_type": "type", "reference_type": "type", "scoped_type_identifier": "name"}
"""Field of a type that holds what the type's symbol shows of it."""
_LEADING = frozenset({"attribute_item", "line_comment", "block_comment"})
_TEST_MACROS = frozenset({"macro_invocation", "expression_statement"})
"""A call of a macro that makes a test of the name that it begins with: `rgtest!(name, |dir| { ... })`."""
_SPACE = re.compile(r"\s+")
_TEST_ATTRIBUTE = re.compile(
    r"#\[(?:\w+::)*(?:test|bench|rstest|test_case|quickcheck|wasm_bindgen_test)\b|#\[cfg\((?:all\()?test\b"
)


def _module_names(path: WorkspacePath, _root: Node) -> Sequence[str]:
    return module_names(path, roots=frozenset(), package_files=_CRATE_FILES)


def _names(nodes: Sequence[Node], definition: Node) -> Sequence[str]:
    if definition.type == "macro_definition":
        return [f"{text_of(node)}!" for node in nodes]
    return [_type_name(node) for node in nodes]


def _type_name(node: Node) -> str:
    """Return the name of a type without its path, parameters and references."""
    while (inner := node.child_by_field_name(_INNER_TYPES.get(node.type, "?"))) is not None:
        node = inner
    return _SPACE.sub(" ", text_of(node))


def _is_test(definition: Node, _names: Sequence[str]) -> bool:
    return definition.type in _TEST_MACROS or any(
        above.type == "attribute_item" and _TEST_ATTRIBUTE.match(text_of(above)) is not None
        for above in nodes_above(definition, _LEADING)
    )


RUST = LanguageRules(
    name="rust",
    grammar="tree_sitter_rust:language",
    query=_QUERY,
    separator="::",
    wrappers=frozenset({"expression_statement"}),
    leading=_LEADING,
    prose="[(line_comment) (block_comment)] @prose",
    prefix=_module_names,
    names=_names,
    is_test=_is_test,
)
