"""An answer, printed while it is written or when it is complete. Used by `kebab ask` and `kebab demo`."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from kebab_cli.exit_codes import INTERRUPTED

if TYPE_CHECKING:
    from kebab_app import App, AskRequest
    from kebab_core import Answer, AnswerEvent, AnswerFinal, Coverage, RetrievalDone

    from kebab_cli.render import Console
    from kebab_cli.session import Session
    from kebab_cli.views.fence import FencedText


def watch_answer(
    session: Session,
    app: App,
    request: AskRequest,
    *,
    stream: bool = False,
    citations: bool = True,
    on_asked: Callable[[], None] = lambda: None,
) -> Answer:
    """Ask a question and print the answer.

    An interrupt stops the model, and the answer so far is stored. With `stream`, so does a reader that goes away.

    Args:
        session: The command.
        app: The knowledge base.
        request: The question.
        stream: Print the answer while it is written; has no effect on text with explanations.
        citations: List the places below it.
        on_asked: Called once an interrupt no longer loses the answer.

    Returns:
        The answer.
    """
    from kebab_core import AnswerFinal, RetrievalDone

    stream = stream and (session.console.json or not request.explain)
    printer = _printer(session.console) if stream else _Silent()
    with _reader_required(required=stream), closing(app.ask_stream(request)) as events, closing(printer):
        on_asked()
        for event in events:
            printer.show(event)
            if isinstance(event, RetrievalDone):
                found = event
            elif isinstance(event, AnswerFinal):
                final = event
    if session.console.json:
        _print_object(session.console, app, final, found=found, explain=request.explain)
    else:
        _print_text(
            session.console,
            app,
            final.answer,
            found=found,
            explain=request.explain,
            citations=citations,
            shown=printer.shown,
        )
    _remark_if_unstored(session, final)
    return final.answer


def _remark_if_unstored(session: Session, final: AnswerFinal) -> None:
    if final.unstored_reason is not None:
        session.console.remark(f"warning: the answer is not stored: {final.unstored_reason}")
    elif session.options.verbose and not final.persisted:
        session.console.remark("note: the answer is not stored: nothing can be written here")


def _print_object(
    console: Console, app: App, final: AnswerFinal, *, found: RetrievalDone, explain: bool
) -> None:
    from kebab_wire import wire_answer, wire_answer_claim

    from kebab_cli.remedies import render_remedy

    answer = final.answer
    claims = app.find_claims(answer, found.hits) if explain else ()
    explained = [
        wire_answer_claim(each.text, [(s.marker, s.citation, s.quote) for s in each.sources])
        for each in claims
    ]
    console.wire(
        wire_answer(
            answer,
            persisted=final.persisted,
            claims=explained if explain else None,
            hits=found.hits if explain else None,
            coverage=found.coverage,
            render=render_remedy,
        )
    )


def _print_text(
    console: Console,
    app: App,
    answer: Answer,
    *,
    found: RetrievalDone,
    explain: bool,
    citations: bool,
    shown: str,
) -> None:
    from kebab_cli.views.answer import render_answer, render_explanation
    from kebab_cli.views.coverage import list_remarks

    if explain:
        claims = app.find_claims(answer, found.hits)
        render_explanation(console, answer, claims=claims, hits=found.hits, app=app, citations=citations)
    else:
        render_answer(console, answer, app=app, citations=citations, shown=shown)
    for remark in list_remarks(found.coverage, app.loaded) if found.coverage else ():
        console.line(console.style(f"note: {remark}", fg="yellow"))


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


class _Silent:
    """Prints nothing while the answer is written."""

    shown = ""

    def show(self, event: AnswerEvent) -> None:
        """Ignore an event."""

    def close(self) -> None:
        """End the output."""


@dataclass
class _Events(_Silent):
    """Prints every event as a wire object."""

    console: Console
    coverage: Coverage | None = None

    def show(self, event: AnswerEvent) -> None:
        """Print one event."""
        from kebab_core import RetrievalDone
        from kebab_wire import wire_answer_event

        from kebab_cli.remedies import render_remedy

        if isinstance(event, RetrievalDone):
            self.coverage = event.coverage
        self.console.wire(wire_answer_event(event, coverage=self.coverage, render=render_remedy))


@dataclass
class _Text(_Silent):
    """Prints the text as it comes."""

    console: Console
    fenced: FencedText
    shown: str = field(default="")

    def show(self, event: AnswerEvent) -> None:
        """Print the text of a token."""
        from kebab_core import AnswerToken

        if isinstance(event, AnswerToken):
            self.shown += event.delta
            self.console.part(self.fenced.feed(event.delta, event.marker))

    def close(self) -> None:
        """End the last line."""
        self.console.part(self.fenced.end())


def _printer(console: Console) -> _Silent:
    from kebab_cli.views.fence import FencedText

    return _Events(console) if console.json else _Text(console, FencedText(console))


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
