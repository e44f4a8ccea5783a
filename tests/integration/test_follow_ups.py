"""Follow-up questions in spoken Korean: what is read behind the question before."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from kebab_analysis import KoreanEnglishAnalyzer
from kebab_core import Turn
from kebab_rag.conversation import read_follow_up

ANALYZER = KoreanEnglishAnalyzer()
FEES = "등록금 언제까지 내?"


def read(question: str) -> list[str]:
    turn = Turn(
        question=FEES, answer="8월 23일.", citations=(), created_at=datetime(2026, 11, 23, tzinfo=UTC)
    )
    return [each.text for each in read_follow_up(question, [turn], ANALYZER)]


@pytest.mark.parametrize(
    "question", ["언제까지 내?", "얼마나 걸려?", "몇 시에 끝나?", "누가 해?", "몇 명이야?"]
)
def test_question_with_a_verb_alone_says_nothing_without_the_one_before(question: str) -> None:
    assert read(question) == [f"{FEES} {question}"]


@pytest.mark.parametrize("question", ["계좌번호는?", "납부기간이 언제야", "1학기는?"])
def test_the_evidence_decides_about_one_compound_word(question: str) -> None:
    assert read(question) == [f"{FEES} {question}", question]


@pytest.mark.parametrize("question", ["연구실 비번이 뭐야", "납부 방법은?", "기숙사 건조기 얼마"])
def test_two_words_of_its_own_stand_alone(question: str) -> None:
    assert read(question) == [question]
