"""`kebab config`."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from kebab_core import Message

from kebab_cli.language import localize, tr
from kebab_cli.options import KebabGroup, find_nearest
from kebab_cli.render import Console, pad, safe, safe_name, show_hint
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_config import LoadedSettings
    from kebab_wire import ConfigMigrationV1, ConfigReport


_CHANGES = {
    "added_section": Message("added section"),
    "added_key": Message("added key"),
    "removed_key": Message("removed key"),
    "renamed_key": Message("renamed key"),
    "changed_value": Message("changed value"),
}


@click.group(cls=KebabGroup)
def command() -> None:
    """Show or change the configuration.

    Examples:
      kebab config show
      kebab config add-source ~/Documents/papers --id papers
      kebab config set search.default_k 20
      kebab config migrate --dry-run
    """


@command.command("show")
@pass_session
def show(session: Session) -> None:
    """Show every setting with its value and origin."""
    from kebab_wire import wire_config_report

    report = wire_config_report(session.load())
    session.console.show(report, render_config)


@command.command("add-source")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--id", "source_id", metavar="NAME", help="Name of the source.  [default: the folder's name]")
@pass_session
def add_source_command(session: Session, folder: Path, *, source_id: str | None) -> None:
    """Add a folder to the configuration. `kebab ingest` then reads it too."""
    from kebab_app import add_folder
    from kebab_wire import wire_config_report

    session.require_writable()
    loaded = session.load()
    _require_file(loaded, root=folder)
    add_folder(loaded, folder, source_id=source_id)
    report = wire_config_report(session.load())
    session.console.show_change(report, partial(render_config, only="workspace."))


@command.command("remove-source")
@click.argument("source_id", metavar="NAME")
@pass_session
def remove_source_command(session: Session, source_id: str) -> None:
    """Remove a folder from the configuration. `kebab reset --orphans-only` then removes its documents from the index."""
    from kebab_config import remove_source
    from kebab_wire import wire_config_report

    session.require_writable()
    remove_source(_require_file(session.load()), source_id=source_id)
    report = wire_config_report(session.load())
    session.console.show_change(report, partial(render_config, only="workspace."))
    later = tr("kebab reset --orphans-only removes its documents from the index")
    session.console.remark(f"{tr('hint:')} {later}")


@command.command("set")
@click.argument("key")
@click.argument("value")
@pass_session
def set_command(session: Session, key: str, value: str) -> None:
    """Change one setting in the configuration file. Example: `search.default_k 20`."""
    from kebab_app import require_provider
    from kebab_config import set_value
    from kebab_wire import wire_config_report

    session.require_writable()
    require_provider(key, value)
    set_value(_require_path(session), key, value)
    session.console.show_change(wire_config_report(session.load()), partial(render_config, only=key))


@command.command("get")
@click.argument("key")
@pass_session
def get_command(session: Session, key: str) -> None:
    """Show one setting, or a section of them, such as `search`."""
    from kebab_core import InvalidInputError
    from kebab_wire import wire_config_report

    report = wire_config_report(session.load())
    if not any(each.key == key or each.key.startswith(f"{key}.") for each in report.keys):
        near = find_nearest(key, [each.key for each in report.keys])
        hint = tr("did you mean {names}?", names=repr(near)) if near else "kebab config show"
        raise InvalidInputError("there is no setting {key!r}", hint=hint, key=key)
    keys = tuple(each for each in report.keys if each.key == key or each.key.startswith(f"{key}."))
    report = report.model_copy(update={"keys": keys})
    session.console.show(report, partial(render_config, only=key))


@command.command("edit")
@pass_session
def edit_command(session: Session) -> None:
    """Edit the configuration file, and check it afterwards. The editor is $VISUAL, else $EDITOR."""
    from kebab_core import InvalidInputError
    from kebab_wire import wire_config_report

    session.require_writable()
    path = _require_path(session)
    if sys.stdin is None or not sys.stdin.isatty():
        raise InvalidInputError("the editor needs a terminal", hint="kebab config set KEY VALUE")
    click.edit(filename=str(path))
    report = wire_config_report(session.load())
    session.console.show(report, lambda console, _: console.line(tr("{path} is valid", path=safe(str(path)))))


def _require_path(session: Session) -> Path:
    """Require a configuration file, which may hold mistakes.

    Raises:
        ConfigNotFoundError: There is none.
    """
    from kebab_config import default_config_file
    from kebab_core import ConfigNotFoundError

    path = session.options.config or default_config_file(session.environ)
    if not path.exists():
        raise ConfigNotFoundError(
            "there is no configuration file {path!r}", hint="kebab init", _path=str(path)
        )
    return path


def _require_file(loaded: LoadedSettings, *, root: Path | None = None) -> Path:
    """Require a configuration file.

    Raises:
        ConfigNotFoundError: There is none yet.
    """
    from kebab_core import ConfigNotFoundError

    if loaded.config_path is None:
        hint = "kebab init" if root is None else f"kebab init --root {root}"
        raise ConfigNotFoundError("there is no configuration file yet", hint=hint)
    return loaded.config_path


@command.command("migrate")
@click.option("--dry-run", is_flag=True, help="Show what would change and write nothing.")
@pass_session
def migrate(session: Session, *, dry_run: bool) -> None:
    """Convert an older configuration file to the current format. The old file is kept as .bak."""
    from kebab_config import default_config_file, migrate_config
    from kebab_wire import wire_config_migration

    if not dry_run:
        session.require_writable()
    path = session.options.config or default_config_file(session.environ)
    report = wire_config_migration(migrate_config(path, dry_run=dry_run))
    session.console.show(report, render_migration)


def render_config(console: Console, report: ConfigReport, *, only: str = "") -> None:
    """Print every key that begins with `only`, with its value and origin."""
    console.line(
        tr("# {path}", path=safe(report.config_path))
        if report.config_exists
        else tr("# {path} (does not exist; defaults)", path=safe(report.config_path))
    )
    keys = [key for key in report.keys if key.key.startswith(only)]
    width = max(len(key.key) for key in keys)
    for key in keys:
        name = f" {key.origin_name}" if key.origin_name else ""
        effect = f" ({tr('no effect')})" if key.in_effect is False else ""
        origin = console.style(f"  # {key.origin}{name}{effect}", dim=True)
        console.line(f"{key.key.ljust(width)} = {safe_name(_toml(key.value))}{origin}")


def _toml(value: object) -> str:
    """Format a value as in a configuration file; an unset one is empty."""
    import json

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
    """Print the changes, or with a dry run those that would be made."""
    for change in report.changes:
        console.line(f"{localize(_CHANGES[change.kind])}  {change.path}: {safe(change.detail)}")
    if not report.changed:
        console.line(
            tr(
                "{path} is up to date (version {version})",
                path=safe(report.config_path),
                version=report.to_schema_version,
            )
        )
    elif report.dry_run:
        show_hint(console, Message("run it without --dry-run to write this"))
    else:
        console.line(f"{pad(tr('backup'), 7)}  {safe(report.backup_path or '')}")
