"""Types of thing that questions ask for, and expressions of them in a sentence."""

from __future__ import annotations

import re
from enum import StrEnum

_MONTHS = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,7}"
_WEEKDAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
NUMERALS = (
    r"(?:\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|dozen|hundred|thousand)\b"
    r"|(?<![가-힣])(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|서른|마흔|쉰)(?![가-힣]{2}))"
)
"""Pattern of a number in words that stands before a unit."""
_NUMBER_WORDS = rf"{NUMERALS}[\s-]?(?:\b[a-z]|[개명번곳권편살배위점대장건주병잔줄층시가마사달])|하나|둘|셋|넷|절반|하루|이틀|사흘|나흘"
_DIGITS = re.compile(r"\d+")


class AnswerType(StrEnum):
    """Type of thing that a question asks for."""

    TIME = "time"
    NUMBER = "number"
    MONEY = "money"
    PERSON = "person"
    REASON = "reason"
    MANNER = "manner"
    LIST = "list"
    COMPARISON = "comparison"


FACTS = frozenset({AnswerType.TIME, AnswerType.NUMBER, AnswerType.MONEY, AnswerType.PERSON})
"""Types of answers that one sentence gives."""
_QUESTIONS = {
    AnswerType.TIME: r"언제|며칠|날짜|[연년]도|시기|몇\s*(?:년|월|일|시|세기)|요일|\bwhen\b|\b(?:what|which) (?:year|date|day|time|month|century)",
    AnswerType.NUMBER: r"몇(?!\s*(?:년|월|일|시|세기))|얼마|번호|\bhow (?:many|much|long|old|far|tall|high|large|big|often|fast|deep|wide|heavy)\b"
    r"|\b(?:number|percentage|size|price|cost) of\b",
    AnswerType.MONEY: r"가격|요금|비용|금액|얼마(?!나)|월세|연봉|\b(?:prices?|costs?|fees?|paid|pay|salary|rent|budget)\b|\bhow much (?:is|are|was|were|did|do|does)\b",
    AnswerType.PERSON: r"누구|누가|\bwho(?:m|se)?\b",
    AnswerType.REASON: r"왜|이유|원인|까닭|\bwhy\b|\b(?:cause|reason)",
    AnswerType.MANNER: r"어떻게|방법|려면|\bhow (?:do|does|did|to|can|is|are|was|were|should)\b",
    AnswerType.LIST: r"[두세네몇]\s?가지|목록|종류|뭐뭐|(?:들|규칙|조건|단계|원칙|항목|요소)(?:은|는|이|가)?\s?(?:뭐|무엇|어떤|[?？]|$)"
    r"|\bwhat are\b|\b(?:what|which)\s(?:\w+\s)?\w{3,}(?<!s)s\b|\b(?:list|kinds|types|steps)\b",
    AnswerType.COMPARISON: r"차이|다른가|다르|비교|각각|\b(?:differ\w*|versus|vs|compared?|instead of|rather than)\b",
}
_ASKS = {each: re.compile(pattern, re.IGNORECASE) for each, pattern in _QUESTIONS.items()}
_EXPRESSIONS = {
    AnswerType.TIME: re.compile(
        rf"\d\s*(?:년|월|일|시|분|초|주|달|개월|세기)|\d{{1,2}}:\d\d|\b[12]\d{{3}}\b|\b\d{{1,4}}[-/.]\d{{1,2}}\b"
        rf"|\d\s?[ap]\.?m\b|\b{_MONTHS}\b|\b{_WEEKDAYS}\b|[월화수목금토일]요일|오전|오후|아침|저녁|새벽|밤|주말|평일|매[일주달월년]"
        r"|\b(?:morning|noon|afternoon|evening|night|midnight|weekend|daily|weekly|monthly|yearly|every (?:day|week|month|year))\b",
        re.IGNORECASE,
    ),
    AnswerType.NUMBER: re.compile(rf"\d|{_NUMBER_WORDS}", re.IGNORECASE),
    AnswerType.MONEY: re.compile(
        r"(?:[$€£¥₩]|\b(?:USD|EUR|KRW|GBP)\b)\s?\d|\d[\d,.]{0,20}\s?[만천백억]{0,2}\s?(?:원|달러|유로|엔)|\d\s?만(?![가-힣])|무료"
        r"|\d[\d,.]{0,20}\s?(?:dollars?|euros?|pounds?|cents?|won|usd|eur|krw)\b|[만천백억]\s?원|\bfree\b",
        re.IGNORECASE,
    ),
}


def asked_types(question: str) -> frozenset[AnswerType]:
    """Return the types of thing that a question may ask for; empty if no pattern applies."""
    return frozenset(each for each, pattern in _ASKS.items() if pattern.search(question))


def holds_type(asked: AnswerType, sentence: str, *, question: str) -> bool:
    """Return True if a sentence holds something of a type that the question does not hold itself.

    A person may be named by any word, so that any sentence may hold one.
    """
    if asked not in _EXPRESSIONS:
        return asked is AnswerType.PERSON
    known = set(_DIGITS.findall(question))
    found = (_DIGITS.findall(match[0]) for match in _EXPRESSIONS[asked].finditer(sentence))
    return any(not digits or not known.issuperset(digits) for digits in found)
