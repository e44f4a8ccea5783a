"""Definitions of Kotlin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kebab_parse_code.java import has_test_annotation, package_names
from kebab_parse_code.rules import LanguageRules, as_it_is, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_QUERY = """
(class_declaration name: (_) @name (enum_class_body) @body) @enum
(class_declaration "interface" name: (_) @name (class_body) @body) @interface
(class_declaration "interface" name: (_) @name) @interface
(class_declaration name: (_) @name (class_body) @body) @class
(class_declaration name: (_) @name) @class
(object_declaration name: (_) @name (class_body) @body) @class
(object_declaration name: (_) @name) @class
(companion_object (class_body) @body) @class
(companion_object) @class
(function_declaration name: (_) @name (function_body) @body) @function
(function_declaration name: (_) @name) @function.declaration
(secondary_constructor (block) @body) @method
(secondary_constructor) @method
(type_alias type: (identifier) @name) @type
(enum_entry (identifier) @name) @member
(class_parameter ["val" "var"] . (identifier) @name) @field
(source_file (property_declaration (variable_declaration . (identifier) @name)) @constant)
(source_file (property_declaration (multi_variable_declaration (variable_declaration . (identifier) @name))) @constant)
(class_body (property_declaration (variable_declaration . (identifier) @name)) @field)
(enum_class_body (property_declaration (variable_declaration . (identifier) @name)) @field)
"""
_LEADING = frozenset({"line_comment", "block_comment", "annotated_expression"})
"""The grammar takes an annotation with a remark behind it for an expression."""
_ANNOTATION = re.compile(
    rb"^(@\w[\w.]*+\((?:[^()\n\"]++|\"[^\"\n]*+\"|\([^()\n]*+\))*+\))(?: (?=\w))?+", re.MULTILINE
)
_TYPE = re.compile(rb"\b(?:class|interface|object)\b")
_SPACE_BEFORE_BRACE = re.compile(rb"(?<=[^\s{;]) \}")
"""The grammar wants an end of the last member of a class before a brace in the same line."""


def _names(nodes: Sequence[Node], definition: Node) -> Sequence[str]:
    if definition.type == "companion_object":
        name = next((node for node in definition.named_children if node.type == "identifier"), None)
        return [text_of(name) if name is not None else "Companion"]
    if definition.type == "secondary_constructor":
        body = definition.parent
        name = (
            body.parent.child_by_field_name("name") if body is not None and body.parent is not None else None
        )
        return [text_of(name)] if name is not None else []
    return [text_of(node) for node in nodes]


def _prepare(source: bytes) -> bytes:
    """Return a source that the grammar does not misread.

    Outside of classes the grammar may take an annotation with arguments for an expression, together with what follows.
    Those that end their line become comments, others end with a semicolon in place of the space. In lines that begin a type and
    hold no text, the space before a brace is a semicolon: the grammar wants an end of the last member.
    """
    lines = _ANNOTATION.sub(_end_annotation, source).split(b"\n")
    return b"\n".join(
        _SPACE_BEFORE_BRACE.sub(b";}", line) if _TYPE.search(line) and b'"' not in line else line
        for line in lines
    )


def _end_annotation(found: re.Match[bytes]) -> bytes:
    if found[0] != found[1]:
        return found[1] + b";"
    return b"/*" + b" " * (len(found[1]) - 4) + b"*/"


_PREPARED = LanguageRules(
    name="kotlin",
    grammar="tree_sitter_kotlin:language",
    query=_QUERY,
    leading=_LEADING,
    prose="[(line_comment) (block_comment)] @prose",
    prefix=package_names,
    names=_names,
    doubtful=frozenset({"annotated_expression"}),
    prepare=_prepare,
    is_test=has_test_annotation,
)
KOTLIN = replace(_PREPARED, prepare=as_it_is, alternatives=lambda _path: (_PREPARED,))
