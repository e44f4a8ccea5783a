"""Claims in other words than their source: shown with a verdict by how likely they are supported, in Korean and English."""

from __future__ import annotations

import pytest
from kebab_analysis import KoreanEnglishAnalyzer
from kebab_core import ClaimVerdict
from kebab_rag import ClaimChecker, NumberedEvidence, WrittenClaim, answer_language
from kebab_testing.passages import build_passage

ANALYZER = KoreanEnglishAnalyzer()
ROOM = (
    "Booked the blue room in Alfama: 9 nights, 61 euros a night, landlady Fatima, third floor without a lift."
)
SHIRTS = "2025-09-10 티셔츠는 한 장 14,000원에 27장을 주문했고 10월 8일에 도착한다. 담당은 노은정."


def verdict_of(text: str, question: str, claim: str) -> ClaimVerdict | None:
    """Return the verdict on a claim that cites all of a text; None for one that is left out."""
    evidence = NumberedEvidence([build_passage(text, marker=1)])
    checker = ClaimChecker(
        question=question,
        lang=answer_language(question),
        evidence=evidence,
        analyzer=ANALYZER,
    )
    found = checker.check(WrittenClaim(claim, tuple(each.number for each in evidence.sentences)))
    return None if found.failed else found.verdict


@pytest.mark.parametrize(
    ("text", "question", "right", "wrong"),
    [
        (ROOM, "What did the blue room in Alfama cost?", "The blue room came to 549 euros for 9 nights.", "The blue room came to 540 euros for 9 nights."),
        (ROOM, "Who is the landlady of the room?", "Fatima is the landlady of the blue room, which is on the 3rd floor.", "Fatima is the landlady of the blue room, which is on the 4th floor."),
        (SHIRTS, "티셔츠는 얼마야?", "티셔츠 27장은 모두 37만 8천 원입니다.", "티셔츠 27장은 모두 38만 7천 원입니다."),
        (SHIRTS, "티셔츠는 언제 와?", "27장 주문한 티셔츠는 2025년 10월 8일에 옵니다.", "27장 주문한 티셔츠는 2025년 10월 18일에 옵니다."),
    ],
)  # fmt: skip
def test_what_follows_from_the_source_is_shown_and_a_changed_figure_is_not(
    text: str, question: str, *, right: str, wrong: str
) -> None:
    assert verdict_of(text, question, right) is not None
    assert verdict_of(text, question, wrong) is None
