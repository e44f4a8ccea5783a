"""`kebab reset`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from kebab_cli.options import KebabCommand
from kebab_cli.session import Session

_F = TypeVar("_F", bound=Callable[..., Any])
_SCOPES = (
    ("--all", "all", "Everything kebab made, and the configuration."),
    ("--data-only", "data_only", "Index, assets, models and logs in the data folder.  [default]"),
    ("--vector-only", "vector_only", "Vectors; they can be made again."),
    ("--config-only", "config_only", "The configuration file."),
    ("--orphans-only", "orphans_only", "Documents that no configured source would ingest any more."),
)


def _scope_options(function: _F) -> _F:
    for flag, value, text in reversed(_SCOPES):
        function = click.option(flag, "scopes", flag_value=value, multiple=True, help=text)(function)
    return function


@click.command(cls=KebabCommand)
@_scope_options
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def command(context: click.Context, scopes: tuple[str, ...], *, yes: bool) -> None:
    """Delete what kebab made. Your own files are never touched.

    Only what the configuration in force points to is deleted.

    Examples:
      kebab reset --data-only
      kebab reset --orphans-only --yes
    """
    from kebab_app import ResetScope, plan_reset
    from kebab_core import InvalidInputError

    from kebab_cli.confirmation import confirm_deletion
    from kebab_cli.views.setup import render_reset, render_reset_plan

    if len(scopes) > 1:
        raise InvalidInputError(
            "choose one of --all, --data-only, --vector-only, --config-only, --orphans-only",
            hint="kebab reset --help",
        )
    scope = ResetScope(scopes[0] if scopes else "data_only")
    session = Session(context)
    with session.open_app() as app:
        app.require_writable()
        confirm_deletion(
            context,
            session,
            yes=yes,
            show=lambda: render_reset_plan(session.console, scope, plan_reset(app, scope)),
        )
        report = app.reset(scope)
    if session.console.json:
        session.console.wire(report)
    else:
        render_reset(session.console, report)
