"""Answers: asked, written while one watches, stopped and shown again, alone or as turns of a conversation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kebab_app import Conversations, build_ask_request
from kebab_core import AnswerFinal, AnswerToken, InvalidInputError, KebabError, RetrievalDone
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

import kebab_web.phrases as say
from kebab_web.answer_view import show_answer, show_turn
from kebab_web.pages.documents import read_cited
from kebab_web.pages.search import Filters
from kebab_web.site import MAX_QUERY, conversation_url

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from kebab_core import AnswerEvent
    from starlette.datastructures import QueryParams
    from starlette.requests import Request

    from kebab_web.answer_jobs import AnswerJob
    from kebab_web.site import Site

_WAIT_S = 15.0
"""Seconds after which a stream without news says that it is there."""
_SHOWN = 100
_SEE_OTHER, _NO_CONTENT, _NOT_FOUND = 303, 204, 404


def ask_job(site: Site, _request: Request, form: QueryParams) -> Response:
    """Begin an answer and return its id."""
    return JSONResponse({"id": _start(site, form).id})


def ask_page(site: Site, request: Request, form: QueryParams) -> Response:
    """Answer a question without scripts: the page of the answer comes when it is written."""
    job = _start(site, form)
    job.wait_for_end()
    last = job.events[-1] if job.events else None
    if isinstance(last, KebabError):
        raise last
    if not isinstance(last, AnswerFinal):
        return RedirectResponse("/", _SEE_OTHER)
    if last.persisted:
        name, trace = last.answer.conversation_id, last.answer.retrieval.trace_id
        return RedirectResponse(conversation_url(name) if name else f"/a/{trace}", _SEE_OTHER)
    shown = show_answer(job.question, last.answer)
    return site.render(request, "answer_page.html", shown=shown, pane=None, cited="")


def stream(site: Site, request: Request) -> Response:
    """Stream an answer while it is written, as server-sent events."""
    if (job := site.jobs.find(request.path_params["job_id"])) is None:
        return Response(status_code=_NOT_FOUND)
    return StreamingResponse(_events(site, job, request), media_type="text/event-stream")


def stop(site: Site, request: Request) -> Response:
    """Stop an answer; what is written so far is kept."""
    if job := site.jobs.find(request.path_params["job_id"]):
        job.stop()
    return Response(status_code=_NO_CONTENT)


def show_stored(site: Site, request: Request) -> Response:
    """Show a stored answer, and beside it the document that the address names."""
    shown = show_answer(*site.app.show_answer(request.path_params["trace"]))
    return site.render(request, "answer_page.html", shown=shown, **read_cited(site, request))


def list_stored(site: Site, request: Request) -> Response:
    """List stored answers, newest first."""
    stored = [show_answer(*each) for each in site.app.list_answers(limit=_SHOWN)]
    chosen = request.query_params.get("look", "")
    return site.render(
        request,
        "answers.html",
        stored=[each for each in stored if chosen in {"", each.look}],
        looks=list(dict.fromkeys(each.look for each in stored)),
        chosen=chosen,
    )


def list_conversations(site: Site, request: Request) -> Response:
    """List conversations, last used first."""
    return site.render(request, "conversations.html", stored=Conversations(site.app.base).list(limit=_SHOWN))


def show_conversation(site: Site, request: Request) -> Response:
    """Show a conversation, oldest question first, and beside it the document that the address names."""
    conversations = Conversations(site.app.base)
    found = conversations.show(request.path_params["name"])
    turns = [
        show_turn(turn) if answer is None else show_answer(turn.question, answer)
        for turn, answer in zip(found.turns, conversations.find_answers(found), strict=True)
    ]
    cited = read_cited(site, request)
    return site.render(request, "conversation.html", session=found.session, turns=turns, **cited)


def begin_conversation(site: Site, _request: Request, form: QueryParams) -> Response:
    """Begin a conversation with a stored answer."""
    name = Conversations(site.app.base).begin(form.get("trace", ""))
    return RedirectResponse(conversation_url(name), _SEE_OTHER)


def _start(site: Site, form: QueryParams) -> AnswerJob:
    """Begin the answer to a form's question.

    Raises:
        HTTPException: As many as may be are being written.
        InvalidInputError: There is no question, or it is too long.
    """
    question = form.get("q", "").strip()
    if not question or len(question) > MAX_QUERY:
        raise InvalidInputError("a question has 1 to {limit} characters", limit=MAX_QUERY)
    filters = Filters.read(form).for_request()
    session = form.get("session") or None
    request = build_ask_request(site.app.base, question, filters=filters, session=session)
    return site.jobs.start(site.app, request)


async def _events(site: Site, job: AnswerJob, request: Request) -> AsyncIterator[str]:
    seen = 0
    while True:
        events = await run_in_threadpool(job.wait, seen, timeout_s=_WAIT_S)
        if not events:
            if job.is_done:
                yield _pack("end", {})
                return
            yield ": still there\n\n"
        for event in events:
            yield _describe(site, job, event, request)
        seen += len(events)


def _describe(site: Site, job: AnswerJob, event: AnswerEvent | KebabError, request: Request) -> str:
    match event:
        case KebabError():
            failed = site.render_problem(request, say.FAILED, error=event, status=200)
            return _pack("failed", {"html": bytes(failed.body).decode()})
        case RetrievalDone():
            return _pack("found", {"count": len(event.hits)})
        case AnswerToken():
            return _pack("token", {"text": event.delta, "marker": event.marker})
        case AnswerFinal():
            shown = show_answer(job.question, event.answer)
            html = site.render_text(request, "answer.html", shown=shown, cited="", can_go_on=event.persisted)
            trace = event.answer.retrieval.trace_id if event.persisted else ""
            return _pack("final", {"html": html, "trace": trace})
        case _:
            return ""


def _pack(kind: str, data: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
