"""Debug lines of steps: measured and written only where somebody listens."""

from __future__ import annotations

from datetime import datetime, timedelta

from kebab_core import StepLog
from kebab_testing.fakes.clock import FixedClock


class NoClock(FixedClock):
    """A clock that nobody may look at."""

    def now(self) -> datetime:
        raise AssertionError

    def monotonic_ms(self) -> int:
        raise AssertionError


def test_each_line_has_the_milliseconds_since_the_one_before() -> None:
    clock = FixedClock()
    steps = StepLog(clock, is_on=True)
    clock.advance(timedelta(milliseconds=3))
    lines = [steps.extra(hits=2), steps.extra(ms=70)]
    clock.advance(timedelta(milliseconds=4))
    lines.append(steps.extra())
    trace = {"trace_id": steps.trace_id}
    assert [each["fields"] for each in lines] == [
        {**trace, "ms": 3, "hits": 2},
        {**trace, "ms": 70},
        {**trace, "ms": 4},
    ]
    assert len(steps.trace_id) == 16


def test_nothing_is_measured_where_nobody_listens() -> None:
    steps = StepLog(NoClock(), is_on=False)
    with steps.tracing():
        assert (steps.extra(hits=2), steps.is_on) == ({}, False)


def test_work_that_is_begun_inside_of_other_work_has_its_trace_id() -> None:
    clock = FixedClock()
    outer = StepLog(clock, is_on=True)
    clock.advance(timedelta(seconds=1))
    with outer.tracing():
        inner = StepLog(clock, is_on=True)
    assert inner.trace_id == outer.trace_id
    assert StepLog(clock, is_on=True).trace_id != outer.trace_id
