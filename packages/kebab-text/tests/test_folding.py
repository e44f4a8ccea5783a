"""Folding: what readers take for the same text is the same text, and every character knows its place."""

import unicodedata

from hypothesis import given, strategies as st
from kebab_testing.tables import walk
from kebab_text import fold, fold_case, fold_forms, fold_text

COMPOSING = "ae \u0301\u0316\u0323\u0344\u1112\u1161\u11ab가각\u0dd9\u0dcf\u0dca\u09c7\u09be\u0cc6\u0cc2\u0cd5\u2126и\u0306か\u3099ﾊﾞ"
FOLDING = "ßıÅﬁ㎏ｋ\u00ad\u200d\ufeff\U000e0041\u202e1,234',_"


@walk(
    ("written", "folded"),
    [
        ("co\u00adop\u200de\u2060ra\ufefftion\u202e\ufe0f\U000e0041", "cooperation"),
        ("ﬁnal eﬃcient", "final efficient"),
        ("ｋｅｂａｂ，５２ ﾊﾝｸﾞﾙ", "kebab,52 ハングル"),
        ("\u1112\u1161\u11ab글 하\u11ab \u1112\u110b", "한글 한 ㅎㅇ"),
        ("Naïve RÉSUMÉ Łódź Straße Ærø Đồng", "naive resume lodz strasse aero dong"),
        ("йод, Ёлка, ΣΊΣΥΦΟΣ", "иод, елка, σισυφοσ"),
        (
            "52,800원 5２，８００ 1,234,567.50 1\u202f234 1'000 1_000",
            "52800원 52800 1234567.50 1234 1000 1000",
        ),
        ("1.5 192.168.0.1 v1.2.3 10,20 1,2345 1,200,30", "1.5 192.168.0.1 v1.2.3 10,20 1,2345 1,200,30"),
        ("㈜쇠고기 5㎏, 10⁶ m² ½ ㅎㅇㄹ", "(주)쇠고기 5kg, 10⁶ m² ½ ㅎㅇㄹ"),
    ],
)
def test_what_reads_the_same_is_folded_to_one_text(written: str, folded: str) -> None:
    assert fold(written) == folded
    assert fold(unicodedata.normalize("NFD", written)) == folded


def test_what_a_reader_sees_apart_stays_apart_without_what_is_invisible() -> None:
    assert fold_forms("Na\u00adïve ﬁ ５２,８００").text == "Naïve fi 52,800"


@given(st.text(st.one_of(st.sampled_from(COMPOSING + FOLDING), st.characters()), max_size=20))
def test_every_character_points_at_what_it_was_made_from(text: str) -> None:
    for folded in (fold_text(text), fold_forms(text)):
        ranges = [folded.source_range(at, at + 1) for at in range(len(folded.text))]
        assert all(0 <= start < end <= len(text) for start, end in ranges)
        assert ranges == sorted(ranges)
        assert unicodedata.is_normalized("NFC", folded.text)
    assert fold_text(text).text == fold_case(text)
    assert fold(fold(text)) == fold(text)


@given(st.text(st.sampled_from(COMPOSING), max_size=20))
def test_letters_of_all_scripts_are_composed(text: str) -> None:
    assert (
        fold_case(text)
        == fold_case(unicodedata.normalize("NFD", text))
        == fold_case(unicodedata.normalize("NFC", text))
    )
