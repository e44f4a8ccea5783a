"""`kebab demo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kebab_cli.language import tr
from kebab_cli.options import KebabCommand
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import SearchMode, SearchResponse

ANSWERED = "데이터는 어디에 저장되나요?"
"""A question in Korean that the guides answer."""
REFUSED = "how much did we spend on travel in March?"
"""A question in English that they do not."""
QUERY = "how much time and memory may reading a file take?"
"""A question in English that a Word document among the Korean guides answers without a word that they share."""


@click.command(cls=KebabCommand)
@click.option("--web", is_flag=True, help="Open the guides as a page in the browser instead, until Ctrl-C.")
@click.option("--no-open", is_flag=True, help="With --web: open no browser; print the address alone.")
@pass_session
def command(session: Session, *, web: bool, no_open: bool) -> None:
    """Index and search kebab's own guides, in a temporary folder.

    Indexes the guides, answers a question, refuses one that the guides do not answer, searches, and prints a hit.
    Everything is deleted afterwards.

    Examples:
      kebab demo
      kebab demo --web
    """
    if web:
        from kebab_cli.commands.web import run_server

        if session.console.json:
            raise click.UsageError(tr("`kebab web` has no JSON output; leave out --json"))
        run_server(session, "--demo", *(["--no-open"] if no_open else []))
    from kebab_app import choose_mode, open_demo

    with open_demo() as app:
        _ingest(session, app)
        mode = choose_mode(app.base)
        _ask(session, app, ANSWERED, mode=mode)
        _ask(session, app, REFUSED, mode=mode, remark=tr("the guides do not say"))
        _open_first_hit(session, app, _search(session, app, mode=mode))
    _say_next(session)


def _ingest(session: Session, app: App) -> None:
    from kebab_cli.progress import make_sink
    from kebab_cli.views.ingest import render_report

    _head(session, "kebab ingest", tr("reading the guides that come with kebab, vectors included"))
    with make_sink(session) as sink:
        report = app.ingest(sink=sink)
    if session.console.json:
        from kebab_wire import wire_ingest_report

        from kebab_cli.remedies import render_remedy

        session.console.wire(wire_ingest_report(report, render=render_remedy))
    else:
        render_report(session.console, report)


def _ask(session: Session, app: App, question: str, *, mode: SearchMode, remark: str = "") -> None:
    from kebab_app import AskRequest

    from kebab_cli.answer_stream import watch_answer

    _head(session, f'kebab ask "{question}"', remark)
    watch_answer(session, app, AskRequest(question=question, mode=mode))


def _search(session: Session, app: App, *, mode: SearchMode) -> SearchResponse:
    from kebab_core import SearchFilters, SearchMode, SearchQuery

    from kebab_cli.views.search import render_search

    filters = SearchFilters()
    if mode is SearchMode.HYBRID:
        filters = SearchFilters(lang=("ko",))
        _head(session, f'kebab search "{QUERY}" --lang ko', tr("asked in English of the Korean guides"))
    else:
        _head(session, f'kebab search "{QUERY}"')
    response = app.search(SearchQuery(text=QUERY, mode=mode, filters=filters, k=2))
    if session.console.json:
        from kebab_wire import wire_search_response

        from kebab_cli.remedies import render_remedy

        session.console.wire(wire_search_response(response, render=render_remedy))
    else:
        render_search(session.console, response, app=app, explain=False)
    return response


def _open_first_hit(session: Session, app: App, response: SearchResponse) -> None:
    import shlex

    from kebab_core import FetchAddress

    from kebab_cli.views.documents import render_fetch

    address = response.hits[0].citation.to_address()
    _head(session, f"kebab fetch {shlex.quote(address)}", tr("the first hit, word for word"))
    result = app.fetch(FetchAddress(address=address))
    if session.console.json:
        from kebab_wire import wire_fetch_result

        session.console.wire(wire_fetch_result(result))
    else:
        render_fetch(session.console, result)


def _head(session: Session, typed: str, remark: str = "") -> None:
    if session.console.json:
        return
    note = f"   # {remark}" if remark else ""
    session.console.line()
    session.console.line(
        session.console.style(f"$ {typed}", bold=True) + session.console.style(note, dim=True)
    )


def _say_next(session: Session) -> None:
    if session.console.json:
        return
    session.console.line()
    session.console.line(session.console.style(tr("Now with your own folder:"), bold=True))
    note = tr("any folder of documents")
    session.console.line(f"  kebab init --root ~/Notes      # {note}")
    session.console.line("  kebab ingest")
    session.console.line('  kebab ask "무엇이든 / anything"')
