"""Answers are measured by rules that a person can follow."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from kebab_core import InvalidInputError
from kebab_eval import (
    GivenAnswer,
    GivenClaim,
    Question,
    auroc,
    measure_answer,
    read_questions,
    run_questions,
    summarize_answers,
)
from kebab_testing.tables import walk

QUERY = Question(
    query_id="q",
    text="회의는 언제인가요?",
    language="ko",
    answerable=True,
    answers=("3월 2일",),
    relevant=frozenset({"a"}),
    must_contain=("3월",),
    forbidden=("4월",),
)
GROUNDED = GivenAnswer(
    text="회의는 3월\n2일이다. [1]",
    grounded=True,
    top_score=0.9,
    claims=(GivenClaim(text="회의는 3월\n2일이다.", is_cited=True, is_verbatim=True),),
    cited_documents=("a", "b"),
    cited_texts=("회의는 3월 2일이다.", "다른 글"),
    latency_ms=20,
    cpu_ms=10,
)
REFUSED = GivenAnswer(text="근거가 부족합니다. 3월 2일", grounded=False, top_score=0.1)


def test_a_right_answer_is_found_in_what_is_printed_and_in_what_is_cited() -> None:
    result = measure_answer(QUERY, GROUNDED)
    assert (result.answer_in_printed, result.answer_in_citations) == (True, True)
    assert (result.must_contain, result.forbidden, result.in_language) == (True, True, True)
    assert result.relevant_citations == 1


def test_a_refusal_holds_nothing_whatever_it_says() -> None:
    result = measure_answer(QUERY, REFUSED)
    assert (result.answer_in_printed, result.answer_in_citations, result.must_contain) == (
        False,
        False,
        False,
    )
    assert (result.forbidden, result.relevant_citations) == (True, None)


def test_what_is_not_known_is_not_measured() -> None:
    bare = Question(query_id="q", text="123", language="other", answerable=True)
    result = measure_answer(bare, GROUNDED)
    assert (result.answer_in_printed, result.must_contain, result.forbidden) == (None, None, None)
    assert (result.relevant_citations, result.in_language) == (None, None)


def test_an_answer_in_another_language_is_noticed() -> None:
    english = GROUNDED.model_copy(update={"text": "The meeting is in March. [1]"})
    assert measure_answer(QUERY, english).in_language is False


def test_korean_word_in_an_english_answer_is_english() -> None:
    asked = dataclasses.replace(QUERY, text="how are phrases searched?", language="en")
    quoting = GivenAnswer(text="A phrase stands as it is written, as in 벡터.", grounded=True, top_score=0.9)
    korean = quoting.model_copy(update={"text": "구절은 적힌 그대로 있어야 한다."})
    assert measure_answer(asked, quoting).in_language is True
    assert measure_answer(asked, korean).in_language is False


def test_the_summary_counts_refusals_on_both_sides() -> None:
    unanswerable = Question(query_id="u", text="누구?", language="ko", answerable=False)
    results = [
        measure_answer(QUERY, GROUNDED),
        measure_answer(QUERY, REFUSED),
        measure_answer(unanswerable, REFUSED),
        measure_answer(unanswerable, GROUNDED.model_copy(update={"top_score": 0.5})),
    ]
    summary = summarize_answers(results)
    assert (summary.questions, summary.answerable, summary.unanswerable, summary.failed) == (4, 2, 2, 0)
    assert (summary.answered, summary.answer_in_printed) == (0.5, 0.5)
    assert (summary.refusal_precision, summary.refusal_recall) == (0.5, 0.5)
    assert summary.refusal_auroc == pytest.approx((1 + 1 + 0 + 0.5) / 4)
    assert (summary.quotes_verbatim, summary.citation_coverage, summary.citation_precision) == (1.0, 1.0, 0.5)
    assert (summary.latency_p95, summary.cpu_p95) == (20, 10)


def test_without_unanswerable_questions_refusals_are_not_judged() -> None:
    summary = summarize_answers([measure_answer(QUERY, GROUNDED)])
    assert (summary.refusal_precision, summary.refusal_recall, summary.refusal_auroc) == (None, None, None)


def test_a_question_that_ends_with_an_error_counts_as_not_answered() -> None:
    told: list[tuple[int, int]] = []

    def ask(query: Question) -> GivenAnswer:
        raise InvalidInputError("no")

    (result,) = run_questions([QUERY], ask, progress=lambda done, total: told.append((done, total)))
    assert (result.error, result.answer_in_printed, told) == ("invalid_input", False, [(1, 1)])
    summary = summarize_answers([result])
    assert (summary.failed, summary.answered) == (1, 0.0)


@given(
    above=st.lists(st.integers(0, 5), min_size=1, max_size=8),
    below=st.lists(st.integers(0, 5), min_size=1, max_size=8),
)
def test_auroc_is_the_share_of_pairs_in_the_right_order(above: list[int], below: list[int]) -> None:
    pairs = [(high > low) + 0.5 * (high == low) for high in above for low in below]
    assert auroc(above, below) == pytest.approx(sum(pairs) / len(pairs))


def write_set(folder: Path, answers: list[dict[str, object]]) -> None:
    queries = [{"_id": name, "text": f"{name}?"} for name in ("a", "b", "c", "d")]
    for name, rows in (("queries", queries), ("answers", answers)):
        lines = "\n".join(json.dumps(row) for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")


def test_answers_or_a_flag_say_whether_a_question_can_be_answered(tmp_path: Path) -> None:
    write_set(
        tmp_path,
        [
            {"_id": "c", "answerable": False, "answers": ["x"]},
            {"_id": "a", "answers": ["1", "1", " "]},
            {"_id": "b", "answerable": True},
            {"_id": "d"},
        ],
    )
    asked = read_questions(tmp_path, {"a": {"doc": 1, "other": 0}, "c": {"doc": 1}})
    assert [(q.query_id, q.answerable, q.answers, set(q.relevant)) for q in asked] == [
        ("a", True, ("1",), {"doc"}),
        ("b", True, (), set()),
        ("c", False, (), set()),
    ]


def test_a_set_whose_answers_are_those_of_other_queries_is_an_error(tmp_path: Path) -> None:
    write_set(tmp_path, [{"_id": "z", "answers": ["1"]}])
    with pytest.raises(InvalidInputError, match="known answer"):
        read_questions(tmp_path, {})


@walk(
    ("changed", "right"),
    [
        ({}, True),
        ({"text": "회의는 3월 3일이다. [1]"}, False),
        ({"text": "회의는 3월 2일이 아니라 4월 2일이다. [1]"}, False),
        ({"cited_documents": ("b",)}, False),
        ({"grounded": False}, None),
    ],
)
def test_an_answer_is_right_if_it_holds_what_it_must_and_cites_a_page_that_answers(
    changed: dict[str, object], right: bool | None
) -> None:
    assert measure_answer(QUERY, GROUNDED.model_copy(update=changed)).right is right


def test_an_answer_to_what_nothing_answers_is_wrong_and_one_that_is_not_sure_is_none() -> None:
    near = QUERY.__class__(
        query_id="n", text="회의는 누가 하나요?", language="ko", kind="near", answerable=False
    )
    absent = QUERY.__class__(query_id="a", text="파스타", language="ko", kind="absent", answerable=False)
    unsure = REFUSED.model_copy(update={"refusal_reason": "weak_support"})
    results = [
        measure_answer(QUERY, GROUNDED),
        measure_answer(near, GROUNDED),
        measure_answer(near, unsure),
        measure_answer(absent, REFUSED),
    ]
    metrics = summarize_answers(results)
    assert (metrics.answered_right, metrics.answerable_right, metrics.not_sure) == (0.5, 1.0, 0.25)
    assert (metrics.near_answered, metrics.absent_answered) == (0.5, 0.0)
    assert metrics.refusal_recall == pytest.approx(2 / 3)
    assert [
        (part.kind, part.questions, part.right, part.wrong, part.not_sure, part.refused)
        for part in metrics.outcomes or ()
    ] == [(None, 1, 1, 0, 0, 0), ("absent", 1, 0, 0, 0, 1), ("near", 2, 0, 1, 1, 0)]
