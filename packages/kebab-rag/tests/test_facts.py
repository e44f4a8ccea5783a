"""Facts are equal in Korean and English, however they are written."""

from __future__ import annotations

from hypothesis import given, strategies as st
from kebab_core import ClaimCheck
from kebab_rag.facts import Facts
from kebab_testing.tables import walk


@walk(
    ("claim", "support"),
    [
        ("예산은 3천만 원이다", "The budget is 30,000,000원."),
        ("30 million won", "3,000만 원"),
        ("5만 2천원", "52,000 KRW"),
        ("1억 2천만", "120,000,000"),
        ("10월 3일", "Oct 3, 2026"),
        ("October 3rd", "2026-10-03"),
        ("3 October 2026", "2026년 10월 3일"),
        ("2026년", "in 2026"),
        ("in 2026", "2026년 10월"),
        ("2026년 10월 3일", "행사는 10월 3일. 문서: 2026 계획"),
        ("5 percent", "5% 할인"),
        ("5퍼센트", "5 percent"),
        ("오후 3시에 시작", "starts at 15:00"),
        ("3시", "15:00"),
        ("3:30 pm", "오후 3시 반"),
        ("일곱 번 승강장", "platform seven"),
        ("20 minutes", "20분"),
        ("within 30s", "30 seconds"),
        ("$5", "5달러"),
        ("5 km", "| 5 | distance km |"),
        ("version 3.11.7", "3.11.7"),
        ("one of them", "nothing counted"),
        ("HTTP2", "no figure"),
    ],
)
def test_another_wording_of_a_fact_holds_it(claim: str, support: str) -> None:
    assert Facts(claim, is_claim=True).find_missing(Facts(support)) is None


@walk(
    ("claim", "support", "check"),
    [
        ("5 km", "5 m", ClaimCheck.UNIT),
        ("5%", "5 people", ClaimCheck.UNIT),
        ("3천 원", "3천만 원", ClaimCheck.FIGURE),
        ("90 minutes", "1시간 30분", ClaimCheck.FIGURE),
        ("version 3.11", "3.11.7", ClaimCheck.FIGURE),
        ("seven", "platform 8", ClaimCheck.FIGURE),
        ("10월 4일", "Oct 3", ClaimCheck.DATE),
        ("2025년 10월 3일", "2026-10-03", ClaimCheck.DATE),
        ("2026년 10월 3일", "Oct 3", ClaimCheck.DATE),
        ("오후 3시", "3시", ClaimCheck.DATE),
        ("오전 3시", "15:00", ClaimCheck.DATE),
        ("March 2026", "2026", ClaimCheck.DATE),
    ],
)
def test_another_fact_is_missing_by_its_kind(claim: str, support: str, check: ClaimCheck) -> None:
    missing = Facts(claim, is_claim=True).find_missing(Facts(support))
    assert missing is not None
    assert missing[0] is check


@given(st.integers(1, 9999), st.integers(0, 9999))
def test_a_korean_amount_is_its_figure(ten_thousands: int, rest: int) -> None:
    written = f"{ten_thousands}만 {rest or ''}".strip() + "원"
    figure = f"{ten_thousands * 10_000 + rest:,} won"
    assert Facts(written).find_missing(Facts(figure)) is None
    assert Facts(figure).find_missing(Facts(written)) is None


@given(st.text(max_size=60))
def test_every_text_holds_its_own_facts(text: str) -> None:
    assert Facts(text, is_claim=True).find_missing(Facts(text)) is None


def test_a_figure_with_another_unit_adds_to_a_question() -> None:
    assert Facts("4 GB").adds_to(Facts("how much RAM do four processes need?"))
    assert not Facts("four").adds_to(Facts("4 processes"))
    assert Facts("at 3 pm").adds_to(Facts("when?"))
