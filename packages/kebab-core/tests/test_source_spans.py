import pytest
from hypothesis import given, strategies as st
from kebab_core import ByteSpan, CodeSpan, LineSpan, PageSpan, Rectangle, RegionSpan, SourceSpan, TimeSpan
from kebab_testing.tables import walk
from pydantic import TypeAdapter, ValidationError

ADAPTER: TypeAdapter[SourceSpan] = TypeAdapter(SourceSpan)
ENDS = {
    "line": ("start", "end"),
    "byte": ("start", "end"),
    "time": ("start_ms", "end_ms"),
    "code": ("line_start", "line_end"),
}


@given(st.sampled_from(sorted(ENDS)), st.integers(1, 10**12), st.integers(1, 10**12))
def test_a_span_is_accepted_exactly_when_it_does_not_end_before_it_starts(
    kind: str, start: int, end: int
) -> None:
    first, last = ENDS[kind]
    value = {"kind": kind, first: start, last: end}
    if start <= end:
        assert ADAPTER.validate_python(value).model_dump(exclude_none=True) == value
    else:
        with pytest.raises(ValidationError):
            ADAPTER.validate_python(value)


@walk(
    "value",
    [
        {"kind": "line", "start": 0, "end": 1},
        {"kind": "byte", "start": -1, "end": 1},
        {"kind": "time", "start_ms": -1, "end_ms": 1},
        {"kind": "code", "line_start": 0, "line_end": 1},
        {"kind": "page", "page": 0},
        {"kind": "page", "page": 1, "char_start": 5, "char_end": 4},
        {"kind": "page", "page": 1, "char_start": 5},
        {"kind": "page", "page": 1, "char_end": 5},
        {"kind": "page", "page": 1, "rectangles": [{"x": -1, "y": 0, "w": 1, "h": 1}]},
        {"kind": "region", "x": 0, "y": 0, "w": 1, "h": 1, "char_start": 5, "char_end": 4},
        {"kind": "region", "x": 0, "y": 0, "w": 1, "h": 1, "char_end": 4},
        {"kind": "region", "x": 0, "y": 0, "w": -1, "h": 0},
        {"kind": "region", "x": 0, "y": 0, "w": 1, "h": 1, "page": 0},
        {"kind": "word", "start": 1, "end": 1},
        {"start": 1, "end": 1},
    ],
)
def test_a_place_that_cannot_be_is_refused(value: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ADAPTER.validate_python(value)


@walk(
    "span",
    [
        LineSpan(start=1, end=1),
        ByteSpan(start=0, end=0),
        TimeSpan(start_ms=0, end_ms=0),
        CodeSpan(line_start=1, line_end=1, symbol="a.b", lang="python"),
        PageSpan(page=1),
        PageSpan(page=1, char_start=0, char_end=0),
        PageSpan(page=1, rectangles=(Rectangle(x=0, y=0, w=0, h=0),)),
        RegionSpan(x=0, y=0, w=0, h=0, char_start=0, char_end=0),
    ],
)
def test_the_smallest_spans_are_allowed_and_survive_json(span: SourceSpan) -> None:
    assert ADAPTER.validate_json(ADAPTER.dump_json(span)) == span
