"""One object, one line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st
from kebab_core import InvalidInputError
from kebab_testing.tables import walk
from kebab_wire import DoctorCheck, DoctorReport, parse_wire, wire_json

from tools.wire.examples import build_examples


def report(detail: str) -> DoctorReport:
    return DoctorReport(ok=True, checks=(DoctorCheck(name="a", ok=True, detail=detail),))


@given(detail=st.text(st.characters(codec="utf-8")))
def test_any_text_stays_on_one_line_and_reads_back(detail: str) -> None:
    line = wire_json(report(detail))
    assert line.splitlines() == [line]
    assert json.loads(line)["checks"][0]["detail"] == detail


def test_letters_are_not_escaped() -> None:
    assert "한글 — café 😀" in wire_json(report("한글 — café 😀"))


def test_schema_version_comes_first() -> None:
    for example in build_examples().values():
        assert wire_json(example).startswith('{"schema_version":"')


@walk(
    "line",
    [
        "",
        "{",
        "[]",
        "3",
        "{}",
        '{"schema_version": "unknown.v1"}',
        '{"schema_version": []}',
        '{"schema_version": "doctor.v1", "ok": true}',
        '{"schema_version": "doctor.v1", "ok": true, "checks": [], "surprise": 1}',
    ],
)
def test_line_that_is_no_documented_object_is_refused(line: str) -> None:
    with pytest.raises(InvalidInputError):
        parse_wire(line)
