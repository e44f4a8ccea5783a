"""Setting up a host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_cli.render import Console, safe, safe_name

if TYPE_CHECKING:
    from kebab_wire import McpHostsV1, McpInstallV1


def render_install(console: Console, report: McpInstallV1, *, then: str) -> None:
    """Print what was, or with a dry run would be, written, and what to do next."""
    path = safe_name(report.path)
    if report.status == "unchanged":
        console.line(f"unchanged  {path} has kebab already")
        return
    if report.dry_run:
        console.line(safe(report.diff or "").rstrip("\n"))
        console.line(f"would be {report.status}: {path}")
        return
    console.line(f"{console.style(report.status, fg='green')}  {path}")
    if report.backup_path:
        console.line(f"backup   {safe_name(report.backup_path)}")
    console.line(f"hint: {then}")


def render_hosts(console: Console, report: McpHostsV1) -> None:
    """Print the hosts there are, and which of them know kebab."""
    width = max(len(host.host) for host in report.hosts)
    for host in report.hosts:
        state = "has kebab" if host.installed else "-"
        console.line(f"{host.host:{width}}  {state:9}  {safe_name(host.path)}")
    console.remark("hint: kebab mcp install HOST, with --dry-run to see the change")
