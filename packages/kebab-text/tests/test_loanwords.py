from hypothesis import given, strategies as st
from kebab_testing.tables import walk
from kebab_text import latin_initials, sound_likenesses

SYLLABLES = st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=1, max_size=8)
LATIN = st.text(st.characters(min_codepoint=ord("a"), max_codepoint=ord("z")), min_size=1, max_size=12)


@walk(
    ("hangul", "latin"),
    [
        ("옵시디언", "obsidian"),
        ("컬렉터", "collector"),
        ("자바스크립트", "javascript"),
        ("싱크", "sync"),
        ("노션", "notion"),
        ("디렉터리", "directory"),
        ("테트리스", "tetris"),
        ("스냅샷", "snapshot"),
        ("로드맵", "roadmap"),
    ],
)
def test_loanword_sounds_like_its_original(hangul: str, latin: str) -> None:
    assert sound_likenesses(hangul, [latin])[latin] >= 0.85
    assert latin[0] in latin_initials(hangul)


@walk(
    ("hangul", "latin"),
    [
        ("옵시디언", "abstain"),
        ("싱크", "since"),
        ("여권", "icon"),
        ("보증금", "begin"),
        ("양육비", "incorporate"),
        ("시리", "sri"),
    ],
)
def test_other_words_do_not(hangul: str, latin: str) -> None:
    assert sound_likenesses(hangul, [latin]).get(latin, 0) < 0.85


@given(SYLLABLES, LATIN)
def test_likeness_is_a_share_and_nothing_where_the_first_letter_cannot_be_said_so(
    hangul: str, latin: str
) -> None:
    likeness = sound_likenesses(hangul, [latin]).get(latin, 0)
    assert 0 <= likeness <= 1
    assert not likeness or latin[0] in latin_initials(hangul)


@walk("text", ["", "abc", "옵a", "ㅋㅋ"])
def test_other_text_sounds_like_nothing(text: str) -> None:
    assert (latin_initials(text), sound_likenesses(text, ["abc"])) == ("", {})
