"""`kebab reset`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kebab_cli.language import tr
from kebab_cli.options import KebabCommand, option_group, yes_option
from kebab_cli.render import Console, safe, safe_name
from kebab_cli.session import Session, pass_session

_SCOPES = (
    ("--all", "all", "Everything kebab made, and the configuration."),
    ("--data-only", "data_only", "Index, assets, models and logs in the data folder.  [default]"),
    ("--vector-only", "vector_only", "Vectors; they can be computed again."),
    ("--config-only", "config_only", "The configuration file."),
    ("--orphans-only", "orphans_only", "Documents that no configured source would ingest any more."),
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kebab_app import ResetScope
    from kebab_wire import ResetReport


@click.command(cls=KebabCommand)
@option_group(
    *(
        click.option(flag, "scopes", flag_value=scope, multiple=True, help=text)
        for flag, scope, text in _SCOPES
    )
)
@yes_option
@pass_session
def command(session: Session, scopes: tuple[str, ...], *, yes: bool) -> None:
    """Delete kebab's data. Your own files are never touched.

    Only what the configuration in force points to is deleted.

    Examples:
      kebab reset --data-only
      kebab reset --orphans-only --yes
    """
    from kebab_app import ResetScope
    from kebab_core import InvalidInputError
    from kebab_wire import wire_reset_report

    if len(scopes) > 1:
        raise InvalidInputError(
            "choose one of --all, --data-only, --vector-only, --config-only, --orphans-only",
            hint="kebab reset --help",
        )
    scope = ResetScope(scopes[0] if scopes else "data_only")
    with session.open_app() as app:
        app.require_writable()
        session.confirm_deletion(
            yes=yes, show=lambda: render_reset_plan(session.console, scope, app.plan_reset(scope))
        )
        report = wire_reset_report(app.reset(scope))
    session.console.show_change(report, render_reset)


def render_reset_plan(console: Console, scope: ResetScope, paths: Sequence[Path]) -> None:
    """Print the paths that would be deleted."""
    if scope == "orphans_only":
        console.remark(tr("documents that no configured source would ingest any more will leave the index"))
    for path in paths:
        console.remark(tr("will delete {path}", path=safe_name(str(path))))


def render_reset(console: Console, report: ResetReport) -> None:
    """Print deleted paths and documents."""
    for path in report.removed_paths:
        console.line(f"{tr('deleted')}  {safe(path)}")
    for path in report.purged_paths or ():
        console.line(f"{tr('removed from the index')}  {safe(path)}")
    if not report.removed_paths and not report.purged_paths:
        console.line(tr("nothing to delete"))
