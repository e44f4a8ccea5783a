"""`kebab schema`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kebab_cli.language import tr
from kebab_cli.options import KebabCommand
from kebab_cli.render import Console, pad, safe
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_wire import SchemaReport


@click.command(cls=KebabCommand)
@pass_session
def command(session: Session) -> None:
    """Print capabilities, versions and index statistics.

    Prints the capabilities, the wire objects, the versions in use and the statistics of the index.

    Examples:
      kebab schema
      kebab schema --json
    """
    from kebab_wire import WIRE_SCHEMAS, wire_schema_report

    with session.open_app() as app:
        report = wire_schema_report(app.schema(), schemas=WIRE_SCHEMAS)
    session.console.show(report, render_schema)


def render_schema(console: Console, report: SchemaReport) -> None:
    """Print versions, capabilities and statistics."""
    console.line(console.style(f"kebab {report.kebab_version}", bold=True))
    on = sorted(name for name, has in report.capabilities.items() if has)
    off = sorted(name for name, has in report.capabilities.items() if not has)
    console.line(f"{pad(tr('can'), 7)}  {', '.join(on)}")
    console.line(f"{pad(tr('cannot'), 7)}  {', '.join(off)}")
    console.line(f"{pad(tr('wire'), 7)}  {', '.join(report.wire.schemas)}")
    for plugin in report.plugins:
        text = f"{plugin.group} {plugin.name} ({plugin.distribution} {plugin.version})"
        console.line(f"{pad(tr('plugin'), 7)}  {safe(text)}")
    for title, section in ((tr("models"), report.models), (tr("stats"), report.stats)):
        console.line()
        console.line(console.style(title, bold=True))
        for name, value in section.model_dump(mode="json").items():
            console.line(f"  {name}: {_plain(value)}")


def _plain(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, dict):
        return ", ".join(f"{key} {item}" for key, item in value.items()) or "-"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value) or "-"
    return safe(str(value))
