"""`kebab mcp`: the server for agents; `kebab mcp install` adds it to the settings of a host."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from kebab_core import Message

from kebab_cli.hosts import HOSTS, find_fault, find_file, is_switched_off
from kebab_cli.language import localize, tr
from kebab_cli.options import KebabGroup, OneOf, WholeNumber
from kebab_cli.render import Console, pad, safe, safe_name, show_note
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_wire import DoctorCheck, McpHostsV1, McpHostV1, McpInstallV1


_SERVER = ("-P", "-m", "kebab_mcp")
"""`-P`: nothing is imported from the current folder, which may be a stranger's project."""


@click.group(cls=KebabGroup, invoke_without_command=True)
@click.option(
    "--http",
    "port",
    type=WholeNumber(0, 65_535),
    metavar="PORT",
    help="Listen on a port of this machine instead, for any number of hosts.",
)
@pass_session
def command(session: Session, *, port: int | None) -> None:
    """Serve the knowledge base to agents over MCP.

    Speaks the Model Context Protocol on standard input and output until the input ends; a host such as an editor or
    an assistant starts it. With --readonly the tools that write are not offered. With --http, hosts connect to
    http://127.0.0.1:PORT/mcp with the header `Authorization: Bearer TOKEN`; the token is in a file whose path is
    printed at the start. 0 picks a free port.

    Examples:
      kebab mcp
      kebab mcp --readonly --config ./kebab.toml
      kebab mcp --http 8765
      kebab mcp install claude-code --dry-run
    """
    if session.context.invoked_subcommand is None:
        _serve(session, port=port)


_user_option = click.option(
    "--user",
    "for_user",
    is_flag=True,
    help="Change your user-wide settings file, not the one of this folder.",
)


@command.command("install")
@click.argument("host", metavar="[HOST]", type=OneOf(list(HOSTS)), required=False)
@click.option("--file", type=click.Path(path_type=Path, dir_okay=False), help="Change this file instead.")
@click.option(
    "--ingest/--no-ingest",
    default=None,
    help="Whether to offer the tools that write.  [default: as in the existing entry, else offered]",
)
@_user_option
@click.option("--dry-run", is_flag=True, help="Show the change and write nothing.")
@pass_session
def install(
    session: Session,
    host: str | None,
    *,
    file: Path | None,
    ingest: bool | None,
    for_user: bool,
    dry_run: bool,
) -> None:
    """Register `kebab mcp` with a host, such as an editor or assistant.

    Without HOST, lists all hosts with their settings files and whether kebab is registered there. Claude Code,
    Continue and VS Code are set up for the current folder, the others for your user account; with --user Claude
    Code and VS Code too. Everything else in the file is kept, and so are your changes to the entry of kebab:
    arguments such as --readonly, or that it is switched off. The old file is kept as .bak. Only plain JSON and TOML
    are changed: for YAML (goose) and JSON with comments, the entry is printed for you to add.

    Examples:
      kebab mcp install
      kebab mcp install claude-desktop
      kebab mcp install codex --no-ingest --dry-run
      kebab mcp install claude-code --user
    """
    if host is not None:
        path = _find_path(session, host, file=file, for_user=for_user)
        _install(session, host, path=path, ingest=ingest, dry_run=dry_run)
        return
    from kebab_core import InvalidInputError
    from kebab_wire import McpHostsV1

    if file or dry_run:
        raise InvalidInputError(
            "{option} needs a HOST",
            hint=Message("one of {hosts}", hosts=", ".join(HOSTS)),
            _option="--file" if file else "--dry-run",
        )
    hosts = tuple(_wire_host(name, session.environ, for_user=for_user) for name in HOSTS)
    session.console.show(McpHostsV1(hosts=hosts), render_hosts)


@command.command("uninstall")
@click.argument("host", type=OneOf(list(HOSTS)))
@click.option("--file", type=click.Path(path_type=Path, dir_okay=False), help="Change this file instead.")
@_user_option
@click.option("--dry-run", is_flag=True, help="Show the change and write nothing.")
@pass_session
def uninstall(session: Session, host: str, *, file: Path | None, for_user: bool, dry_run: bool) -> None:
    """Remove kebab from a host's settings file.

    Everything else in the file stays, and the old file is kept as .bak. The index and the documents are not touched.

    Examples:
      kebab mcp uninstall cursor
      kebab mcp uninstall claude-code --user --dry-run
    """
    from kebab_wire import McpInstallV1

    from kebab_cli.host_settings import plan_removal

    path = _find_path(session, host, file=file, for_user=for_user)
    if not dry_run:
        session.require_writable()
    change = plan_removal(path, HOSTS[host])
    backup = None if dry_run or change.is_none else change.write()
    report = McpInstallV1(
        host=host,
        path=str(path),
        status="unchanged" if change.is_none else "removed",
        dry_run=dry_run,
        backup_path=None if backup is None else str(backup),
        command="",
        arguments=(),
        diff=change.diff if dry_run and not change.is_none else None,
    )
    show = session.console.show if dry_run else session.console.show_change
    show(report, render_removal)


