"""An answer, printed while it is written or when it is complete. Used by `kebab ask` and `kebab demo`."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from kebab_cli.exit_codes import INTERRUPTED
from kebab_cli.language import tr
from kebab_cli.last_hits import remember_answer

if TYPE_CHECKING:
    from kebab_app import App, AskRequest
    from kebab_core import Answer, AnswerEvent, AnswerFinal, AnswerToken, Coverage, RetrievalDone

    from kebab_cli.render import Console
    from kebab_cli.session import Session


class WatchedAnswer(NamedTuple):
    """An answer that was printed, with what the search found."""

    answer: Answer
    found: RetrievalDone


def watch_answer(
    session: Session,
    app: App,
    request: AskRequest,
    *,
    stream: bool = False,
    citations: bool = True,
    on_asked: Callable[[], None] = lambda: None,
) -> WatchedAnswer:
    """Ask a question and print the answer.

    An interrupt stops the model, and the answer so far is stored. With `stream`, so does a reader that goes away.

    Args:
        session: The command.
        app: The knowledge base.
        request: The question.
        stream: Print the answer while it is written; has no effect on text with explanations.
        citations: List the places below it.
        on_asked: Called once an interrupt no longer loses the answer.
    """
    from kebab_core import AnswerFinal, AnswerToken, HopDone, RetrievalDone

    from kebab_cli.render import one_line

    console = session.console
    stream = stream and (console.json or not request.explain)
    coverage: Coverage | None = None
    text = _StreamedText(console)
    with _reader_required(required=stream), closing(app.ask_stream(request)) as events, closing(text):
        on_asked()
        for event in events:
            if isinstance(event, HopDone) and stream and not console.json:
                for question in event.hop.sub_queries:
                    console.remark(tr("looked up: {question}", question=one_line(question)))
            elif isinstance(event, RetrievalDone):
                found, coverage = event, event.coverage
            elif isinstance(event, AnswerFinal):
                final = event
            if stream and console.json:
                _print_event(console, event, coverage, app)
            elif stream and isinstance(event, AnswerToken):
                text.add(event)
    remember_answer(app, final.answer, request.question)
    if console.json:
        _print_object(console, final, found, explain=request.explain, app=app)
    else:
        _print_text(
            console,
            final.answer,
            app=app,
            found=found,
            explain=request.explain,
            citations=citations,
            shown=text.shown,
        )
    _remark_if_unstored(session, final)
    return WatchedAnswer(final.answer, found)


def _remark_if_unstored(session: Session, final: AnswerFinal) -> None:
    if final.unstored_reason is not None:
        text = tr("the answer is not stored: {reason}", reason=final.unstored_reason)
        session.console.remark(f"{tr('warning:')} {text}")
    elif session.options.verbose and not final.persisted:
        text = tr("the answer is not stored: nothing can be written here")
        session.console.remark(f"{tr('note:')} {text}")


def _print_object(
    console: Console,
    final: AnswerFinal,
    found: RetrievalDone,
    *,
    explain: bool,
    app: App,
) -> None:
    from kebab_wire import wire_answer

    from kebab_cli.remedies import render_remedy

    console.wire(
        wire_answer(
            final.answer,
            persisted=final.persisted,
            hits=found.hits if explain else None,
            coverage=found.coverage,
            render=render_remedy,
            find_file=app.find_existing_file,
        )
    )


def _print_text(
    console: Console,
    answer: Answer,
    *,
    app: App,
    found: RetrievalDone,
    explain: bool,
    citations: bool,
    shown: str,
) -> None:
    from kebab_cli.views.answer import render_answer, render_explanation
    from kebab_cli.views.coverage import list_remarks

    if explain:
        render_explanation(console, answer, hits=found.hits, app=app, citations=citations)
    else:
        render_answer(console, answer, app=app, citations=citations, shown=shown)
    for remark in list_remarks(found.coverage, app.loaded) if found.coverage else ():
        console.line(console.style(f"{tr('note:')} {remark}", fg="yellow"))


@contextmanager
def _reader_required(*, required: bool) -> Iterator[None]:
    """Inside the block, a closed output counts as an interrupt.

    Yields:
        Nothing.

    Raises:
        click.exceptions.Exit: The reader is gone.
        BrokenPipeError: As raised inside, where no reader is required.
    """
    try:
        yield
    except BrokenPipeError:
        if not required:
            raise
        raise click.exceptions.Exit(INTERRUPTED) from None


class _StreamedText:
    """The text of an answer, printed as it comes."""

    def __init__(self, console: Console) -> None:
        from kebab_cli.views.fence import FencedText

        self._console = console
        self._fenced = FencedText(console)
        self.shown = ""

    def add(self, token: AnswerToken) -> None:
        """Print the text of a token."""
        self.shown += token.delta
        self._console.part(
            self._fenced.feed(token.delta, token.marker, token.verdict, is_header=bool(token.header_row))
        )

    def close(self) -> None:
        """End the last line."""
        if self.shown:
            self._console.part(self._fenced.end())


def _print_event(console: Console, event: AnswerEvent, coverage: Coverage | None, app: App) -> None:
    from kebab_wire import wire_answer_event

    from kebab_cli.remedies import render_remedy

    console.wire(
        wire_answer_event(event, coverage=coverage, render=render_remedy, find_file=app.find_existing_file)
    )


@contextmanager
def hold_interrupts() -> Iterator[Callable[[], None]]:
    """Inside the block, Ctrl-C waits until the yielded function is called, or the block ends.

    For work that must be set up before it can be stopped. Interrupts that the process ignores stay ignored.

    Yields:
        The function that releases: raises `KeyboardInterrupt` if one waits.
    """
    pending: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda number, _frame: pending.append(number))

    def release() -> None:
        signal.signal(signal.SIGINT, before)
        if pending:
            pending.clear()
            raise KeyboardInterrupt

    try:
        yield release
    finally:
        release()
