"""`kebab chat`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from kebab_cli.exit_codes import SUCCESS
from kebab_cli.filters import filter_options, flag_error, mode_option, resolve_ids
from kebab_cli.language import tr
from kebab_cli.options import KebabCommand, k_option
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import Answer

    from kebab_cli.answer_stream import WatchedAnswer

_PROMPT = "› "


@click.command(cls=KebabCommand)
@click.option(
    "--session", "name", metavar="NAME", help="Continue the conversation of this name, or start it."
)
@k_option("Maximum number of passages to read.")
@mode_option("Search full text (lexical), embeddings (vector), or both (hybrid).")
@filter_options
@pass_session
def command(session: Session, /, name: str | None, **flags: Any) -> int:
    """Ask questions that follow up on each other.

    A question may refer to earlier ones: "and the second one?". /open 2 opens citation [2], /why shows what
    supports the answer, /help lists the commands. Ctrl-C stops an answer, Ctrl-D exits. Questions may also be piped
    in, one per line; exit code 2 if one of them failed. The conversation is stored; kebab sessions shows it again.

    Examples:
      kebab chat
      kebab chat --session release --tag ops
    """
    from kebab_cli.failure import report_failure

    session.require_writable()
    code = SUCCESS
    with session.open_app() as app:
        chat = _Chat(session, app, name or f"chat-{app.base.clock.now().astimezone():%Y-%m-%d-%H%M%S}", flags)
        chat.flags = resolve_ids(app, flags)
        for line in _read_lines(session, _earlier_questions(app, name)):
            try:
                if line in {"/quit", "/exit"}:
                    break
                chat.answer(line)
            except KeyboardInterrupt:
                session.console.remark(tr("stopped"))
            except Exception as error:  # noqa: BLE001 - a question that fails does not end the conversation
                code = report_failure(error, sys.argv[1:])
    return SUCCESS if sys.stdin.isatty() else code


def _earlier_questions(app: App, name: str | None) -> list[str]:
    from kebab_app import Conversations
    from kebab_core import InvalidInputError

    with suppress(InvalidInputError):
        return [turn.question for turn in Conversations(app.base).show(name).turns] if name else []
    return []


def _read_lines(session: Session, earlier: list[str]) -> Iterator[str]:
    """Yield what is typed, or comes from a pipe, without empty lines; earlier questions come back with the arrow keys."""
    is_person = sys.stdin.isatty() and sys.stdout.isatty() and not session.console.json
    if not is_person:
        yield from filter(None, map(str.strip, sys.stdin))
        return
    with suppress(ImportError):  # not part of every build of Python
        import readline

        for question in earlier:
            readline.add_history(question)
    session.console.line(tr("Type a question. /help lists the commands, Ctrl-D exits."))
    while True:
        try:
            line = input(_PROMPT).strip()
        except EOFError:
            session.console.line()
            return
        except KeyboardInterrupt:
            session.console.line()
            continue
        if line:
            yield line


class _Chat:
    """One conversation at the terminal."""

    def __init__(self, session: Session, app: App, name: str, flags: Mapping[str, Any]) -> None:
        self._session, self._app, self._name = session, app, name
        self._last: WatchedAnswer | None = None
        self._stopped: Answer | None = None
        """The answer that Ctrl-C stopped last, where that is the last one."""
        self.flags = flags

    def answer(self, line: str) -> None:
        """Answer a question, or do what a line with a slash says.

        Raises:
            InvalidInputError: There is no such command, or nothing that it could be about.
        """
        word, _, rest = line.partition(" ")
        match word:
            case "/help":
                self._help()
            case "/open":
                self._open(rest.strip().strip("[]"))
            case "/why":
                self._explain()
            case _ if word.startswith("/"):
                from kebab_core import InvalidInputError

                raise InvalidInputError("there is no {command}", hint="/help", _command=word)
            case _:
                self._ask(line)

    def _ask(self, question: str) -> None:
        from kebab_app import build_ask_request

        from kebab_cli.answer_stream import hold_interrupts, watch_answer

        wanted = {name: self.flags[name] for name in ("mode", "k")}
        request = build_ask_request(
            self._app.base, question, filters=self.flags, complain=flag_error, session=self._name, **wanted
        )
        self._last = self._stopped = None
        try:
            with hold_interrupts() as release:
                self._last = watch_answer(self._session, self._app, request, stream=True, on_asked=release)
        except KeyboardInterrupt:
            self._show_stopped(question)
            raise
        if self._session.console.terminal:
            self._session.console.line()

    def _show_stopped(self, question: str) -> None:
        """Print the places of what was shown before an answer was stopped; they are stored with it."""
        from kebab_cli.views.answer import render_citations

        asked, answer = next(iter(self._app.list_answers(limit=1)), (None, None))
        if answer is not None and asked == question and answer.conversation_id == self._name:
            self._stopped = answer
            if not self._session.console.json:
                render_citations(self._session.console, answer, self._app)

    def _open(self, number: str) -> None:
        from kebab_core import InvalidInputError

        from kebab_cli.commands.open import open_place
        from kebab_cli.last_hits import number_citations

        places = number_citations(self._stopped or self._require_answer().answer)
        if not number.isdecimal() or int(number) not in places:
            raise InvalidInputError(
                "the answer has no citation [{number}]", hint="/open 1", _number=number or "?"
            )
        open_place(self._session, self._app, places[int(number)])

    def _explain(self) -> None:
        from kebab_cli.views.answer import render_explanation

        answer, found = self._require_answer()
        render_explanation(self._session.console, answer, hits=found.hits, app=self._app, citations=True)

    def _require_answer(self) -> WatchedAnswer:
        """Return the last answer.

        Raises:
            InvalidInputError: Nothing was asked yet.
        """
        from kebab_core import InvalidInputError

        if self._stopped is not None:
            raise InvalidInputError("the last answer was stopped", hint="/help")
        if self._last is None:
            raise InvalidInputError("there is no answer yet", hint="/help")
        return self._last

    def _help(self) -> None:
        for name, meaning in (
            ("/open 2", tr("opens citation [2]")),
            ("/why", tr("shows what supports the answer")),
            ("/quit", tr("exits, like Ctrl-D")),
        ):
            self._session.console.line(f"{name:<9} {meaning}")
