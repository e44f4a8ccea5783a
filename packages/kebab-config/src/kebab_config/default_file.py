"""The configuration file that `kebab init` writes: every key with its default, as comments to be uncommented.

A line that is active is a decision of the user; the others show defaults that may improve with a later version.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

from kebab_core import ConfigInvalidError, SourceSettings

from kebab_config.atomic_write import write_new
from kebab_config.keys import ConfigKey, config_keys, describe_field, section_docs
from kebab_config.layers import unknown_key
from kebab_config.settings import SCHEMA_VERSION

_HEAD = """\
# The configuration of kebab. Every key is here with its default; to change one, remove the `# ` before it.
# A variable KEBAB_<SECTION>_<KEY> wins over this file, and a flag over both: kebab config show tells which did.
# Paths may use ~, $HOME and ${VARIABLE:-fallback}; a relative one starts from the folder of this file.
"""


def write_default_config(
    path: Path, *, root: str | None = None, values: Mapping[str, object] | None = None
) -> None:
    """Write a commented file that only its owner may read; its folders are made.

    Args:
        path: Where; nothing may be there.
        root: Folder of documents to set in it, as `workspace.root`; a dollar sign in it is only that.
        values: Keys to set in it, by dotted name; JSON values.

    Raises:
        InvalidInputError: There is a file already; it is left as it is.
        ConfigInvalidError: `values` names a key that does not exist.
        StorageError: It cannot be written.
    """
    chosen = {"workspace.root": root.replace("$", "$$")} if root is not None else {}
    write_new(path, render_default_config({**chosen, **(values or {})}))


def render_default_config(values: Mapping[str, object]) -> str:
    """Return the text of the file; `values` by dotted key are active lines, everything else is commented.

    Raises:
        ConfigInvalidError: `values` names a key that does not exist.
    """
    known = {key.key for key in config_keys()}
    for name in values:
        if name not in known:
            raise ConfigInvalidError(f"{name}: {unknown_key(name)}", key=name)
    lines = [_HEAD, f"schema_version = {SCHEMA_VERSION}"]
    for section, keys in _by_section().items():
        lines += ["", f"[{section}]", f"# {section_docs()[section]}", "#"]
        for key in keys:
            lines += _render_key(key, values)
    return "\n".join(lines) + "\n"


def _by_section() -> dict[str, list[ConfigKey]]:
    keys = [key for key in config_keys() if "." in key.key]
    grouped = groupby(sorted(keys, key=_section_order), key=lambda key: key.key.rpartition(".")[0])
    return {section: list(members) for section, members in grouped}


def _section_order(key: ConfigKey) -> int:
    return list(section_docs()).index(key.key.rpartition(".")[0])


def _render_key(key: ConfigKey, values: Mapping[str, object]) -> Iterator[str]:
    if key.kind == "list of tables":
        yield from _render_sources(key)
        return
    if remark := _remark(key):
        yield f"# {remark}"
    name = key.key.rpartition(".")[2]
    value = values.get(key.key, key.default)
    yield f"{'' if key.key in values else '# '}{name} = {format_value(value)}"


def _render_sources(key: ConfigKey) -> Iterator[str]:
    yield f"# {_remark(key)}"
    yield "#   [[workspace.sources]]"
    examples = {"id": "notes", "root": "~/Notes", "trust_level": "secondary", "source_type": "reference"}
    for name, field in SourceSettings.model_fields.items():
        described = describe_field(name, field, section=SourceSettings)
        value = examples.get(name, described.default)
        yield f"#   {name} = {format_value(value)}  # {_remark(described)}"


def _remark(key: ConfigKey) -> str:
    allowed = " | ".join(key.choices) or key.bounds
    unset = "empty is unset" if key.is_optional else ""
    remarks = (allowed, unset, "" if key.in_effect else "no effect yet")
    return " ".join(
        part for part in (key.description, *(f"({remark})" for remark in remarks if remark)) if part
    )


def format_value(value: object) -> str:
    """Return a JSON value as TOML; None is an empty text."""
    return json.dumps("" if value is None else value, ensure_ascii=False).replace("\x7f", "\\u007f")
