"""`bulk_search`: several searches in one call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from pydantic import ConfigDict, Field, JsonValue

from kebab_mcp.call import count_hit
from kebab_mcp.search_arguments import build_query, wire_response
from kebab_mcp.tool import Arguments, Tool, load_tool, rename_arguments

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import KebabError, SearchQuery, SearchResponse
    from kebab_wire import BulkSearchResponseV2

    from kebab_mcp.call import Call


_IGNORED = {"schema_version": (None, "bulk_search_input.v1"), "trace": (None, True, False)}
"""Fields of a line of `search --bulk` that change nothing in a brief result, with their possible values."""


class BulkSearchArguments(Arguments):
    """The queries."""

    model_config = ConfigDict(allow_inf_nan=False)

    queries: tuple[JsonValue, ...] = Field(description="at most 100, each as of search")


def _run(call: Call, arguments: BulkSearchArguments) -> BulkSearchResponseV2:
    from kebab_app import require_few
    from kebab_core import KebabError
    from kebab_wire import wire_agent_bulk

    from kebab_mcp.call import wire_failure

    require_few(len(arguments.queries))
    app = call.app
    known = load_tool("search").arguments.model_fields
    queries = [
        rename_arguments(each, known) if isinstance(each, dict) else {"query": each}
        for each in arguments.queries
    ]
    searches = zip(queries, _search(call, app, queries), strict=True)
    return wire_agent_bulk([
        (
            given,
            wire_failure(found)
            if isinstance(found, KebabError)
            else wire_response(app, found, nearest=given.get("nearest") is True),
        )
        for given, found in searches
    ])


def _search(
    call: Call, app: App, queries: Sequence[Mapping[str, JsonValue]]
) -> Iterator[SearchResponse | KebabError]:
    """Yield the result of each query, or its error.

    Raises:
        WorkCancelledError: The call was cancelled, which stops the current query.
    """
    asked = [_read(app, given) for given in queries]
    results = app.bulk_search(asked, count_hit=count_hit, cancel=call.token)
    with closing(results) as found_by_query:
        for number, found in enumerate(found_by_query, start=1):
            call.raise_if_cancelled()
            call.report(number, len(queries), "searching")
            yield found


def _read(app: App, given: Mapping[str, JsonValue]) -> SearchQuery | KebabError:
    from kebab_core import InvalidInputError

    from kebab_mcp.tool import read_arguments

    try:
        known = _leave_out_ignored(given)
        if known.get("all_passages") is None:
            known = {**known, "all_passages": True}
        return build_query(read_arguments(load_tool("search"), known), app.base)
    except InvalidInputError as error:
        return error


def _leave_out_ignored(given: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """Leave out the fields that change nothing here.

    Raises:
        InvalidInputError: One has a value that is not possible.
    """
    from kebab_core import InvalidInputError

    for name, possible in _IGNORED.items():
        value = given.get(name)
        if not any(type(value) is type(each) and value == each for each in possible):
            raise InvalidInputError(
                "{argument}: must be one of {possible}",
                hint=f"leave {name} out",
                argument=name,
                _possible=", ".join(map(repr, possible[1:])),
            )
    return {name: value for name, value in given.items() if name not in _IGNORED}


TOOL = Tool(
    name="bulk_search",
    description="Run several searches in one call. Keep k small: hits cost tokens.",
    arguments=BulkSearchArguments,
    returns="bulk_search_response.v2",
    run=_run,
)
