import unicodedata

from hypothesis import given, strategies as st
from kebab_analysis import KoreanEnglishAnalyzer
from kebab_analysis.normalization import normalize_text

ANALYZER = KoreanEnglishAnalyzer()
COMPOSING = (
    "ae \u0301\u0316\u0323\u0344\u1112\u1161\u11ab가각\u0dd9\u0dcf\u0dca\u09c7\u09be\u0cc6\u0cc2\u0cd5\u2126"
)


@given(st.text(st.one_of(st.sampled_from(COMPOSING), st.characters()), max_size=20))
def test_text_is_what_the_standard_library_composes(text: str) -> None:
    assert normalize_text(text).text == unicodedata.normalize("NFC", text)


@given(st.text(st.sampled_from(COMPOSING), min_size=1, max_size=20))
def test_every_letter_points_at_what_it_was_composed_from(text: str) -> None:
    normal = normalize_text(text)
    for at, char in enumerate(normal.text):
        start, end = normal.source_range(at, at + 1)
        assert char in unicodedata.normalize("NFC", text[start:end])


def test_endless_marks_on_a_letter_cost_as_much_as_other_text() -> None:
    # Composing them all at once would take minutes.
    text = "한국 a" + "\u0301\u0316" * 200_000 + " 끝"
    assert [term.text for term in ANALYZER.analyze(text)][::2] == ["한국", "끝"]
