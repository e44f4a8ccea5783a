from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from kebab_core import InvalidInputError
from kebab_eval import bootstrap_interval, compare_runs

SCORES = st.dictionaries(st.text(max_size=3), st.floats(0, 1), min_size=1, max_size=20)


def test_wins_losses_and_ties_are_counted_with_the_worst_loss_first() -> None:
    first = {"a": 0.5, "b": 1.0, "c": 1.0, "d": 0.2, "gone": 1.0}
    second = {"a": 0.9, "b": 0.9, "c": 0.1, "d": 0.2 + 1e-12, "new": 0.0}
    found = compare_runs(first, second, samples=200)
    assert (found.queries, found.wins, found.losses, found.ties) == (4, 1, 2, 1)
    assert (found.only_first, found.only_second) == (1, 1)
    assert [change.query_id for change in found.regressions] == ["c", "b"]
    assert [(change.query_id, change.before, change.after) for change in found.improvements] == [
        ("a", 0.5, 0.9)
    ]
    assert found.difference == pytest.approx(-0.15)


def test_a_loss_on_every_query_is_a_regression_and_its_reverse_is_not() -> None:
    good, bad = {str(n): 0.9 for n in range(30)}, {str(n): 0.5 for n in range(30)}
    assert compare_runs(good, bad, samples=200).regressed
    assert not compare_runs(bad, good, samples=200).regressed


def test_one_loss_among_many_ties_is_not_a_regression() -> None:
    first = {str(n): 1.0 for n in range(50)}
    found = compare_runs(first, {**first, "7": 0.0}, samples=1000)
    assert (found.losses, found.regressed) == (1, False)
    assert found.interval.low < 0 <= found.interval.high


@given(scores=SCORES)
def test_a_run_compared_with_itself_differs_in_nothing(scores: dict[str, float]) -> None:
    found = compare_runs(scores, scores)
    assert (found.difference, found.interval.low, found.interval.high, found.ties) == (0, 0, 0, len(scores))


@given(differences=st.lists(st.floats(-1, 1), min_size=1, max_size=30), seed=st.integers(0, 5))
def test_the_interval_lies_within_the_differences_and_is_repeatable(
    differences: list[float], seed: int
) -> None:
    low, high = bootstrap_interval(differences, samples=50, seed=seed)
    assert min(differences) - 1e-9 <= low <= high <= max(differences) + 1e-9
    assert bootstrap_interval(differences, samples=50, seed=seed) == (low, high)


def test_the_interval_of_a_fair_coin_is_that_of_the_normal_distribution() -> None:
    # 400 differences of +-1: standard error 1/20, so 1.96/20 on both sides
    low, high = bootstrap_interval([1.0, -1.0] * 200, samples=10_000)
    assert low == pytest.approx(-0.098, abs=0.01)
    assert high == pytest.approx(0.098, abs=0.01)


def test_runs_without_a_common_query_cannot_be_compared() -> None:
    with pytest.raises(InvalidInputError):
        compare_runs({"a": 1.0}, {"b": 1.0})
