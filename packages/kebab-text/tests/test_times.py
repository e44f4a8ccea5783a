"""Points in time and languages as people type them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, strategies as st
from kebab_testing.tables import walk
from kebab_text import find_language_code, parse_time

NOW = datetime(2026, 3, 31, 15, 30, tzinfo=UTC)
"""Tuesday; in Seoul already the first of April, 00:30."""


@pytest.fixture(autouse=True)
def seoul(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Seoul")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@walk(
    ("text", "local"),
    [
        ("2026-03-05", "2026-03-05T00:00"),
        ("2026-03-05T09:30", "2026-03-05T09:30"),
        ("2026-03-05T00:30Z", "2026-03-05T09:30"),
        ("2026-10", "2026-10-01T00:00"),
        ("2026", "2026-01-01T00:00"),
        ("today", "2026-04-01T00:00"),
        ("오늘", "2026-04-01T00:00"),
        ("Yesterday", "2026-03-31T00:00"),
        ("어제", "2026-03-31T00:00"),
        ("그저께", "2026-03-30T00:00"),
        ("this week", "2026-03-30T00:00"),
        ("last  week", "2026-03-23T00:00"),
        ("지난주", "2026-03-23T00:00"),
        ("이번 달", "2026-04-01T00:00"),
        ("지난달", "2026-03-01T00:00"),
        ("last year", "2025-01-01T00:00"),
        ("작년", "2025-01-01T00:00"),
        ("7d", "2026-03-25T00:30"),
        ("2 weeks ago", "2026-03-18T00:30"),
        ("3일 전", "2026-03-29T00:30"),
        ("12h", "2026-03-31T12:30"),
        ("1mo", "2026-03-01T00:30"),
        ("2개월", "2026-02-01T00:30"),
        ("1년 전", "2025-04-01T00:30"),
    ],
)
def test_what_people_type_is_a_time(text: str, local: str) -> None:
    assert parse_time(text, now=NOW) == datetime.fromisoformat(f"{local}+09:00")


@walk(
    ("text", "after"),
    [
        ("2026-03-05", "2026-03-06T00:00"),
        ("2026-12", "2027-01-01T00:00"),
        ("2026", "2027-01-01T00:00"),
        ("yesterday", "2026-04-01T00:00"),
        ("지난주", "2026-03-30T00:00"),
        ("last month", "2026-04-01T00:00"),
        ("작년", "2026-01-01T00:00"),
    ],
)
def test_a_period_that_is_named_can_be_taken_to_its_end(text: str, after: str) -> None:
    end = parse_time(text, now=NOW, to_end=True)
    assert end + timedelta(microseconds=1) == datetime.fromisoformat(f"{after}+09:00")


@walk("text", ["2026-03-05T09:30", "2026-03-05T00:30Z", "7d", "12h"])
def test_a_moment_is_its_own_end(text: str) -> None:
    assert parse_time(text, now=NOW, to_end=True) == parse_time(text, now=NOW)


def test_a_month_ago_ends_where_that_month_does() -> None:
    late = datetime(2026, 5, 31, 3, 0, tzinfo=UTC)
    assert parse_time("3mo", now=late) == datetime(2026, 2, 28, 3, 0, tzinfo=UTC)


@walk(
    "text",
    [
        "",
        " ",
        "soon",
        "7",
        "7x",
        "-7d",
        "2026-13",
        "0000",
        "999999y",
        "20d ago ago",
        "d",
        "yesterday 7d",
        "2026-02-30",
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse_time(text, now=NOW)


@given(st.text(max_size=20))
def test_any_text_is_a_time_in_utc_or_refused(text: str) -> None:
    try:
        found = parse_time(text, now=NOW)
    except ValueError:
        return
    assert found.utcoffset() == timedelta(0)


@walk(
    ("name", "code"),
    [
        ("ko", "ko"),
        ("KR", "ko"),
        ("ko_KR", "ko"),
        ("ko-KR", "ko"),
        ("Korean", "ko"),
        (" 한국어 ", "ko"),
        ("영어", "en"),
        ("en-US", "en"),
        ("English", "en"),
        ("und", "und"),
        ("fr", "fr"),
        ("klingon", "klingon"),
    ],
)
def test_a_language_is_known_by_any_of_its_names(name: str, code: str) -> None:
    assert find_language_code(name) == code
