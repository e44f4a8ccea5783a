"""Finds, loads, checks, writes and migrates the configuration of kebab, and finds the plugins that it names.

Does not decide what a setting means: each part of kebab reads its own section. Only this package reads the
environment, and only through `read_environment`; `quiet_libraries`, `lighten_libraries`, `secure_cluster` and `set_library_language` set variables that
libraries read.

    >>> from pathlib import Path
    >>> from kebab_config import load_settings
    >>> loaded = load_settings(config_path=None, environ={"HOME": "/nowhere", "KEBAB_SEARCH_DEFAULT_K": "5"})
    >>> loaded.settings.search.default_k, str(loaded.origins["search.default_k"])
    (5, 'env KEBAB_SEARCH_DEFAULT_K')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_config.default_file import (
        add_source as add_source,
        name_sources as name_sources,
        remove_source as remove_source,
        render_default_config as render_default_config,
        set_value as set_value,
        set_values as set_values,
        write_default_config as write_default_config,
    )
    from kebab_config.environment import (
        Language as Language,
        choose_language as choose_language,
        is_readonly as is_readonly,
        lighten_libraries as lighten_libraries,
        quiet_libraries as quiet_libraries,
        read_environment as read_environment,
        secure_cluster as secure_cluster,
        set_library_language as set_library_language,
    )
    from kebab_config.face_flags import FaceFlags as FaceFlags, build_flag_parser as build_flag_parser
    from kebab_config.load import (
        LoadedSettings as LoadedSettings,
        Origin as Origin,
        load_settings as load_settings,
    )
    from kebab_config.migration import (
        ConfigChange as ConfigChange,
        ConfigMigration as ConfigMigration,
        migrate_config as migrate_config,
    )
    from kebab_config.paths import (
        Paths as Paths,
        ResolvedSource as ResolvedSource,
        absolute_path as absolute_path,
        default_config_file as default_config_file,
        expand_path as expand_path,
    )
    from kebab_config.plugins import (
        Plugin as Plugin,
        find_plugin as find_plugin,
        list_plugins as list_plugins,
        require_plugin as require_plugin,
    )
    from kebab_config.settings import (
        EXTRACTIVE_PROVIDER as EXTRACTIVE_PROVIDER,
        SCHEMA_VERSION as SCHEMA_VERSION,
        ConfigKey as ConfigKey,
        Settings as Settings,
        check_section as check_section,
        config_keys as config_keys,
        section_docs as section_docs,
    )
    from kebab_config.toml_file import (
        back_up as back_up,
        put_in_place as put_in_place,
        replace_text as replace_text,
        write_new as write_new,
    )

__getattr__, __dir__ = lazy_exports(__name__)
