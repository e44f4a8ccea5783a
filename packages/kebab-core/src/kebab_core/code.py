"""Symbols of source code, and the role of a piece of it."""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from typing import NamedTuple, Self

from pydantic import Field, model_validator

from kebab_core.ids import ChunkId
from kebab_core.model import Model
from kebab_core.span import require_order

TOP_LEVEL_SYMBOL = "<top-level>"
"""Symbol of the lines of a file outside of all definitions: imports, constants, statements."""
MODULE_SYMBOL = "<module>"
"""Symbol of the lines of a file without definitions."""
_SEPARATOR = re.compile(r"::|[./#](?=[\w(~<`$])")
"""Between the parts of a symbol; a point or stroke at the end is the name of an operator."""
_NOT_IN_NAME = re.compile(r"[\W_]")


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
    """Its whole name, in the form that the README of kebab-parse-code gives for the language."""
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


class StoredSymbol(NamedTuple):
    """A symbol as it is looked up; the passage has all of it."""

    chunk_id: ChunkId
    place: int
    """Its number among the symbols of the passage, from 0."""
    symbol: str
    role: CodeRole | None
    """Role of the passage."""


def split_symbol(symbol: str) -> tuple[str, ...]:
    """Return the parts of a symbol, outermost first: `pkg.(*T).Close` has the parts `pkg`, `(*T)` and `Close`."""
    return tuple(part for part in _SEPARATOR.split(symbol) if part)


def fold_name(name: str) -> str:
    """Return the form in which names are compared: letters and digits in lower case, so that `_makeURL` is `make_url`.

    A name without any stays as it is.
    """
    folded = _NOT_IN_NAME.sub("", unicodedata.normalize("NFC", name).casefold())
    return folded or name


def split_name(name: str) -> tuple[str, ...]:
    """Return the parts of the name of a symbol as people type it: `Group.invoke`, `Group::invoke()`, `group invoke`."""
    return tuple(
        part for word in name.replace("->", ".").replace("()", "").split() for part in split_symbol(word)
    )


def ends_of_symbol(symbol: str) -> frozenset[str]:
    """Return the folded names of a symbol: its last part, the last two, and so on to all of it."""
    parts = split_symbol(symbol)
    return frozenset(fold_name("".join(parts[at:])) for at in range(len(parts)))
