"""One open knowledge base in the hands of several threads, and of a face that counts hits its own way."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING

from kebab_app import App
from kebab_core import SearchMode, SearchQuery

if TYPE_CHECKING:
    from conftest import Base

_THREADS = 8


def _write_and_ingest(base: Base) -> None:
    for number in range(6):
        base.write(f"노트-{number}.md", f"# 제목 {number}\n\n색인은 {number}분마다 다시 만들어진다.\n")
    base.app.ingest()
    base.close()


def test_threads_that_come_at_once_share_one_database(base: Base) -> None:
    _write_and_ingest(base)
    together = Barrier(_THREADS, timeout=60)

    def open_it(_: int) -> int:
        together.wait()
        return id(base.app.base.open_for_reading())

    assert base.app is not None
    with ThreadPoolExecutor(_THREADS) as pool:
        assert len(set(pool.map(open_it, range(_THREADS)))) == 1


def test_a_budget_counts_hits_as_the_face_counts_them(base: Base) -> None:
    _write_and_ingest(base)
    query = SearchQuery(text="색인", mode=SearchMode.LEXICAL, max_tokens=30)
    with App(base.load(), clock=base.clock) as app:
        assert len(app.search(query, count_hit=lambda _: 10).hits) == 3
