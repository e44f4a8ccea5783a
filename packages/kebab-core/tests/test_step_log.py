"""Debug lines of steps: measured and written only where somebody listens."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from kebab_core import StepLog
from kebab_testing.fakes.clock import FixedClock


class Lines:
    """A logger that keeps its lines."""

    def __init__(self, *, is_on: bool = True) -> None:
        self.is_on = is_on
        self.written: list[tuple[str, Mapping[str, object]]] = []

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802 - logging's name
        return self.is_on and level == 10

    def debug(self, message: str, *, extra: Mapping[str, object]) -> None:
        fields = extra["fields"]
        assert isinstance(fields, Mapping)
        self.written.append((message, fields))


class NoClock(FixedClock):
    """A clock that nobody may look at."""

    def now(self) -> datetime:
        raise AssertionError

    def monotonic_ms(self) -> int:
        raise AssertionError


def test_each_line_has_the_milliseconds_since_the_one_before() -> None:
    lines, clock = Lines(), FixedClock()
    steps = StepLog(lines, clock)
    clock.advance(timedelta(milliseconds=3))
    steps.step("first", hits=2)
    steps.step("elsewhere", ms=70)
    clock.advance(timedelta(milliseconds=4))
    steps.step("second")
    trace = {"trace_id": steps.trace_id}
    assert lines.written == [
        ("first", {**trace, "ms": 3, "hits": 2}),
        ("elsewhere", {**trace, "ms": 70}),
        ("second", {**trace, "ms": 4}),
    ]
    assert len(steps.trace_id) == 16


def test_nothing_is_measured_where_nobody_listens() -> None:
    lines = Lines(is_on=False)
    steps = StepLog(lines, NoClock())
    with steps.tracing():
        steps.step("first", hits=2)
    assert (lines.written, steps.is_on) == ([], False)


def test_work_that_is_begun_inside_of_other_work_has_its_trace_id() -> None:
    lines, clock = Lines(), FixedClock()
    outer = StepLog(lines, clock)
    clock.advance(timedelta(seconds=1))
    with outer.tracing():
        inner = StepLog(lines, clock)
    assert inner.trace_id == outer.trace_id
    assert StepLog(lines, clock).trace_id != outer.trace_id
