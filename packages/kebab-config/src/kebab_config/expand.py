"""The one place where a path out of the configuration becomes a path on this machine. No I/O."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from kebab_core import ConfigInvalidError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def expand_path(text: str, *, environ: Mapping[str, str], base: Path) -> Path:
    """Turn a configured path into an absolute one.

    `$NAME`, `${NAME}` and `${NAME:-fallback}` (used when the variable is unset or empty, may itself hold any of
    these) are replaced, `$$` is a dollar sign, then a leading `~` is the home folder. Values of variables are
    taken as they are. `..` and doubled slashes are resolved by name only; symbolic links stay.

    Args:
        text: As it stands in the configuration.
        environ: Variables, `HOME` among them.
        base: Absolute folder that a relative path starts from.

    Returns:
        An absolute path, which may not exist.

    Raises:
        ConfigInvalidError: The text is empty, names a variable that is not set and gives no fallback, leaves a
            brace open, or needs `HOME` where that is not set.
    """
    if not text.strip():
        raise ConfigInvalidError("a path must not be empty")
    expanded = _expand_variables(text, drop_relative_xdg(environ))
    if expanded == "~" or expanded.startswith("~/"):
        expanded = f"{home_folder(environ)}{expanded[1:]}"
    return Path(os.path.normpath(base / expanded))


def home_folder(environ: Mapping[str, str]) -> Path:
    """Return the user's home folder.

    Raises:
        ConfigInvalidError: `HOME` is not set to an absolute path.
    """
    home = environ.get("HOME", "")
    if not home.startswith("/"):
        raise ConfigInvalidError(
            "the home folder is not known: HOME is not an absolute path",
            hint="set HOME, or configure paths without ~",
        )
    return Path(home)


def drop_relative_xdg(environ: Mapping[str, str]) -> Mapping[str, str]:
    """Return the variables without relative `XDG_*` folders, which the base directory specification voids."""
    return {
        name: value
        for name, value in environ.items()
        if not (name.startswith("XDG_") and name.endswith("_HOME")) or value.startswith("/")
    }


def _expand_variables(text: str, environ: Mapping[str, str]) -> str:
    head, dollar, rest = text.partition("$")
    if not dollar:
        return text
    if rest.startswith("$"):
        return head + "$" + _expand_variables(rest[1:], environ)
    if rest.startswith("{"):
        inside, rest = _split_braces(rest, whole=text)
        return head + _expand_braced(inside, environ) + _expand_variables(rest, environ)
    name = _NAME.match(rest)
    if name is None:
        return head + "$" + _expand_variables(rest, environ)
    return head + _lookup(name[0], environ) + _expand_variables(rest[name.end() :], environ)


def _split_braces(text: str, *, whole: str) -> tuple[str, str]:
    depth = 0
    for position, character in enumerate(text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth == 0:
            return text[1:position], text[position + 1 :]
    raise ConfigInvalidError(f"{whole!r} opens `${{` and never closes it")


def _expand_braced(inside: str, environ: Mapping[str, str]) -> str:
    name, has_fallback, fallback = inside.partition(":-")
    if not _NAME.fullmatch(name):
        raise ConfigInvalidError(f"`${{{inside}}}` does not name a variable")
    if has_fallback:
        return environ.get(name) or _expand_variables(fallback, environ)
    return _lookup(name, environ)


def _lookup(name: str, environ: Mapping[str, str]) -> str:
    if name not in environ:
        raise ConfigInvalidError(
            f"the variable {name} is not set",
            hint=f"set it, or write ${{{name}:-fallback}} or $$ for a dollar sign",
        )
    return environ[name]
