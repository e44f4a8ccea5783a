"""Exceptions as objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given, strategies as st
from kebab_core import DocumentError, InternalError, InvalidInputError, KebabError
from kebab_testing.tables import walk
from kebab_wire import ErrorCode, classify_error, parse_wire, wire_json


def subclasses(kind: type[KebabError]) -> Iterator[type[KebabError]]:
    for child in kind.__subclasses__():
        yield child
        yield from subclasses(child)


CODED = sorted((kind for kind in subclasses(KebabError) if kind.code), key=lambda kind: kind.code)


def show(error: BaseException) -> Any:
    return json.loads(wire_json(classify_error(error)))


def test_codes_are_exactly_those_of_the_error_tree() -> None:
    assert {kind.code for kind in subclasses(KebabError) if kind.code} == set(ErrorCode)


@walk("kind", CODED)
def test_error_keeps_code_message_hint_and_details(kind: type[KebabError]) -> None:
    error = kind("망가졌다", hint="kebab doctor", path="노트.md", n=3, ok=None, many=["a", "b"])
    assert show(error) == {
        "schema_version": "error.v1",
        "code": kind.code,
        "message": "망가졌다",
        "details": {"path": "노트.md", "n": 3, "ok": None, "many": ["a", "b"]},
        "hint": "kebab doctor",
    }


def test_error_without_hint_has_a_null_hint_and_empty_details() -> None:
    shown = show(InvalidInputError("empty query"))
    assert (shown["hint"], shown["details"]) == (None, {})


def fail(text: str) -> Exception:
    try:
        int([text])  # type: ignore[call-overload]  # the point of the test
    except TypeError as error:
        return error
    raise AssertionError


@walk("error", [TypeError("my secret note"), DocumentError("a group"), KeyError("x")])
def test_what_is_not_in_the_tree_is_internal_with_an_id(error: Exception) -> None:
    shown = show(error)
    assert shown["code"] == "internal"
    assert shown["details"]["error_id"]
    assert shown["details"]["type"] == type(error).__name__
    assert "secret" not in json.dumps(shown)


def test_id_is_of_the_place_that_failed_not_of_the_text() -> None:
    first, second = show(fail("a")), show(fail("b"))
    other = show(TypeError("a"))
    assert first["details"]["error_id"] == second["details"]["error_id"] != other["details"]["error_id"]


def test_internal_error_keeps_the_id_it_was_given() -> None:
    assert show(InternalError("a bug", error_id="abc"))["details"] == {"error_id": "abc"}


@given(
    message=st.text(),
    hint=st.none() | st.text(),
    path=st.text() | st.floats() | st.lists(st.text(), max_size=2),
)
def test_any_error_is_one_line_that_reads_back(
    message: str, hint: str | None, path: str | float | list[str]
) -> None:
    line = wire_json(classify_error(InvalidInputError(message, hint=hint, path=path)))
    assert len(line.splitlines()) == 1
    assert line.encode("utf-8")
    assert wire_json(parse_wire(line)) == line


def test_text_that_utf8_cannot_carry_is_replaced() -> None:
    shown = show(InvalidInputError("bad name \udcff", path="\udcff.md", names=["\ud800"]))
    assert shown["message"] == "bad name ?"
    assert shown["details"] == {"path": "?.md", "names": ["?"]}
