"""`ask`: a grounded answer, or a refusal that says why."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from kebab_mcp.search_arguments import FilterArguments, NamedFilters, argument_error
from kebab_mcp.tool import Number, Tool

if TYPE_CHECKING:
    from kebab_app import App, AskRequest

    from kebab_mcp.call import Call

_TOKENS_PER_NOTICE = 25


class HiddenArguments(NamedFilters):
    """Arguments that are taken and left out of the definition, which names `filters` for them, and those seldom needed."""

    mode: Literal["lexical", "vector", "hybrid"] | None = None
    k: Number | None = Field(default=None, ge=1, le=1000)


class AskArguments(FilterArguments, HiddenArguments):
    """The question, and where to look for its evidence."""

    question: str


def _run(call: Call, arguments: AskArguments) -> BaseModel:
    from kebab_app import build_ask_request

    app = call.app
    request = build_ask_request(
        app.base,
        arguments.question,
        filters=dict(arguments),
        complain=argument_error,
        k=arguments.k,
        mode=arguments.mode,
    )
    return _follow(call, app, request)


def _follow(call: Call, app: App, request: AskRequest) -> BaseModel:
    """Ask and report progress.

    Returns:
        The answer as a wire object.

    Raises:
        WorkCancelledError: The call was cancelled, which stops the model after the current token.
        InternalError: The stream ended without an answer.
    """
    from kebab_core import AnswerFinal, InternalError, RetrievalDone
    from kebab_wire import wire_agent_answer

    from kebab_mcp.remedies import render_remedy

    call.report(0, None, "looking for passages")
    coverage = None
    with closing(app.ask_stream(request, cancel=call.token)) as events:
        for number, event in enumerate(events, start=1):
            if isinstance(event, RetrievalDone):
                coverage = event.coverage
                call.report(number, None, f"writing from {len(event.hits)} passages")
            elif isinstance(event, AnswerFinal):
                return wire_agent_answer(event.answer, coverage=coverage, render=render_remedy)
            elif number % _TOKENS_PER_NOTICE == 0:
                call.report(number, None, "writing")
            call.raise_if_cancelled()
    raise InternalError("an answer came to no end")


TOOL = Tool(
    name="ask",
    description=(
        "Answer one question from the user's documents; [n] is a citation. grounded=false: not sure, read the quotes, "
        "do not guess. For lists and comparisons use `search`. filters: those of search."
    ),
    arguments=AskArguments,
    hidden_arguments=HiddenArguments,
    returns="answer_brief.v1",
    run=_run,
)
