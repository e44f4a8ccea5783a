"""Formats that hosts keep their settings in: each can be read, and changed in one member while all else stays."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kebab_cli.hosts import FormatName
    from kebab_cli.list_edits import Edit


class MemberFormat(Protocol):
    """One format; a module is one."""

    def read(self, text: str) -> object:
        """Return what a text says; one without anything says an empty object.

        Raises:
            ValueError: It is not of this format.
        """

    def set_member(self, text: str, path: Sequence[str], value: object) -> str:
        """Return the text with one member set, and the objects that lead to it made where they are missing.

        Raises:
            ValueError: The text is not of this format.
            TypeError: Something on the way is no object.
        """

    def edit_list(self, text: str, path: Sequence[str], edit: Edit) -> str:
        """Return the text with one word of a list changed, and comments beside the others kept.

        Args:
            text: The text.
            path: Names from the outermost object on to a list of at least one word.
            edit: What to change.

        Raises:
            ValueError: The list is not written in a way that allows it.
        """


_MODULE_OF = {"JSON": "jsonc", "TOML": "toml_text", "YAML": "yaml_text"}


def load_format(name: FormatName) -> MemberFormat:
    """Return a format; its module is imported when it is first needed."""
    return cast("MemberFormat", import_module(f"kebab_cli.{_MODULE_OF[name]}"))
