"""Conversations: a line each, and one with its turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_cli.language import tr
from kebab_cli.render import Console, one_line, safe, safe_name, show_hint

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import ChatSession, Turn


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
