"""`Site`: the knowledge base behind the pages, their language, and how a page is made of a template.

Questions that a first run suggests are made of titles, and only those that the documents answer.
"""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property, partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from kebab_app import PageLimits, format_clock
from kebab_config import EXTRACTIVE_PROVIDER, load_settings, read_environment
from kebab_core import (
    CancelToken,
    InvalidInputError,
    KebabError,
    SearchFilters,
    WorkCancelledError,
    say_origin,
)
from kebab_text import visible
from kebab_words import Phrases, Words, describe_answer, describe_filter
from starlette.responses import HTMLResponse

import kebab_web.phrases as say
from kebab_web.answer_jobs import AnswerJobs
from kebab_web.marks import mark_code, mark_snippet
from kebab_web.page_pictures import PagePictures
from kebab_web.work import Work

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kebab_app import App
    from kebab_config import LoadedSettings
    from kebab_core import Message
    from starlette.requests import Request

    from kebab_web.entrance import Entrance
    from kebab_web.options import Options

MAX_QUERY = 2000
"""Characters of a query."""
STATIC = Path(__file__).parent / "static"
TEMPLATES = Path(__file__).parent / "templates"
_LANGUAGES = ("en", "ko")
_FORBIDDEN = 403
_PATIENCE_S = 10.0
"""Seconds that an answer and the file in hand may take once the server is to end."""
_SEARCHES = 4
"""Searches at once; more wait."""

_SHOWN, _TRIED = 3, 12
_LONGEST = 60
"""Characters of a title that is worth a question."""


