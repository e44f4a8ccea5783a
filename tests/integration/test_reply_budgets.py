"""A budget of tokens holds whatever the documents call themselves."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_app import App
from kebab_config import load_settings
from kebab_core import FetchChunk, FetchDocument, FetchSpan, SearchHit, SearchMode, SearchQuery, TokenCounter
from kebab_testing.families import examples
from kebab_wire import (
    brief_hit_cost,
    fetched_chunk_cost,
    hit_cost,
    wire_agent_hit,
    wire_brief_hit,
    wire_fetch_result,
    wire_json,
    wire_search_brief,
    wire_search_hit,
)

if TYPE_CHECKING:
    from kebab_core import FetchQuery
    from pydantic import BaseModel

ENVELOPE = 100
"""Tokens of a brief response around its hits."""
ONE_BRIEF_HIT = 800
"""The first hit is there in any case: two ids, 300 characters of headings, 60 of the passage."""
ONE_AGENT_HIT = 500
"""Likewise, with an address in place of ids and 60 characters of headings."""
ONE_HIT = 4500
"""The same in full: title, six headings, section twice, 200 characters each."""
ONE_FETCH = 4000
"""What stands around the text of a passage: title, headings and the ids of 32 blocks."""

_CHARS = st.sampled_from([
    "word ",
    "한국어 ",
    "漢",
    "🧨",
    "\\u0007",
    '"',
    "\\\\",
    "e\u0301",
    "a",
    "\u202e",
    "-_",
])
_LONG = st.builds(lambda text, times: text * times, _CHARS, st.sampled_from([1, 40, 400, 4000]))
_NAMES = st.builds(
    lambda part, times, depth: "/".join([part * times] * depth),
    st.sampled_from(["a", "이", "%"]),
    st.sampled_from([1, 60]),
    st.sampled_from([1, 8]),
)


@st.composite
def _notes(draw: st.DrawFn) -> tuple[str, str]:
    """Return the path of a note without extension, and its text; every passage has the word `target`."""
    title, tag, source_uri = draw(_LONG), draw(_LONG), draw(_LONG)
    headings = [draw(_LONG) for _ in range(draw(st.integers(0, 6)))]
    body = draw(
        st.sampled_from(["target", "target\n\n" * 300, "| target |\n|--|\n| target |\n", "target " * 900])
    )
    front = f"---\ntitle: '{title}'\ntags: ['{tag}']\nsource_uri: '{source_uri}'\n---\n"
    sections = "".join(f"{'#' * level} {text} target\n\n{body}\n\n" for level, text in enumerate(headings, 1))
    return draw(_NAMES), f"{front}{body}\n\n{sections}"


def _open(home: Path) -> App:
    config = home / "kebab.toml"
    config.write_text(
        '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n[models.embedding]\nprovider = "none"\n',
        encoding="utf-8",
    )
    loaded = load_settings(config_path=config, environ={"HOME": str(home)})
    return App(loaded, chunk_cost=fetched_chunk_cost)


def _count(value: BaseModel) -> int:
    return TokenCounter().count(wire_json(value))


def _path_cost(hit: SearchHit) -> int:
    """Return what the path costs where it is printed, which is never cut because it is opened by it."""
    return TokenCounter().count(f"{hit.doc_path}{hit.doc_path}{hit.citation.to_uri()}")


@pytest.mark.thorough
@settings(max_examples=examples(12), deadline=None, suppress_health_check=list(HealthCheck))
@given(notes=st.lists(_notes(), min_size=1, max_size=3, unique_by=lambda note: note[0]))
@pytest.mark.parametrize("max_tokens", [200, 2000])
def test_no_document_makes_a_reply_larger_than_its_budget(
    max_tokens: int, notes: list[tuple[str, str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for path, text in notes:
            target = home / "notes" / f"{path}.md"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        query = SearchQuery(text="target", mode=SearchMode.LEXICAL, max_tokens=max_tokens)
        with _open(home) as app:
            app.ingest()
            response = app.search(query, count_hit=brief_hit_cost)
            first = response.hits[0]
            brief = wire_search_brief(response, near_values=app.find_near_values(response))
            assert _count(brief) <= ENVELOPE + max(max_tokens, ONE_BRIEF_HIT + _path_cost(first))
            assert _count(wire_brief_hit(first)) <= ONE_BRIEF_HIT + _path_cost(first)
            assert _count(wire_agent_hit(first)) <= ONE_AGENT_HIT + _path_cost(first)
            fetches: list[FetchQuery] = [
                FetchChunk(chunk_id=first.chunk_id, context=1000, max_tokens=max_tokens),
                FetchDocument(doc_id=first.doc_id, max_tokens=max_tokens),
                FetchSpan(doc_id=first.doc_id, line_start=1, line_end=10**6, max_tokens=max_tokens),
            ]
            for fetch in fetches:
                allowed = max_tokens + ONE_FETCH + _path_cost(first)
                assert _count(wire_fetch_result(app.fetch(fetch))) <= allowed
        with _open(home) as app:
            hits = app.search(query, count_hit=hit_cost).hits
            spent = sum(_count(wire_search_hit(hit)) for hit in hits)
            assert spent <= max(max_tokens, ONE_HIT + _path_cost(hits[0]))


def test_hits_in_brief_cost_no_more_than_their_budget(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    for number in range(6):
        text = f"# 제목 {number}\n\n색인은 {number}분마다 다시 만들어진다.\n"
        (tmp_path / "notes" / f"노트-{number}.md").write_text(text, encoding="utf-8")
    query = SearchQuery(text="색인", mode=SearchMode.LEXICAL, max_tokens=320)
    with _open(tmp_path) as app:
        app.ingest()
        hits = app.search(query, count_hit=brief_hit_cost).hits
    assert len(hits) > 1
    assert sum(_count(wire_brief_hit(hit)) for hit in hits) <= 320
