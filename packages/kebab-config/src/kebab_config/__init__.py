"""Finds, loads, checks, writes and migrates the configuration of kebab.

Does not decide what a setting means: each part of kebab reads its own section. Only this package reads the
environment, and only through `read_environment`; `quiet_libraries` and `lighten_libraries` set what libraries
read of it.

    >>> from pathlib import Path
    >>> from kebab_config import load_settings
    >>> loaded = load_settings(config_path=None, environ={"HOME": "/nowhere", "KEBAB_SEARCH_DEFAULT_K": "5"})
    >>> loaded.settings.search.default_k, str(loaded.origins["search.default_k"])
    (5, 'env KEBAB_SEARCH_DEFAULT_K')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_loader

if TYPE_CHECKING:
    from kebab_config.atomic_write import back_up, replace_text, write_new
    from kebab_config.default_file import render_default_config, write_default_config
    from kebab_config.effects import KEYS_WITHOUT_EFFECT
    from kebab_config.environment import read_environment
    from kebab_config.expand import expand_path
    from kebab_config.keys import ConfigKey, config_keys, section_docs
    from kebab_config.library_logging import quiet_libraries
    from kebab_config.library_start import lighten_libraries
    from kebab_config.load import LoadedSettings, load_settings
    from kebab_config.migrate import ConfigChange, ConfigMigration, migrate_config
    from kebab_config.origin import Origin
    from kebab_config.paths import Paths, ResolvedSource, default_config_file
    from kebab_config.settings import SCHEMA_VERSION, Settings
    from kebab_config.sources import add_source

_MODULE_OF = {
    "KEYS_WITHOUT_EFFECT": "effects",
    "SCHEMA_VERSION": "settings",
    "ConfigChange": "migrate",
    "ConfigKey": "keys",
    "ConfigMigration": "migrate",
    "LoadedSettings": "load",
    "Origin": "origin",
    "Paths": "paths",
    "ResolvedSource": "paths",
    "Settings": "settings",
    "add_source": "sources",
    "back_up": "atomic_write",
    "config_keys": "keys",
    "default_config_file": "paths",
    "expand_path": "expand",
    "lighten_libraries": "library_start",
    "load_settings": "load",
    "migrate_config": "migrate",
    "quiet_libraries": "library_logging",
    "read_environment": "environment",
    "render_default_config": "default_file",
    "replace_text": "atomic_write",
    "section_docs": "keys",
    "write_default_config": "default_file",
    "write_new": "atomic_write",
}

__all__ = [
    "KEYS_WITHOUT_EFFECT",
    "SCHEMA_VERSION",
    "ConfigChange",
    "ConfigKey",
    "ConfigMigration",
    "LoadedSettings",
    "Origin",
    "Paths",
    "ResolvedSource",
    "Settings",
    "add_source",
    "back_up",
    "config_keys",
    "default_config_file",
    "expand_path",
    "lighten_libraries",
    "load_settings",
    "migrate_config",
    "quiet_libraries",
    "read_environment",
    "render_default_config",
    "replace_text",
    "section_docs",
    "write_default_config",
    "write_new",
]

__getattr__ = lazy_loader(__name__, _MODULE_OF)


def __dir__() -> list[str]:
    return sorted(__all__)
