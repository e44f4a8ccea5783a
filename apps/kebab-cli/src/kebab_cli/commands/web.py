"""`kebab web`: the page on this machine."""

from __future__ import annotations

import os
import sys

import click

from kebab_cli.language import tr
from kebab_cli.options import KebabCommand, WholeNumber
from kebab_cli.session import Session, pass_session

_SERVER = ("-P", "-m", "kebab_web")
"""`-P`: nothing is imported from the current folder, which may be a stranger's project."""


@click.command(cls=KebabCommand)
@click.option(
    "--port",
    type=WholeNumber(0, 65_535),
    metavar="PORT",
    help="Port of this machine; 0 picks a free one.  [default: 8420, or the next free one]",
)
@click.option("--no-open", is_flag=True, help="Open no browser; print the address alone.")
@pass_session
def command(session: Session, *, port: int | None, no_open: bool) -> None:
    """Open the knowledge base as a page in the browser.

    Search while typing, ask with Ctrl+Enter, and read beside it the place that an answer cites. The page is served to
    this machine alone and loads nothing from the network. The address that is printed lets one browser in, once and
    within a minute. Where the page is being served already, a new address to it is printed. Ctrl-C ends it.

    Examples:
      kebab web
      kebab web --port 9000 --no-open
    """
    from kebab_core import ConfigNotFoundError

    if session.console.json:
        raise click.UsageError(tr("`kebab web` has no JSON output; leave out --json"))
    config = session.options.config
    if config is not None and not config.is_file():
        raise ConfigNotFoundError(
            "there is no configuration file {config!r}",
            hint=f"kebab init --config {config}",
            _config=str(config),
        )
    flags = [
        *(["--config", str(config.absolute())] if config else []),
        *(["--readonly"] if session.readonly else []),
        *(["--debug"] if session.options.debug else []),
        *([] if port is None else ["--port", str(port)]),
        *(["--no-open"] if no_open else []),
    ]
    os.execv(sys.executable, [sys.executable, *_SERVER, *flags])  # noqa: S606 - this very Python
