"""Values of a JSON file one after the other."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st
from kebab_parse import JsonStream


@given(
    value=st.recursive(
        st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
        ),
        max_leaves=8,
    ),
    size=st.integers(1, 9),
    indent=st.sampled_from([None, 1]),
)
def test_values_of_a_stream_are_those_of_the_whole_file(value: object, size: int, indent: int | None) -> None:
    text = json.dumps({"a": {"b": [value, value]}, "c": value}, indent=indent)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    found = list(JsonStream(pieces).read(("a.b.item",)))
    assert found == [("", None), ("a", None), ("a.b.item", value), ("a.b.item", value), ("c", value)]
    with pytest.raises(ValueError, match="behind"):
        list(JsonStream([*pieces, "]"]).read(("a.b.item",)))
