"""Editing one member of a TOML file that a person wrote: comments, order and spelling of everything else stay."""

from __future__ import annotations

import tomllib
from collections.abc import MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kebab_cli.list_edits import Edit


def read(text: str) -> object:
    """Return what a text says.

    Raises:
        TOMLDecodeError: It is not TOML.
    """
    return tomllib.loads(text)


def set_member(text: str, path: Sequence[str], value: object) -> str:
    """Return the text with one member set, and the tables that lead to it made where they are missing.

    Args:
        text: TOML.
        path: Names from the outermost table on, at least one.
        value: What TOML can say.

    Raises:
        TOMLDecodeError: The text is not TOML.
        TypeError: Something on the way is no table.
    """
    before = tomllib.loads(text)
    _require_tables(before, path[:-1])
    if isinstance(value, dict):
        added = _append(text, path, value)
        if _is_toml(added):
            return added
    return _edit(text, path, value)


def edit_list(text: str, path: Sequence[str], edit: Edit) -> str:
    """Return the text with one word of an array changed, and comments beside the others kept.

    Raises:
        ValueError: There is no such array.
    """
    import tomlkit
    from tomlkit.items import Array

    document = tomlkit.parse(text)
    found: Any = document
    for name in path:
        found = found.get(name, {})
    if not isinstance(found, Array):
        raise ValueError(f"{path[-1]!r} is no array")  # noqa: TRY004 - of the text, not of the caller
    if edit.value is None:
        del found[edit.at]
    elif edit.is_new:
        found.insert(edit.at, edit.value)
    else:
        found[edit.at] = edit.value
    return tomlkit.dumps(document)


def _require_tables(document: dict[str, Any], path: Sequence[str]) -> None:
    at: Any = document
    for depth, name in enumerate(path, start=1):
        at = at.get(name, {})
        if not isinstance(at, dict):
            raise TypeError(f"{'.'.join(path[:depth])} is no table")


def _append(text: str, path: Sequence[str], value: dict[str, object]) -> str:
    """Return the text with a table behind everything else, which changes nothing above it."""
    import tomlkit

    if text and not text.endswith("\n"):
        text += "\n"
    gap = "\n" if text.strip() else ""
    lines = "".join(
        f"{tomlkit.key(name).as_string()} = {tomlkit.item(each).as_string()}\n"
        for name, each in value.items()
    )
    return f"{text}{gap}[{'.'.join(tomlkit.key(name).as_string() for name in path)}]\n{lines}"


def _is_toml(text: str) -> bool:
    """Return whether a table that was put behind a text can stand there: some forms do not allow it."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _edit(text: str, path: Sequence[str], value: object) -> str:
    """Return the text with a member set where it stands, or where its table stands."""
    import tomlkit

    document = tomlkit.parse(text)
    at: MutableMapping[str, Any] = document
    for name in path[:-1]:
        if name not in at:
            at[name] = tomlkit.inline_table()
        at = at[name]
    at[path[-1]] = value
    return tomlkit.dumps(document)
