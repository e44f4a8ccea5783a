"""The words of a question that only ask."""

from __future__ import annotations

import re
from bisect import bisect_right

from kebab_core import Term

from kebab_analysis.scripts import HANGUL_CHAR

_KOREAN_REQUESTS = """
    무엇 무어 뭐 뭣 누구 언제 어디 왜 어떻게 어떤 어느 어떠하 어떻 어찌 어째서 얼마 얼마나 몇 무슨 알리 알려주 가르치 가르쳐주 궁금
    것 거 수 대하 관하 위하 의하 통하 따르 그 이 저 좀 및 또는
"""
_KOREAN_TERMS = frozenset(_KOREAN_REQUESTS.split())
"""Interrogatives, requests, and words that only tie others together, as terms."""
_KOREAN_CLOSINGS = """
    하나 하나요 하는가 하는가요 하는지 할까 할까요 하죠 하지요 합니까 되나 되나요 될까요 됩니까 인가 인가요 입니까 있나 있나요 있을까요
    있습니까 있어요 해줘 해줘요 해주세요 해봐 줘 주세요 주라 알려줘 알려줘요 알려주세요 알려주라 알려달라 뭐야 뭐예요 뭐에요 뭔가 뭔가요
    뭐지 무엇인가 무엇인가요 무엇입니까 무엇이며 무엇인지 어떤가요 누구인가 누구인가요 언제인가 언제인가요 어디인가 어디인가요 얼마인가
    얼마인가요 몇인가
"""
_KOREAN_ENDINGS = frozenset(_KOREAN_CLOSINGS.split())
"""Whole words that end a question or a request; their morphemes alone may mean something else."""
_ENGLISH_FUNCTION_WORDS = """
    a an the what which who whom whose when where why how is are was were be been being am do does did done can could
    should would will shall may might must has have had having of in on at to for from by with into about as and or it
    its this that these those there their they them he she his her i me my we our us you your please tell show explain
    if than then so such
"""
_ENGLISH = frozenset(_ENGLISH_FUNCTION_WORDS.split())
_MANNER = re.compile(r"(?<=는\s)법(?=[은을이]?(?:\s알|\W*$))")
"""`법` after a verb at the end of a question: how something is done, not law."""
_ASKING_END = re.compile(r"(?<=[가-힣])하나(?=\W*$)")
"""The end of a verb at the end of a question, read as the number: `작성하나?`."""
_WRITTEN = re.compile(r"[\w']+")


def content_terms(text: str, terms: list[Term]) -> list[Term]:
    """Return the terms of a question less the words that only ask.

    English words are content where the question is Korean (`for 문`, `is 연산자`), and so are words in capitals
    (`IT`, `WHO`) unless the whole question is in capitals.

    Args:
        text: The question, in NFC.
        terms: All its terms.

    Returns:
        The terms that carry content, in order; all of them if none does.
    """
    functional = _functional_words(text)
    starts = [start for start, _ in functional]
    kept = []
    for term in terms:
        word = bisect_right(starts, term.start) - 1
        asks = word >= 0 and term.end <= functional[word][1]
        if not asks and term.text not in _KOREAN_TERMS:
            kept.append(term)
    return kept or terms


def _functional_words(text: str) -> list[tuple[int, int]]:
    """Return the ranges of the written words that only ask, in order."""
    korean = HANGUL_CHAR.search(text) is not None
    stop = _KOREAN_ENDINGS if korean else _ENGLISH
    shouted = text.isupper()
    ends = [match.span() for end in (_MANNER, _ASKING_END) for match in end.finditer(text)] if korean else []
    written = [
        match.span()
        for match in _WRITTEN.finditer(text)
        if match[0].lower() in stop and (shouted or len(match[0]) == 1 or not match[0].isupper())
    ]
    return sorted([*ends, *written])
