import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given, settings, strategies as st
from kebab_core import UNDETERMINED_LANG
from kebab_testing.families import examples
from kebab_testing.tables import walk
from kebab_text import detect_language

_WORDS = (
    "색인을",
    "만든다",
    "the",
    "index",
    "カタカナ",
    "東京",
    "Привет",
    "café",
    "`code`",
    "```",
    "1.2",
    "😀",
    "\x00",
)


@settings(deadline=None, max_examples=examples(60), derandomize=True)
@given(st.one_of(st.text(), st.lists(st.sampled_from(_WORDS), max_size=30).map(" ".join)))
def test_language_of_any_text_is_a_primary_tag(text: str) -> None:
    assert re.fullmatch(r"[a-z]{2,3}", detect_language(text))


@walk("text", ["", " \n\t", "1 + 1 = 2", "…!? 😀", "2024-01-02 10:30"])
def test_text_without_letters_is_undetermined(text: str) -> None:
    assert detect_language(text) == UNDETERMINED_LANG


def test_several_threads_may_ask_at_once() -> None:
    texts = ["색인을 다시 만든다.", "This is how the index is made.", "", "1 2 3"] * 10
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(detect_language, texts)) == [*map(detect_language, texts)]


def test_length_of_a_text_does_not_matter() -> None:
    for sentence in ("색인을 다시 만드는 방법이다. ", "This is how the index is built. "):
        assert detect_language(sentence * 5000) == detect_language(sentence)


@walk(
    ("text", "lang"),
    [
        ("이 문서는 색인을 다시 만드는 방법을 설명합니다.", "ko"),
        ("FastAPI는 Starlette와 Pydantic 위에서 동작하는 modern web framework입니다", "ko"),
        ("`kebab ingest --verify`를 실행하면 checksum을 비교합니다.", "ko"),
        ("대한민국 憲法 第一條", "ko"),
        ("FastAPI는 Starlette 위에서 동작하는 framework입니다.", "ko"),
        ("This page explains how the index is built and when it has to be built again.", "en"),
        ("The Korean word 김치 means a dish of fermented vegetables that is served with every meal.", "en"),
        ("We met in a café, which was naïve of us.", "en"),
        ("東京は日本の首都であり、人口が最も多い都市です。", "ja"),
        ("カタカナだけ", "ja"),
        ("北京是中华人民共和国的首都。", "zh"),
        ("", "und"),
        ("1 + 1 = 2", "und"),
        ("x", "und"),
        ("```python\nfor name in the_list_of_the_things:\n    print(name)\n```", "und"),
    ],
)
def test_language_is_told(text: str, lang: str) -> None:
    assert detect_language(text) == lang


def test_another_latin_language_is_left_to_the_model() -> None:
    text = "Cette page explique comment l'index est construit et quand il faut le reconstruire entièrement."
    assert detect_language(text) == "fr"


def test_korean_and_english_are_told_without_the_statistical_model() -> None:
    code = (
        "import sys; from kebab_text import detect_language as d; "
        "assert d('색인을 만든다') == 'ko'; assert d('how the index is built') == 'en'; "
        "assert not {'numpy', 'py3langid', 'mecab_ko'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
