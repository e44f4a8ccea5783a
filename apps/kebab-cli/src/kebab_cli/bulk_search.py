"""Several searches in one call, printed as they are done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_cli.render import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kebab_app import App
    from kebab_config import Settings
    from kebab_core import KebabError, SearchQuery, SearchResponse
    from kebab_wire import SearchBriefV1, SearchResponseV1
    from pydantic import JsonValue

    from kebab_cli.render import Console
    from kebab_cli.session import Session


def watch_bulk_search(session: Session, app: App, *, explain: bool, brief: bool) -> None:
    """Search for what stands on the lines of standard input and print what each finds, then how many did.

    Args:
        session: The command.
        app: The knowledge base.
        explain: Show people how each hit was found.
        brief: Give programs what each finds in brief.

    Raises:
        InvalidInputError: A line is not a JSON object; nothing is searched.
        TooManyQueriesError: There are too many; nothing is searched.
    """
    from kebab_core import KebabError

    from kebab_cli.bulk_input import read_lines
    from kebab_cli.found import wire_found

    lines = read_lines()
    queries = [_read(line, app.loaded.settings) for line in lines]
    failed = 0
    for number, (line, found) in enumerate(zip(lines, app.bulk_search(queries), strict=True), start=1):
        failed += isinstance(found, KebabError)
        if session.console.json:
            _print_object(
                session.console,
                line,
                found if isinstance(found, KebabError) else wire_found(app, found, brief=brief),
            )
        else:
            _print_text(
                session.console, app, found, heading=f"# Query {number}: {_said(line)}", explain=explain
            )
    _print_summary(session.console, total=len(lines), failed=failed)


def _read(line: Mapping[str, JsonValue], settings: Settings) -> SearchQuery | KebabError:
    from kebab_core import InvalidInputError

    from kebab_cli.bulk_input import read_query

    try:
        return read_query(line, settings=settings)
    except InvalidInputError as error:
        return error


def _said(line: Mapping[str, JsonValue]) -> str:
    return one_line(str(line.get("query", "")))


def _print_object(
    console: Console, line: Mapping[str, JsonValue], found: SearchResponseV1 | SearchBriefV1 | KebabError
) -> None:
    from kebab_core import KebabError
    from kebab_wire import classify_error, wire_bulk_item

    if isinstance(found, KebabError):
        found.hint = found.hint or "kebab doctor"
        console.wire(wire_bulk_item(line, classify_error(found)))
    else:
        console.wire(wire_bulk_item(line, found))


def _print_text(
    console: Console, app: App, found: SearchResponse | KebabError, *, heading: str, explain: bool
) -> None:
    from kebab_core import KebabError

    from kebab_cli.views.search import render_search

    console.remark(heading)
    if isinstance(found, KebabError):
        console.error(found.message, found.hint or "kebab doctor")
    else:
        render_search(console, found, app=app, explain=explain)
        console.line()


def _print_summary(console: Console, *, total: int, failed: int) -> None:
    if console.json:
        from kebab_wire import wire_bulk_summary

        console.wire_error(wire_bulk_summary(total=total, failed=failed))
    else:
        queries = f"{total} queries" if total != 1 else "1 query"
        console.remark(f"{queries}: {total - failed} succeeded, {failed} failed")
