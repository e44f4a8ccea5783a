"""Conversations: listed, shown with their answers, and begun from an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from kebab_app import Conversations
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from kebab_web.answer_view import show_answer, show_turn
from kebab_web.pages.documents import read_pane
from kebab_web.site import conversation_url

if TYPE_CHECKING:
    from starlette.requests import Request

    from kebab_web.site import Site

_SHOWN = 100
_SEE_OTHER = 303


def list_all(site: Site, request: Request) -> Response:
    """List conversations, last used first."""
    return site.render(request, "conversations.html", stored=Conversations(site.app.base).list(limit=_SHOWN))


def show(site: Site, request: Request) -> Response:
    """Show a conversation, oldest question first, and beside it the document that the address names."""
    conversations = Conversations(site.app.base)
    found = conversations.show(request.path_params["name"])
    shown = [
        show_turn(turn) if answer is None else show_answer(turn.question, answer)
        for turn, answer in zip(found.turns, conversations.find_answers(found), strict=True)
    ]
    cited = request.query_params.get("d", "")
    pane = read_pane(site, request, cited) if cited else None
    return site.render(
        request, "conversation.html", session=found.session, turns=shown, pane=pane, cited=cited
    )


async def begin(site: Site, request: Request) -> Response:
    """Begin a conversation with a stored answer."""
    given = parse_qs((await request.body()).decode("utf-8", "replace"))
    name = await run_in_threadpool(Conversations(site.app.base).begin, given.get("trace", [""])[0])
    return RedirectResponse(conversation_url(name), _SEE_OTHER)


HANDLERS = [
    ("GET", "/s", list_all),
    ("POST", "/s", begin),
    ("GET", "/s/{name:path}", show),
]
