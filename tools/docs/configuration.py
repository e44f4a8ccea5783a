"""The page about configuration keys, from the settings models."""

from __future__ import annotations

import json
from collections.abc import Iterator

from kebab_config import ConfigKey, config_keys, section_docs

from tools.docs.markdown import join_parts, render_code, render_table

_INTRODUCTION = """
# Configuration keys

A flag wins over an environment variable, that over the configuration file, and that over the default. Relative paths in
the file are relative to the file's folder. `kebab config show` prints the values in force and where each comes from.

"No effect yet" marks keys that are checked but that nothing in this version acts on; "no effect with `extractive`" those
that only a model of a plugin takes.
"""
_HEADER = ("key", "default", "may be", "meaning", "environment")


def render() -> str:
    """Return the page."""
    return join_parts([_INTRODUCTION, *_sections()])


def _sections() -> Iterator[str]:
    docs = section_docs()
    by_section: dict[str, list[ConfigKey]] = {}
    for key in config_keys():
        by_section.setdefault(key.key.rpartition(".")[0], []).append(key)
    for section, keys in by_section.items():
        yield f"## {render_code(f'[{section}]')}" if section else "## Top level"
        yield docs.get(section, "")
        yield render_table(_HEADER, (_row(key) for key in keys))


def _row(key: ConfigKey) -> tuple[str, ...]:
    default = "unset" if key.default is None else render_code(json.dumps(key.default, ensure_ascii=False))
    name = key.key.rpartition(".")[2]
    meaning = f"{key.description} ({key.effect_note})" if key.effect_note else key.description
    return render_code(name), default, _allowed(key), meaning, render_code(key.env_name or "")


def _allowed(key: ConfigKey) -> str:
    if key.choices:
        return ", ".join(render_code(choice) for choice in key.choices)
    return f"{key.kind}, {key.bounds}" if key.bounds else str(key.kind)
