"""Calls that a client gives up: the protocol's own client cancels, and the server goes on with the next."""

from __future__ import annotations

from dataclasses import replace
from shutil import copytree
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from kebab_testing.tables import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Base, Session

HEAVY = {
    "query": "색인 벡터 청크 제목 표 규칙",
    "mode": "lexical",
    "k": 60,
    "snippet_chars": 2000,
    "max_tokens": 10**6,
}
WANTED: list[tuple[str, dict[str, Any]]] = [
    ("bulk_search", {"queries": [HEAVY] * 100}),
    ("search", HEAVY),
    ("ask", {"question": "색인은 언제 다시 만들어지나요?", "mode": "lexical", "k": 60}),
]
MORE_THAN_THREADS = 6
PAGE = "# 색인 {n}\n\n" + "색인은 벡터와 청크와 제목과 표의 규칙을 따른다. " * 60 + "\n"


@pytest.fixture(scope="module")
def crowded(
    tmp_path_factory: pytest.TempPathFactory, ingested_once: Base, serve_base: Callable[..., Any]
) -> Iterator[Session]:
    """A server over enough notes for a call to take a while."""
    base = replace(ingested_once, folder=tmp_path_factory.mktemp("crowded") / "kb")
    copytree(ingested_once.folder, base.folder)
    for number in range(60):
        base.write(f"많은/{number}.md", PAGE.format(n=number))
    base.ingest()
    with serve_base(base.parameters()) as session:
        yield session


def give_up(session: Session, tool: str, arguments: dict[str, Any], *, calls: int) -> int:
    """Make calls, give up all of them once the first has begun, and return how many had not come back by then."""

    async def work() -> int:
        begun, returned = anyio.Event(), 0

        async def hear(*_notice: object) -> None:
            begun.set()

        async def call() -> None:
            nonlocal returned
            await session.client.call_tool(tool, arguments, progress_callback=hear)
            returned += 1
            begun.set()  # a tool that tells of no progress, such as `search`

        async with anyio.create_task_group() as tasks:
            for _ in range(calls):
                tasks.start_soon(call)
            await begun.wait()
            tasks.cancel_scope.cancel()
        return calls - returned

    return session.portal.call(work)


@walk(("tool", "arguments"), WANTED)
def test_given_up_calls_leave_the_server_free_for_the_next(
    tool: str, arguments: dict[str, Any], crowded: Session
) -> None:
    assert give_up(crowded, tool, arguments, calls=MORE_THAN_THREADS) > 0
    assert crowded.call("search", query="blue green").value["hits"]
    assert crowded.call("bulk_search", queries=[{"query": "rollback"}]).value["results"][0]["response"][
        "hits"
    ]
    assert "every Tuesday" in crowded.call("ask", question="When do we deploy?").value["answer"]
