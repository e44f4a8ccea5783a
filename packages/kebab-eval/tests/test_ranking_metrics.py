from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st
from kebab_core import EvalMetrics
from kebab_eval import mean_metrics, measure_ranking
from kebab_testing.tables import walk

GRADES = st.dictionaries(st.sampled_from("abcdefghijklmnop"), st.integers(-1, 3))
RANKINGS = st.permutations("abcdefghijklmnop").flatmap(
    lambda order: st.integers(0, len(order)).map(lambda length: tuple(order[:length]))
)


def test_graded_gain_is_the_grade_over_the_logarithm_of_the_rank() -> None:
    # a 3 at rank 2, a 1 at rank 4; best: 3, 2, 1
    metrics = measure_ranking(["x", "a", "y", "c"], {"a": 3, "b": 2, "c": 1, "y": 0})
    gained = 3 / math.log2(3) + 1 / math.log2(5)
    best = 3 + 2 / math.log2(3) + 1 / 2
    assert metrics.ndcg_at_10 == pytest.approx(gained / best)
    assert metrics.ndcg_at_10 == pytest.approx(0.48793, abs=1e-5)
    assert metrics.mrr_at_10 == 0.5
    assert metrics.recall_at_10 == pytest.approx(2 / 3)
    assert metrics.hit_at_1 == 0


def test_the_only_relevant_document_at_rank_three_is_worth_one_half() -> None:
    metrics = measure_ranking(["x", "y", "a"], {"a": 1})
    assert metrics.model_dump() == pytest.approx({
        "ndcg_at_10": 0.5,
        "mrr_at_10": 1 / 3,
        "recall_at_10": 1.0,
        "hit_at_1": 0.0,
        "hit_at_3": 1.0,
    })


def test_documents_after_the_tenth_do_not_count() -> None:
    ranked = [f"x{number}" for number in range(10)] + ["a"]
    assert measure_ranking(ranked, {"a": 1}) == EvalMetrics(
        ndcg_at_10=0, mrr_at_10=0, recall_at_10=0, hit_at_1=0, hit_at_3=0
    )


def test_more_relevant_documents_than_ranks_still_allow_a_perfect_order() -> None:
    grades = {f"d{number}": 1 for number in range(20)}
    metrics = measure_ranking(list(grades)[:10], grades)
    assert (metrics.ndcg_at_10, metrics.recall_at_10) == (1.0, 0.5)


@walk(("ranked", "grades"), [([], {"a": 1}), (["a"], {}), (["a"], {"a": 0}), (["a"], {"a": -1})])
def test_nothing_ranked_or_nothing_relevant_is_zero(ranked: list[str], grades: dict[str, int]) -> None:
    assert set(measure_ranking(ranked, grades).model_dump().values()) == {0.0}


@given(ranked=RANKINGS, grades=GRADES)
def test_ndcg_agrees_with_the_formula_written_out_another_way(
    ranked: tuple[str, ...], grades: dict[str, int]
) -> None:
    def gain_of(order: list[int]) -> float:
        return math.fsum(
            max(grade, 0) * math.log(2) / math.log(position + 2) for position, grade in enumerate(order[:10])
        )

    best = gain_of(sorted(grades.values(), reverse=True))
    expected = gain_of([grades.get(doc_id, 0) for doc_id in ranked]) / best if best else 0.0
    assert measure_ranking(ranked, grades).ndcg_at_10 == pytest.approx(expected)


@given(ranked=RANKINGS, grades=GRADES)
def test_every_metric_is_a_share(ranked: tuple[str, ...], grades: dict[str, int]) -> None:
    assert all(0 <= value <= 1 + 1e-12 for value in measure_ranking(ranked, grades).model_dump().values())


def test_the_mean_over_no_query_is_zero() -> None:
    one = measure_ranking(["a"], {"a": 1})
    assert mean_metrics([]).ndcg_at_10 == 0
    assert mean_metrics([one, measure_ranking([], {"a": 1})]).hit_at_1 == 0.5
