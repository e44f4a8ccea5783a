"""What a tool is: words for the model, arguments, what comes back, and the work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

if TYPE_CHECKING:
    from kebab_mcp.call import Call


class Arguments(BaseModel):
    """The arguments of one tool: closed, and cheap to define."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def _split(value: object) -> object:
    if not isinstance(value, str):
        return value
    from kebab_app import split_words

    return list(split_words(value))


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


Number = Annotated[int, Field(strict=True)]
"""A whole number, and neither text nor truth value that could pass for one."""
Words = Annotated[tuple[str, ...], BeforeValidator(_split)]
"""Several values with commas between them, as on the command line; the values of a list are taken as they are."""
Texts = Annotated[tuple[str, ...], BeforeValidator(_listed)]
"""One value, commas and all; a list of several is taken too."""

ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)


@dataclass(frozen=True, kw_only=True)
class Returns:
    """What comes back, as far as it is worth its tokens: the published schema says the rest."""

    version: str
    """`schema_version` of the wire object."""
    fields: tuple[str, ...]
    """Fields of its top level that are always there and that a reader looks for first."""


@dataclass(frozen=True, kw_only=True)
class Tool(Generic[ArgumentsT]):
    """One tool."""

    name: str
    description: str
    """When to use it and what comes back."""
    arguments: type[ArgumentsT]
    returns: Returns
    run: Callable[[Call, ArgumentsT], BaseModel]
    """Does the work in a thread of its own and returns a wire object; raises errors of `kebab_core`."""
    shows_filters: bool = False
    """Whether filters are listed; one list is enough for all tools that take them."""
    is_writer: bool = False
    """Whether it changes what can be found."""
    keeps_results: bool = False
    """Whether what it returns is stored, where writing is allowed."""


AnyTool = Tool[Any]
