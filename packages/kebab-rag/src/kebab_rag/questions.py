"""The language that a question is answered in."""

from __future__ import annotations

import re
from typing import Literal

from kebab_core import UNDETERMINED_LANG, LanguageDetector

AnswerLanguage = Literal["ko", "en"]

_HANGUL = re.compile("[가-힣ㄱ-ㅣ]")


def answer_language(question: str, detector: LanguageDetector) -> AnswerLanguage:
    """Return `ko` for questions in Korean, `en` for all others.

    A question too short to tell is Korean if it holds a letter of it.
    """
    lang = detector.detect(question)
    if lang == UNDETERMINED_LANG and _HANGUL.search(question):
        return "ko"
    return "ko" if lang == "ko" else "en"
