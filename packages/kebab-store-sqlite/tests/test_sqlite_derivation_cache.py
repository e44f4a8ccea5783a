"""The derivation cache: storing, reading and evicting payloads."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kebab_store_sqlite import SqliteDatabase, SqlitePictureStore
from kebab_testing.fakes.clock import START


@pytest.fixture
def cache(database: SqliteDatabase) -> SqlitePictureStore:
    return SqlitePictureStore(database)


def test_payloads_come_back_by_kind_and_key(cache: SqlitePictureStore) -> None:
    cache.put_results("embedding", {"a": b"\x00\xff", "b": b""}, at=START)
    cache.put_results("ocr", {"a": b"text"}, at=START)
    assert cache.get_results("embedding", ["b", "a", "c"], at=START) == {"a": b"\x00\xff", "b": b""}
    assert cache.get_results("ocr", ["a"], at=START) == {"a": b"text"}
    assert cache.get_results("caption", ["a"], at=START) == {}
    assert cache.get_results("ocr", [], at=START) == {}


def test_a_payload_put_again_is_replaced(cache: SqlitePictureStore) -> None:
    for payload in (b"old", b"new!"):
        cache.put_results("ocr", {"a": payload}, at=START)
    assert cache.get_results("ocr", ["a"], at=START) == {"a": b"new!"}
    assert cache.results_bytes() == 4


def test_the_size_is_the_sum_of_payloads(cache: SqlitePictureStore) -> None:
    assert cache.results_bytes() == 0
    cache.put_results("ocr", {"a": b"123", "b": b"4567"}, at=START)
    assert cache.results_bytes() == 7


@pytest.mark.parametrize(
    ("max_bytes", "left"), [(40, "abcd"), (39, "abd"), (20, "ad"), (19, "a"), (10, "a"), (9, ""), (0, "")]
)
def test_the_longest_unused_go_until_the_rest_fit(
    cache: SqlitePictureStore, max_bytes: int, left: str
) -> None:
    for hour, key in enumerate("abcd"):
        cache.put_results("ocr", {key: b"0123456789"}, at=START + timedelta(hours=hour))
    cache.get_results("ocr", ["b"], at=START + timedelta(hours=2, minutes=1))
    cache.get_results("ocr", ["a"], at=START + timedelta(hours=9))
    assert cache.evict_results(max_bytes=max_bytes) == 4 - len(left)
    assert set(cache.get_results("ocr", list("abcd"), at=START)) == set(left)
    assert cache.results_bytes() == 10 * len(left)
