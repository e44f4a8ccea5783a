"""Several searches in one call, on the wire."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st
from kebab_core import InvalidInputError
from kebab_testing.tables import walk
from kebab_wire import (
    BulkSearchInputV1,
    BulkSearchItemV1,
    BulkSearchSummaryV1,
    classify_error,
    parse_wire,
    wire_bulk_item,
    wire_bulk_summary,
    wire_json,
)
from pydantic import ValidationError

from tools.wire.examples import build_examples

EXAMPLES = build_examples()
FAILURE = classify_error(InvalidInputError("빈 질문", hint="ask something"))


def test_an_item_with_a_response_has_no_error_and_reads_back() -> None:
    item = wire_bulk_item({"query": "가"}, EXAMPLES["search_response"])  # type: ignore[arg-type]
    told = json.loads(wire_json(item))
    assert list(told) == ["schema_version", "query", "response", "error"]
    assert (told["response"]["schema_version"], told["error"]) == ("search_response.v1", None)
    assert parse_wire(wire_json(item)) == item


def test_an_item_with_an_error_has_no_response_and_reads_back() -> None:
    item = wire_bulk_item({"query": ""}, FAILURE)
    told = json.loads(wire_json(item))
    assert (told["response"], told["error"]["code"]) == (None, "invalid_input")
    assert parse_wire(wire_json(item)) == item


@walk("both", [True, False])
def test_an_item_has_either_a_response_or_an_error(both: bool) -> None:
    response = EXAMPLES["search_brief"] if both else None
    with pytest.raises(ValidationError, match="either"):
        BulkSearchItemV1.model_validate({
            "query": {},
            "response": response,
            "error": FAILURE if both else None,
        })


@given(
    echo=st.dictionaries(
        st.text(st.characters(codec="utf-8")),
        st.none()
        | st.booleans()
        | st.integers()
        | st.text(st.characters(codec="utf-8"))
        | st.lists(st.text("가a,")),
    )
)
def test_the_input_comes_back_as_it_was_given(echo: dict[str, object]) -> None:
    assert json.loads(wire_json(wire_bulk_item(echo, FAILURE)))["query"] == echo  # type: ignore[arg-type]


@given(failed=st.integers(0, 100), succeeded=st.integers(0, 100))
def test_the_total_is_what_succeeded_and_what_failed(failed: int, succeeded: int) -> None:
    summary = wire_bulk_summary(total=failed + succeeded, failed=failed)
    assert (summary.total, summary.succeeded, summary.failed) == (failed + succeeded, succeeded, failed)
    with pytest.raises(ValidationError):
        BulkSearchSummaryV1(total=failed + succeeded + 1, succeeded=succeeded, failed=failed)


@walk("line", ['{"query": "가"}', '{"query": "가", "mode": null, "tag": "a,b", "media": ["text"], "k": "3"}'])
def test_an_input_needs_a_query_and_nothing_else(line: str) -> None:
    assert BulkSearchInputV1.model_validate_json(line).query == "가"


@walk("line", ["{}", '{"query": 3}', '{"query": "a", "k": "three"}', '{"query": "a", "K": 3}'])
def test_an_input_of_another_shape_is_refused(line: str) -> None:
    with pytest.raises(ValidationError):
        BulkSearchInputV1.model_validate_json(line)
