"""`fetch`: stored text word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from kebab_mcp.search_arguments import argument_error
from kebab_mcp.tool import Arguments, Number, Tool

if TYPE_CHECKING:
    from kebab_core import FetchQuery

    from kebab_mcp.call import Call

DEFAULT_MAX_TOKENS = 4000
"""Budget where a call gives none, so that a long document is not returned whole."""

_PICTURE_WIDTH = 1200
"""Pixels of a row of a picture, at most."""


class IdArguments(Arguments):
    """The text to read by ids, as before there were addresses; taken, and left out of the definition."""

    kind: Literal["address", "chunk", "doc", "span"] | None = None
    chunk_id: str | None = None
    doc_id: str | None = None
    line_start: Number | None = Field(default=None, ge=1, le=1_000_000_000)
    line_end: Number | None = Field(default=None, ge=1, le=1_000_000_000)
    page: Number | None = Field(default=None, ge=1, le=1_000_000_000)
    start_ms: Number | None = Field(default=None, ge=0, le=1_000_000_000)
    end_ms: Number | None = Field(default=None, ge=0, le=1_000_000_000)
    context: Number | None = Field(default=None, ge=0, le=1000)


class FetchArguments(IdArguments):
    """The text to read."""

    address: str | None = None
    section: bool = False
    outline: bool = False
    picture: bool = False
    max_tokens: Number | None = Field(default=None, ge=1, le=10_000_000)


_TAKES = {
    "address": ({"address"}, {"section", "outline", "picture", "max_tokens"}),
    "chunk": ({"chunk_id"}, {"context", "max_tokens"}),
    "doc": ({"doc_id"}, {"max_tokens"}),
    "span": ({"doc_id"}, {"max_tokens"}),
}
"""Arguments that each kind needs, and that it may have."""
_SPANS = ({"line_start", "line_end"}, {"page"}, {"start_ms", "end_ms"})
"""Ways to address a span; each also needs the arguments of its kind."""


def _run(call: Call, arguments: FetchArguments) -> BaseModel:
    from kebab_wire import wire_agent_fetch, wire_fetch_result

    if arguments.kind is None:
        arguments = arguments.model_copy(update={"kind": _infer_kind(arguments)})
    if arguments.kind == "chunk":  # whoever copies both ids of a hit means the passage
        arguments = arguments.model_copy(update={"doc_id": None})
    _require_fitting(arguments)
    found = call.app.fetch(_build_query(arguments))
    if arguments.picture and arguments.address is not None:
        from kebab_app import render_page

        call.pictures.append(render_page(call.app.base, arguments.address, max_width=_PICTURE_WIDTH).png)
    return wire_agent_fetch(found) if arguments.kind == "address" else wire_fetch_result(found)


def _infer_kind(arguments: FetchArguments) -> str:
    """Infer what is asked for from the arguments that are given."""
    if arguments.address is not None:
        return "address"
    if arguments.chunk_id is not None:
        return "chunk"
    is_part = any(getattr(arguments, name) is not None for name in set().union(*_SPANS))
    return "address" if arguments.doc_id is None else "span" if is_part else "doc"


def _require_fitting(arguments: FetchArguments) -> None:
    """Refuse arguments that do not fit the kind.

    Raises:
        InvalidInputError: One is missing, or would have no effect.
    """
    from kebab_core import InvalidInputError

    kind = arguments.kind or "address"
    needed, possible = _TAKES[kind]
    given = {name for name, value in arguments if value is not None and value is not False} - {"kind"}
    if kind == "span":
        needed = needed | next((address for address in _SPANS if address & given), _SPANS[0])
    hint = f"kind={kind} takes {', '.join(sorted(needed))}, and may have {', '.join(sorted(possible))}"
    if missing := sorted(needed - given):
        raise InvalidInputError(
            "kind={kind} needs the argument {argument!r}",
            hint=hint,
            argument=missing[0],
            _kind=kind,
        )
    if idle := sorted(given - needed - possible):
        raise InvalidInputError(
            "kind={kind} has no argument {argument!r}", hint=hint, argument=idle[0], _kind=kind
        )


def _build_query(arguments: FetchArguments) -> FetchQuery:
    from kebab_app import build_fetch_query

    values = {
        name: value
        for name, value in arguments
        if value is not None and value is not False and name != "picture"
    }
    return build_fetch_query(complain=argument_error, **{"max_tokens": DEFAULT_MAX_TOKENS, **values})


TOOL = Tool(
    name="fetch",
    description=(
        "Read stored text by address or path, in pages of max_tokens "
        f"({DEFAULT_MAX_TOKENS}); continue at `next`. section: the section around it. outline: "
        "headings. picture: its marked picture too."
    ),
    arguments=FetchArguments,
    hidden_arguments=IdArguments,
    returns="fetch_brief.v1",
    run=_run,
)
