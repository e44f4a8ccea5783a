"""Definitions of C, and those that C++ shares with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kebab_parse_code.macros import without_macros, without_macros_of_types
from kebab_parse_code.rules import LanguageRules, text_of

if TYPE_CHECKING:
    from kebab_core import WorkspacePath
    from tree_sitter import Node

_PLACES = frozenset({
    "translation_unit",
    "preproc_ifdef",
    "preproc_if",
    "preproc_else",
    "preproc_elif",
    "declaration_list",
    "field_declaration_list",
    "friend_declaration",
    "linkage_specification",
    "template_declaration",
})
"""Where declarations are outside of functions; those of a branch in a function are left out by what is around it."""
_HOLDERS = frozenset({"field_declaration", "type_definition"})
_ANONYMOUS = """[
  (struct_specifier !name body: (_)) (union_specifier !name body: (_)) (enum_specifier !name body: (_))]"""
_QUERY = f"""
(struct_specifier name: (_) @name body: (_) @body) @struct
(union_specifier name: (_) @name body: (_) @body) @union
(enum_specifier name: (_) @name body: (_) @body) @enum
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @union
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @enum
(type_definition declarator: (_) @name @type.declaration)
(field_declaration type: {_ANONYMOUS} declarator: (_) @name) @field
(enumerator name: (_) @name) @member
(preproc_function_def name: (_) @name) @macro.declaration
(preproc_def name: (_) @name value: (_)) @macro.declaration
"""
_KEYWORDS = frozenset({"catch", "defined", "do", "else", "for", "if", "return", "sizeof", "switch", "while"})
"""What a macro in front of a statement makes look like the name of a function."""
_MACROS = frozenset({"preproc_def", "preproc_function_def"})
_MACRO_NAME = re.compile(r"#\s{0,99}define\s{1,99}(\w+)", re.ASCII)
_OUTER_FIELDS = ("declarator", "name")


def function_declarators(*names: str) -> tuple[str, ...]:
    """Return the patterns of declarators of functions whose names are nodes of these types."""
    function = f"(function_declarator declarator: [{' '.join(f'({name})' for name in names)}])"
    pointer = f"(pointer_declarator declarator: {function})"
    return function, pointer, f"(pointer_declarator declarator: {pointer})"


def _variable_declarators(name: str) -> tuple[str, ...]:
    variables = f"({name})", "(array_declarator)"
    pointers = tuple(f"(pointer_declarator declarator: {each})" for each in variables)
    return (
        *variables,
        *pointers,
        *(f"(pointer_declarator declarator: {each})" for each in pointers),
        f"(function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: ({name}))))",
    )


def shared_query(prototypes: Sequence[str]) -> str:
    """Return the patterns of C and C++, given those of declarators of functions."""
    variables = (*_variable_declarators("identifier"), "(init_declarator)")
    fields = _variable_declarators("field_identifier")
    return "\n".join([
        *(f"(declaration declarator: {each} @name) @function.declaration" for each in prototypes),
        *(f"(field_declaration declarator: {each} @name) @function.declaration" for each in prototypes),
        *(f"(declaration declarator: {each} @name @constant)" for each in variables),
        *(f"(field_declaration declarator: {each} @name @field)" for each in fields),
        _QUERY,
    ])


WRAPPERS = frozenset({"declaration", "field_declaration", "linkage_specification", "type_definition"})


def read_declared_names(nodes: Sequence[Node], definition: Node) -> Sequence[str]:
    """Return the name that a declarator declares, without what it points to, is called with or holds.

    That of a macro is read from its text: after a comment between its lines the grammar takes another word for it.
    """
    if definition.type in _MACROS:
        return _MACRO_NAME.findall(text_of(definition))[:1]
    declaration = definition if definition.type == "declaration" else definition.parent
    if declaration is not None and declaration.type == "declaration":
        place = declaration.parent
        if place is None or place.type not in _PLACES:
            return ()
    names = [name for node in nodes for name in declared_names(node)]
    if (
        declaration is not None
        and declaration.type in _HOLDERS
        and not definition.type.endswith("_specifier")
    ):
        return () if _is_type_that_is_defined_there(declaration, names) else names
    return names


def declared_names(node: Node) -> Sequence[str]:
    """Return the parts of the name in a declarator, outermost first; none if it has no name or a keyword is there."""
    names: list[str] = []
    here: Node | None = node
    while here is not None:
        match here.type:
            case "nested_namespace_specifier":
                return text_of(here).replace(" ", "").split("::")
            case "qualified_identifier":
                scope = here.child_by_field_name("scope")
                if scope is not None:
                    names.append(text_of(scope.child_by_field_name("name") or scope))
                here = here.child_by_field_name("name")
            case "operator_cast":
                kind = here.child_by_field_name("type")
                return [*names, f"operator {text_of(kind)}"] if kind is not None else ()
            case "operator_name":
                symbol = "".join(text_of(here).removeprefix("operator").split())
                return [*names, f"operator {symbol}" if symbol.isalpha() else f"operator{symbol}"]
            case _:
                inner = next(
                    (inner for field in _OUTER_FIELDS if (inner := here.child_by_field_name(field))), None
                )
                if inner is None and here.type in {"parenthesized_declarator", "reference_declarator"}:
                    inner = here.named_children[-1] if here.named_children else None
                if inner is None:
                    name = "".join(text_of(here).split())
                    return () if name in _KEYWORDS else [*names, name]
                here = inner
    return ()


def _is_type_that_is_defined_there(declaration: Node, names: Sequence[str]) -> bool:
    """Whether these names stand for a type that the declaration defines under the same name, or under no other."""
    kind = declaration.child_by_field_name("type")
    if kind is None or kind.child_by_field_name("body") is None:
        return False
    tag = kind.child_by_field_name("name")
    return tag is None or (declaration.type == "type_definition" and [text_of(tag)] == list(names))


def _others(_path: WorkspacePath) -> Sequence[LanguageRules]:
    return (_PREPARED,)


C = LanguageRules(
    name="c",
    grammar="tree_sitter_c:language",
    query=f"""
(function_definition declarator: (_) @name body: (_) @body) @function
{shared_query(function_declarators("identifier"))}
""",
    wrappers=WRAPPERS,
    names=read_declared_names,
    prepare=without_macros_of_types,
    alternatives=_others,
)
_PREPARED = replace(C, prepare=without_macros)
