"""Facts are equal in Korean and English, however they are written."""

from __future__ import annotations

from hypothesis import given, strategies as st
from kebab_core import ClaimCheck
from kebab_rag.facts import FactBook, read_facts
from kebab_testing.tables import walk


def find_lacks(claim: str, support: str) -> list[ClaimCheck]:
    """Return the checks that the facts of a claim fail; one thing is no count."""
    book = FactBook(support)
    lacks = (book.find_lack(fact) for fact in read_facts(claim) if fact.value != 1)
    return [lack for lack in lacks if lack is not None]


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
        ("2019년 7월", "2019-07"),
        ("화요일 9시", "Tue 09:00"),
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
        ("닷새 전", "5 days before"),
        ("12 V", "12V 배터리"),
        ("version 4", "v4 with a wider context"),
        ("3층", "third floor"),
        ("3시", "switched on at three"),
        ("Monday", "월·수는 안나가 데리러 감"),
        ("토요일", "2025-10-11,토,언덕점"),
        ("HTTP2", "no figure"),
    ],
)
def test_another_wording_of_a_fact_holds_it(claim: str, support: str) -> None:
    assert find_lacks(claim, support) == []


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
    assert find_lacks(claim, support) == [check]


@given(st.integers(1, 9999), st.integers(0, 9999))
def test_a_korean_amount_is_its_figure(ten_thousands: int, rest: int) -> None:
    written = f"{ten_thousands}만 {rest or ''}".strip() + "원"
    figure = f"{ten_thousands * 10_000 + rest:,} won"
    assert find_lacks(written, figure) == []
    assert find_lacks(figure, written) == []


@given(st.text(max_size=60))
def test_every_text_holds_its_own_facts(text: str) -> None:
    assert find_lacks(text, text) == []


def test_places_of_facts_are_those_of_the_text_as_it_is_written() -> None:
    text = "Ａt ３０００ 원 on 2019-07"
    assert [text[fact.start : fact.end] for fact in read_facts(text)] == ["３０００ 원", "2019-07"]


@walk(
    ("claim", "support", "can"),
    [
        ("428 EUR", "214.00 and 214.00", True),
        ("24분", "58분, 34분", True),
        ("76만 8천 원", "월(천원): 768", True),
        ("430 EUR", "214.00 and 214.00", False),
        ("549유로", "9 nights, 61 € a night", True),
        ("540유로", "9 nights, 61 € a night", False),
        ("43만 2천 원", "480,000 won, ten percent off", True),
        ("1.39 million won", "1,386,500원", True),
        ("1.38 million won", "1,386,500원", False),
        ("20 km", "km: 4, 7, 9", True),
        ("18 days", "from 2025-03-20 to 2025-04-07", True),
        ("61 won", "9 nights, 61 € a night", False),
    ],
)
def test_what_follows_from_figures_can_be_derived(claim: str, support: str, *, can: bool) -> None:
    (fact,) = read_facts(claim)
    assert FactBook(support).can_derive(fact) is can
