from itertools import pairwise

import pytest
from kebab_analysis import ScriptTokenCounter
from kebab_testing.laws.token_counter import TokenCounterLaws

COUNTER = ScriptTokenCounter()


class TestScriptTokenCounter(TokenCounterLaws):
    def make_token_counter(self) -> ScriptTokenCounter:
        return COUNTER


@pytest.mark.parametrize(
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
