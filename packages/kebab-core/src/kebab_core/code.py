"""Symbols of source code, and the role of a piece of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from kebab_core.citation import require_order
from kebab_core.model import Model

TOP_LEVEL_SYMBOL = "<top-level>"
"""Symbol of the lines of a file outside of all definitions: imports, constants, statements."""
MODULE_SYMBOL = "<module>"
"""Symbol of the lines of a file without definitions."""


class CodeRole(StrEnum):
    """Role of a piece of source code, the first to find first."""

    DEFINITION = "definition"
    LEFTOVER = "leftover"
    """Lines outside of definitions, and lines of a class between its methods."""
    EXAMPLE = "example"
    TEST = "test"
    GENERATED = "generated"
    VENDORED = "vendored"
    """A copy of another project's code."""


class SymbolKind(StrEnum):
    """Kind of a definition."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    STRUCT = "struct"
    UNION = "union"
    ENUM = "enum"
    INTERFACE = "interface"
    """An interface, trait or protocol."""
    TYPE = "type"
    """A name for another type."""
    NAMESPACE = "namespace"
    """A module, package or namespace inside of a file."""
    MACRO = "macro"
    CONSTANT = "constant"
    """A constant or variable outside of functions."""
    FIELD = "field"
    """A field, property or attribute of a type."""
    MEMBER = "member"
    """A value of an enumeration."""
    RESOURCE = "resource"
    """A resource of a manifest, a stage of a container file."""


class CodeSymbol(Model):
    """A definition in a source file."""

    symbol: str = Field(min_length=1)
    """Its whole name, as the language's row in docs/reference/symbols.md writes it."""
    kind: SymbolKind
    line_start: int = Field(ge=1)
    """First line, with its comment, decorators and attributes."""
    line_end: int = Field(ge=1)
    """Last line, included."""
    signature: str = ""
    """The definition without its body, in one line; empty where there is none to show."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        return require_order(self, self.line_start, self.line_end)