def _find_path(session: Session, name: str, *, file: Path | None, for_user: bool) -> Path:
    """Find the file to change.

    Raises:
        InvalidInputError: The host has no file for the user.
    """
    from kebab_core import InvalidInputError

    host = HOSTS[name]
    if file is not None:
        return file.absolute()
    if for_user and host.is_project and not host.user_path:
        raise InvalidInputError(
            "kebab knows no settings file of {host} for the user",
            hint=Message("leave --user out, or name the file with --file"),
            _host=host.title,
        )
    return find_file(host, session.environ, for_user=for_user)


def check_hosts(environ: Mapping[str, str]) -> DoctorCheck | None:
    """Check that every entry of kebab in a host's file starts what is there.

    Returns:
        The check; None where no host has kebab.
    """
    from kebab_wire import DoctorCheck

    from kebab_cli.host_settings import read_entry

    names, faults = [], []
    for name, host in HOSTS.items():
        for for_user in (False, True) if host.user_path else (False,):
            path = find_file(host, environ, for_user=for_user)
            entry = read_entry(path, host)
            names += [name] * (entry is not None)
            if (missing := find_fault(host, entry)) is not None:
                flag = " --user" if for_user else ""
                faults.append((missing, path, f"kebab mcp install {name}{flag}"))
    if not names:
        return None
    if not faults:
        named = ", ".join(dict.fromkeys(names))
        return DoctorCheck(name="mcp_hosts", ok=True, detail=Message("kebab is in {hosts}", hosts=named))
    missing, path, fix = faults[0]
    detail = Message("{path} starts {missing}, which does not exist", path=str(path), missing=missing)
    return DoctorCheck(name="mcp_hosts", ok=False, detail=detail, hint=fix)


def _wire_host(name: str, environ: Mapping[str, str], *, for_user: bool) -> McpHostV1:
    from kebab_wire import McpHostV1

    from kebab_cli.host_settings import read_entry

    host = HOSTS[name]
    for_user = for_user and bool(host.user_path)
    path = find_file(host, environ, for_user=for_user)
    entry = read_entry(path, host)
    return McpHostV1(
        host=name,
        title=host.title,
        path=str(path),
        is_project=host.is_project and not for_user,
        exists=path.is_file(),
        installed=entry is not None,
        switched_off=is_switched_off(entry),
    )


def _install(session: Session, name: str, *, path: Path, ingest: bool | None, dry_run: bool) -> None:
    from kebab_wire import McpInstallV1

    from kebab_cli.host_settings import plan_change, spell_entry

    host = HOSTS[name]
    program, *arguments = _start_line(session, no_ingest=ingest is False)
    build_report = partial(McpInstallV1, host=name, path=str(path), dry_run=dry_run, command=program)
    next_step = f"{tr('hint:')} {host.title}: {localize(host.then)}"
    if host.format == "YAML":
        entry = spell_entry(host, host.entry(program, arguments))
        said = tr(
            "kebab does not change {format} files; add this to {path} by hand:",
            format=host.format,
            path=safe_name(str(path)),
        )
        if session.console.json:
            remarks = (f"{said}\n{entry}",)
            session.console.wire(
                build_report(status="unchanged", arguments=tuple(arguments), remarks=remarks)
            )
        else:
            session.console.remark(said)
            session.console.line(safe(entry))
            session.console.remark(next_step)
        return
    change, backup = plan_change(path, host, program, arguments, lets_write=ingest is True), None
    if not dry_run and not change.is_none:
        session.require_writable()
        backup = change.write()
    report = build_report(
        status="unchanged" if change.is_none else "created" if change.before is None else "updated",
        backup_path=None if backup is None else str(backup),
        arguments=change.entry.arguments,
        kept=change.entry.kept,
        dropped=change.entry.dropped,
        switched_off=change.entry.is_off,
        remarks=change.entry.remarks,
        diff=change.diff if dry_run and not change.is_none else None,
    )
    show = session.console.show if dry_run or report.remarks else session.console.show_change
    show(report, partial(render_install, next_step=next_step))


