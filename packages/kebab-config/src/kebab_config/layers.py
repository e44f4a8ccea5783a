"""Layers of the configuration (file, environment, flags): values by dotted key; a later layer wins."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from kebab_core import ConfigInvalidError, Message, Model, Remedy
from pydantic import TypeAdapter

from kebab_config.settings import ConfigKey, Settings, config_keys, section_model, unknown_key

OriginKind = Literal["default", "file", "env", "flag"]
"""A layer of the configuration; a later one wins over an earlier one."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The layer that set a key; `name` is that of the variable for `env`, else None."""

    kind: OriginKind
    name: str | None = None

    def __str__(self) -> str:
        return self.kind if self.name is None else f"{self.kind} {self.name}"


_FACE_VARIABLES = ("KEBAB_LANG", "KEBAB_PROGRESS", "KEBAB_READONLY")
"""Variables of the faces, which are not settings."""
_SWITCH = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}


def file_layer(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a file by dotted key; a table that is no section is one value."""
    return dict(_flatten(tables, Settings, prefix=""))


def environment_layer(environ: Mapping[str, str]) -> dict[str, tuple[str, Any]]:
    """(variable, value) by dotted key, for each variable that overrides a key."""
    return {
        key.key: (name, parse_text(environ[name], key))
        for name, key in _settings_variables().items()
        if name in environ
    }


def unknown_variables(environ: Mapping[str, str]) -> tuple[Message, ...]:
    """A warning for each `KEBAB_*` variable without effect, by name."""
    known = [*_settings_variables(), *_FACE_VARIABLES]
    unknown = [name for name in sorted(environ) if name.startswith("KEBAB_") and name not in known]
    return tuple(_warn_of_unknown(name, known) for name in unknown)


def _warn_of_unknown(name: str, known: list[str]) -> Message:
    warning = Message("the variable {name} is not known and has no effect", name=name)
    nearest = get_close_matches(name, known, n=1)
    return (
        Message("{warning}; did you mean {name}?", warning=warning, name=nearest[0]) if nearest else warning
    )


def flag_layer(overrides: Mapping[str, object]) -> dict[str, Any]:
    """Values of flags by dotted key; None means that the flag was not given.

    Raises:
        ConfigInvalidError: There is no such key.
    """
    known = {key.key: key for key in config_keys()}
    values: dict[str, Any] = {}
    for name, value in overrides.items():
        if name not in known:
            raise ConfigInvalidError("{key}: {reason}", key=name, _reason=unknown_key(name))
        if isinstance(value, str):
            values[name] = parse_text(value, known[name])
        elif value is not None:
            values[name] = TypeAdapter(object).dump_python(value, mode="json")
    return values


def parse_text(text: str, key: ConfigKey) -> Any:
    """Parse the text of a variable or flag as the value of a key.

    Lists are separated by commas, or written as in the file (`["a", "b"]`), switches are 1/0, true/false, yes/no or on/off. Any other
    text is returned as it is, and the check of all values refuses it.

    Returns:
        A JSON value.
    """
    plain = text.strip()
    match key.kind:
        case "list of text":
            if plain.startswith("["):
                with suppress(tomllib.TOMLDecodeError):
                    return tomllib.loads(f"list = {plain}")["list"]
            return [item.strip() for item in text.split(",") if item.strip()]
        case "true or false":
            return _SWITCH.get(plain.lower(), text)
        case "whole number" | "number":
            return _parse_number(plain, int if key.kind == "whole number" else float)
        case _:
            return text


def join_layers(values: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted keys as a tree of tables; an empty text of an optional key counts as unset."""
    optional = {key.key for key in config_keys() if key.is_optional}
    tree: dict[str, Any] = {}
    for key, value in values.items():
        *sections, name = key.split(".")
        table = tree
        for section in sections:
            table = table.setdefault(section, {})
        table[name] = None if key in optional and value == "" else value
    return tree


def _settings_variables() -> dict[str, ConfigKey]:
    """Variables that override a key, by name."""
    return {key.env_name: key for key in config_keys() if key.env_name is not None}


def _parse_number(text: str, kind: type[int] | type[float]) -> int | float | str:
    try:
        return kind(text)
    except ValueError:
        return text


def _flatten(tables: Mapping[str, Any], model: type[Model], *, prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in tables.items():
        field = model.model_fields.get(name)
        section = section_model(field) if field is not None else None
        if section is None:
            yield prefix + name, value
        elif isinstance(value, Mapping):
            yield from _flatten(value, section, prefix=f"{prefix}{name}.")
        else:
            raise ConfigInvalidError(
                "{prefix}{name}: must be a table",
                remedy=Remedy(advice=Message("write it as {value}", value=f"[{prefix}{name}]")),
                key=prefix + name,
                _prefix=prefix,
                _name=name,
            )
