"""Rewriting a file of an older kebab, with a step made up for the purpose."""

from __future__ import annotations

from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest
from kebab_config import ConfigChange, migrate_config
from kebab_config.migration import upgrade_tables
from kebab_core import ConfigInvalidError, ConfigNotFoundError

OLD = """\
# 내 설정
schema_version = 1   # the first

[search]
k = 7  # 일곱
snippet_chars = 100
"""
NEW = """\
# 내 설정
schema_version = 2   # the first

[search]
snippet_chars = 100
default_k = 7  # 일곱
"""


def rename_k(tables: MutableMapping[str, Any]) -> list[ConfigChange]:
    search = tables.get("search", {})
    if "k" not in search:
        return []
    search["default_k"] = search.pop("k")
    return [ConfigChange(kind="renamed_key", path="search.k", detail="is called search.default_k now")]


STEPS = {1: rename_k}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(OLD, encoding="utf-8")
    return path


def test_migration_rewrites_only_what_its_step_touches(file: Path) -> None:
    migration = migrate_config(file, dry_run=False, steps=STEPS)
    assert file.read_text(encoding="utf-8") == NEW
    assert (migration.from_schema_version, migration.to_schema_version, migration.changed) == (1, 2, True)
    assert [change.path for change in migration.changes] == ["search.k"]


def test_migration_keeps_the_old_file_beside_the_new(file: Path) -> None:
    migration = migrate_config(file, dry_run=False, steps=STEPS)
    assert migration.backup_path == file.with_name("config.toml.bak")
    assert migration.backup_path.read_text(encoding="utf-8") == OLD


def test_migration_never_overwrites_an_older_backup(file: Path) -> None:
    file.with_name("config.toml.bak").write_text("older", encoding="utf-8")
    assert migrate_config(file, dry_run=False, steps=STEPS).backup_path == file.with_name("config.toml.bak.1")
    assert file.with_name("config.toml.bak").read_text(encoding="utf-8") == "older"


def test_dry_run_reports_the_changes_and_writes_nothing(file: Path) -> None:
    migration = migrate_config(file, dry_run=True, steps=STEPS)
    assert migration.changed
    assert migration.changes
    assert migration.backup_path is None
    assert [path.name for path in file.parent.iterdir()] == ["config.toml"]
    assert file.read_text(encoding="utf-8") == OLD


def test_second_migration_changes_nothing(file: Path) -> None:
    migrate_config(file, dry_run=False, steps=STEPS)
    again = migrate_config(file, dry_run=False, steps=STEPS)
    assert (again.changed, again.changes, again.backup_path) == (False, (), None)


def test_file_of_the_present_version_is_left_alone(file: Path) -> None:
    migration = migrate_config(file, dry_run=False)
    assert not migration.changed
    assert [path.name for path in file.parent.iterdir()] == ["config.toml"]


def test_migration_follows_a_link_and_keeps_the_mode(file: Path) -> None:
    file.chmod(0o640)
    link = file.with_name("link.toml")
    link.symlink_to(file)
    migrate_config(link, dry_run=False, steps=STEPS)
    assert link.is_symlink()
    assert file.read_text(encoding="utf-8") == NEW
    assert file.stat().st_mode & 0o777 == 0o640


def test_old_tables_mean_the_same_before_and_after_the_migration(file: Path) -> None:
    import tomllib

    in_memory = tomllib.loads(OLD)
    upgrade_tables(in_memory, STEPS)
    migrate_config(file, dry_run=False, steps=STEPS)
    assert tomllib.loads(file.read_text(encoding="utf-8")) == in_memory


def test_newer_file_is_refused_untouched(file: Path) -> None:
    file.write_text("schema_version = 3\n", encoding="utf-8")
    with pytest.raises(ConfigInvalidError):
        migrate_config(file, dry_run=False, steps=STEPS)
    assert file.read_text(encoding="utf-8") == "schema_version = 3\n"


def test_missing_file_raises_config_not_found(tmp_path: Path) -> None:
    with pytest.raises(ConfigNotFoundError):
        migrate_config(tmp_path / "no.toml", dry_run=True)
