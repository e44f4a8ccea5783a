"""`kebab search`; with `--bulk` one query on each line of standard input, as JSON with fields named like the flags."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click
from kebab_core import Message

from kebab_cli.exit_codes import ERROR, NO_RESULT, SUCCESS
from kebab_cli.filters import filter_options, flag_error, mode_option, resolve_ids, suggest_values
from kebab_cli.language import tr
from kebab_cli.options import KebabCommand, WholeNumber, k_option, max_tokens_option, words_argument
from kebab_cli.render import one_line
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_app import App, ArgumentProblem, KnowledgeBase
    from kebab_core import InvalidInputError, KebabError, SearchHit, SearchQuery, SearchResponse
    from kebab_wire import SearchBriefV1, SearchResponseV1
    from pydantic import JsonValue

    from kebab_cli.render import Console

_FIELDS = ("mode", "k", "snippet_chars", "max_tokens", "cursor", "trace", "all_passages", "rerank")
"""Flags that are fields of a query, as they are of a line of `--bulk`."""


@click.command(cls=KebabCommand)
@words_argument("query", required=False)
@k_option("Maximum number of hits; a hit is a document.")
@mode_option()
@click.option(
    "--snippet-chars",
    type=WholeNumber(20, 10_000),
    help="Length of a snippet.  [default: search.snippet_chars]",
)
@max_tokens_option(
    "Limit the hits to about N tokens of JSON: further passages are dropped first, then snippets "
    "shortened, then hits dropped."
)
@click.option("--cursor", metavar="TEXT", help="Continue the result of the same query from its next_cursor.")
@click.option(
    "--brief",
    is_flag=True,
    help="With --json: the short form of hits that agents get. --max-tokens counts this form.",
)
@click.option(
    "--all",
    "--all-passages",
    "all_passages",
    is_flag=True,
    help="List every passage as its own hit, also of the same document and of translations.",
)
@click.option(
    "--rerank/--no-rerank",
    default=None,
    help="Put the first 20 hits in the order of the model that models.reranker names.  [default: search.rerank]",
)
@click.option(
    "--exact",
    is_flag=True,
    help="List lines that contain the query exactly as written, including punctuation and case, with counts "
    "per document.",
)
@click.option(
    "--oneline",
    is_flag=True,
    help="Print one line per hit: address, tab, title, tab, snippet; for fzf and other programs.",
)
@click.option("--explain", is_flag=True, help="Show how each hit was found.")
@click.option("--trace", is_flag=True, help="Show the steps of the search: terms, candidates, order, time.")
@click.option(
    "--bulk",
    is_flag=True,
    help="Read queries from standard input, one JSON object per line; other flags are ignored.",
)
@filter_options
@pass_session
def command(
    session: Session,
    /,
    query: str | None,
    *,
    explain: bool,
    bulk: bool,
    brief: bool,
    exact: bool,
    oneline: bool,
    **flags: Any,
) -> int:
    """Search documents; a hit shows the best passage.

    Ask in your own words or give keywords. Quote characters that the shell interprets, such as ? and *; put a query
    that begins with - after --. '"…"' inside the query must occur exactly; roll* is any word that begins so; a
    query that begins with raw: is full-text syntax (AND, OR, NOT, parentheses). Filters limit the documents searched:
    values of one filter are alternatives, different filters must all match. A hit is a document: it shows the best
    passage, the places of further passages, and translations; with --all, or --doc-id of one document, a hit is a
    passage. If there are more hits, the result has a next_cursor, valid until the index changes. --symbol without a
    query finds definitions in source code by name: those with the name, then those that begin with it, else those
    with a similar name. Exit code 1: no hit.

    With --bulk each line of standard input is a query, 100 at most, with fields named like these flags; hits are
    passages unless all_passages is false. An error in one query does not affect the others. Exit code 0: all
    queries were run, whatever they found; 2: a line was no JSON object.

    Examples:
      kebab search refund policy
      kebab search "벡터 인덱스는 언제 다시 만드나요?"
      kebab search 'deploy "blue green"' --tag ops -k 5
      kebab search -- --dry-run
      kebab search --exact "- [ ]" --tag project
      kebab search --symbol Group.invoke --code-lang python
      kebab search 이벤트 --path-glob "notes/2026/**" --json
      kebab search "배포 절차" --json --brief --max-tokens 1300
      kebab search --oneline backup -k 50 | fzf
      echo '{"query": "색인", "k": 3, "lang": "ko"}' | kebab search --bulk --json
    """
    from kebab_app import build_search_query

    if oneline:
        _require_no_other_form(session)
    if bulk:
        return _search_in_bulk(session, explain=explain, brief=brief)
    if query is None and (exact or len(flags["symbol"]) != 1):
        raise click.MissingParameter(ctx=session.context, param_type="argument", param_hint="'QUERY'")
    query = query or ""
    if exact:
        return _search_exactly(session, query, flags)
    from kebab_cli.last_hits import remember_hits

    with session.open_app() as app:
        asked = build_search_query(
            app.base,
            query,
            filters=resolve_ids(app, flags),
            complain=flag_error,
            **{name: flags[name] for name in _FIELDS},
        )
        response = app.search(asked, count_hit=_count_brief_hit if brief else _count_hit)
        shown = response.hits or response.nearest
        addresses = {hit.rank: hit.citation.to_passage_address() for hit in shown}
        remember_hits(app, addresses, query=query)
        if session.console.json:
            session.console.wire(_to_wire(app, response, brief=brief))
        elif oneline:
            for hit in response.hits:
                parts = (hit.citation.to_passage_address(), hit.title, hit.snippet)
                session.console.line("\t".join(one_line(part) for part in parts))
        else:
            from kebab_cli.views.search import render_search

            with session.console.paged() as console:
                render_search(console, response, app=app, explain=explain)
    return SUCCESS if response.hits else NO_RESULT


_OTHER_FORMS = ("bulk", "exact", "brief", "explain", "trace")
"""Flags that show hits in another form than one line."""


def _require_no_other_form(session: Session) -> None:
    """Refuse flags that show hits in another form than one line.

    Raises:
        UsageError: One is given.
    """
    wrong = [f"--{name}" for name in _OTHER_FORMS if session.context.params.get(name)]
    if wrong or session.console.json:
        names = ", ".join([*wrong, *(["--json"] if session.console.json else [])])
        raise click.UsageError(tr("--oneline cannot be used with {flags}", flags=names))


_WITHOUT_EXACT = ("mode", "snippet_chars", "max_tokens", "cursor", "brief", "explain", "trace", "rerank")
"""Flags that say nothing where the text itself is looked for."""


def _search_exactly(session: Session, query: str, flags: Mapping[str, Any]) -> int:
    """Print the documents that have a text as it is written.

    Raises:
        UsageError: A flag is given that ranks or cuts passages.
    """
    from kebab_app import build_filters, find_literal

    from kebab_cli.last_hits import remember_hits

    if wrong := [name for name in _WITHOUT_EXACT if session.context.params.get(name)]:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in wrong)
        raise click.UsageError(tr("--exact cannot be used with {flags}", flags=names))
    with session.open_app() as app:
        criteria = build_filters(resolve_ids(app, flags), complain=flag_error)
        limit = flags["k"] or app.loaded.settings.search.default_k
        result = find_literal(app.base, query, criteria, limit=limit)
        shown = result.documents[:limit]
        addresses = {rank: found.address for rank, found in enumerate(shown, start=1)}
        remember_hits(app, addresses, query=query)
        if session.console.json:
            from kebab_wire import ExactDocumentV1, ExactLineV1, ExactResponseV1

            documents = [
                ExactDocumentV1(
                    rank=rank,
                    address=addresses[rank],
                    title=found.entry.title,
                    matches=found.matches,
                    copies=tuple(copy.to_address() for copy in found.copies) or None,
                    lines=tuple(
                        ExactLineV1(
                            line=line.number,
                            text=line.text,
                            matched=line.matched,
                            at=line.fragment,
                            header_row=None if line.header_row is None else line.header_row.text,
                        )
                        for line in found.lines
                    ),
                    doc_id=found.entry.doc_id,
                    file=None if file is None else str(file),
                )
                for rank, found in enumerate(shown, start=1)
                for file in [app.find_existing_file(found.entry.source_id, found.entry.doc_path)]
            ]
            session.console.wire(
                ExactResponseV1(
                    query=query,
                    documents=tuple(documents),
                    document_count=result.document_count,
                    match_count=result.match_count,
                    searched_count=result.searched,
                    unread=tuple(entry.to_address() for entry in result.unread),
                )
            )
        else:
            from kebab_cli.views.exact import render_exact

            with session.console.paged() as console:
                render_exact(console, result, limit=limit, every_line=flags["all_passages"])
            if not result.documents and not criteria.is_empty:
                suggest_values(session.console, app, criteria)
    return SUCCESS if result.documents else NO_RESULT


def _to_wire(app: App, response: SearchResponse, *, brief: bool) -> SearchResponseV1 | SearchBriefV1:
    """Make the wire object of a result, whole or in brief as agents get it."""
    from kebab_app import list_filter_values
    from kebab_wire import wire_search_brief, wire_search_response

    from kebab_cli.remedies import render_remedy

    if not brief:
        return wire_search_response(response, render=render_remedy, find_file=app.find_existing_file)
    return wire_search_brief(
        response,
        near_values=app.find_near_values(response),
        existing_values=list_filter_values(app.base, response.query.filters)
        if response.filtered_out_by
        else None,
        render=render_remedy,
    )


# The counts load kebab_wire with their first use: most searches have no budget.


def _count_hit(hit: SearchHit) -> int:
    from kebab_wire import hit_cost

    return hit_cost(hit)


def _count_brief_hit(hit: SearchHit) -> int:
    from kebab_wire import brief_hit_cost

    return brief_hit_cost(hit)


def _search_in_bulk(session: Session, *, explain: bool, brief: bool) -> int:
    """Search for each line of standard input and print its result, then the counts; `ERROR` if a line is no JSON object.

    Raises:
        InvalidInputError: No line is a JSON object.
        TooManyQueriesError: There are too many; nothing is searched.
    """
    from kebab_core import InvalidInputError, KebabError

    console = session.console
    if ignored := _list_given(session.context):
        text = tr("ignored with --bulk, where each line has its own: {flags}", flags=", ".join(ignored))
        console.remark(f"{tr('warning:')} {text}")
    with session.open_app() as app:
        read = _read_lines()
        if read and all(isinstance(each, InvalidInputError) for each in read):
            raise next(each for each in read if isinstance(each, InvalidInputError))
        queries = [
            each if isinstance(each, InvalidInputError) else _read_query(each, base=app.base) for each in read
        ]
        lines = [{} if isinstance(each, InvalidInputError) else each for each in read]
        failed = 0
        results = app.bulk_search(queries, count_hit=_count_brief_hit if brief else _count_hit)
        for number, (line, found) in enumerate(zip(lines, results, strict=True), start=1):
            failed += isinstance(found, KebabError)
            if console.json:
                _print_object(app, line, found, console=console, brief=brief)
            else:
                query = one_line(str(line.get("query", "")))
                console.remark(tr("# Query {number}: {query}", number=number, query=query))
                _print_text(app, found, console=console, explain=explain)
    if console.json:
        from kebab_wire import wire_bulk_summary

        console.wire_error(wire_bulk_summary(total=len(lines), failed=failed))
    else:
        console.remark(
            tr(
                "{count} query: {succeeded} succeeded, {failed} failed",
                plural="{count} queries: {succeeded} succeeded, {failed} failed",
                count=len(lines),
                succeeded=len(lines) - failed,
                failed=failed,
            )
        )
    return ERROR if any(isinstance(each, InvalidInputError) for each in read) else SUCCESS


def _list_given(context: click.Context) -> list[str]:
    """List given arguments that have no effect with `--bulk`."""
    given = (
        param
        for param in context.command.params
        if context.params.get(param.name or "") and param.name not in {"bulk", "brief", "explain"}
    )
    return [param.opts[0] if isinstance(param, click.Option) else "QUERY" for param in given]


def _print_object(
    app: App,
    line: Mapping[str, JsonValue],
    found: SearchResponse | KebabError,
    *,
    console: Console,
    brief: bool,
) -> None:
    from kebab_core import KebabError
    from kebab_wire import classify_error, wire_bulk_item

    from kebab_cli.remedies import render_remedy

    if isinstance(found, KebabError):
        if found.remedy is None:
            found.hint = found.hint or "kebab doctor"
        console.wire(wire_bulk_item(line, classify_error(found, render=render_remedy)))
    else:
        console.wire(wire_bulk_item(line, _to_wire(app, found, brief=brief)))


def _print_text(app: App, found: SearchResponse | KebabError, *, console: Console, explain: bool) -> None:
    from kebab_core import KebabError

    from kebab_cli.remedies import hint_of
    from kebab_cli.views.search import render_search

    if isinstance(found, KebabError):
        console.error(found.message, hint_of(found) or "kebab doctor")
    else:
        render_search(console, found, app=app, explain=explain)
        console.line()


def _read_lines() -> list[dict[str, JsonValue] | InvalidInputError]:
    """Read the objects on the lines of standard input, or why a line is none; blank lines are skipped.

    Raises:
        InvalidInputError: A person sits at standard input.
        TooManyQueriesError: There are more than one call may have.
    """
    from kebab_app import require_few
    from kebab_core import InvalidInputError

    if sys.stdin is None:
        return []
    if sys.stdin.isatty():
        raise InvalidInputError(
            "standard input is a terminal; pipe the queries in, one JSON object per line",
            hint="""echo '{"query": "색인"}' | kebab search --bulk""",
        )
    found: list[dict[str, JsonValue] | InvalidInputError] = []
    for number, line in enumerate(sys.stdin.buffer, start=1):
        if content := line.removeprefix(codecs.BOM_UTF8 if number == 1 else b"").strip():
            found.append(_read_line(content, number=number))
            require_few(len(found))
    return found


def _read_line(line: bytes, *, number: int) -> dict[str, JsonValue] | InvalidInputError:
    from kebab_core import InvalidInputError
    from pydantic import ConfigDict, JsonValue, TypeAdapter, ValidationError

    try:
        reader = TypeAdapter(dict[str, JsonValue], config=ConfigDict(allow_inf_nan=False))
        return reader.validate_python(
            reader.validate_json(line)
        )  # only the second sees NaN, which is not JSON
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        return InvalidInputError(
            "line {line} is not a JSON object: {reason}",
            hint=Message("write each query as one line like {example}", example='{"query": "색인", "k": 5}'),
            line=number,
            _reason=reason[:1].lower() + reason[1:],
        )


def _read_query(given: Mapping[str, JsonValue], *, base: KnowledgeBase) -> SearchQuery | KebabError:
    """Build the query of one line, or the error about a field that is unknown, missing or of no possible value."""
    from kebab_app import build_search_query, find_problem
    from kebab_core import InvalidInputError
    from kebab_wire import BulkSearchInputV1
    from pydantic import ValidationError

    try:
        asked = BulkSearchInputV1.model_validate(given)
        wanted = {name: getattr(asked, name) for name in _FIELDS}
        wanted["all_passages"] = asked.all_passages is not False
        return build_search_query(base, asked.query, filters=dict(asked), complain=_field_error, **wanted)
    except ValidationError as error:
        return _field_error(find_problem(error))
    except InvalidInputError as error:
        return error


def _field_error(problem: ArgumentProblem) -> InvalidInputError:
    """Word what is wrong with a field of a line."""
    from kebab_core import InvalidInputError
    from kebab_wire import BulkSearchInputV1

    from kebab_cli.filters import ID_HINTS, describe_wrong_time, id_error

    name = problem.argument
    if problem.kind in ID_HINTS:
        return id_error(problem)
    if problem.kind == "unknown":
        fields = ", ".join(each for each in BulkSearchInputV1.model_fields if each != "schema_version")
        return InvalidInputError(
            "a query has no field {field!r}", hint=Message("it has {fields}", fields=fields), field=name
        )
    message = Message("{name}: {detail}", name=name, detail=problem.detail)
    if problem.kind == "missing":
        message = Message("the field {name!r} is missing", name=name)
    if problem.kind == "time":
        message = Message("{name}: {problem}", name=name, problem=describe_wrong_time(problem.value))
    return InvalidInputError(message, hint="kebab search --help", field=name)
