"""A call as the thread that works on it sees it: told of, cancelled, stopped."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from kebab_app import App
from kebab_core import AnswerToken, IngestReport, WorkCancelledError
from kebab_mcp.call import Call, watch_ingest
from kebab_mcp.tool import load_tool

if TYPE_CHECKING:
    from collections.abc import Callable

    from kebab_core import CancelToken

    from conftest import Base

NOW = datetime(2026, 11, 22, tzinfo=UTC)


class SlowlyAnswering:
    """Stands before a knowledge base and answers without end, one word at a time."""

    def __init__(self, app: App, call: Callable[[], Call]) -> None:
        self.loaded = app.loaded
        self.base = app.base
        self.call = call
        self.words = 0
        self.was_closed = False

    def ask_stream(self, _request: object, *, cancel: object) -> Iterator[AnswerToken]:
        try:
            while True:
                self.words += 1
                if self.words == 40:
                    self.call().cancel()
                yield AnswerToken(ts=NOW, delta="말 ")
        finally:
            self.was_closed = True


def test_a_cancelled_answer_stops_the_model_at_the_next_word(base: Base) -> None:
    ask = load_tool("ask")
    told: list[tuple[float, str]] = []
    with base.open() as app:
        slow = SlowlyAnswering(app, lambda: call)
        opened: Any = lambda: slow
        call = Call(opened, report=lambda progress, _total, message: told.append((progress, message)))
        with pytest.raises(WorkCancelledError):
            ask.run(call, ask.arguments(question="언제?"))
    assert (slow.words, slow.was_closed) == (40, True)
    assert told == [(0, "looking for passages"), (25, "writing")]


class ManySearches:
    """Stands before a knowledge base and cancels the call while it searches for the third of many queries."""

    def __init__(self, app: App, call: Callable[[], Call]) -> None:
        self.app = app
        self.loaded = app.loaded
        self.base = app.base
        self.call = call
        self.searched = 0
        self.was_closed = False

    def bulk_search(self, queries: Any, **given: Any) -> Iterator[object]:
        try:
            for found in self.app.bulk_search(queries, **given):
                self.searched += 1
                if self.searched == 3:
                    self.call().cancel()
                yield found
        finally:
            self.was_closed = True

    def find_near_values(self, response: Any) -> dict[str, str]:
        return self.app.find_near_values(response)


def test_many_searches_that_were_cancelled_stop_at_the_query_in_hand(base: Base) -> None:
    bulk = load_tool("bulk_search")
    told: list[tuple[float, float | None]] = []
    with base.open() as app:
        many = ManySearches(app, lambda: call)
        opened: Any = lambda: many
        call = Call(opened, report=lambda progress, total, _message: told.append((progress, total)))
        with pytest.raises(WorkCancelledError):
            bulk.run(call, bulk.arguments(queries=[{"query": "색인"}] * 50))
    assert (many.searched, many.was_closed) == (3, True)
    assert told == [(1, 50), (2, 50)]


@pytest.mark.parametrize("name", ["search", "bulk_search"])
def test_a_search_whose_call_was_cancelled_stops(name: str, base: Base) -> None:
    tool = load_tool(name)
    query = {"query": "색인"}
    with base.open() as app:
        call = Call(lambda: app)
        call.cancel()
        with pytest.raises(WorkCancelledError):
            tool.run(call, tool.arguments(**(query if name == "search" else {"queries": [query]})))


def test_an_ingest_whose_call_was_cancelled_stops_before_its_first_file(base: Base) -> None:
    with base.open() as app:
        call = Call(lambda: app)
        seen: list[CancelToken] = []

        def work(sink: Any, cancel: CancelToken) -> IngestReport:
            seen.append(cancel)
            call.cancel()
            return app.ingest(sink=sink, cancel=cancel)

        report = watch_ingest(call, work)
    assert seen[0].is_cancelled
    assert report.aborted


def test_work_that_comes_after_the_cancel_is_stopped_at_once(base: Base) -> None:
    stopped: list[str] = []
    call = Call(base.open)
    call.on_cancel(lambda: stopped.append("first"))
    call.cancel()
    call.cancel()
    call.on_cancel(lambda: stopped.append("late"))
    assert stopped == ["first", "late"]


def test_nobody_is_told_of_a_call_that_was_cancelled(base: Base) -> None:
    told: list[float] = []
    call = Call(base.open, report=lambda progress, _total, _message: told.append(progress))
    call.report(1, None, "")
    call.cancel()
    call.report(2, None, "")
    assert told == [1]
    assert call.is_cancelled
