"""What kind of thing a question asks for, and what an answer to it looks like."""

from __future__ import annotations

import re
from enum import StrEnum

from kebab_extractive.definitions import defined_term, defines


class AnswerShape(StrEnum):
    """What a question asks for."""

    TIME = "time"
    NUMBER = "number"
    PLACE = "place"
    PERSON = "person"
    REASON = "reason"
    MANNER = "manner"
    DEFINITION = "definition"


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_ASKS = {
    AnswerShape.TIME: _any(
        "언제",
        "며칠",
        "날짜",
        "[연년]도",
        "시기",
        r"몇\s*(?:년|월|일|시|세기)",
        r"(?:해|날|때|시각|생일)(?:은|는|인가)",
        r"\bwhen\b",
        r"\b(?:what|which) (?:year|date|day|time|month|century)",
    ),
    AnswerShape.NUMBER: _any(
        r"몇(?!\s*(?:년|월|일|시|세기))",
        "얼마",
        "며칠",
        r"(?:인구|면적|높이|길이|거리|비율|개수|나이|순위|점수|크기|무게|속도|수)(?:은|는|가)\b",
        r"\bhow (?:many|much|long|old|far|tall|high|large|big|often|fast|deep|wide|heavy)\b",
        r"\b(?:population|number|percent|percentage|size|height|length|area|distance|age|mass|speed) (?:of|is|did|does)\b",
    ),
    AnswerShape.PLACE: _any(
        "어디",
        "장소",
        "지역",
        "위치",
        "(?:나라|국가|도시|수도|고향)(?:은|는|가)",
        r"\bwhere\b",
        r"\b(?:what|which) (?:country|city|state|place|town|province|continent)",
    ),
    AnswerShape.PERSON: _any("누구", "누가", r"(?:사람|인물|이름)(?:은|는|의)", r"\bwho(?:m|se)?\b"),
    AnswerShape.REASON: _any("왜", "이유", "원인", "까닭", r"\bwhy\b", r"\b(?:cause|reason)"),
    AnswerShape.MANNER: _any(
        "어떻게", "방법", "려면", r"\bhow (?:do|does|did|to|can|is|are|was|were|should)\b"
    ),
}
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_UNITS = "개|명|번|차례|가지|곳|권|편|살|세|배|위|원|달러|점|대|마리|척|장|건"
_LOOKS = {
    AnswerShape.TIME: re.compile(
        rf"\d{{1,40}}\s*(?:년|월|일|세기|시|분)|\b(?:1\d|20)\d\d\b|\b(?:{_MONTHS})\b|\bcentur(?:y|ies)\b|\b\d+ (?:BC|AD|BCE|CE)\b|기원전|\d{{1,2}}:\d\d"
    ),
    AnswerShape.NUMBER: re.compile(
        rf"\d|(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)\s?(?:{_UNITS})"
        r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion|half)\b"
    ),
    AnswerShape.PLACE: re.compile(
        r"[가-힣](?:시|도|군|구|국|주|역|산|강|섬|동|읍|성|궁|대학교|광장|공항|병원)(?:에|의|로|으로|을|를|이|가|과|와|,|\s)|에서|에 위치|있다"
        r"|\b(?:in|at|near|from|to|of) (?:the )?[A-Z]"
    ),
    AnswerShape.PERSON: re.compile(
        r"(?<![.!?] )(?<!^)\b[A-Z][a-z]+ (?:[A-Z]\.? )?[A-Z][a-z]+|[가-힣]{2,4}(?:이|가|은|는|와|과|에게|의)\s"
    ),
    AnswerShape.REASON: re.compile(
        r"때문|위해|위하여|이유|원인|까닭|므로|따라|해서|어서|아서|인해|\b(?:because|due to|since|so that|in order to|caused? by|reason|as a result|therefore|to avoid)\b"
    ),
    AnswerShape.MANNER: re.compile(
        r"하여|해서|함으로써|으로써|방법|통해|통하여|이용|사용|하면|하려면|한다\b|하세요|\b(?:by \w+ing|using|through|steps?|run|use|set|via|with)\b"
    ),
}
_CODE = re.compile(
    r"명령|코드|예제|예시|스크립트|문법|함수|옵션|설정 파일|[`_(){}=]|\b(?:command|code|example|script|snippet|syntax|usage|function|option|config)",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"링크|주소|사이트|홈페이지|\b(?:links?|urls?|address|website|home ?page|site)\b", re.IGNORECASE
)
_DIGITS = re.compile(r"\d+")


def asked_shapes(question: str) -> tuple[AnswerShape, ...]:
    """Return what a question may be asking for; empty where no rule knows."""
    shapes = tuple(shape for shape, pattern in _ASKS.items() if pattern.search(question))
    return shapes if defined_term(question) is None else (*shapes, AnswerShape.DEFINITION)


def asks_for_code(question: str) -> bool:
    """Return whether a question asks for a command, code or the like, or holds some itself."""
    return _CODE.search(question) is not None


def asks_for_link(question: str) -> bool:
    """Return whether a question asks where on the net something is."""
    return _LINK.search(question) is not None


def looks_like(shape: AnswerShape, sentence: str, *, question: str) -> bool:
    """Return whether a sentence holds something of that shape that the question does not say itself."""
    if shape is AnswerShape.DEFINITION:
        return defines(sentence, defined_term(question) or question)
    known = set(_DIGITS.findall(question))
    for match in _LOOKS[shape].finditer(sentence):
        digits = _DIGITS.findall(match[0])
        if not digits or not known.issuperset(digits):
            return True
    return False
