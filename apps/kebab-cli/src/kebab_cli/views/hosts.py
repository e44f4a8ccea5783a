"""Setting up a host."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from kebab_cli.render import Console, safe, safe_name

if TYPE_CHECKING:
    from kebab_wire import McpHostsV1, McpInstallV1


def render_install(console: Console, report: McpInstallV1, *, then: str) -> None:
    """Print what was, or with a dry run would be, written, and what to do next."""
    path = safe_name(report.path)
    if report.status == "unchanged":
        console.line(f"unchanged  {path} has kebab already")
        _render_entry(console, report)
        return
    if report.dry_run:
        console.line(safe(report.diff or "").rstrip("\n"))
        console.line(f"would be {report.status}: {path}")
        _render_entry(console, report)
        return
    console.line(f"{console.style(report.status, fg='green')}  {path}")
    if report.backup_path:
        console.line(f"backup   {safe_name(report.backup_path)}")
    _render_entry(console, report)
    console.line(f"hint: {then}")


def _render_entry(console: Console, report: McpInstallV1) -> None:
    """Print what stays of an entry that was there, and what does not."""
    for title, words in (("kept", report.kept), ("dropped", report.dropped)):
        if words:
            console.line(f"{title:7}  {safe_name(shlex.join(words))}")
    for remark in report.remarks:
        console.line(f"note: {safe_name(remark)}")
    if report.switched_off:
        console.line("note: kebab is switched off in this file, and stays so until you switch it on there")


def render_hosts(console: Console, report: McpHostsV1) -> None:
    """Print the hosts there are, and which of them know kebab."""
    width = max(len(host.host) for host in report.hosts)
    for host in report.hosts:
        state = "switched off" if host.switched_off else "has kebab" if host.installed else "-"
        console.line(f"{host.host:{width}}  {state:12}  {safe_name(host.path)}")
    console.remark("hint: kebab mcp install HOST, with --dry-run to see the change")
