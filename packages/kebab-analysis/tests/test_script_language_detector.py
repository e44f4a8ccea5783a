import subprocess
import sys

from kebab_analysis import ScriptLanguageDetector
from kebab_testing.tables import walk


@walk(
    ("text", "lang"),
    [
        ("이 문서는 색인을 다시 만드는 방법을 설명합니다.", "ko"),
        ("FastAPI는 Starlette와 Pydantic 위에서 동작하는 modern web framework입니다", "ko"),
        ("`kebab ingest --verify`를 실행하면 checksum을 비교합니다.", "ko"),
        ("대한민국 憲法 第一條", "ko"),
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
    assert ScriptLanguageDetector().detect(text) == lang


def test_another_latin_language_is_left_to_the_model() -> None:
    text = "Cette page explique comment l'index est construit et quand il faut le reconstruire entièrement."
    assert ScriptLanguageDetector().detect(text) == "fr"


def test_korean_and_english_are_told_without_the_statistical_model() -> None:
    code = (
        "import sys; from kebab_analysis import ScriptLanguageDetector as D; "
        "assert D().detect('색인을 만든다') == 'ko'; assert D().detect('how the index is built') == 'en'; "
        "assert not {'numpy', 'py3langid', 'mecab_ko'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
