"""`kebab config`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kebab_cli.options import KebabGroup
from kebab_cli.session import Session

if TYPE_CHECKING:
    from kebab_config import LoadedSettings


@click.group(cls=KebabGroup)
def command() -> None:
    """Show or change the configuration.

    Examples:
      kebab config show
      kebab config add-source ~/Documents/papers --id papers
      kebab config migrate --dry-run
    """


@command.command("show")
@click.pass_context
def show(context: click.Context) -> None:
    """Show every setting in force and where it comes from."""
    from kebab_wire import wire_config_report

    from kebab_cli.views.setup import render_config

    session = Session(context)
    report = wire_config_report(session.load())
    if session.console.json:
        session.console.wire(report)
    else:
        render_config(session.console, report)


@command.command("add-source")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--id", "source_id", metavar="NAME", help="Its name.  [default: the folder's name]")
@click.pass_context
def add_source_command(context: click.Context, folder: Path, *, source_id: str | None) -> None:
    """Add a folder to the configuration; `kebab ingest` then reads it too."""
    from kebab_config import add_source
    from kebab_core import ConfigNotFoundError
    from kebab_wire import wire_config_report

    from kebab_cli.views.setup import render_config

    session = Session(context)
    session.require_writable()
    loaded = session.load()
    if loaded.config_path is None:
        raise ConfigNotFoundError("there is no configuration file yet", hint=f"kebab init --root {folder}")
    absolute = folder.expanduser().absolute()
    _refuse_overlap(loaded, absolute)
    add_source(loaded.config_path, folder=absolute, source_id=source_id or absolute.name)
    report = wire_config_report(session.load())
    if session.console.json:
        session.console.wire(report)
    else:
        render_config(session.console, report, only="workspace.")


def _refuse_overlap(loaded: LoadedSettings, folder: Path) -> None:
    """Do nothing where no file of the folder belongs to a source.

    Raises:
        InvalidInputError: A source holds the folder or lies in it, so that its files would be there twice.
    """
    from kebab_core import InvalidInputError

    place = folder.resolve()
    roots = {source.settings.id: source.root.resolve() for source in loaded.paths.sources}
    twice = [
        f"{name} ({root})"
        for name, root in roots.items()
        if place != root and (place.is_relative_to(root) or root.is_relative_to(place))
    ]
    if twice:
        raise InvalidInputError(
            f"{str(folder)!r} overlaps {'source' if len(twice) == 1 else 'sources'} {', '.join(twice)}: "
            "files of both would be indexed twice",
            hint=f"add a folder beside them, or edit {loaded.config_path} so that one source holds it all",
        )


@command.command("migrate")
@click.option("--dry-run", is_flag=True, help="Only tell what would change.")
@click.pass_context
def migrate(context: click.Context, *, dry_run: bool) -> None:
    """Rewrite an older configuration file for this kebab; the old one is kept as .bak."""
    from kebab_config import default_config_file, migrate_config
    from kebab_wire import wire_config_migration

    from kebab_cli.views.setup import render_migration

    session = Session(context)
    if not dry_run:
        session.require_writable()
    path = session.options.config or default_config_file(session.environ)
    report = wire_config_migration(migrate_config(path, dry_run=dry_run))
    if session.console.json:
        session.console.wire(report)
    else:
        render_migration(session.console, report)
