"""Setting up, showing the configuration, and deleting."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_cli.render import Console, safe, safe_name

if TYPE_CHECKING:
    from kebab_app import ResetScope
    from kebab_wire import ConfigMigrationV1, ConfigReport, InitReport, ResetReport


def render_init(console: Console, report: InitReport, *, asked_root: Path | None) -> None:
    """Print what was made, what was there, and what to do next."""
    for path in report.created:
        console.line(f"{console.style('created', fg='green')}  {safe(path)}")
    for path in report.kept:
        console.line(f"kept     {safe(path)}")
    if report.backup_path:
        console.line(f"backup   {safe(report.backup_path)}")
    wanted = str(asked_root.expanduser().absolute()) if asked_root else None
    if wanted and wanted not in report.roots:
        console.line(f"note: the configuration was there already and does not name {safe(wanted)}")
        console.line(f"hint: kebab config add-source {safe(wanted)}")
    else:
        console.line("hint: put documents into the folder, then run kebab ingest")


def render_config(console: Console, report: ConfigReport, *, only: str = "") -> None:
    """Print every key that begins with `only`, with its value and origin."""
    console.line(
        f"# {safe(report.config_path)}{'' if report.config_exists else ' (does not exist; defaults)'}"
    )
    keys = [key for key in report.keys if key.key.startswith(only)]
    width = max(len(key.key) for key in keys)
    for key in keys:
        name = f" {key.origin_name}" if key.origin_name else ""
        effect = " (no effect yet)" if key.in_effect is False else ""
        origin = console.style(f"  # {key.origin}{name}{effect}", dim=True)
        console.line(f"{key.key.ljust(width)} = {safe_name(_toml(key.value))}{origin}")


def _toml(value: object) -> str:
    """Return a value as a configuration file would say it; what is unset as nothing."""
    match value:
        case None:
            return ""
        case list() | tuple():
            return f"[{', '.join(map(_toml, value))}]"
        case dict():
            said = {name: part for name, part in value.items() if part is not None}
            return "{" + ", ".join(f"{name} = {_toml(part)}" for name, part in said.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def render_migration(console: Console, report: ConfigMigrationV1) -> None:
    """Print what changed, or would change."""
    for change in report.changes:
        console.line(f"{change.kind.replace('_', ' ')}  {change.path}: {safe(change.detail)}")
    if not report.changed:
        console.line(f"{safe(report.config_path)} is up to date (version {report.to_schema_version})")
    elif report.dry_run:
        console.line("hint: run it without --dry-run to write this")
    else:
        console.line(f"backup   {safe(report.backup_path or '')}")


def render_reset_plan(console: Console, scope: ResetScope, paths: Sequence[Path]) -> None:
    """Print what would be deleted."""
    if scope == "orphans_only":
        console.remark("documents that no configured source would ingest any more will leave the index")
    for path in paths:
        console.remark(f"will delete {safe_name(str(path))}")


def render_reset(console: Console, report: ResetReport) -> None:
    """Print what was deleted."""
    for path in report.removed_paths:
        console.line(f"deleted  {safe(path)}")
    for path in report.purged_paths or ():
        console.line(f"removed from the index  {safe(path)}")
    if not report.removed_paths and not report.purged_paths:
        console.line("nothing to delete")
