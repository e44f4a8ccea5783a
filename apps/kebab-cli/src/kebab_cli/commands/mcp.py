"""`kebab mcp`: serves; its sub-commands set hosts up to start it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from kebab_cli.choices import OneOf
from kebab_cli.hosts import HOSTS, find_file
from kebab_cli.options import KebabGroup
from kebab_cli.session import Session

_SERVER = ("-P", "-m", "kebab_mcp")
"""`-P`: nothing is imported out of the folder that a host happens to start it in, a stranger's project perhaps."""


@click.group(cls=KebabGroup, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Serve the knowledge base to agents (MCP).

    Speaks the Model Context Protocol on standard input and output until the input ends; a host such as an editor
    or an assistant starts it. With --readonly the tools that write are not offered.

    Examples:
      kebab mcp
      kebab mcp --readonly --config ./kebab.toml
      kebab mcp install claude-code --dry-run
    """
    if context.invoked_subcommand is None:
        _serve(Session(context))


@command.command("install")
@click.argument("host", metavar="HOST", type=OneOf(list(HOSTS)))
@click.option("--file", type=click.Path(path_type=Path, dir_okay=False), help="Change this file instead.")
@click.option("--no-ingest", is_flag=True, help="Leave out the tools that write.")
@click.option("--dry-run", is_flag=True, help="Show the change and write nothing.")
@click.pass_context
def install(context: click.Context, host: str, *, file: Path | None, no_ingest: bool, dry_run: bool) -> None:
    """Have a host start `kebab mcp`.

    HOST is claude-code, claude-desktop, cursor, gemini-cli, vscode or windsurf. Those of an editor's project are
    changed in the folder at hand. Other entries, comments and the order of things stay; the old file is kept as
    .bak; a file that is not JSON is left as it is.

    Examples:
      kebab mcp install claude-desktop
      kebab mcp install vscode --no-ingest --dry-run
    """
    from kebab_wire import McpInstallV1

    from kebab_cli.host_file import carry_out, plan_change
    from kebab_cli.views.hosts import render_install

    session, found = Session(context), HOSTS[host]
    program, *arguments = _start_line(session, no_ingest=no_ingest)
    change = plan_change(
        file.absolute() if file else find_file(found, session.environ),
        members=found.members,
        entry={**found.also, "command": program, "args": arguments},
    )
    if not dry_run and not change.is_none:
        session.require_writable()
    report = McpInstallV1(
        host=host,
        path=str(change.path),
        status="unchanged" if change.is_none else "created" if change.before is None else "updated",
        dry_run=dry_run,
        backup_path=None if dry_run or change.is_none else _text(carry_out(change)),
        command=program,
        arguments=tuple(arguments),
    )
    if session.console.json:
        session.console.wire(report)
    else:
        render_install(session.console, report, change=change, then=f"{found.title}: {found.then}")


def _start_line(session: Session, *, no_ingest: bool) -> list[str]:
    """Return what starts the server over the configuration in force, wherever and with whatever environment."""
    script = Path(sys.executable).with_name("kebab")
    config = session.load().config_path
    return [
        *([str(script)] if script.exists() else [sys.executable, "-P", "-m", "kebab_cli"]),
        "mcp",
        *(["--config", str(config.absolute())] if config else []),
        *(["--readonly"] if no_ingest else []),
    ]


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _serve(session: Session) -> None:
    """Become the server: it keeps this process's id, so that the host that started it can also end it.

    Raises:
        ConfigNotFoundError: `--config` names a file that does not exist.
    """
    from kebab_core import ConfigNotFoundError

    config = session.options.config
    if config is not None and not config.is_file():
        raise ConfigNotFoundError(
            f"there is no configuration file {str(config)!r}", hint=f"kebab init --config {config}"
        )
    if sys.stdin is not None and sys.stdin.isatty():
        session.console.remark("waiting for a client on standard input; Ctrl-C ends it")
    flags = [
        *(["--config", str(config.absolute())] if config else []),
        *(["--readonly"] if session.readonly else []),
        *(["--debug"] if session.options.debug else []),
    ]
    os.execv(sys.executable, [sys.executable, *_SERVER, *flags])  # noqa: S606 - this very Python
