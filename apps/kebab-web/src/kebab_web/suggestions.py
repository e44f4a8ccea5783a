"""Questions that a first run suggests: made of titles, and only those that the documents answer."""

from __future__ import annotations

import threading
from contextlib import closing
from typing import TYPE_CHECKING

from kebab_app import PageLimits, build_ask_request
from kebab_config import EXTRACTIVE_PROVIDER
from kebab_core import AnswerFinal, CancelToken, KebabError, SearchFilters, WorkCancelledError

import kebab_web.phrases as say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kebab_app import App
    from kebab_words import Words

_SHOWN = 3
_TRIED = 12
_LONGEST = 60
"""Characters of a title that is worth a question."""


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
        """Return what is found so far; none where answers are written by a chat model, which would take too long.

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
