import unicodedata

from hypothesis import given, strategies as st
from kebab_testing.tables import walk
from kebab_text import cut_after, cut_before, is_grapheme_boundary

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
WAVING = "\U0001f44b\U0001f3fd"
FLAG = "\U0001f1f0\U0001f1f7"
SYLLABLE = unicodedata.normalize("NFD", "한")
ACCENTED = "e\u0301"
GRAPHEMES = [FAMILY, WAVING, FLAG, SYLLABLE, ACCENTED, "한", "a", "1\ufe0f\u20e3"]
written = st.lists(st.sampled_from(GRAPHEMES), min_size=1, max_size=60)


def boundaries(graphemes: list[str]) -> set[int]:
    places = {0}
    for grapheme in graphemes:
        places.add(max(places) + len(grapheme))
    return places


@given(written, st.data())
def test_cuts_are_between_characters_as_seen(graphemes: list[str], data: st.DataObject) -> None:
    text, places = "".join(graphemes), boundaries(graphemes)
    at = data.draw(st.integers(0, len(text)))
    assert cut_before(text, at) == max(place for place in places if place <= at)
    assert cut_after(text, at) == min(place for place in places if place >= at)


@given(written)
def test_boundaries_are_the_ends_of_characters_as_seen(graphemes: list[str]) -> None:
    text = "".join(graphemes)
    assert {at for at in range(len(text) + 1) if is_grapheme_boundary(text, at)} == boundaries(graphemes)


@walk("text", ["a" + "\u0301" * 500, "\u200d" * 500])
def test_character_that_never_ends_is_cut_all_the_same(text: str) -> None:
    assert cut_before(text, 300) == cut_after(text, 300) == 300


def test_line_end_of_two_code_points_is_one_character() -> None:
    assert not is_grapheme_boundary("a\r\nb", 2)
