"""`kebab list`: documents, tags, folders, sources, and the formats that are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kebab_cli.filters import filter_options, flag_error, resolve_ids, suggest_values
from kebab_cli.language import localize, tr
from kebab_cli.options import KebabGroup, WholeNumber, option_group
from kebab_cli.render import count_of
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_app import App, DocumentPage, Grouping
    from kebab_core import FileFormat, ListOrder

    from kebab_cli.render import Console

_MAX_RECENT = 100
_options = option_group(
    click.option("--brief", is_flag=True, help="Print addresses or names only, one per line."), filter_options
)

_INDENT = 4
_LEAST_WIDTH = 40


@click.group(cls=KebabGroup)
def command() -> None:
    """List what is in the index and which formats are read.

    Examples:
      kebab list docs --path-glob "notes/**"
      kebab list recent --limit 5
      kebab list tags
      kebab list folders --tag ops
      kebab list docs --brief --ingested-after 2026-11-01
      kebab list formats
    """


_limit_option = click.option("--limit", "-k", type=WholeNumber(1, 1_000_000_000), help="The first N only.")
_page_options = option_group(
    click.option(
        "--max-tokens",
        type=WholeNumber(1, 10_000_000),
        metavar="N",
        help="Token budget of the whole list, estimated for the output of --json.",
    ),
    click.option("--cursor", metavar="TEXT", help="Continue the same list from its next_cursor."),
)


@command.command("docs")
@_options
@_limit_option
@_page_options
@pass_session
def docs(session: Session, /, *, brief: bool, **values: Any) -> None:
    """List documents by source and path."""
    _list_page(session, values, brief=brief, order="path")


@command.command("recent")
@_options
@_page_options
@click.option(
    "--limit",
    "-k",
    type=WholeNumber(1, _MAX_RECENT),
    default=20,
    show_default=True,
    help="The newest N only.",
)
@pass_session
def recent(session: Session, /, *, brief: bool, **values: Any) -> None:
    """List the documents that changed last. They are sorted by their own date, newest first."""
    _list_page(session, values, brief=brief, order="recent")


def _list_page(session: Session, values: dict[str, Any], *, brief: bool, order: ListOrder) -> None:
    from kebab_app import PageLimits, build_filters
    from kebab_core import TokenCounter
    from kebab_wire import wire_doc_summary, wire_json

    with session.open_app() as app:
        criteria = build_filters(resolve_ids(app, values), complain=flag_error)
        page = app.list_page(
            criteria,
            order=order,
            limits=PageLimits(
                limit=values["limit"],
                max_tokens=values["max_tokens"],
                cursor=values["cursor"],
                cost=lambda one: TokenCounter().count(
                    wire_json(wire_doc_summary(one, stale=app.is_stale(one)))
                ),
            ),
        )
        _show(session, app, page, brief=brief, is_narrowed=not criteria.is_empty, dated=order == "recent")
        if not page.documents and not criteria.is_empty:
            suggest_values(session.console, app, criteria)


def _show(
    session: Session, app: App, page: DocumentPage, *, brief: bool, is_narrowed: bool, dated: bool
) -> None:
    from kebab_cli.last_hits import remember_hits

    summaries = page.documents
    stale = [app.is_stale(summary) for summary in summaries]
    if dated:
        remember_hits(app, {rank: one.to_address() for rank, one in enumerate(summaries, start=1)})
    if session.console.json:
        from kebab_wire import wire_doc_list

        session.console.wire(
            wire_doc_list(
                summaries,
                stale=stale,
                find_file=app.find_existing_file,
                total=page.total,
                omitted=page.omitted,
                next_cursor=page.next_cursor,
            )
        )
    else:
        from kebab_cli.views.documents import render_list

        with session.console.paged() as console:
            render_list(console, page, stale=stale, is_narrowed=is_narrowed, brief=brief, dated=dated)


def _count(
    session: Session, by: Grouping, values: dict[str, Any], *, brief: bool, limit: int | None = None
) -> None:
    from kebab_app import build_filters

    with session.open_app() as app:
        criteria = build_filters(resolve_ids(app, values), complain=flag_error)
        counts = app.count_documents(by, criteria)[:limit]
        if not counts and not criteria.is_empty:
            suggest_values(session.console, app, criteria)
    if session.console.json:
        from kebab_wire import CountListV1, NamedCountV1

        items = tuple(NamedCountV1(name=one.name, documents=one.documents) for one in counts)
        session.console.wire(CountListV1(by=by, items=items))
    else:
        from kebab_cli.views.documents import render_counts

        with session.console.paged() as console:
            render_counts(console, counts, by=by, brief=brief)


@command.command("formats")
@pass_session
def formats(session: Session, /) -> None:
    """List the formats of files that are read, and what citations of each name."""
    with session.open_app() as app:
        found = app.list_formats()
    if session.console.json:
        from kebab_wire import wire_format_list

        session.console.wire(wire_format_list(found))
    else:
        with session.console.paged() as console:
            render_formats(console, found)


@command.command("tags")
@_options
@_limit_option
@pass_session
def tags(session: Session, /, *, brief: bool, limit: int | None, **values: Any) -> None:
    """List tags by number of documents."""
    _count(session, "tags", values, brief=brief, limit=limit)


@command.command("folders")
@_options
@_limit_option
@pass_session
def folders(session: Session, /, *, brief: bool, limit: int | None, **values: Any) -> None:
    """List folders with the number of documents in and below them."""
    _count(session, "folders", values, brief=brief, limit=limit)


@command.command("sources")
@_options
@pass_session
def sources(session: Session, /, *, brief: bool, **values: Any) -> None:
    """List sources with their numbers of documents."""
    _count(session, "sources", values, brief=brief)


def render_formats(console: Console, formats: list[FileFormat]) -> None:
    """Print each kind of file with its extensions, what citations name, and what it needs."""
    from textwrap import wrap

    from kebab_app import merge_formats
    from kebab_core import CITED_PLACES

    for one in merge_formats(formats):
        title = console.style(localize(one.title), fg="cyan")
        facts = [one.media.kind, tr("cited by {places}", places=localize(CITED_PLACES[one.cites]))]
        if one.needs:
            facts.append(tr("needs {distribution}", distribution=one.needs))
        console.line(f"{title}  {console.style(' · '.join(facts), dim=True)}")
        extensions = " ".join(f".{each}" for each in one.extensions)
        for line in wrap(extensions, max(console.width - _INDENT, _LEAST_WIDTH), break_on_hyphens=False):
            console.line(f"{' ' * _INDENT}{line}")
    console.remark(count_of(len(formats), "format"))
