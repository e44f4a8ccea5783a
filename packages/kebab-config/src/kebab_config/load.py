"""Loading of the settings: defaults, then file, then environment, then flags; each wins over the ones before.

A layer has its values by dotted key.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from kebab_core import ConfigInvalidError, ConfigNotFoundError, Message, Model, Remedy
from pydantic import TypeAdapter

from kebab_config.paths import Paths, default_config_file, home_folder, resolve_paths
from kebab_config.settings import (
    SCHEMA_VERSION,
    ConfigKey,
    Settings,
    check_section,
    config_keys,
    find_missing_effect,
    section_model,
    unknown_key,
)
from kebab_config.toml_file import ConfigFile, read_config_file

OriginKind = Literal["default", "file", "env", "flag"]
"""A layer of the configuration; a later one wins over an earlier one."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The layer that set a key; `name` is that of the variable for `env`, else None."""

    kind: OriginKind
    name: str | None = None

    def __str__(self) -> str:
        return self.kind if self.name is None else f"{self.kind} {self.name}"


_DEFAULT = Origin("default")
_FACE_VARIABLES = ("KEBAB_LANG", "KEBAB_PROGRESS", "KEBAB_READONLY")
"""Variables of the faces, which are not settings."""
_SWITCH = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}


def file_layer(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a file by dotted key; a table that is no section is one value."""
    return dict(_flatten(tables, Settings, prefix=""))


def environment_layer(
    environ: Mapping[str, str],
) -> tuple[dict[str, tuple[str, Any]], tuple[Message, ...]]:
    """(variable, value) by dotted key, for each variable that overrides a key; and a warning for each `KEBAB_*` without effect, by name."""
    given = [name for name in sorted(environ) if name.startswith("KEBAB_") and name not in _FACE_VARIABLES]
    if not given:
        return {}, ()
    keys = {key.env_name: key for key in config_keys() if key.env_name is not None}
    known = [*keys, *_FACE_VARIABLES]
    values = {keys[name].key: (name, parse_text(environ[name], keys[name])) for name in given if name in keys}
    return values, tuple(_warn_of_unknown(name, known) for name in given if name not in keys)


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
    given = {name: value for name, value in overrides.items() if value is not None}
    known = {key.key: key for key in config_keys()} if given else {}
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            raise ConfigInvalidError("{key}: {reason}", key=name, _reason=unknown_key(name))
        if isinstance(value, str):
            values[name] = parse_text(value, known[name])
        else:
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
    optional = {key.key for key in config_keys() if key.is_optional} if "" in values.values() else ()
    tree: dict[str, Any] = {}
    for key, value in values.items():
        *sections, name = key.split(".")
        table = tree
        for section in sections:
            table = table.setdefault(section, {})
        table[name] = None if key in optional and value == "" else value
    return tree


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


_SECRET = re.compile(r"key|token|secret|passw|credential", re.IGNORECASE)
_CREDENTIALS = re.compile(r"(?<=//)[^/]*@")
_OUTDATED = Message("the configuration file has an older format, which still works; migrating converts it")


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The configuration in force."""

    settings: Settings
    config_path: Path | None
    """The file that was read, absolute; None if there is none and the defaults apply."""
    paths: Paths
    set_origins: Mapping[str, Origin]
    """By dotted key, one for each key that a layer above the defaults sets."""
    warnings: tuple[Message, ...]
    """Sentences for people about settings without effect."""
    embedding_api_key: str | None = field(default=None, repr=False)
    """Value of the variable that `models.embedding.api_key_env` names."""
    llm_api_key: str | None = field(default=None, repr=False)
    """Value of the variable that `models.llm.api_key_env` names."""

    @property
    def origins(self) -> dict[str, Origin]:
        """By dotted key, one for every key."""
        return {key.key: self.set_origins.get(key.key, _DEFAULT) for key in config_keys()}

    @property
    def keys_without_effect(self) -> frozenset[str]:
        """Keys without effect, dotted, whatever their values: in this version, or with the model in force."""
        provider = self.settings.models.llm.provider
        return frozenset(
            key.key for key in config_keys() if find_missing_effect(key.key, llm_provider=provider)
        )

    @property
    def file_endpoints(self) -> dict[str, str]:
        """Addresses of servers that the file sets, without a name and password in them, by dotted key."""
        models = self.settings.models
        found: dict[str, object] = {
            key: address
            for key, address in (
                ("models.embedding.endpoint", models.embedding.endpoint),
                ("models.llm.endpoint", models.llm.endpoint),
            )
            if address and self.set_origins.get(key, _DEFAULT).kind == "file"
        }
        for name, values in self.settings.ingest.extractors.items():
            found |= {f"ingest.extractors.{name}.{key}": value for key, value in values.items()}
        for source in self.settings.workspace.sources:
            found[f"workspace.sources.{source.id}.root"] = source.root
        return {
            key: _CREDENTIALS.sub("", str(value))
            for key, value in found.items()
            if key.startswith("models.") or "://" in str(value)
        }

    @property
    def keys_like_secrets(self) -> tuple[str, ...]:
        """Keys, dotted, whose values may be secrets: addresses with a password, and keys or passwords of plugins."""
        models, plugins = self.settings.models, self.settings.ingest.extractors
        addresses = {
            "models.embedding.endpoint": models.embedding.endpoint,
            "models.llm.endpoint": models.llm.endpoint,
        }
        found = [key for key, address in addresses.items() if "@" in (address or "")]
        for name, values in plugins.items():
            found += [
                f"ingest.extractors.{name}.{key}"
                for key, value in values.items()
                if value and _SECRET.search(key)
            ]
        return tuple(found)


def load_settings(
    *,
    config_path: Path | None,
    environ: Mapping[str, str],
    overrides: Mapping[str, object] | None = None,
    current_dir: Path | None = None,
    content: bytes | None = None,
) -> LoadedSettings:
    """Load the configuration from its four layers.

    A relative path in the file starts from the folder of the file, any other from the current folder.

    Args:
        config_path: The file named by the user; None reads the default one if it exists.
        environ: Variables; `KEBAB_<SECTION>_<KEY>` override keys, lists are separated by commas.
        overrides: Flags by dotted key; texts are read like variables, None means not given.
        current_dir: Start of relative paths that are not in a file; None is the process's folder.
        content: Content that the file is to have, which need not exist then; None reads it.

    Returns:
        Settings, paths and the origin of each value.

    Raises:
        ConfigNotFoundError: `config_path` does not exist.
        ConfigInvalidError: Bad TOML, an unknown key, a value outside its bounds, a path that cannot be expanded,
            `workspace.root` and `workspace.sources` in one file, or a file of a newer kebab.
        StorageError: The file cannot be read.
    """
    here = current_dir or Path.cwd()
    file = _read_file(config_path, environ=environ, here=here, content=content)
    outdated = file is not None and _upgrade(file.tables)
    values, origins, unknown = _collect(file, environ, overrides or {})
    replaced = _choose_root(values, origins)
    settings = check_section(
        Settings,
        join_layers(values),
        describe=lambda key: _describe(key, origins, file),
        advise=lambda key: _advise(key, origins, file),
    )
    config_file = file.path if file is not None else default_config_file(environ)

    paths = resolve_paths(
        workspace=settings.workspace,
        storage=settings.storage,
        mcp=settings.mcp,
        config_file=config_file,
        environ=environ,
        bases={key: config_file.parent for key, each in origins.items() if each.kind == "file"},
        here=here,
    )
    return LoadedSettings(
        settings=settings,
        config_path=None if file is None else file.path,
        paths=paths,
        set_origins=origins,
        warnings=((_OUTDATED,) if outdated else ())
        + replaced
        + _keys_set_in_vain(values, origins, file, llm_provider=settings.models.llm.provider)
        + unknown
        + _unset_keys(settings, environ),
        embedding_api_key=environ.get(settings.models.embedding.api_key_env or "") or None,
        llm_api_key=environ.get(settings.models.llm.api_key_env or "") or None,
    )


def _upgrade(tables: dict[str, Any]) -> bool:
    """Bring the tables of a file of another version to this one; True where that changes them."""
    version = tables.get("schema_version", SCHEMA_VERSION)
    if type(version) is int and version == SCHEMA_VERSION:
        return False
    from kebab_config.migration import upgrade_tables

    return bool(upgrade_tables(tables))


def _keys_set_in_vain(
    values: Mapping[str, Any],
    origins: Mapping[str, Origin],
    file: ConfigFile | None,
    *,
    llm_provider: str,
) -> tuple[Message, ...]:
    """Warnings of keys without effect that have another value than their default, with where it is set."""
    reasons = {
        key: reason for key in values if (reason := find_missing_effect(key, llm_provider=llm_provider))
    }
    return tuple(
        Message(
            "{key} ({place}) has no effect: {reason}",
            key=key.key,
            place=_describe(key.key, origins, file) or origins[key.key].kind,
            reason=reasons[key.key],
        )
        for key in (config_keys() if reasons else ())
        if key.key in reasons
        if values[key.key] != key.default and not (key.is_optional and values[key.key] == "")
    )


def _unset_keys(settings: Settings, environ: Mapping[str, str]) -> tuple[Message, ...]:
    models = settings.models
    names = {"models.embedding": models.embedding.api_key_env, "models.llm": models.llm.api_key_env}
    return tuple(
        Message(
            "{section}.api_key_env names {name}, which is not set: no key is sent to the model server",
            section=section,
            name=name,
        )
        for section, name in names.items()
        if name is not None and not environ.get(name)
    )


def _read_file(
    config_path: Path | None, *, environ: Mapping[str, str], here: Path, content: bytes | None
) -> ConfigFile | None:
    if config_path is not None:
        head, *rest = config_path.parts or (".",)
        path = home_folder(environ).joinpath(*rest) if head == "~" else here / config_path
        return read_config_file(Path(os.path.normpath(path)), content=content)
    try:
        return read_config_file(default_config_file(environ), content=content)
    except ConfigNotFoundError:
        return None


def _collect(
    file: ConfigFile | None, environ: Mapping[str, str], overrides: Mapping[str, object]
) -> tuple[dict[str, Any], dict[str, Origin], tuple[Message, ...]]:
    values = file_layer(file.tables) if file is not None else {}
    origins = dict.fromkeys(values, Origin("file"))
    variables, unknown = environment_layer(environ)
    for key, (name, value) in variables.items():
        values[key], origins[key] = value, Origin("env", name)
    for key, value in flag_layer(overrides).items():
        values[key], origins[key] = value, Origin("flag")
    return values, origins, unknown


def _describe(key: str, origins: Mapping[str, Origin], file: ConfigFile | None) -> Message | None:
    origin = _origin_of(key, origins)
    if origin.kind == "env":
        return Message("from {variable}", variable=origin.name)
    line = file.line_of(key) if file is not None and origin.kind == "file" else None
    if file is None or line is None:
        return None
    return Message("line {line} of {path!r}", line=line, path=str(file.path))


def _origin_of(key: str, origins: Mapping[str, Origin]) -> Origin:
    if key in origins:
        return origins[key]
    below = [origin for name, origin in origins.items() if name.startswith(f"{key}.")]
    order = ("flag", "env")  # the later layer is the likelier culprit; only a file can hold an unknown key
    return next((origin for kind in order for origin in below if origin.kind == kind), Origin("file"))


def _advise(key: str, origins: Mapping[str, Origin], file: ConfigFile | None) -> Remedy | None:
    origin = _origin_of(key, origins)
    if origin.kind == "env":
        default = next((each.default for each in config_keys() if each.env_name == origin.name), None)
        value = default if isinstance(default, str | int | float) else None
        example = Remedy(kind="set", setting=origin.name, value=value)
        return Remedy(kind="unset", name=origin.name, otherwise=example)
    if origin.kind == "flag":
        return Remedy(advice=Message("give another value"))
    return Remedy(advice=Message("edit {path}", path=str(file.path))) if file is not None else None


def _choose_root(values: dict[str, Any], origins: dict[str, Origin]) -> tuple[Message, ...]:
    root, sources = origins.get("workspace.root"), origins.get("workspace.sources")
    if root is None or sources is None:
        return ()
    if root.kind == sources.kind:
        raise ConfigInvalidError(
            "workspace.root and workspace.sources are both set, and only one can say what to ingest",
            remedy=Remedy(
                kind="unset",
                setting="workspace.root",
                then=Remedy(kind="add_source", path=str(values["workspace.root"])),
            ),
            key="workspace.root",
        )
    del values["workspace.sources"], origins["workspace.sources"]
    return (
        Message("workspace.root ({origin}) overrides the workspace.sources of the file", origin=str(root)),
    )
