"""`kebab tui`: the screens in this terminal."""

from __future__ import annotations

import click

from kebab_cli.language import tr
from kebab_cli.options import KebabCommand, words_argument
from kebab_cli.session import Session, pass_session

MODULE = "kebab_tui"


@click.command(cls=KebabCommand)
@words_argument("query", required=False)
@pass_session
def command(session: Session, /, query: str | None) -> None:
    """Search, ask and read in this terminal.

    `kebab` alone does the same. Hits come while you type, by words at once and by meaning when you pause; the text of the chosen one stands beside
    them with the cited lines marked. Enter opens it in your editor at the line, F2 asks what stands in the box, F1
    lists all keys. QUERY stands in the box at first.

    Examples:
      kebab
      kebab tui
      kebab tui 백업 절차
    """
    open_screens(session, query or "", "kebab tui")


def open_screens(session: Session, query: str, name: str, *flags: str) -> None:
    """Let the screens take the place of this process.

    Args:
        session: Gives the global flags.
        query: Stands in the box at first.
        name: Of the command.
        flags: Further ones of the screens.

    Raises:
        UsageError: JSON is asked for.
        ConfigNotFoundError: The configuration file that is named is not there.
    """
    from kebab_cli.faces import require_config, run_face

    if session.console.json:
        raise click.UsageError(tr("`{name}` has no JSON output; leave out --json", name=name))
    require_config(session)
    run_face(session, MODULE, *flags, "--", query)
