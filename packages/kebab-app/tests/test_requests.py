"""Requests from plain values: the same defaults and readings for every face, and problems that name the argument."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from kebab_app import (
    ArgumentProblem,
    KnowledgeBase,
    build_ask_request,
    build_fetch_query,
    build_filters,
    build_search_query,
    choose_mode,
    filter_argument,
    parse_time,
    split_words,
)
from kebab_config import load_settings
from kebab_core import Embedder, FetchChunk, FetchDocument, FetchSpan, InvalidInputError, SearchFilters
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.tables import walk

ID = "0123456789abcdef" * 2


def base_with(provider: str, *, embedder: Embedder | None = None) -> KnowledgeBase:
    values = {"models.embedding.provider": provider, "search.default_k": 7}
    return KnowledgeBase(
        load_settings(config_path=None, environ={"HOME": "/nowhere"}, overrides=values), embedder=embedder
    )


def complain(problem: ArgumentProblem) -> InvalidInputError:
    return InvalidInputError(f"{problem.kind} {problem.argument} {problem.detail}")


@walk(
    ("provider", "named", "mode"),
    [
        ("bundled", None, "hybrid"),
        ("none", None, "lexical"),
        ("none", "vector", "vector"),
        ("bundled", "lexical", "lexical"),
    ],
)
def test_without_a_named_mode_a_model_decides(provider: str, named: str | None, mode: str) -> None:
    base = base_with(provider)
    assert choose_mode(base, named) == mode
    assert build_search_query(base, "q", filters={}, complain=complain, mode=named).mode == mode
    assert build_ask_request(base, "q", filters={}, complain=complain, mode=named).mode == mode


def test_embedder_that_replaces_the_configured_one_decides_the_mode() -> None:
    base = base_with("none", embedder=BagOfWordsEmbedder())
    assert choose_mode(base) == "hybrid"
    assert build_search_query(base, "q", filters={}, complain=complain).mode == "hybrid"
    assert build_ask_request(base, "q", filters={}, complain=complain).mode == "hybrid"


def test_what_is_none_takes_the_default() -> None:
    query = build_search_query(
        base_with("none"),
        "q",
        filters={"tag": None},
        complain=complain,
        k=None,
        trace=None,
        max_tokens=None,
    )
    assert (query.k, query.trace, query.max_tokens, query.filters) == (7, False, None, SearchFilters())
    assert build_search_query(base_with("none"), "q", filters={}, complain=complain, k=2).k == 2


def test_filters_are_read_by_the_names_that_faces_use() -> None:
    filters = build_filters(
        {
            "tag": "a, b,,", "source": ("papers",), "path_glob": "a,b/*.md", "media": ("Markdown",), "doc_id": ID.upper(),
            "trust_min": "PRIMARY", "ingested_after": "2026-01-02T03:00:00+09:00", "query": "no filter",
        },
        complain=complain,
    )  # fmt: skip
    assert filters == SearchFilters.model_validate(
        {
            "tags_any": ("a", "b"), "source_id": ("papers",), "path_glob": ("a,b/*.md",), "media": ("markdown",),
            "doc_id": (ID,), "trust_min": "primary", "ingested_after": datetime(2026, 1, 1, 18, tzinfo=UTC),
        }
    )  # fmt: skip


def test_every_filter_has_one_argument() -> None:
    names = [filter_argument(field) for field in SearchFilters.model_fields]
    assert len(set(names)) == len(names)
    assert {"tag", "source"} <= set(names)


@walk(
    ("filters", "message"),
    [
        ({"doc_id": "x"}, "document_id doc_id"),
        ({"ingested_after": "soon"}, "time ingested_after"),
        ({"ingested_after": "0001-01-01T00:00:00+14:00"}, "time ingested_after"),
        (
            {"trust_min": "Nobody"},
            "value trust_min must be 'primary', 'secondary' or 'generated', got 'nobody'",
        ),
        ({"tag": ("x",) * 101}, "value tag tuple should have at most 100 items"),
        ({"path_glob": ""}, "value path_glob string should have at least 1 character, got ''"),
    ],
)
def test_a_problem_names_the_argument(filters: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        build_filters(filters, complain=complain)
    assert caught.value.message.startswith(message)


def test_a_long_value_is_not_read_back_whole() -> None:
    with pytest.raises(InvalidInputError) as caught:
        build_search_query(base_with("none"), "q", filters={}, complain=complain, cursor=["x" * 500])
    assert "value cursor" in caught.value.message
    assert len(caught.value.message) < 200


def test_each_kind_of_text_is_fetched_by_its_own_request() -> None:
    assert build_fetch_query("chunk", complain=complain, chunk_id=ID, context=2) == FetchChunk(
        chunk_id=ID, context=2
    )
    assert build_fetch_query("doc", complain=complain, doc_id=ID, max_tokens=None) == FetchDocument(doc_id=ID)
    lines = build_fetch_query("span", complain=complain, doc_id=ID, line_start=3, line_end=4)
    assert lines == FetchSpan(doc_id=ID, line_start=3, line_end=4)
    for kind, given in (("chunk", {"chunk_id": "x"}), ("doc", {"doc_id": "x"}), ("span", {})):
        with pytest.raises(InvalidInputError, match="_id"):
            build_fetch_query(kind, complain=complain, **given)  # type: ignore[arg-type]


def test_times_are_read_in_their_zone_and_dates_as_local_midnight() -> None:
    assert parse_time("2026-11-21T09:30:00+09:00") == datetime(2026, 11, 21, 0, 30, tzinfo=UTC)
    assert parse_time("2026-11-21") == datetime(2026, 11, 21).astimezone()
    assert parse_time("2026-11-21T09:30:00Z").tzinfo is UTC
    assert parse_time("2026-10") == datetime(2026, 10, 1).astimezone()
    for text in ("", "now", "9999-12-31T23:59:59-14:00"):
        with pytest.raises(ValueError, match=r".*"):
            parse_time(text)


def test_words_are_split_at_commas() -> None:
    assert split_words(" a ,b,, c d ,") == ("a", "b", "c d")
