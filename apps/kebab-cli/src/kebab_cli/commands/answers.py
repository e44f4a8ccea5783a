"""`kebab answers`."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import click

from kebab_cli.filters import Instant
from kebab_cli.options import KebabGroup, WholeNumber, yes_option
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_app import AnswerChoice


@click.group(cls=KebabGroup)
def command() -> None:
    """List, show or delete stored answers.

    Examples:
      kebab answers list --limit 5
      kebab answers show ret_4a8b2c1e90d37f56
      kebab answers delete ret_4a8b
      kebab answers purge --quoting notes/old.md
    """


@command.command("list")
@click.option("--limit", "-k", type=WholeNumber(1, 10_000), default=20, help="Maximum number of answers.")
@pass_session
def list_answers(session: Session, *, limit: int) -> None:
    """List questions and answers, newest first."""
    with session.open_app() as app:
        answers = app.list_answers(limit=limit)
        if session.console.json:
            from kebab_wire import wire_answer_list

            session.console.wire(wire_answer_list(answers, find_file=app.find_existing_file))
        else:
            from kebab_cli.views.answer import render_answers

            render_answers(session.console, answers)


@command.command("show")
@click.argument("trace_id", metavar="ID")
@pass_session
def show(session: Session, *, trace_id: str) -> None:
    """Show a stored answer. `kebab answers list` and --explain print its id; a unique beginning is enough.

    Its citations can then be opened as @1, @2 and so on.
    """
    from kebab_cli.last_hits import remember_answer

    with session.open_app() as app:
        question, answer = app.show_answer(trace_id)
        remember_answer(app, answer, question)
        if session.console.json:
            from kebab_wire import wire_answer_record

            session.console.wire(wire_answer_record(question, answer, find_file=app.find_existing_file))
        else:
            from kebab_cli.render import safe
            from kebab_cli.views.answer import render_answer

            session.console.line(session.console.style(f"? {safe(question)}", bold=True))
            session.console.line()
            render_answer(session.console, answer, app=app, citations=True)


@command.command("delete")
@click.argument("trace_ids", metavar="ID...", nargs=-1, required=True)
@yes_option
@pass_session
def delete(session: Session, *, trace_ids: tuple[str, ...], yes: bool) -> None:
    """Delete answers by id, or by a unique beginning of an id."""
    from kebab_app import AnswerChoice

    _delete(session, AnswerChoice(ids=trace_ids), yes=yes)


@command.command("purge")
@click.option("--all", "is_all", is_flag=True, help="All answers.")
@click.option("--before", type=Instant(), metavar="TIME", help="Answers given before this time.")
@click.option(
    "--older-than", type=WholeNumber(0, 36_500), metavar="DAYS", help="Answers older than this many days."
)
@click.option("--quoting", metavar="DOCUMENT", help="Answers that quote this document: a path or an id.")
@yes_option
@pass_session
def purge(
    session: Session,
    *,
    is_all: bool,
    before: datetime | None,
    older_than: int | None,
    quoting: str | None,
    yes: bool,
) -> None:
    """Delete answers by age, or by the document that they quote.

    With both --quoting and a time, only answers that match both are deleted. An interrupted answer has no
    citations; --quoting deletes it too.
    """
    from kebab_app import AnswerChoice, SystemClock
    from kebab_core import InvalidInputError

    times = [time for time in (before, older_than) if time is not None]
    is_narrowed = bool(times) or quoting is not None
    if is_all is is_narrowed or len(times) > 1:
        raise InvalidInputError(
            "give --all, --before, --older-than or --quoting", hint="kebab answers purge --help"
        )
    if older_than is not None:
        before = SystemClock().now() - timedelta(days=older_than)
    _delete(session, AnswerChoice(before=before, quoting=quoting), yes=yes)


def _delete(session: Session, choice: AnswerChoice, *, yes: bool) -> None:
    from kebab_wire import wire_erasure

    from kebab_cli.views.documents import render_answer_plan, render_erasure

    session.require_writable()
    with session.open_app() as app:
        found = app.find_answers(choice)
        if found:
            session.confirm_deletion(yes=yes, show=lambda: render_answer_plan(session.console, found))
        report = wire_erasure(app.delete_answers(found))
    session.console.show_change(report, render_erasure)
