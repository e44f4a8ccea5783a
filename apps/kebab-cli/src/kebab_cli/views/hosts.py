"""Setting up a host."""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

from kebab_cli.render import Console, safe

if TYPE_CHECKING:
    from kebab_wire import McpInstallV1

    from kebab_cli.host_file import Change


def render_install(console: Console, report: McpInstallV1, *, change: Change, then: str) -> None:
    """Print what was, or with a dry run would be, written, and what to do next."""
    path = safe(report.path)
    if report.status == "unchanged":
        console.line(f"unchanged  {path} has kebab already")
        return
    if report.dry_run:
        for line in _difference(change):
            console.line(safe(line))
        console.line(f"would be {report.status}: {path}")
        return
    console.line(f"{console.style(report.status, fg='green')}  {path}")
    if report.backup_path:
        console.line(f"backup   {safe(report.backup_path)}")
    console.line(f"hint: {then}")


def _difference(change: Change) -> list[str]:
    before = (change.before or "").splitlines()
    return list(unified_diff(before, change.after.splitlines(), "now", "then", lineterm="", n=2))
