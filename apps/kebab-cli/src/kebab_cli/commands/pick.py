"""`kebab pick`: choose a document or a place by typing, and print its address."""

from __future__ import annotations

import click

from kebab_cli.commands.tui import open_screens
from kebab_cli.options import KebabCommand, words_argument
from kebab_cli.session import Session, pass_session


@click.command(cls=KebabCommand)
@words_argument("query", required=False)
@click.option("--path", "path", is_flag=True, help="Print the path of the file instead of the address.")
@pass_session
def command(session: Session, /, query: str | None, *, path: bool) -> None:
    """Choose a place in your documents and print its address.

    Type to search; Enter prints the address of what is chosen. The screen is drawn on standard error, so that the
    address can be used by another command. Exit code 1: nothing was chosen. With `kebab completion` Alt-K opens it in
    the command line.

    Examples:
      kebab pick 백업
      kebab fetch "$(kebab pick)"
      kebab ask "when is it due?" --doc-id "$(kebab pick invoice)"
      vim "$(kebab pick --path 회의록)"
    """
    open_screens(session, query or "", "kebab pick", "--pick", *(["--path"] if path else []))
