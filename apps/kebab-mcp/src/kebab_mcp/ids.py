"""Ids as models copy them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from kebab_core import ChunkId, DocumentId

    IdT = TypeVar("IdT", ChunkId, DocumentId)


def read_id(kind: type[IdT], text: str, *, argument: str) -> IdT:
    """Return an id.

    Args:
        kind: What it is the id of.
        text: As it came.
        argument: Where it came.

    Returns:
        The id.

    Raises:
        InvalidInputError: It does not look like one.
    """
    from kebab_core import InvalidInputError

    try:
        return kind(text)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"{argument}: {text!r} is no id: those have 32 hexadecimal digits",
            hint="copy it from a hit of `search`",
            argument=argument,
        ) from error
