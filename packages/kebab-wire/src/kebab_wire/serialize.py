"""Wire objects as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import BaseModel

_LINE_ENDS = {"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""Characters that JSON allows as they are and that some readers of lines take for the end of one."""


def wire_json(value: BaseModel) -> str:
    """Return a wire object as one line of JSON without line end.

    Args:
        value: The object.

    Returns:
        JSON whose letters stand as they are, nothing escaped but what would end the line.
    """
    text = value.model_dump_json()
    for character, escape in _LINE_ENDS.items():
        text = text.replace(character, escape)
    return text
