"""The question before something is deleted."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from kebab_cli.exit_codes import INTERRUPTED
from kebab_cli.session import Session


def confirm_deletion(
    context: click.Context, session: Session, *, yes: bool, show: Callable[[], None]
) -> None:
    """Ask whether to go on; exit with 130 where the answer is no.

    Args:
        context: Of the command.
        session: Whose console asks.
        yes: Do not ask.
        show: Prints what would be deleted, before the question.

    Raises:
        InvalidInputError: Nobody is there to answer.
    """
    from kebab_core import InvalidInputError

    if yes:
        return
    if sys.stdin is None or not sys.stdin.isatty() or session.console.json:
        raise InvalidInputError(
            f"{context.command.name} asks before it deletes, and here is nobody to ask", hint="add --yes"
        )
    show()
    try:
        is_agreed = click.confirm("Delete this?", err=True)
    except click.Abort:
        session.console.remark("")  # the question's line is still open
        is_agreed = False
    if not is_agreed:
        session.console.remark("nothing was deleted")
        context.exit(INTERRUPTED)
