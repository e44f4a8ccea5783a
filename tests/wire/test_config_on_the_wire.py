"""The configuration, loaded by one package and printed by another."""

from __future__ import annotations

import json
from pathlib import Path

from kebab_config import config_keys, load_settings, migrate_config, write_default_config
from kebab_wire import parse_wire, wire_config_migration, wire_config_report, wire_json


def test_report_has_every_key_with_value_origin_and_the_paths_in_force(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "KEBAB_SEARCH_DEFAULT_K": "5", "KEBAB_TYPO": "1"}
    loaded = load_settings(config_path=None, environ=environ, overrides={"workspace.exclude": ("초안/**",)})
    line = wire_json(wire_config_report(loaded))
    assert wire_json(parse_wire(line)) == line
    shown = json.loads(line)
    keys = {key["key"]: key for key in shown["keys"]}
    assert list(keys) == [key.key for key in config_keys()]
    assert keys["search.default_k"] == {
        "key": "search.default_k",
        "value": 5,
        "origin": "env",
        "origin_name": "KEBAB_SEARCH_DEFAULT_K",
    }
    assert keys["workspace.exclude"] == {"key": "workspace.exclude", "value": ["초안/**"], "origin": "flag"}
    assert keys["models.llm.endpoint"] == {
        "key": "models.llm.endpoint",
        "value": None,
        "origin": "default",
        "in_effect": False,
    }
    assert {name for name, key in keys.items() if "in_effect" in key} == loaded.keys_without_effect
    assert shown["config_exists"] is False
    assert shown["config_path"] == shown["paths"]["config_file"] == str(loaded.paths.config_file)
    assert shown["paths"]["sources"] == [{"id": "default", "root": str(tmp_path / "KnowledgeBase")}]
    assert len(shown["warnings"]) == 1


def test_migration_that_changes_nothing_is_a_wire_object(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    write_default_config(path)
    line = wire_json(wire_config_migration(migrate_config(path, dry_run=True)))
    assert wire_json(parse_wire(line)) == line
    shown = json.loads(line)
    assert (shown["changed"], shown["changes"], "backup_path" in shown) == (False, [], False)
