"""`kebab doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kebab_cli.exit_codes import SUCCESS, UNHEALTHY
from kebab_cli.language import tr
from kebab_cli.options import KebabCommand
from kebab_cli.render import Console, safe
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_wire import DoctorReport


@click.command(cls=KebabCommand)
@click.option("--repair", is_flag=True, help="First repair search indexes that are damaged.")
@pass_session
def command(session: Session, *, repair: bool) -> int:
    """Check configuration, database, models and sources.

    Each failed check says how to repair it. Exit code 3: at least one check failed.

    Examples:
      kebab doctor
      kebab doctor --repair
      kebab doctor --json
    """
    from kebab_app import report_broken_config
    from kebab_core import ConfigInvalidError, ConfigNotFoundError
    from kebab_wire import wire_doctor

    from kebab_cli.commands.mcp import check_hosts
    from kebab_cli.remedies import render_remedy

    try:
        with session.open_app() as app:
            report = wire_doctor(app.doctor(repair=repair), render=render_remedy)
    except (ConfigInvalidError, ConfigNotFoundError) as error:
        report = wire_doctor(report_broken_config(error), render=render_remedy)
    if (hosts := check_hosts(session.environ)) is not None:
        checks = (*report.checks, hosts)
        report = report.model_copy(update={"checks": checks, "ok": report.ok and hosts.ok})
    session.console.show(report, render_doctor)
    return SUCCESS if report.ok else UNHEALTHY


def render_doctor(console: Console, report: DoctorReport) -> None:
    """Print one line for each check, a hint below each that failed unless one before had it, and the count of failures."""
    for done in report.repaired or ():
        console.line(tr("repaired: {what}", what=safe(done)))
    width = max(len(check.name) for check in report.checks)
    used = width + 4
    hints = set[str]()
    for check in report.checks:
        mark = console.style("✓", fg="green") if check.ok else console.style("✗", fg="red")
        lines = [console.hang(line, used=used) for line in safe(check.detail).split("\n")]
        detail = f"\n{' ' * used}".join(lines)
        console.line(f"{mark} {check.name.ljust(width)}  {detail}")
        if check.hint and not check.ok and check.hint not in hints:
            hints.add(check.hint)
            hint = f"{tr('hint:')} {safe(check.hint)}"
            console.line(f"  {console.hang(hint, used=2)}")
    failed = sum(not check.ok for check in report.checks)
    if failed:
        console.line()
        console.line(tr("{count} check failed.", plural="{count} checks failed.", count=failed))
