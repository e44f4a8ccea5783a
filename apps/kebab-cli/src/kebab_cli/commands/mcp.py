"""`kebab mcp`: serves; its sub-commands set hosts up to start it."""

from __future__ import annotations

import os
import sys

import click

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
    """
    if context.invoked_subcommand is None:
        _serve(Session(context))


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
