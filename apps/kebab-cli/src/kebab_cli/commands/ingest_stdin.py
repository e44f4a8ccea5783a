"""`kebab ingest-stdin`."""

from __future__ import annotations

import sys
from functools import partial

import click

from kebab_cli.options import KebabCommand, no_embed_option, wait_option
from kebab_cli.session import Session, pass_session

_BYTES_PER_MB = 1024 * 1024


@click.command(cls=KebabCommand)
@click.option("--title", required=True, help="Title of the document; overrides a title in the text.")
@click.option("--source-uri", metavar="URI", help="Address the text comes from; stored with the document.")
@no_embed_option
@wait_option
@pass_session
def command(session: Session, /, *, title: str, source_uri: str | None, no_embed: bool, wait: bool) -> int:
    """Index text from standard input.

    Reads Markdown or plain text and stores it as a Markdown file in kebab's own folder, or in a source with
    `writable = true`. Title and address are added to the front matter of the text; other keys are kept. A text with
    the same address, or with the same title if it has no address, replaces the earlier one.

    Examples:
      kebab ingest-stdin --title "회의록" < minutes.txt
      curl -s https://example.org/a.md | kebab ingest-stdin --title A --source-uri https://example.org/a.md
    """
    from kebab_cli.progress import watch_ingest

    session.require_writable()
    with session.open_app() as app:
        content = _read_input(app.loaded.settings.ingest.max_file_mb * _BYTES_PER_MB + 1)
        ingest = partial(app.ingest_text, content, title=title, source_uri=source_uri, wait=wait)
        return watch_ingest(
            session,
            app,
            lambda sink, cancel: ingest(sink=sink, cancel=cancel, embed=not no_embed),
            is_named=True,
            no_embed=no_embed,
        )


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
            "standard input is a terminal; pipe the text in",
            hint="kebab ingest-stdin --title TITLE < FILE",
        )
    return sys.stdin.buffer.read(max_bytes)
