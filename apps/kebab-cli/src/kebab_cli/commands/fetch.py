"""`kebab fetch`."""

from __future__ import annotations

from typing import Any, Literal

import click

from kebab_cli.filters import id_error
from kebab_cli.language import tr
from kebab_cli.options import KebabGroup, WholeNumber, max_tokens_option
from kebab_cli.session import Session, expand_hit, pass_session

_MAX = 1_000_000_000
"""Largest number of a line, a page or a millisecond."""


class _AddressFirst(KebabGroup):
    """A group whose command `address` may be left out."""

    _given: tuple[str, ...] = ()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the flags before the command; what follows `--` is remembered, since click drops that mark."""
        self._given = tuple(args)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names; one that names none begins the arguments of `address`."""
        if args.count("--") < self._given.count("--"):
            after = len(self._given) - self._given.index("--") - 1
            args = [*args[: len(args) - after], "--", *args[len(args) - after :]]
        return super().resolve_command(ctx, args if args[0] in self.commands else ["address", *args])


@click.group(cls=_AddressFirst, context_settings={"ignore_unknown_options": True})
def command() -> None:
    """Print stored text: lines, a section or a whole document.

    `kebab fetch ADDRESS` prints a document or a part of it. ADDRESS is the address of a hit or citation
    (PATH#L10-L42), a path, an id or a unique beginning of one, or @3 for the third hit of the last search in this
    terminal.

    Examples:
      kebab fetch notes/policy.md#L10-L42
      kebab fetch wiki:notes/policy.md --outline
      kebab fetch symbol:Group.invoke
      kebab fetch @3 --section
      kebab fetch chunk 9b4a8c1e7d3f2a059b4a8c1e7d3f2a05 --context 1
      kebab fetch span 3f9a2c10ee4d6b783f9a2c10ee4d6b78 10 42
    """


@command.command("address")
@click.argument("address")
@click.option("--section", is_flag=True, help="The whole section around it, including subsections.")
@click.option("--outline", is_flag=True, help="The headings of the document with their line numbers.")
@max_tokens_option("Cut after about N tokens, at the end of a line.")
@pass_session
def address(session: Session, /, **values: Any) -> None:
    """Show the text at an address; the word `address` may be omitted."""
    if values["section"] and values["outline"]:
        raise click.UsageError(tr("--section and --outline cannot be used together"))
    _run(session, "address", **values)


@command.command("chunk")
@click.argument("chunk_id", metavar="PASSAGE")
@click.option(
    "--context",
    type=WholeNumber(0, 1000),
    default=0,
    help="Also print the N passages before and after it.",
)
@max_tokens_option("Cut after about N tokens, the passages farthest away first.")
@pass_session
def chunk(session: Session, /, **values: Any) -> None:
    """Show a passage; --context adds the passages around it."""
    _run(session, "chunk", **values)


@command.command("doc")
@click.argument("doc_id", metavar="DOCUMENT")
@max_tokens_option("Cut after about N tokens.")
@pass_session
def doc(session: Session, /, **values: Any) -> None:
    """Show a whole document."""
    _run(session, "doc", **values)


@command.command("span")
@click.argument("doc_id", metavar="DOCUMENT")
@click.argument("line_start", type=WholeNumber(1, _MAX), required=False, metavar="LINE_START")
@click.argument("line_end", type=WholeNumber(1, _MAX), required=False, metavar="LINE_END")
@click.option("--page", type=WholeNumber(1, _MAX), help="A page of a document with pages.")
@click.option(
    "--time",
    nargs=2,
    callback=lambda _context, _option, times: times and tuple(map(_read_clock, times)),
    metavar="START END",
    help="A time range of a recording, as 1:02:03.5, 2:03 or seconds.",
)
@max_tokens_option("Cut after about N tokens.")
@pass_session
def span(session: Session, /, *, line_start: int | None, time: tuple[int, int] | None, **values: Any) -> None:
    """Show a part of a document by lines, page or time.

    Prints lines LINE_START to LINE_END (from 1, inclusive), with --page a page, or with --time a time range of a
    recording.
    """
    given = [line_start is not None, values["page"] is not None, time is not None]
    if sum(given) != 1:
        if any(given):
            raise click.UsageError(tr("lines, --page and --time cannot be used together"))
        raise click.UsageError(tr("Missing argument 'LINE_START' (or --page, or --time)."))
    if line_start is not None and values["line_end"] is None:
        raise click.UsageError(tr("Missing argument 'LINE_END'."))
    start_ms, end_ms = time or (None, None)
    _run(session, "span", line_start=line_start, start_ms=start_ms, end_ms=end_ms, **values)


def _read_clock(text: str) -> int:
    """Read a time in seconds, with minutes and hours in front where there are colons, as milliseconds.

    Raises:
        click.BadParameter: It is none.
    """
    seconds = 0.0
    try:
        for part in text.split(":"):
            seconds = 60 * seconds + float(part)
        milliseconds = round(1000 * seconds)
    except (ValueError, OverflowError):
        milliseconds = -1
    if not 0 <= milliseconds <= _MAX:
        raise click.BadParameter(tr("{text!r} is not a time such as 1:02:03.5, 2:03 or 63.5", text=text))
    return milliseconds


def _run(session: Session, kind: Literal["chunk", "doc", "span", "address"], **values: Any) -> None:
    from kebab_app import build_fetch_query

    from kebab_cli.addresses import find_chunk_id, find_document_id
    from kebab_cli.views.documents import render_fetch

    with session.open_app() as app:
        if kind == "address":
            values["address"] = expand_hit(app, values["address"])
        elif kind == "chunk":
            values["chunk_id"] = find_chunk_id(app, values["chunk_id"])
        else:
            values["doc_id"] = find_document_id(app, values["doc_id"])
        query = build_fetch_query(kind, complain=id_error, **values)
        result = app.fetch(query)
    if session.console.json:
        from kebab_wire import wire_fetch_result

        session.console.wire(wire_fetch_result(result, find_file=app.find_existing_file))
    else:
        with session.console.paged() as console:
            render_fetch(console, result)
