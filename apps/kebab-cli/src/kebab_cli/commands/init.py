"""`kebab init`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kebab_cli.options import KebabCommand
from kebab_cli.render import Console, safe
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_wire import InitReport


@click.command(cls=KebabCommand)
@click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    multiple=True,
    help="Folder with your documents; may be given several times.  [default: ~/KnowledgeBase]",
)
@click.option(
    "--models",
    type=click.Choice(["small", "large"]),
    help="small comes with kebab; large is slower, finds more, and is fetched with `kebab models pull`.  [default: small]",
)
@click.option(
    "--force", is_flag=True, help="Put an existing configuration aside as .bak and write a new one."
)
@pass_session
def command(session: Session, root: tuple[Path, ...], *, models: str | None, force: bool) -> None:
    """Set up a knowledge base over a folder.

    Makes configuration, data folder and database. Nothing that exists is overwritten.

    Examples:
      kebab init --root ~/Notes
      kebab init --root ~/Notes --root ~/Papers
      kebab init --config ./kebab.toml --root ./docs
      kebab init --root ~/Notes --models large
    """
    from kebab_app import initialize
    from kebab_wire import wire_init_report

    from kebab_cli.remedies import render_remedy

    session.require_writable()
    report = wire_init_report(
        initialize(
            config_path=session.options.config,
            root=root[0] if root else None,
            more_roots=root[1:],
            environ=session.environ,
            force=force,
            models=models,
        ),
        render=render_remedy,
    )
    session.console.show(report, partial(render_init, asked_roots=root))


def render_init(console: Console, report: InitReport, *, asked_roots: Sequence[Path]) -> None:
    """Print created and kept files, and the next step."""
    for path in report.created:
        console.line(f"{console.style('created', fg='green')}  {safe(path)}")
    for path in report.kept:
        console.line(f"kept     {safe(path)}")
    if report.backup_path:
        console.line(f"backup   {safe(report.backup_path)}")
    wanted = [str(root.expanduser().absolute()) for root in asked_roots]
    missing = [root for root in wanted if root not in report.roots]
    for root in missing:
        console.line(f"note: the configuration was there already and does not name {safe(root)}")
        console.line(f"hint: kebab config add-source {safe(root)}")
    if missing:
        return
    if set(report.roots) & set(report.created):
        console.line("hint: put documents into the folder, then run kebab ingest")
    else:
        console.line("hint: kebab ingest")
    for step in report.missing:
        console.line(f"hint: {safe(step or '')}")
