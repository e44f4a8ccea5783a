"""Checks and capabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_cli.render import Console, safe

if TYPE_CHECKING:
    from kebab_wire import DoctorReport, SchemaReport


def render_doctor(console: Console, report: DoctorReport) -> None:
    """Print one line for each check, a hint below each that failed, and the count of failures."""
    for done in report.repaired or ():
        console.line(f"repaired: {safe(done)}")
    width = max(len(check.name) for check in report.checks)
    below = "\n" + " " * (width + 4)
    for check in report.checks:
        mark = console.style("✓", fg="green") if check.ok else console.style("✗", fg="red")
        detail = safe(check.detail).replace("\n", below)
        console.line(f"{mark} {check.name.ljust(width)}  {detail}")
        if check.hint and not check.ok:
            console.line(f"  hint: {safe(check.hint)}")
    failed = sum(not check.ok for check in report.checks)
    if failed:
        console.line()
        console.line(f"{failed} check{'s' if failed > 1 else ''} failed.")


def render_schema(console: Console, report: SchemaReport) -> None:
    """Print versions, capabilities and statistics."""
    console.line(console.style(f"kebab {report.kebab_version}", bold=True))
    on = sorted(name for name, has in report.capabilities.items() if has)
    off = sorted(name for name, has in report.capabilities.items() if not has)
    console.line(f"can      {', '.join(on)}")
    console.line(f"cannot   {', '.join(off)}")
    console.line(f"wire     {', '.join(report.wire.schemas)}")
    for title, section in (("models", report.models), ("stats", report.stats)):
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
