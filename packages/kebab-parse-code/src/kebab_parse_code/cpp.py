"""Definitions of C++."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kebab_parse_code.c import (
    WRAPPERS,
    C,
    declared_names,
    function_declarators,
    read_declared_names,
    shared_query,
)
from kebab_parse_code.macros import without_conditions, without_macros, without_macros_of_types
from kebab_parse_code.rules import LanguageRules, text_of

if TYPE_CHECKING:
    from kebab_core import WorkspacePath
    from tree_sitter import Node

ANONYMOUS = "<anonymous>"
_TESTS = frozenset({"TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"})
"""Macros of GoogleTest, called with a suite and a name."""
_NAMED_TESTS = "^(DOCTEST_)?(TEST_CASE|SCENARIO)(_METHOD|_FIXTURE|_TEMPLATE|_CLASS)?$"
"""Macros of Catch2 and doctest, called with a text; to the grammar a statement without its semicolon, and a block."""
_FUNCTIONS = function_declarators(
    "identifier",
    "field_identifier",
    "qualified_identifier",
    "destructor_name",
    "operator_name",
    "template_function",
)
_DECLARATORS = (
    *_FUNCTIONS,
    *(f"(reference_declarator {each})" for each in _FUNCTIONS),
    "(operator_cast)",
    "(qualified_identifier name: (operator_cast))",
)
_QUERY = f"""
(function_definition declarator: (_) @name body: (_) @body) @function
(function_definition declarator: (_) @name [(default_method_clause) (delete_method_clause)]) @function.declaration
(namespace_definition name: (_) @name body: (_) @body) @namespace.around
(namespace_definition !name body: (_) @body) @namespace.around
(class_specifier name: (_) @name body: (_) @body) @class
(alias_declaration name: (_) @name) @type.declaration
(namespace_alias_definition name: (_) @name) @type.declaration
(concept_definition name: (_) @name) @type.declaration
{shared_query(_DECLARATORS)}
((expression_statement (call_expression function: (identifier) @_called
  arguments: [(argument_list . (string_literal) @name) (argument_list . (identifier) . (string_literal) @name)]))
  @test . (compound_statement) @body
  (#match? @_called "{_NAMED_TESTS}"))
"""


def _read_names(nodes: Sequence[Node], definition: Node) -> Sequence[str]:
    if definition.type == "namespace_definition" and not nodes:
        return [ANONYMOUS]
    if definition.type == "expression_statement":
        return [text_of(node)[1:-1] for node in nodes]
    names = read_declared_names(nodes, definition)
    if _is_macro_call(definition, names):
        declarator = definition.child_by_field_name("declarator")
        parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
        if names[0] not in _TESTS or parameters is None:
            return ()
        return [text_of(parameter) for parameter in parameters.named_children]
    return names


def _is_macro_call(definition: Node, names: Sequence[str]) -> bool:
    """Whether a function has no type and a name in capitals, as what a macro makes of a block has."""
    return (
        definition.type == "function_definition"
        and len(names) == 1
        and names[0].isupper()
        and definition.child_by_field_name("type") is None
    )


def _is_test(definition: Node, _names: Sequence[str]) -> bool:
    declarator = definition.child_by_field_name("declarator")
    return declarator is not None and not _TESTS.isdisjoint(declared_names(declarator))


_ONLY_CPP = """
[(access_specifier) (alias_declaration) (base_class_clause) (class_specifier) (default_method_clause) (delete_method_clause)
 (destructor_name) (friend_declaration) (lambda_expression) (namespace_definition) (new_expression) (noexcept) (operator_cast)
 (operator_name) (placeholder_type_specifier) (qualified_identifier) (reference_declarator) (template_declaration)
 (using_declaration)] @only
(enum_specifier "class" @only)
(field_declaration_list (function_definition) @only)
(field_declaration declarator: (function_declarator declarator: (field_identifier)) @only)
"""


def _simpler(path: WorkspacePath) -> LanguageRules | None:
    return C if str(path).lower().endswith(".h") else None


def _others(path: WorkspacePath) -> Sequence[LanguageRules]:
    return (*_PREPARED, C) if str(path).lower().endswith(".h") else _PREPARED


CPP = LanguageRules(
    name="cpp",
    grammar="tree_sitter_cpp:language",
    query=_QUERY,
    separator="::",
    wrappers=WRAPPERS | {"friend_declaration", "template_declaration"},
    names=_read_names,
    is_test=_is_test,
    alternatives=_others,
    simpler=_simpler,
    only=_ONLY_CPP,
    prepare=without_macros_of_types,
)
_PREPARED = replace(CPP, prepare=without_macros), replace(CPP, prepare=without_conditions)
