"""`Site`: the knowledge base behind the pages, their language, and how a page is made of a template.

Questions that a first run suggests are made of titles, and only those that the documents answer.
"""

from __future__ import annotations

import json
import re
import threading
from contextlib import closing
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from kebab_app import PageLimits, build_ask_request
from kebab_config import EXTRACTIVE_PROVIDER
from kebab_core import AnswerFinal, CancelToken, KebabError, SearchFilters, WorkCancelledError
from kebab_text import visible
from kebab_words import Phrases, Words
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

import kebab_web.phrases as say
from kebab_web.answer_jobs import AnswerJobs
from kebab_web.page_pictures import PagePictures
from kebab_web.work import Work

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kebab_app import App, Overview
    from starlette.requests import Request

    from kebab_web.entrance import Entrance

STATIC = Path(__file__).parent / "static"
TEMPLATES = Path(__file__).parent / "templates"
_LANGUAGES = ("en", "ko")
_SEARCHES = 4
"""Searches at once; more wait."""

_SHOWN = 3
_TRIED = 12
_LONGEST = 60
"""Characters of a title that is worth a question."""


class Site:
    """The knowledge base of a server and what its pages share.

    Args:
        app: The knowledge base, open; it must look at no path of a request (`files=False`).
        entrance: Who may enter.
        language: Of all pages; None takes that of each browser.
        config_path: The configuration file that was named; None is the default one.
        watches: Read files as they are saved.
        is_demo: The documents are kebab's own guides.
    """

    def __init__(
        self,
        app: App,
        entrance: Entrance,
        *,
        language: str | None = None,
        config_path: Path | None = None,
        watches: bool = False,
        is_demo: bool = False,
    ) -> None:
        self.entrance = entrance
        self.port = 0
        """Set once it is bound."""
        self.config_path = config_path
        self.watches = watches
        self.is_demo = is_demo
        self._opened: list[App] = []
        self.searches = threading.BoundedSemaphore(_SEARCHES)
        self._language = language
        self._words = {name: Words(name) for name in _LANGUAGES}
        self._show(app)

    def reload(self) -> None:
        """Open the knowledge base of the settings in force now; requests that are being answered keep the one before."""
        from kebab_app import App
        from kebab_config import load_settings, read_environment

        loaded = self.app.loaded
        if not self.is_demo:
            loaded = load_settings(config_path=self.config_path, environ=read_environment(), overrides={})
        self._show(App(loaded, readonly=self.app.base.readonly, files=False))

    def _show(self, app: App) -> None:
        self.app = app
        self._opened.append(app)
        self.pictures = PagePictures(self.app)
        self.jobs = AnswerJobs(self.app)
        self.work = Work(self.app)
        self.suggestions = Suggestions(self.app)

    def stop(self) -> None:
        """Ask what is running to stop, and close the knowledge base."""
        self.jobs.stop()
        self.suggestions.stop()
        self.work.stop()
        self.pictures.close()
        self.work.wait()
        for app in self._opened:
            app.close()

    @property
    def cookie_name(self) -> str:
        """Name of the session's cookie; ports of a host share cookies."""
        return f"kebab_{self.port}"

    def words_for(self, accept_language: str) -> Words:
        """Choose the language: that of the settings, else the first of a browser's that there is."""
        if self._language is not None:
            return self._words[self._language]
        wanted = [part.partition(";")[0].strip()[:2].lower() for part in accept_language.split(",")]
        return self._words[next((name for name in wanted if name in self._words), "en")]

    def words_of(self, request: Request) -> Words:
        """Choose the language of a request."""
        return self.words_for(request.headers.get("accept-language", ""))

    def render(self, request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        """Make a page or a fragment of a template.

        Args:
            request: Gives language and theme.
            template: Name of the template.
            status: Of the response.
            values: What the template uses.
        """
        theme = request.cookies.get("kebab_theme", "")
        page = self.render_text(self.words_of(request), template, theme=theme, **values)
        return HTMLResponse(page, status)

    def render_text(self, words: Words, template: str, *, theme: str = "", **values: Any) -> str:
        """Make a fragment outside of a request."""
        return self._environment.get_template(template).render(
            w=words.localize,
            tr=words.tr,
            lang=words.language,
            theme=theme if theme in {"light", "dark"} else "",
            site=self,
            **values,
        )

    def render_notice(self, headers: Mapping[str, str], message: str, *, status: int) -> HTMLResponse:
        """Make a page of its own that says one thing, for a browser that may see nothing else."""
        words = self.words_for(headers.get("accept-language", ""))
        page = self.render_text(words, "notice.html", message=message, detail=say.RUN_AGAIN_WHY, target="")
        return HTMLResponse(page, status)

    def suggest(self, words: Words, overview: Overview) -> list[str]:
        """Return questions for whoever has asked none yet; they are looked for from the first call on."""
        if (
            overview.coverage is None
            or self.is_demo
            or self.work.is_running
            or self.app.list_answers(limit=1)
        ):
            return []
        return self.suggestions.find(words, overview.coverage.documents_indexed)

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
            "to_json": _to_json,
        }
        environment.filters |= {"seen": visible, "code": _mark_code}
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


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


_CODE = re.compile(r"`([^`]+)`")


def _mark_code(text: str) -> Markup:
    """Set what stands in backquotes as code; the text is kebab's own."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped before


class Suggestions:
    """Looks for questions in a thread of its own, once for each language and state of the documents.

    Args:
        app: The knowledge base.
    """

    def __init__(self, app: App) -> None:
        self._app = app
        self._found: dict[tuple[str, int], list[str]] = {}
        self._lock = threading.Lock()
        self._cancel = CancelToken()
        self._thread: threading.Thread | None = None

    def find(self, words: Words, documents: int) -> list[str]:
        """Return the questions that are found so far; none where a chat model writes answers, which would take too long.

        Args:
            words: The language of the questions.
            documents: Number of documents; with another one, questions are looked for anew.
        """
        if self._app.loaded.settings.models.llm.provider != EXTRACTIVE_PROVIDER:
            return []
        key = (words.language, documents)
        with self._lock:
            if key not in self._found:
                self._found[key] = []
                self._thread = threading.Thread(
                    target=self._look, args=(words, self._found[key]), name="suggest", daemon=True
                )
                self._thread.start()
            return list(self._found[key])

    def stop(self) -> None:
        """Look for no more, and wait for the question in hand."""
        self._cancel.cancel()
        self.wait()

    def wait(self) -> None:
        """Wait until all are looked for."""
        if self._thread is not None:
            self._thread.join()

    def _look(self, words: Words, found: list[str]) -> None:
        try:
            for title in self._titles(words.language):
                question = words.localize(say.what_about(title))
                if self._is_answered(question):
                    found.append(question)
                if len(found) == _SHOWN or self._cancel.is_cancelled:
                    return
        except (KebabError, WorkCancelledError):  # the knowledge base went away, or the server stops
            return

    def _titles(self, language: str) -> Iterator[str]:
        page = self._app.list_page(SearchFilters(), order="recent", limits=PageLimits(limit=_TRIED * 4))
        spoken = [
            each.title for each in page.documents if each.lang == language and len(each.title) <= _LONGEST
        ]
        yield from list(dict.fromkeys(spoken))[:_TRIED]

    def _is_answered(self, question: str) -> bool:
        request = build_ask_request(self._app.base, question, filters={})
        with closing(self._app.ask_stream(request, cancel=self._cancel, keep=False)) as events:
            return any(isinstance(event, AnswerFinal) and event.answer.grounded for event in events)
