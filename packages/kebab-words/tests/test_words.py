"""One process puts the same message into the languages of several readers."""

from concurrent.futures import ThreadPoolExecutor

from kebab_core import Message
from kebab_words import Phrases, Words


def test_readers_of_two_languages_are_answered_at_the_same_time() -> None:
    message = Message("{count} file", plural="{count} files", count=3)
    korean, english = Words("ko"), Words("en")
    with ThreadPoolExecutor(4) as pool:
        said = [*pool.map(lambda words: words.localize(message), [korean, english] * 20)]
    assert said == ["파일 3개", "3 files"] * 20


def test_a_message_that_was_stored_as_text_is_translated_by_its_template() -> None:
    stored = Message("{text}", text="'회의록.md' may not be read")
    assert Words("ko").localize(stored) == "'회의록.md': 읽을 권한이 없습니다"


def test_an_age_is_in_the_unit_that_says_enough() -> None:
    ages = {
        0: ("today", "오늘"),
        1: ("1 day ago", "1일 전"),
        59: ("59 days ago", "59일 전"),
        60: ("2 months ago", "2개월 전"),
        800: ("2 years ago", "2년 전"),
    }
    for days, said in ages.items():
        assert (Words("en").localize(Phrases.age(days)), Words("ko").localize(Phrases.age(days))) == said
