"""Answers: asked, written while one watches, stopped, and shown again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from kebab_app import build_ask_request
from kebab_core import AnswerFinal, AnswerToken, InvalidInputError, KebabError, RetrievalDone
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

import kebab_web.phrases as say
from kebab_web.answer_view import show_answer
from kebab_web.pages.documents import read_pane
from kebab_web.pages.search import FILTERS, MAX_QUERY, read_filters
from kebab_web.remedies import render_remedy
from kebab_web.site import conversation_url

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from kebab_core import AnswerEvent
    from kebab_words import Words
    from starlette.requests import Request

    from kebab_web.answer_jobs import AnswerJob
    from kebab_web.site import Site

_WAIT_S = 15.0
"""Seconds after which a stream without news says that it is there."""
_SHOWN = 100
_SEE_OTHER, _NO_CONTENT, _NOT_FOUND, _TOO_MANY = 303, 204, 404, 429


async def ask_job(site: Site, request: Request) -> Response:
    """Begin an answer and return its id."""
    job = await run_in_threadpool(_start, site, await request.body())
    if job is None:
        return site.render(
            request, "problem_part.html", status=_TOO_MANY, title=say.TOO_MANY, message="", hint=""
        )
    return JSONResponse({"id": job.id})


async def ask_page(site: Site, request: Request) -> Response:
    """Answer a question without scripts: the page of the answer comes when it is written."""
    body = await request.body()
    job = await run_in_threadpool(_start, site, body)
    if job is None:
        return site.render(request, "problem.html", status=_TOO_MANY, title=say.TOO_MANY, message="", hint="")
    seen = 0
    while True:
        events = await run_in_threadpool(job.wait, seen, timeout_s=_WAIT_S)
        seen += len(events)
        for event in events:
            if isinstance(event, KebabError):
                raise event
            if isinstance(event, AnswerFinal):
                if event.persisted and event.answer.conversation_id:
                    return RedirectResponse(conversation_url(event.answer.conversation_id), _SEE_OTHER)
                if event.persisted:
                    return RedirectResponse(f"/a/{event.answer.retrieval.trace_id}", _SEE_OTHER)
                shown = show_answer(job.question, event.answer)
                return site.render(request, "answer_page.html", shown=shown, pane=None, cited="")
        if job.is_done and not events:
            return RedirectResponse("/", _SEE_OTHER)


async def stream(site: Site, request: Request) -> Response:
    """Stream an answer while it is written, as server-sent events."""
    job = site.jobs.find(request.path_params["job_id"])
    if job is None:
        return Response(status_code=_NOT_FOUND)
    words = site.words_of(request)
    return StreamingResponse(_events(site, job, words), media_type="text/event-stream")


async def stop(site: Site, request: Request) -> Response:
    """Stop an answer; what is written so far is kept."""
    job = site.jobs.find(request.path_params["job_id"])
    if job is not None:
        job.cancel.cancel()
    return Response(status_code=_NO_CONTENT)


def show_stored(site: Site, request: Request) -> Response:
    """Show a stored answer, and beside it the document that the address names."""
    question, answer = site.app.show_answer(request.path_params["trace"])
    cited = request.query_params.get("d", "")
    pane = read_pane(site, request, cited) if cited else None
    shown = show_answer(question, answer)
    return site.render(request, "answer_page.html", shown=shown, pane=pane, cited=cited)


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


def _start(site: Site, body: bytes) -> AnswerJob | None:
    """Begin the answer to a form's question.

    Raises:
        InvalidInputError: There is no question, or it is too long.
    """
    given = parse_qs(body.decode("utf-8", "replace"))
    question = given.get("q", [""])[0].strip()
    if not question or len(question) > MAX_QUERY:
        raise InvalidInputError("a question has 1 to {limit} characters", limit=MAX_QUERY)
    filters = {name: given[name] for name in FILTERS if given.get(name)}
    request = build_ask_request(
        site.app.base,
        question,
        filters=read_filters(filters),
        session=given.get("session", [""])[0] or None,
    )
    return site.jobs.start(request)


async def _events(site: Site, job: AnswerJob, words: Words) -> AsyncIterator[str]:
    seen = 0
    while True:
        events = await run_in_threadpool(job.wait, seen, timeout_s=_WAIT_S)
        if not events:
            if job.is_done:
                yield _pack("end", {})
                return
            yield ": still there\n\n"
        for event in events:
            if message := _describe(site, job, event, words):
                yield message
        seen += len(events)


def _describe(site: Site, job: AnswerJob, event: AnswerEvent | KebabError, words: Words) -> str:
    if isinstance(event, KebabError):
        html = site.render_text(
            words,
            "problem_part.html",
            title=say.FAILED,
            message=event.message,
            hint=render_remedy(event, words),
        )
        return _pack("failed", {"html": html})
    if isinstance(event, RetrievalDone):
        return _pack("found", {"count": len(event.hits)})
    if isinstance(event, AnswerToken):
        return _pack("token", {"text": event.delta, "marker": event.marker})
    if isinstance(event, AnswerFinal):
        html = site.render_text(
            words,
            "answer.html",
            shown=show_answer(job.question, event.answer),
            cited="",
            can_go_on=event.persisted,
        )
        trace = event.answer.retrieval.trace_id if event.persisted else ""
        return _pack("final", {"html": html, "trace": trace})
    return ""


def _pack(kind: str, data: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


HANDLERS = [
    ("POST", "/ask", ask_page),
    ("POST", "/x/ask", ask_job),
    ("GET", "/x/ask/{job_id}", stream),
    ("DELETE", "/x/ask/{job_id}", stop),
    ("GET", "/a", list_stored),
    ("GET", "/a/{trace}", show_stored),
]
