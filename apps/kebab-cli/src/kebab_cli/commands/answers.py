"""`kebab answers`."""

from __future__ import annotations

import click

from kebab_cli.options import KebabGroup
from kebab_cli.session import Session


@click.group(cls=KebabGroup)
def command() -> None:
    """Look at answers that were given.

    Examples:
      kebab answers list --limit 5
      kebab answers show ret_4a8b2c1e90d37f56
    """


@command.command("list")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, help="Answers at most.")
@click.pass_context
def list_answers(context: click.Context, *, limit: int) -> None:
    """List questions and answers, newest first."""
    session = Session(context)
    with session.open_app() as app:
        answers = app.list_answers(limit=limit)
    if session.console.json:
        from kebab_wire import wire_answer_list

        session.console.wire(wire_answer_list(answers))
    else:
        from kebab_cli.views.answer import render_answers

        render_answers(session.console, answers)


@command.command("show")
@click.argument("trace_id", metavar="ID")
@click.pass_context
def show(context: click.Context, *, trace_id: str) -> None:
    """Show an answer again, by the id that `kebab answers list` and --explain print."""
    session = Session(context)
    with session.open_app() as app:
        question, answer = app.show_answer(trace_id)
        if session.console.json:
            from kebab_wire import wire_answer_record

            session.console.wire(wire_answer_record(question, answer))
        else:
            from kebab_cli.render import safe
            from kebab_cli.views.answer import render_answer

            session.console.line(session.console.style(f"? {safe(question)}", bold=True))
            session.console.line()
            render_answer(session.console, answer, app=app, citations=True)