def _start_line(session: Session, *, no_ingest: bool) -> list[str]:
    """Build the command line that starts the server over the configuration in force, in any folder and environment."""
    script = Path(sys.executable).with_name("kebab")
    config = session.load().config_path
    return [
        *([str(script)] if script.exists() else [sys.executable, "-P", "-m", "kebab_cli"]),
        "mcp",
        *(["--config", str(config.absolute())] if config else []),
        *(["--readonly"] if no_ingest else []),
    ]


def _serve(session: Session, *, port: int | None) -> None:
    """Replace this process with the server, so that the host that started it can also end it.

    Raises:
        ConfigNotFoundError: `--config` names a file that does not exist.
    """
    from kebab_core import ConfigNotFoundError

    config = session.options.config
    if config is not None and not config.is_file():
        raise ConfigNotFoundError(
            "there is no configuration file {config!r}",
            hint=f"kebab init --config {config}",
            _config=str(config),
        )
    if port is None and sys.stdin is not None and sys.stdin.isatty():
        session.console.remark(tr("waiting for a client on standard input; Ctrl-C ends it"))
    flags = [
        *(["--config", str(config.absolute())] if config else []),
        *(["--readonly"] if session.readonly else []),
        *(["--debug"] if session.options.debug else []),
        *([] if port is None else ["--http", str(port), "--start-line", _start_text()]),
    ]
    import signal

    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until the server handles it
    os.execv(sys.executable, [sys.executable, *_SERVER, *flags])  # noqa: S606 - this very Python


def _start_text() -> str:
    """The line that the server prints at its start, whose fields it fills in itself."""
    return tr("serving {url} with the token in {path}; Ctrl-C ends it", url="{url}", path="{path}")


def render_install(console: Console, report: McpInstallV1, *, next_step: str) -> None:
    """Print the change that was written, or with a dry run would be, and the next step."""
    path = safe_name(report.path)
    if report.status == "unchanged":
        console.line(f"{tr('unchanged')}  {tr('{path} has kebab already', path=path)}")
        _render_entry(console, report)
        return
    if report.dry_run:
        console.line(safe(report.diff or "").rstrip("\n"))
        text = tr("would be created: {path}", path=path)
        if report.status == "updated":
            text = tr("would be updated: {path}", path=path)
        console.line(text)
        _render_entry(console, report)
        return
    status = tr("created") if report.status == "created" else tr("updated")
    console.line(f"{console.style(pad(status, 7), fg='green')}  {path}")
    if report.backup_path:
        console.line(f"{pad(tr('backup'), 7)}  {safe_name(report.backup_path)}")
    _render_entry(console, report)
    console.line(next_step)


def render_removal(console: Console, report: McpInstallV1) -> None:
    """Print the change that was written, or with a dry run would be."""
    path = safe_name(report.path)
    if report.status == "unchanged":
        console.line(f"{tr('unchanged')}  {tr('{path} has no kebab', path=path)}")
    elif report.dry_run:
        console.line(safe(report.diff or "").rstrip("\n"))
        console.line(tr("would be updated: {path}", path=path))
    else:
        console.line(f"{console.style(pad(tr('removed'), 7), fg='green')}  {path}")
        if report.backup_path:
            console.line(f"{pad(tr('backup'), 7)}  {safe_name(report.backup_path)}")


def _render_entry(console: Console, report: McpInstallV1) -> None:
    """Print kept and dropped arguments of an existing entry."""
    import shlex

    for title, words in ((tr("kept"), report.kept), (tr("dropped"), report.dropped)):
        if words:
            console.line(f"{pad(title, 7)}  {safe_name(shlex.join(words))}")
    for remark in report.remarks:
        show_note(console, safe_name(remark))
    if report.switched_off:
        text = Message("kebab is switched off in this file, and stays so until you switch it on there")
        show_note(console, text)


def render_hosts(console: Console, report: McpHostsV1) -> None:
    """Print the hosts, and which of them name kebab."""
    width = max(len(host.host) for host in report.hosts)
    for host in report.hosts:
        state = tr("switched off") if host.switched_off else tr("has kebab") if host.installed else "-"
        console.line(f"{host.host:{width}}  {pad(state, 12)}  {safe_name(host.path)}")
    console.remark(f"{tr('hint:')} {tr('kebab mcp install HOST, with --dry-run to see the change')}")
