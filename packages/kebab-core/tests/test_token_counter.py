from itertools import pairwise

from hypothesis import given, strategies as st
from kebab_core import TokenCounter
from kebab_testing.tables import walk

COUNTER = TokenCounter()
TEXT = st.one_of(st.text(), st.text("가나다 abc 12\n.,漢かé😀"))


def test_white_space_counts_nothing() -> None:
    assert COUNTER.count("") == COUNTER.count(" \n\t ") == 0


@given(TEXT)
def test_text_with_visible_characters_counts_something(text: str) -> None:
    count = COUNTER.count(text)
    assert count >= 0
    if any(char.isprintable() and not char.isspace() for char in text):
        assert count > 0


@given(TEXT, TEXT)
def test_appending_never_lowers_the_count(text: str, more: str) -> None:
    assert COUNTER.count(text + more) >= COUNTER.count(text)


@given(TEXT, TEXT)
def test_the_whole_counts_at_most_one_more_than_its_halves(first: str, second: str) -> None:
    assert COUNTER.count(first + second) <= COUNTER.count(first) + COUNTER.count(second) + 1


@walk(
    ("text", "least", "most"),
    [
        ("The parser reads a file and yields one document for each of them.", 14, 20),
        ("파서는 파일을 읽고 각각에 대해 문서를 하나씩 만든다.", 12, 20),
        ("1234567890", 3, 5),
        ("東京は日本の首都です", 6, 11),
    ],
)
def test_estimate_is_near_what_a_multilingual_vocabulary_gives(text: str, least: int, most: int) -> None:
    assert least <= COUNTER.count(text) <= most


def test_korean_counts_more_for_a_character_than_english() -> None:
    counts = [COUNTER.count(text * 100) for text in ("abcd", "가나다라", "😀😁😂🤣")]
    assert all(fewer < more for fewer, more in pairwise(counts))


NEXT_LABEL = "chunk boundaries follow these counts: give the counter its next label"
KOREAN = "처음 맡는 사람이 하루 안에 일을 넘겨받을 수 있도록 적는다. 급할수록 기록을 먼저 남긴다.\n"
ENGLISH = "This note records what we decided about retrieval in 2024, and why (see Section 3).\n"
MIXED = (
    "`uvicorn`은 ASGI server이고, 大韓民國 표준시 カタカナ Привет café \U0001f389 “인용” "
    "\uff21\uff22 \u1100 हिन्दी を\n"
)


@walk(("text", "count"), [(KOREAN, 2792), (ENGLISH, 2226), (MIXED, 3473)])
def test_long_texts_of_the_label_count_what_they_always_counted(text: str, count: int) -> None:
    assert COUNTER.label == "script-v1", "count the texts of the new label too"
    assert COUNTER.count(text * 100) == count, NEXT_LABEL


@walk(
    ("characters", "hundredths"),
    [
        (" \t\n\x00\x7f", 0),
        ("abcdefghijklmnopqrstuvwxyz", 27),
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 30),
        ("0123456789", 40),
        ("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", 100),
        ("\x80é\u07ff", 50),
        ("\u0800ह\u0fff", 45),
        ("\u1000\u1100“\u2fff", 100),
        ("\u3000をカ\u3fff", 65),
        ("\u4000漢\u9fff", 100),
        ("\ua000가힣\ud7ff", 72),
        ("\ue000\uff21\uffff", 100),
        ("\U00010000\U0001f389\U0010ffff", 200),
    ],
)
def test_every_character_of_the_label_weighs_what_it_always_weighed(characters: str, hundredths: int) -> None:
    weights = {char: COUNTER.count(char * 100) for char in characters}
    assert weights == dict.fromkeys(characters, hundredths), NEXT_LABEL
