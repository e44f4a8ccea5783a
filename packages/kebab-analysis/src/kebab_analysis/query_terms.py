"""Terms of a query: words that only ask are left out, and the last Korean word is analysed twice.

A tagger reads a word by its neighbours, and the last word of a query lacks one: `함수의` alone falls apart, where before
a noun it is `함수` with a particle. A word that reads differently there is searched as both. Used by
`KoreanEnglishAnalyzer.analyze_query`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from kebab_core import Term, TermKind
from kebab_text import has_hangul

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
_NEUTRAL_NOUN = " 것"
"""A noun put after a query to read its last word in the middle of a sentence."""
_LEAST_OTHER = 2
"""Code points of a term of the less likely reading; a single syllable of it finds too much."""


def content_terms(text: str, terms: list[Term]) -> list[Term]:
    """Leave out the words of a question that only ask.

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


def read_open_end(text: str, read: Callable[[str], list[Term]]) -> list[Term]:
    """Analyse a query, its last word by both readings if a particle could follow it.

    The less likely reading gives parts of the words of the other, so that none of them counts twice. Nothing else
    of the query is read in another way.

    Args:
        text: The query, in NFC.
        read: The analysis of a text into terms.
    """
    alone = read(text)
    bare = text.rstrip()
    if not alone or not "가" <= bare[-1] <= "힣":
        return alone
    start = len(bare) - len(bare.split()[-1])
    last = [term for term in alone if term.start >= start]
    followed = [term for term in read(bare + _NEUTRAL_NOUN) if start <= term.start and term.end <= len(bare)]
    return [*alone[: len(alone) - len(last)], *_both(last, followed, length=len(bare) - start)]


def _functional_words(text: str) -> list[tuple[int, int]]:
    """List the ranges of the words that only ask, in order."""
    korean = has_hangul(text)
    stop = _KOREAN_ENDINGS if korean else _ENGLISH
    shouted = text.isupper()
    ends = [match.span() for end in (_MANNER, _ASKING_END) for match in end.finditer(text)] if korean else []
    written = [
        match.span()
        for match in _WRITTEN.finditer(text)
        if match[0].lower() in stop and (shouted or len(match[0]) == 1 or not match[0].isupper())
    ]
    return sorted([*ends, *written])


def _both(alone: Sequence[Term], followed: Sequence[Term], *, length: int) -> Sequence[Term]:
    if not alone or not followed:
        return alone or followed
    one_word = len(alone) == 1 and alone[0].end - alone[0].start == length
    likely, other = (alone, followed) if one_word else (followed, alone)
    known = {term.text for term in likely}
    parts = (term for term in other if term.text not in known and len(term.text) >= _LEAST_OTHER)
    return sorted([*likely, *_within(likely, parts)], key=lambda term: (term.start, -term.end))


def _within(words: Sequence[Term], parts: Iterator[Term]) -> Iterator[Term]:
    """Yield the terms as parts of the words in which they start."""
    for text, start, end, _ in parts:
        word = next((word for word in words if word.start <= start < word.end), words[0])
        inside = max(start, word.start), min(end, word.end)
        yield Term(text, *(inside if inside[0] < inside[1] else (word.start, word.end)), TermKind.PART)
