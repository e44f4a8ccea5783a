"""`kebab ingest-stdin`."""

from __future__ import annotations

import sys

import click

from kebab_cli.ingest_watch import exit_code_of, watch_ingest
from kebab_cli.options import KebabCommand
from kebab_cli.session import Session

_BYTES_PER_MB = 1024 * 1024


@click.command(cls=KebabCommand)
@click.option("--title", required=True, help="Title of the document; ranks above one in the text.")
@click.option("--source-uri", metavar="URI", help="Where the text comes from; kept with the document.")
@click.option("--no-embed", is_flag=True, help="Leave vectors for later (`kebab embed`).")
@click.option("--wait", is_flag=True, help="Wait for another writer instead of failing.")
@click.pass_context
def command(
    context: click.Context, /, *, title: str, source_uri: str | None, no_embed: bool, wait: bool
) -> None:
    """Read text from standard input into the index.

    Markdown or plain text; it is kept as a Markdown file in the folder _external of the first source. Title and
    address join the front matter of the text; what it says besides stays. The same text under the same title is
    the same document.

    Examples:
      kebab ingest-stdin --title "회의록" < minutes.txt
      curl -s https://example.org/a.md | kebab ingest-stdin --title A --source-uri https://example.org/a.md
    """
    from kebab_cli.views.ingest import render_documents, render_waiting

    session = Session(context)
    session.require_writable()
    with session.open_app() as app:
        content = _read_input(app.loaded.settings.ingest.max_file_mb * _BYTES_PER_MB + 1)
        report = watch_ingest(
            session,
            app,
            lambda sink, cancel: app.ingest_text(
                content,
                title=title,
                source_uri=source_uri,
                sink=sink,
                cancel=cancel,
                wait=wait,
                embed=not no_embed,
            ),
        )
        if not session.console.json:
            render_documents(session.console, report)
            if no_embed:
                render_waiting(session.console, app.count_waiting_passages())
    context.exit(exit_code_of(report, is_asked_for=True))


def _read_input(max_bytes: int) -> bytes:
    """Read standard input, at most `max_bytes`.

    Raises:
        InvalidInputError: A person sits at standard input.
    """
    from kebab_core import InvalidInputError

    if sys.stdin is None:
        return b""
    if sys.stdin.isatty():
        raise InvalidInputError(
            "standard input is the terminal; the text has to be piped in",
            hint="kebab ingest-stdin --title TITLE < FILE",
        )
    return sys.stdin.buffer.read(max_bytes)
