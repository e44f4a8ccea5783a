"""What every `LanguageDetector` does."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_analysis import ScriptLanguageDetector
from kebab_core import UNDETERMINED_LANG, LanguageDetector
from kebab_testing.fakes.detector import FixedDetector, HangulDetector
from kebab_testing.families import examples

_PRIMARY_TAG = re.compile(r"[a-z]{2,3}")
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
_text = st.one_of(st.text(), st.lists(st.sampled_from(_WORDS), max_size=30).map(" ".join))
_shared = settings(
    suppress_health_check=[HealthCheck.differing_executors],
    deadline=None,
    max_examples=examples(60),
    derandomize=True,
)


class LanguageDetectorLaws:
    """Subclass it as `Test…` and return a detector."""

    def make_detector(self) -> LanguageDetector:
        """Return the detector under test; it may be the same object each time."""
        raise NotImplementedError

    @_shared
    @given(_text)
    def test_language_of_any_text_is_a_primary_tag(self, text: str) -> None:
        assert _PRIMARY_TAG.fullmatch(self.make_detector().detect(text))

    @_shared
    @given(_text, _text)
    def test_language_does_not_depend_on_what_was_asked_before(self, text: str, other: str) -> None:
        detector = self.make_detector()
        first = detector.detect(text)
        detector.detect(other)
        assert detector.detect(text) == first == self.make_detector().detect(text)

    @pytest.mark.parametrize("text", ["", " \n\t", "1 + 1 = 2", "…!? 😀", "2024-01-02 10:30"])
    def test_text_without_letters_is_undetermined(self, text: str) -> None:
        assert self.make_detector().detect(text) == UNDETERMINED_LANG

    def test_several_threads_may_ask_at_once(self) -> None:
        detector = self.make_detector()
        texts = ["색인을 다시 만든다.", "This is how the index is made.", "", "1 2 3"] * 10
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(detector.detect, texts)) == [detector.detect(text) for text in texts]


class KoreanEnglishDetectorLaws(LanguageDetectorLaws):
    """The same, and Korean is told from English: every detector that looks at the text."""

    @pytest.mark.parametrize(
        ("text", "lang"),
        [
            ("이 문서는 색인을 다시 만드는 방법을 설명합니다.", "ko"),
            ("FastAPI는 Starlette 위에서 동작하는 framework입니다.", "ko"),
            ("This page explains how the index is built.", "en"),
        ],
        ids=["korean", "mixed", "english"],
    )
    def test_korean_and_english_sentences_are_told(self, text: str, lang: str) -> None:
        assert self.make_detector().detect(text) == lang

    def test_length_of_a_text_does_not_matter(self) -> None:
        for sentence in ("색인을 다시 만드는 방법이다. ", "This is how the index is built. "):
            assert self.make_detector().detect(sentence * 5000) == self.make_detector().detect(sentence)


class TestScriptLanguageDetector(KoreanEnglishDetectorLaws):
    def make_detector(self) -> ScriptLanguageDetector:
        return ScriptLanguageDetector()


class TestFixedDetector(LanguageDetectorLaws):
    def make_detector(self) -> FixedDetector:
        return FixedDetector("ko")


class TestHangulDetector(KoreanEnglishDetectorLaws):
    def make_detector(self) -> HangulDetector:
        return HangulDetector()


def test_fixed_detector_keeps_what_it_was_asked() -> None:
    detector = FixedDetector()
    assert [detector.detect(text) for text in ("가", "1")] == ["en", "und"]
    assert detector.asked == ["가", "1"]
