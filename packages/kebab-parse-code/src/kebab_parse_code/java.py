"""Definitions of Java."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_parse_code.rules import LanguageRules, text_of

if TYPE_CHECKING:
    from kebab_core import WorkspacePath
    from tree_sitter import Node

NO_PACKAGE = "<unknown>"
"""First name of the symbols of a file that states no package."""
_QUERY = """
(class_declaration name: (_) @name body: (_) @body) @class
(record_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @enum
(interface_declaration name: (_) @name body: (_) @body) @interface
(annotation_type_declaration name: (_) @name body: (_) @body) @interface
(method_declaration name: (_) @name body: (_) @body) @method
(method_declaration name: (_) @name) @method.declaration
(annotation_type_element_declaration name: (_) @name) @method.declaration
(constructor_declaration name: (_) @name body: (_) @body) @method
(compact_constructor_declaration name: (_) @name body: (_) @body) @method
(field_declaration declarator: (variable_declarator name: (_) @name)) @field
(constant_declaration declarator: (variable_declarator name: (_) @name)) @constant
(record_declaration parameters: (formal_parameters (formal_parameter name: (_) @name) @field))
(enum_constant name: (_) @name) @member
"""
_PACKAGES = frozenset({"package_declaration", "package_header"})
_TEST_ANNOTATION = re.compile(r"@(?:\w+\.)*(?:\w*Test|TestFactory|TestTemplate)\b")


def package_names(_path: WorkspacePath, root: Node) -> Sequence[str]:
    """Return the package that a file states, as one name."""
    package = next((node for node in root.named_children if node.type in _PACKAGES), None)
    name = package.named_children[-1:] if package is not None else ()
    return ["".join(text_of(node).split()) for node in name] or [NO_PACKAGE]


def has_test_annotation(definition: Node, _names: Sequence[str]) -> bool:
    """Return True if a definition is annotated with `@Test` or the like."""
    modifiers = next((node for node in definition.named_children if node.type == "modifiers"), None)
    return modifiers is not None and any(
        _TEST_ANNOTATION.match(text_of(node)) is not None for node in modifiers.named_children
    )


JAVA = LanguageRules(
    name="java",
    grammar="tree_sitter_java:language",
    query=_QUERY,
    leading=frozenset({"line_comment", "block_comment"}),
    prose="[(line_comment) (block_comment)] @prose",
    prefix=package_names,
    is_test=has_test_annotation,
)
