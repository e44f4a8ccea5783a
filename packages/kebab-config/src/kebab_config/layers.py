"""The layers of the configuration: each gives values to dotted keys, and a later one wins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from kebab_core import ConfigInvalidError, Model
from pydantic import TypeAdapter

from kebab_config.environment import settings_variables
from kebab_config.keys import ConfigKey, config_keys, section_model
from kebab_config.settings import Settings

_SWITCH = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}


def file_layer(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a file says by dotted key; a table that is no section is one value."""
    return dict(_flatten(tables, Settings, prefix=""))


def environment_layer(environ: Mapping[str, str]) -> dict[str, tuple[str, Any]]:
    """Return (variable, value) by dotted key for each variable that overrides one."""
    return {
        key.key: (name, parse_text(environ[name], key))
        for name, key in settings_variables().items()
        if name in environ
    }


def flag_layer(overrides: Mapping[str, object]) -> dict[str, Any]:
    """Return what flags say by dotted key; None means that the flag was not given.

    Raises:
        ConfigInvalidError: There is no such key.
    """
    known = {key.key: key for key in config_keys()}
    values: dict[str, Any] = {}
    for name, value in overrides.items():
        if name not in known:
            raise ConfigInvalidError(f"{name}: {unknown_key(name)}", key=name)
        if isinstance(value, str):
            values[name] = parse_text(value, known[name])
        elif value is not None:
            values[name] = TypeAdapter(object).dump_python(value, mode="json")
    return values


def parse_text(text: str, key: ConfigKey) -> Any:
    """Read the value of a key out of a text, as variables and flags give it.

    Lists are separated by commas, switches are 1/0, true/false, yes/no or on/off. A text that cannot be read so
    is returned as it is, for the check of all values to refuse.

    Returns:
        A JSON value.
    """
    plain = text.strip()
    match key.kind:
        case "list of text":
            return [item.strip() for item in text.split(",") if item.strip()]
        case "true or false":
            return _SWITCH.get(plain.lower(), text)
        case "whole number" | "number":
            return _parse_number(plain, int if key.kind == "whole number" else float)
        case _:
            return text


def join_layers(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return dotted keys as a tree of tables; an empty text of an optional key counts as unset."""
    optional = {key.key for key in config_keys() if key.is_optional}
    tree: dict[str, Any] = {}
    for key, value in values.items():
        *sections, name = key.split(".")
        table = tree
        for section in sections:
            table = table.setdefault(section, {})
        table[name] = None if key in optional and value == "" else value
    return tree


def unknown_key(key: str) -> str:
    """Return what to say of a key that does not exist, with the nearest one that does."""
    known = [entry.key for entry in config_keys()]
    sections = {name.rpartition(".")[0] for name in known} - {"", key.rpartition(".")[0]}
    same_name = [name for name in known if name.rpartition(".")[2] == key.rpartition(".")[2]]
    nearest = same_name or get_close_matches(key, [*known, *sorted(sections)], n=1)
    return f"unknown key, did you mean `{nearest[0]}`?" if nearest else "unknown key"


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
                f"{prefix}{name}: must be a table", hint=f"write [{prefix}{name}]", key=prefix + name
            )