class Site:
    """The knowledge base of a server and what its pages share.

    Args:
        app: The knowledge base, open; it must look at no path of a request (`files=False`).
        entrance: Who may enter.
        options: How it is served.
        language: Of all pages; None takes that of each browser.
    """

    def __init__(
        self, app: App, entrance: Entrance, options: Options, *, language: str | None = None
    ) -> None:
        self.entrance = entrance
        self.options = options
        self.port = 0
        """Set once it is bound."""
        self.searches = threading.BoundedSemaphore(_SEARCHES)
        self._language = language
        self._words = {name: Words(name) for name in _LANGUAGES}
        self.work, self.jobs = Work(), AnswerJobs()
        self._opened: list[App] = []
        """The knowledge base, after those of earlier settings, which requests and runs may still use."""
        self._show(app)

    def reload(self) -> None:
        """Open the knowledge base of the settings in force now; what uses the one before goes on with it.

        Raises:
            ConfigInvalidError: The configuration does not load.
        """
        environ = read_environment()
        self._open(load_settings(config_path=self.options.config, environ=environ, overrides={}))

    def rest(self) -> None:
        """Free the memory of models, dictionaries and pictures, which the next request loads again; nothing while something is written or read."""
        if self.jobs.running or self.work.is_alive:
            return
        self._close()
        self._open(self.app.loaded)

    def stop(self) -> None:
        """Ask what is running to stop, and close the knowledge base."""
        self.jobs.stop(wait_s=_PATIENCE_S)
        self.work.stop(wait_s=_PATIENCE_S)
        self._close()

    def _open(self, loaded: LoadedSettings) -> None:
        from kebab_app import App

        self._show(App(loaded, readonly=self.app.base.readonly, files=False))

    def _show(self, app: App) -> None:
        self.app = app
        self._opened.append(app)
        self.pictures = PagePictures(app)
        self.suggestions = Suggestions(app)

    def _close(self) -> None:
        self.suggestions.stop()
        self.pictures.close()
        while self._opened:
            self._opened.pop().close()

    @property
    def cookie_name(self) -> str:
        """Name of the session's cookie; ports of a host share cookies."""
        return f"kebab_{self.port}"

    def words_of(self, request: Request) -> Words:
        """Choose the language: that of the settings, else the first of a browser's that there is."""
        if self._language is not None:
            return self._words[self._language]
        accepted = request.headers.get("accept-language", "").split(",")
        wanted = [part.partition(";")[0].strip()[:2].lower() for part in accepted]
        return self._words[next((name for name in wanted if name in self._words), "en")]

    def render(self, request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        """Make a page or a fragment of a template.

        Args:
            request: Gives language and theme.
            template: Name of the template.
            status: Of the response.
            values: What the template uses.
        """
        return HTMLResponse(self.render_text(request, template, **values), status)

    def render_part(self, request: Request, name: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        """Make a part of a page for a script, else the page that shows it."""
        template = f"{name}.html" if request.url.path.startswith("/x/") else f"{name}_page.html"
        return self.render(request, template, status=status, **values)

    def render_text(self, request: Request, template: str, **values: Any) -> str:
        """Make the text of a page or fragment."""
        return "".join(self.render_parts(request, template, **values))

    def render_parts(self, request: Request, template: str, **values: Any) -> Iterator[str]:
        """Make a page part by part, so that a browser shows what there is while its values come."""
        words, theme = self.words_of(request), request.cookies.get("kebab_theme", "")
        return self._environment.get_template(template).generate(
            w=words.localize,
            tr=words.tr,
            hint_of=partial(say.render_remedy, words=words),
            lang=words.language,
            theme=theme if theme in {"light", "dark"} else "",
            site=self,
            **values,
        )

    def render_notice(self, request: Request) -> HTMLResponse:
        """Say how to get in, for a browser that may see nothing else."""
        return self.render(request, "notice.html", status=_FORBIDDEN, target="")

    def render_problem(
        self,
        request: Request,
        title: Message,
        *,
        status: int,
        error: KebabError | None = None,
        message: str = "",
    ) -> HTMLResponse:
        """Say what did not work and what helps, as a page, or as a part of one for a script."""
        values = {"title": title, "message": message, "error": error}
        return self.render_part(request, "problem", status=status, **values)

    def suggest(self, words: Words, documents: int) -> list[str]:
        """Return questions for whoever has asked none yet; they are looked for from the first call on."""
        is_used = self.options.is_demo or self.work.is_running or self.app.list_answers(limit=1)
        return [] if is_used else self.suggestions.find(words, documents)

    @cached_property
    def static_hash(self) -> str:
        """Hash of all static files, a part of their addresses."""
        digest = blake2b(digest_size=6)
        for path in sorted(STATIC.iterdir()):
            digest.update(path.read_bytes())
        return digest.hexdigest()

    @cached_property
    def _environment(self) -> Environment:
        environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.globals |= {
            "say": say,
            "Phrases": Phrases,
            "url": build_url,
            "doc_url": document_url,
            "conversation_url": conversation_url,
            "to_json": partial(json.dumps, ensure_ascii=False),
            "origin_of": say_origin,
            "describe_answer": describe_answer,
            "label_of": describe_filter,
            "pages": say.PAGES,
            "snippet": mark_snippet,
            "clock": format_clock,
        }
        environment.filters |= {"seen": visible, "code": mark_code}
        return environment


def build_url(path: str, **parameters: Any) -> str:
    """Build an address on this server; empty parameters are left out, lists are repeated."""
    given = {name: value for name, value in parameters.items() if value}
    return f"{path}?{urlencode(given, doseq=True)}" if given else path


def conversation_url(name: str) -> str:
    """Return the address of a conversation."""
    return f"/s/{quote(name, safe='')}"


def document_url(address: str) -> str:
    """Return the address of the page of a document alone; the place in it is a part of the path, since servers see no fragment."""
    return f"/d/{quote(address, safe='/:')}"


def read_query(request: Request) -> str:
    """Return the text of the box.

    Raises:
        InvalidInputError: It is too long.
    """
    query = request.query_params.get("q", "").strip()
    if len(query) > MAX_QUERY:
        raise InvalidInputError("a query has {limit} characters at most", limit=MAX_QUERY)
    return query


class Suggestions:
    """Looks for questions in a thread of its own, once for each language and state of the documents.

    Args:
        app: The knowledge base.
    """

    def __init__(self, app: App) -> None:
        self._app = app
        self._found: dict[tuple[str, int], list[str]] = {}
        self._cancel = CancelToken()
        self._threads = ThreadPoolExecutor(1, "suggest")

    def find(self, words: Words, documents: int) -> list[str]:
        """Return the questions that are found so far; none where a chat model writes answers, which would take too long.

        Args:
            words: The language of the questions.
            documents: Number of documents; with another one, questions are looked for anew.
        """
        if self._app.loaded.settings.models.llm.provider != EXTRACTIVE_PROVIDER:
            return []
        key = (words.language, documents)
        if key not in self._found:
            self._found[key] = []
            self._threads.submit(self._look, words, self._found[key])
        return list(self._found[key])

    def stop(self) -> None:
        """Look for no more, and wait for the question in hand."""
        self._cancel.cancel()
        self.wait()

    def wait(self) -> None:
        """Wait until all are looked for; no more will be."""
        self._threads.shutdown()

    def _look(self, words: Words, found: list[str]) -> None:
        with suppress(KebabError, WorkCancelledError):  # the knowledge base went away, or the server stops
            page = self._app.list_page(SearchFilters(), order="recent", limits=PageLimits(limit=_TRIED * 4))
            spoken = (each.title for each in page.documents if each.lang == words.language)
            titles = dict.fromkeys(title for title in spoken if len(title) <= _LONGEST)
            for title in islice(titles, _TRIED):
                question = words.tr("Tell me about {title}", title=title)
                if self._app.ask(question, keep=False, cancel=self._cancel).grounded:
                    found.append(question)
                if len(found) == _SHOWN:
                    return
