import unicodedata

from hypothesis import given, strategies as st
from kebab_search.snippets import ELLIPSIS, Match, cut_snippet
from kebab_testing.tables import walk

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
WAVING = "\U0001f44b\U0001f3fd"
FLAG = "\U0001f1f0\U0001f1f7"
SYLLABLE = unicodedata.normalize("NFD", "한")
ACCENTED = "e\u0301"
GRAPHEMES = [FAMILY, WAVING, FLAG, SYLLABLE, ACCENTED, "한", "a", "1\ufe0f\u20e3"]


def boundaries(graphemes: list[str]) -> set[int]:
    places = {0}
    for grapheme in graphemes:
        places.add(max(places) + len(grapheme))
    return places


@given(
    st.lists(st.sampled_from(GRAPHEMES), min_size=30, max_size=60), st.integers(20, 30), st.integers(0, 59)
)
def test_snippet_without_blanks_begins_and_ends_between_characters_as_seen(
    graphemes: list[str], chars: int, matched: int
) -> None:
    text = "".join(graphemes)
    places = sorted(boundaries(graphemes))
    start = places[min(matched, len(places) - 2)]
    end = places[places.index(start) + 1]
    snippet = cut_snippet(text, [Match(start, end, "m", 1.0)], max_chars=chars)
    shown = snippet.text.removeprefix(ELLIPSIS).removesuffix(ELLIPSIS)
    at = text.find(shown)
    assert len(snippet.text) <= chars
    assert any(
        place in boundaries(graphemes) and place + len(shown) in boundaries(graphemes)
        for place in range(at, len(text))
        if text.startswith(shown, place)
    )
    assert snippet.matched


@walk("text", ["a" + "\u0301" * 500, "\u200d" * 500])
def test_text_that_never_ends_a_character_is_cut_all_the_same(text: str) -> None:
    assert len(cut_snippet(text, [], max_chars=50).text) <= 50
