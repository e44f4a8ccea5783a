"""`kebab doctor`."""

from __future__ import annotations

import click

from kebab_cli.exit_codes import SUCCESS, UNHEALTHY
from kebab_cli.options import KebabCommand
from kebab_cli.session import Session


@click.command(cls=KebabCommand)
@click.option("--repair", is_flag=True, help="First mend what searches read, where it is damaged.")
@click.pass_context
def command(context: click.Context, *, repair: bool) -> None:
    """Check that everything is in order.

    Each check that fails says what to do. Exit code 3: at least one check failed.

    Examples:
      kebab doctor
      kebab doctor --repair
      kebab doctor --json
    """
    from kebab_app import report_broken_config
    from kebab_core import ConfigInvalidError, ConfigNotFoundError

    from kebab_cli.views.status import render_doctor

    session = Session(context)
    try:
        with session.open_app() as app:
            report = app.doctor(repair=repair)
    except (ConfigInvalidError, ConfigNotFoundError) as error:
        report = report_broken_config(error)
    if session.console.json:
        session.console.wire(report)
    else:
        render_doctor(session.console, report)
    context.exit(SUCCESS if report.ok else UNHEALTHY)
