"""`kebab sessions`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_cli.language import tr
from kebab_cli.render import Console, one_line, safe, safe_name, show_hint

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import ChatSession, Turn

import click

from kebab_cli.options import KebabGroup, WholeNumber, yes_option
from kebab_cli.session import Session, pass_session


@click.group(cls=KebabGroup)
def command() -> None:
    """List, show or delete conversations.

    A conversation is a series of questions and answers, stored by kebab ask --session NAME and kebab chat.

    Examples:
      kebab sessions list
      kebab sessions show release
      kebab sessions delete release
    """


@command.command("list")
@click.option(
    "--limit", "-k", type=WholeNumber(1, 10_000), default=20, help="Maximum number of conversations."
)
@pass_session
def list_sessions(session: Session, *, limit: int) -> None:
    """List conversations, last used first."""
    from kebab_app import Conversations

    with session.open_app() as app:
        sessions = Conversations(app.base).list(limit=limit)
    if session.console.json:
        from kebab_wire import wire_session_list

        session.console.wire(wire_session_list(sessions))
    else:
        render_sessions(session.console, sessions)


@command.command("show")
@click.argument("name")
@pass_session
def show(session: Session, *, name: str) -> None:
    """Show the questions and answers of a conversation."""
    from kebab_app import Conversations

    with session.open_app() as app:
        found = Conversations(app.base).show(name)
        if session.console.json:
            from kebab_wire import wire_session

            session.console.wire(wire_session(*found, find_file=app.find_existing_file))
        else:
            render_turns(session.console, found.turns, app)


@command.command("delete")
@click.argument("name")
@yes_option
@pass_session
def delete(session: Session, *, name: str, yes: bool) -> None:
    """Delete a conversation and its answers."""
    from kebab_app import Conversations
    from kebab_wire import wire_erasure

    from kebab_cli.views.documents import render_erasure

    session.require_writable()
    with session.open_app() as app:
        found = Conversations(app.base).show(name)
        session.confirm_deletion(yes=yes, show=lambda: render_turns(session.console, found.turns, app))
        report = wire_erasure(Conversations(app.base).delete(name))
    session.console.show_change(report, render_erasure)


def render_sessions(console: Console, sessions: Sequence[ChatSession]) -> None:
    """Print one line for each conversation: when it was last used, its name, its first question."""
    if not sessions:
        console.line(tr("no conversations yet"))
        show_hint(console, 'kebab ask --session NAME "…"')
        return
    for session in sessions:
        when = console.style(f"{session.updated_at.astimezone():%Y-%m-%d %H:%M}", dim=True)
        name = console.style(safe_name(session.session_id), bold=True)
        console.line(f"{when}  {name}  {one_line(session.title or '')}")


def render_turns(console: Console, turns: Sequence[Turn], app: App) -> None:
    """Print questions and answers, oldest first, each answer with its places."""
    from kebab_cli.views.search import link_place

    for turn in turns:
        when = console.style(f"{turn.created_at.astimezone():%Y-%m-%d %H:%M}", dim=True)
        console.line(f"{console.style(f'? {safe(turn.question)}', bold=True)}  {when}")
        console.line(safe(turn.answer))
        for cited in turn.citations:
            if cited.marker:
                console.line(
                    f"{console.style(cited.marker, bold=True)} {link_place(console, cited.citation, app)}"
                )
        console.line()
