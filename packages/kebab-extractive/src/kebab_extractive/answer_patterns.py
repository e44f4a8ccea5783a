"""Regular expressions and word lists of the extractive answerer. Tables only; the other modules read them.

Groups, in order: figures, persons and places in a sentence; the type of thing a question asks for; constraints on an
answer; words of a question; forms of a sentence; quotes; spoofed markers.

Every repetition is bounded, possessive or anchored, so that a page of digits takes no longer than a page of words. A
pattern marks a kind of wording. None is added for a single example: where no pattern of a kind applies, the model says
that the evidence does not answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class AnswerType(StrEnum):
    """Type of thing that a question asks for."""

    TIME = "time"
    NUMBER = "number"
    PERSON = "person"
    REASON = "reason"
    MANNER = "manner"
    LIST = "list"
    COMPARISON = "comparison"


class AnswerConstraint(NamedTuple):
    """Something that an answer must hold: how questions ask for it, and how sentences express it.

    Attributes:
        asks: Matches the words of a question that ask for it.
        holds: Matches it in a sentence; None where any text may be it.
        is_figure: Whether a match must hold digits that are not in the question, or no digits.
        is_name: Whether a match must hold a word that is not in the question, and may name a person.
        unless: Matches sentences that say where something is not; they never meet the constraint.
        is_new: Whether a match must hold a word that is not in the question; it may stand in the line that leads to the sentence.
        is_amount: Whether numbers of items, versions and dates are no match.
    """

    asks: re.Pattern[str]
    holds: re.Pattern[str] | None
    is_figure: bool = False
    is_name: bool = False
    is_new: bool = False
    is_amount: bool = False
    unless: re.Pattern[str] | None = None


def _verbose(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.VERBOSE)


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# Words, digits and names of time units.
WORD = re.compile(r"\w+")
DIGITS = re.compile(r"\d+")
_MONTHS = r"January|February|March|April|May|June|July|August|September|October|November|December"
_WEEKDAYS = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_NUMBER_WORDS_EN = (
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|dozen|hundred"
    r"|thousand|million|billion)\b"
)
_COUNTERS = (
    "개|명|번|차례|가지|곳|권|편|살|세|배|위|원|달|점|대|마리|척|장|건|시간|사람|주|병|컵|잔|줄|쪽|층|포기"
)
_NUMBER_WORDS_KO = (
    rf"(?<![가-힣])(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|서른|마흔|쉰|반|몇|여러)(?:\s[가-힣]|{_COUNTERS})"
    r"|하나|둘|셋|넷|절반|[일이삼사오육칠팔구십백천만억]\s?[명개원번도]"
)

_AUXILIARY_VERBS = "do does did can could should will would must may has have had"
AUXILIARY_VERBS = frozenset(_AUXILIARY_VERBS.split())

# Figures in a sentence: amounts, numbers, dates and times. Strings for `_verbose`.
_NOT_MONEY = (
    r"\s?(?:년|월|일|시|분|초|주|개|명|번|건|살|세|층|호|도|kg|mg|g|km|cm|mm|m|ml|l|%|°|[KMGT]B|bar|ppm|퍼센트|그램|리터|킬로|컵|인분|포기"
    r"|st\b|nd\b|rd\b|th\b|(?:hours?|minutes?|seconds?|days?|weeks?|months?|years?|times|degrees?|people|percent|grams?|litres?"
    rf"|liters?|eggs?|pages?|{_MONTHS})\b)"
)
_MONEY = (
    r"(?:[$€£¥₩]|\b(?:USD|EUR|KRW|GBP)\b)\s?\d|\d[\d,.]{0,40}\s?(?:[만천백억]\s?){0,8}\s?(?:원|달러|유로|엔|위안|파운드)"
    r"|[만천백억]\s?원|[만천백억]\s{0,4}\d{0,40}\s{0,4}[만천백]?\s{0,4}원|무료|공짜"
    r"|\b(?:free|gratis|dollars?|euros?|pounds?|cents?|won)\b"
    rf"|(?<![\w.:/-])(?<!number\s)(?!(?:19|20)\d\d\b)\d[\d,]{{0,40}}(?:\.\d{{1,40}})?(?![\d,]{{0,40}}[-/:\d])(?!{_NOT_MONEY})(?![.,]?\w)"
)
_PHONE = r"\+?\d{2,4}[-.)\s]{1,2}\d{3,4}(?:[-.\s]\d{3,4})?|내선\s?\d|\bext(?:ension|\.)?\s?\d|\d{7,}|\d{4}번"
NAMES_NUMBER = _verbose(rf"\d|\bovernight\b|하루|이틀|사흘|나흘|{_NUMBER_WORDS_EN}|{_NUMBER_WORDS_KO}")
NO_AMOUNT = _verbose(
    rf"\bv\d[\w.]*|(?<![\d.])\d+(?:\.\d+){{2,}}|\b\d{{4}}(?:-\d{{1,2}}){{1,2}}|\b\d{{4}}(?:[./]\s?\d{{1,2}}){{1,2}}"
    rf"|\d{{1,40}}\s?(?:일|월|년|시)(?![가-힣]*간)|\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{_MONTHS})\b|\b(?:{_MONTHS})\s+\d{{1,2}}\b"
)
"""Versions and dates: numbers that count nothing."""
_CLOCK_TIME = r"\d{1,2}[:.h]\d\d(?!\d)|\d{1,2}\s?(?:[ap]\.?m\b|o'clock)|\b(?:at|by|until|till|from|to|around|before|after)\s+\d{1,2}(?![\d.,]{0,40}\s?(?:%|\w))"
_CALENDAR = (
    r"\d\s*(?:년|월|일|시|분|초|주|달|개월|세기)|(?<![\d.,])(?:1\d|20)\d\d(?![\d%]|[.,]\d{3}|\s?(?:[원명개]|달러|[km]m\b|[kmg]\b|kg\b|euros?\b|dollars?\b|people\b))"
    r"|\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?(?![\d%])|\d(?:st|nd|rd|th)\b|\d{1,40}\s*(?:AD|BCE?|CE|B\.C|A\.D)\b"
    r"|\b(?:in|since|of|circa|c\.)\s+\d{3,4}\b|\d{1,40}\s*(?:hour|minute|day|week|month|year|quarter)"
)
_DATE = (
    rf"{_CALENDAR}|{_CLOCK_TIME}"
    rf"|\b(?:{_MONTHS}|{_WEEKDAYS})\b|\b(?:centur|decade|yesterday|today|tomorrow|night|morning|noon|evening|afternoon|week|month|year"
    r"|spring|summer|autumn|fall|winter|ago|age|era|period|war|when|as\s+soon|on\s+the\s+day"
    r"|(?:before|after|during|since|until)\s+(?:the\s+)?(?-i:[A-Z]))"
)
NAMES_DATE = _verbose(_DATE)
_TIME = (
    rf"{_DATE}|\b(?:at|by|around|till)\s+(?:half|quarter|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b|[년월일시분주달]|요일|아침|점심|저녁|새벽|밤|낮|오전|오후|정오|자정|하루|이틀|사흘|나흘|주말|평일|봄|여름|가을|겨울|오늘|내일|어제|지금"
    r"|마지막|처음|먼저|나중|다음|[전후뒤때면](?![가-힣]{2})|동안|까지|부터|마다|예정|항상|즉시|바로|직후|매번|세기|시대|초기|말기"
    r"|\b(?:now|day|hour|minute|second|midnight|weekend|while|once|every|at\s+the\s+end|first|last|always|immediately|then|early|late"
    r"|if|before|after|during|since|until|daily|weekly|monthly|yearly|never|only)"
)
_IDENTIFIER = r"(?<!\d)\d{2,}+(?!,[\d,]{0,40}\s?[년월일시분원]|\s?[년월일시분원])|[A-Z]{1,40}-?\d"

# Counts of a Korean unit: the unit in a question, the same unit in sentences, and its number.
COUNTED_UNIT = re.compile(r"몇\s*(명|시간|시|도|살|층|건|권|포기|그램|초|개월|미터|기가|마리|부터|까지)")
"""A question for the number of a unit. Only units that are not shared by other things are listed."""
UNIT_SYNONYMS: Mapping[str, str] = {
    "명": "(?:명|사람|인)",
    "그램": "(?:그램|g)",
    "도": "(?:도|°)",
    "시": r"(?:시(?!간)|:\d)",
    "미터": "(?:미터|m)",
    "기가": "(?:기가|GB)",
}
"""Patterns of units that sentences write in more than one way."""
COUNT_OF_UNIT = (
    r"\d[\d,.]{0,40}\s?[만천백억여]{0,8}\s?UNIT"
    r"|(?<![가-힣])(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|몇|여러|수[십백천만])\s?UNIT"
    r"|(?:열|스물|스무|서른|마흔|쉰)\S{0,2}\s?UNIT"
    r"|[일이삼사오육칠팔구십백천만]\s?UNIT"
)
"""Pattern of a number with its unit; `UNIT` is replaced by the pattern of the unit."""

# Persons and places in a sentence.
_OPEN_SYLLABLE = f"[{''.join(map(chr, range(ord('가'), ord('힣'), 28)))}A-Za-z]"
"""A syllable without a final consonant, or a Latin letter."""
_COPULA = rf"(?:이다|입니다|이에요|이었다|이었습니다|(?<={_OPEN_SYLLABLE})(?:예요|(?<!하)였(?:다|습니다)|(?<![하르쁘프니])다))"
"""Copula behind a noun. Not `하였다` or `합니다`, nor the ends of adjectives such as `중요하다` and `바쁘다`."""
_NO_NOUN = r"(?:것|거|때문|중|뿐|예정)"
"""Words before a copula that only make the end of a sentence."""
NAMES_PERSON = re.compile(
    r"\b[A-Z][a-z]+|\b[Bb]y[ ](?:the|an?|my|our)[ ]\w+|^(?:The|My|Our|An?|His|Her|Their)[ ][a-z]+(?:er|or|ist|man|woman|ian|ant|ent|ee)\b"
    r"|\b(?:president|king|queen|emperor|minister|government|parliament|congress|council|court|committee|team|company|army"
    r"|people|members?|citizens?|voters?|men|women|everyone|nobody|anyone|I|we)\b"
    rf"|(?<!\w)(?!{_NO_NOUN}{_COPULA})[가-힣A-Za-z]{{1,40}}{_COPULA}(?![가-힣])"
    r"|[가-힣A-Za-z]{1,40}(?:이|가|은|는|께서|에서)(?=[\s,])|[가-힣]\s?(?:님|씨|팀)(?![가-힣]{2})|[:：|(]\s*[가-힣A-Za-z]{2,}|에\s?의해"
)
_COLOUR = (
    r"[가-힣]색|빨간|파란|노란|까만|검은|검정|하얀|하양|흰|푸른|\b(?:red|blue|green|yellow|black|white|gr[ae]y|brown"
    r"|orange|purple|violet|pink|silver|gold(?:en)?|beige|colou?r\w*)\b"
)
_PLACE = (
    r"에서|에\s|장소|위치|지역|[가-힣](?:으로|로)\s|[가-힣](?:시|도|구|군|동|역|층|실|관|원|점|장|집|국|주|산|강|섬|성|궁|앞|뒤|옆|위|아래|안|밖|근처|길)(?![가-힣]{2})"
    r"|[~/]\w|주소"
    r"|\b(?:in|at|on|under|near|inside|into|from|beside|behind|within|outside|below|above|between|along|across|around|here)\b"
)
_NOT_THERE = _verbose(
    r"(?:없|있지\s?않)(?:다|음|습니다|어요|아요|는다|습니다)[.!]?\s*$"
    r"|(?m:^)(?!.*\bbut\b).*\b(?:is|are|was|were)(?:n't|\s+not|\s+no\s+longer)\s+(?:in|at|on|under|near|inside|here|there|kept|stored)\b"
)

# Type of thing that a question asks for, and its expressions in a sentence.
_ASKED_MEMBERS = (
    r"(?:들|규칙|조건|단계|성질|특징|원칙|항목|요소|구성)(?:은|는|이|가)?\s?(?:뭐|무엇|어떤|[?？]|$)"
)
"""Names for the members of an asked-for list; the list need not use them."""
TYPE_QUESTIONS = {
    AnswerType.TIME: _any(
        r"언제|며칠|날짜|[연년]도|시기|몇\s*(?:년|월|일|시|세기)",
        r"(?:해|날|때|시각|생일)(?:은|는|인가)",
        r"\bwhen\b",
        r"\b(?:what|which) (?:year|date|day|time|month|century)",
    ),
    AnswerType.NUMBER: _any(
        r"몇(?!\s*(?:년|월|일|시|세기))|얼마|며칠",
        r"(?:인구|면적|높이|길이|거리|비율|개수|나이|순위|점수|크기|무게|속도|수)(?:은|는|가)\b",
        r"\bhow (?:many|much|long|old|far|tall|high|large|big|often|fast|deep|wide|heavy)\b",
        r"\b(?:population|number|percent|percentage|size|height|length|area|distance|age|mass|speed) (?:of|is|did|does)\b",
    ),
    AnswerType.PERSON: _any("누구", "누가", r"(?:사람|인물|이름)(?:은|는|의)", r"\bwho(?:m|se)?\b"),
    AnswerType.REASON: _any("왜", "이유", "원인", "까닭", r"\bwhy\b", r"\b(?:cause|reason)"),
    AnswerType.MANNER: _any(
        "어떻게", "방법", "려면", r"\bhow (?:do|does|did|to|can|is|are|was|were|should)\b"
    ),
    AnswerType.LIST: _any(
        r"[두세네몇\d가-힣]\s?가지",
        "목록|종류|나열|뭐뭐",
        r"(?:뭐|무엇|무슨|어떤)(?:가|이)?\s?(?:것들|있)",
        _ASKED_MEMBERS,
        r"\b(?:kinds?|types|rules|steps|things)\b",
        r"\bwhat\s+are\b|\b(?:what|which)\s+(?:\w+\s+)?\w{3,}(?<!s)s\b|\b(?:list|name)\s+(?:of|the|all)\b",
        r"\bwhat(?:'s|\s+is)\s+(?:inside|included|in)\b",
    ),
    AnswerType.COMPARISON: _any(
        "차이|다른가|다르|비교|각각", r"\b(?:differ\w*|versus|vs|compared?|instead\s+of|rather\s+than)\b"
    ),
}
"""Questions for each type."""
TYPE_EXPRESSIONS = {
    AnswerType.TIME: NAMES_DATE,
    AnswerType.NUMBER: NAMES_NUMBER,
    AnswerType.PERSON: NAMES_PERSON,
}
"""Expressions of a type in a sentence. A type without one only decides what is quoted."""
ASKS_FOR_CODE = re.compile(
    r"명령|코드|예제|예시|스크립트|문법|함수|옵션|설정 파일|[`_(){}=]|\b(?:command|code|example|script|snippet|syntax|usage|function|option|config)",
    re.IGNORECASE,
)
"""Questions for a command or code, or with code in them."""
ASKS_FOR_LINK = re.compile(
    r"링크|주소|사이트|홈페이지|\b(?:links?|urls?|address|website|home ?page|site)\b", re.IGNORECASE
)
"""Questions for an address on the net."""

# Constraints: what an answer must hold, whatever words it shares with the question.
CONSTRAINTS = (
    AnswerConstraint(
        _verbose(
            r"""가격|요금|비용|사용료|보험료|\bprices?\b|\bcosts?\b|\bfees?\b
            |\bhow\s+much\s+(?:is|are|was|were)\b|\bhow\s+much\b(?=.{0,120}\bcosts?\b)"""
        ),
        _verbose(_MONEY),
        is_figure=True,
        is_amount=True,
    ),
    AnswerConstraint(
        _verbose(r"전화\s?번호|전화는|\b(?:tele)?phone(?:\s+numbers?)?\b"),
        _verbose(_PHONE),
        is_figure=True,
    ),
    AnswerConstraint(
        _verbose(
            r"""(?<!비밀)(?<!전화)(?<!비밀\s)(?<!전화\s)번호(?=[는가를은이]?\s*(?:뭐|무엇|뭔|알려|[?？]|$))
            |\b(?:serial|account|booking|reservation|confirmation|passport|licen[cs]e|registration|order|room|flight|invoice
            |customer|part|model)\s+(?:number|code)\b"""
        ),
        _verbose(_IDENTIFIER),
        is_figure=True,
    ),
    AnswerConstraint(
        _verbose(r"(?:이메일|메일)(?:\s*주소)|이메일(?=[은이])|\be-?mail\s+address"), _verbose(r"\S@\S")
    ),
    AnswerConstraint(_verbose(r"색깔|색상|무슨\s*색|어떤\s*색|\bcolou?rs?\b"), _verbose(_COLOUR)),
    AnswerConstraint(_verbose(r"^(?:since\s+)?when\s+(?:was|were|did)\b"), NAMES_DATE, is_figure=True),
    AnswerConstraint(
        _verbose(
            r"""언제|몇\s*(?:시|월|년|일)(?![가-힣]*\s*(?:간|동안))|날짜|(?:무슨|어느)\s*요일|얼마나\s*자주
            |^(?:since\s+|until\s+)?when\b|\bwhat\s+(?:time|date|day|year)\b|\bwhich\s+day\b|\bhow\s+often\b"""
        ),
        _verbose(_TIME),
        is_new=True,
    ),
    AnswerConstraint(
        _verbose(
            r"""\bhow\s+(?:many|long|far|old|large|big|tall|high|deep|wide|heavy)\b|\b(?:what|which)\s+number\b
            |몇\s*(?:개|명|번|건|그램|병|장|대|가지|도|퍼센트|리터|컵|권|곳)(?:[가-힣]*)
            |얼마나\s*(?:오래|걸|긴|길)|얼마(?=[인일예야였]|\s*(?:하|[?？]|$))|기간"""
        ),
        NAMES_NUMBER,
        is_figure=True,
        is_amount=True,
    ),
    AnswerConstraint(
        _verbose(r"^who\b(?!\s+(?:is|are|was|were)\s+(?:the\s+)?\w+\W*$)|누가(?=\s)|누구"),
        NAMES_PERSON,
        is_name=True,
    ),
    AnswerConstraint(_verbose(r"어디|^where\b"), _verbose(_PLACE), unless=_NOT_THERE),
    AnswerConstraint(
        _verbose(
            r"""얼마나|얼마|며칠|동안|어떻게|\bhow\s+(?:much|long|often|fast|soon|quickly)\b
            |^(?:which|what)\s+\w+\s+(?!of\b|do\b|does\b|did\b|is\b|are\b|was\b|were\b|has\b|have\b|had\b|can\b|should\b|must\b|may\b)(?=\w)
            |\bvalues?\b|\bnames?\b|\bdefault\b|\bcommands?\b|명령어?|\bcodes?\b|\bexamples?\b|\blinks?\b|\burls?\b|\bweb\s?site\b|\breasons?\b|코드|예제|예시|링크|홈페이지|이유|원인|까닭|방법
            |값|이름|기본값?|시간|정도|보통"""
            rf"|{_ASKED_MEMBERS}"
        ),
        None,
    ),
)
"""The last row has no `holds`: its words say what kind of thing is asked for, and sentences need not repeat them."""

# Words of a question: those without content, numbers, verbs.
_STOPWORDS = """
    a an the of in on at to for from by with and or but not is are was were be been am do does did has have had it its this
    that these those there here what which who whom whose when where why how i you he she we they me my your can could
    will would shall should may might must about as if so than then up out off down go goes come comes get gets happen take put give find see use need want us tell during after before since until still already also only just one any some
    happens happened happen work works cannot same many much more
    되 하 있 없 나오 들어가 걸리 쓰 쓸 보 가 오 개 어떤 모든 그것 이것 저것 그 이 저 것 무엇 뭐 누구 어디 언제 왜
"""
STOPWORDS = frozenset(_STOPWORDS.split())
"""Words without content, also those that the analyser keeps in a question that has no others."""
NO_NAMES = STOPWORDS - {"i", "we", "he", "she"}
"""Words that name no person, also where a sentence begins with one."""
NUMBER_WITH_UNIT = re.compile(r"(?<![\w.])\d+(?:[.,:]\d+)*(?:[가-힣](?<![은는이가을를의에로와과도만]))?")
"""A number, with its unit where no blank stands between."""
HYPHENATED_WORD = re.compile(r"[\w-]+")
VERB_AFTER_WHO = re.compile(
    r"\b(?:who|what|which\s+\w+)\s+(?!is\b|are\b|was\b|were\b)(?=(\w+))", re.IGNORECASE
)
"""The verb after "who" or "which …", as group 1."""
KOREAN_VERB_ENDING = re.compile(r"[가-힣](?:[요까니죠지다어아해야]|은가|는가|인가|려면)$")
"""A Korean word with the ending of a predicate in a question."""
_IRREGULAR_VERBS = """
    write wrote written writer, buy bought, sell sold, pay paid, make made, build built, send sent, keep kept, begin began begun,
    leave left, meet met, take took taken, give gave given, grow grew grown, find found, hold held, lead led, lose lost, win won,
    run ran, choose chose chosen, break broke broken, speak spoke spoken, drive drove driven, eat ate eaten, fall fell fallen,
    teach taught teacher, think thought, bring brought, catch caught, fight fought, sing sang sung, spend spent, stand stood,
    tell told, say said, know knew known, see saw seen, draw drew drawn, fly flew flown, rise rose risen, become became,
    own owns owned owner owners, manage managed manager, sleep slept, feel felt, hear heard, shoot shot, steal stole stolen, wear wore worn, throw threw thrown, wake woke woken
"""
VERB_FORMS = {
    form: frozenset(group.split()) for group in _IRREGULAR_VERBS.split(",") for form in group.split()
}
"""The forms of irregular English verbs, by each form."""

# Forms of a sentence: what it needs around it, what it leads to, what it consists of.
TEMPLATE_DIRECTIVE = re.compile(
    r"^[ \t]*(?:\{[*!%{#].*[*!%}#]\}|-+8<-+.*|\.\.[ \t]+[\w-]+::.*|[│├└╰].*)[ \t]*$", re.MULTILINE
)
"""Directives of templates, and lines drawn as part of a tree of files."""
LINK_OR_IMAGE = re.compile(
    r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\](?:\([^()]*\)|\[[^\[\]]*\])"
    r"|<?\b(?:https?|ftp)://[^\s>]+>?|<?\bwww\.[^\s>]+>?"
)
FOOTNOTE = re.compile(r"\A\[\^[^\[\]\n]+\]:.*|\[\^[^\[\]\n]+\]", re.DOTALL)
"""A text that is the definition of a footnote, or the mark of one."""
HTML_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.{0,2000}?-->", re.DOTALL)
CLOSING_MARKS = "\"'”’»)]」』*_` "
SENTENCE_ENDS = (".", "!", "。", "！", "…", "다", "요", "죠", "음", "함", "됨", "임")
"""Ends of a sentence: marks, and endings of Korean sentences without a mark."""
HAS_PARTS = re.compile(r"[:：,;|=→\d]|\s[-–—]\s")
"""Signs that a few words are more than a heading."""
CONTINUES_TEXT = re.compile(
    r"\.{3}|…|(?:and|but|so|then|also|or|because|otherwise|let's|of course|for example|as before)\b"
    r"|(?:그리고|그러나|하지만|그래서|그런데|따라서|또한|또는|그러면|예를 들어)[\s,]",
    re.IGNORECASE,
)
"""Beginnings that continue what was said before."""
REFERS_BACK = re.compile(
    r"(?:it|its|they|their|them|this|these|that|those|he|his|him|she|her|then|such|both)\b"
    r"|(?:그|이|저|이것|그것|이는|이를|여기|거기|그들|당시|이때|이후|그때|또|이번|해당)(?:[은는이가의에을를도들]|\s)",
    re.IGNORECASE,
)
"""Beginnings with a word for something named before."""
COMMAND_LINE = re.compile(r"(?:[$>] )?[a-z][\w.-]*(?: \S+)* (?:--?\w|[~./]|[|>] |\w+=)\S*")
"""Beginning of a command with options, paths or the like."""
LEAD_IN = re.compile(
    r"[:：]$|(?:다음|아래)(?:과|와)\s*같(?:다|습니다|아요|음)[.]?$|\b(?:as\s+follows|the\s+following)[.]?$"
    r"|(?:다음|아래)(?:의)?(?:\s*(?:명령|코드|스크립트|예시?|설정|줄|단계)\S*)?(?:을|를|처럼|대로)?\s*(?:실행|입력|사용|작성|추가)\S*[.]?$",
    re.IGNORECASE,
)
"""Ends of a sentence that announces a list or a command."""
KOREAN_SUBJECT = re.compile(r"^(?:\S+\s+){0,2}\S*[가-힣](?:은|는|이|가)\s")
"""A Korean sentence with its topic or subject among the first three words."""

# Quotes: characters that are not printed.
HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
HARMLESS_CHARACTERS = frozenset("\n\t\r\u200c\u200d\u00ad\u200b\ufeff")
"""Characters of hidden categories that change nothing on a screen."""

# Spoofed markers: text that reads like `[#1]`, and the words around it that need it.
SPOOFED_MARKER = re.compile(r"\[\s*#\s*\d+\s*\]")
INVISIBLE_CHARACTERS = frozenset("\u200b\u200c\u200d\u00ad\u2060\ufeff")
OPEN_PHRASE = re.compile(
    r"(?:[=:(<>+*/|`\"'“‘]|\b(?:is|are|was|were|be|of|as|like|to|in|with|and|or|the|an?|by|than|called|named|use|uses|write"
    r"|writes|written|type|returns?|means?|says?|gives?|equals?))\s*$",
    re.IGNORECASE,
)
"""Text before a marker that needs it, as in "the syntax is [#1]"."""
OPEN_PHRASE_KO = re.compile(r"[가-힣](?:은|는|이|가|을|를|의|로|와|과|에)\s*$")
"""The same in Korean; decisive only at the end of a sentence."""
PUNCTUATION = " \t\n\r.,;!?。`\"'”’)"
CLOSES_PHRASE = re.compile(r"[`\"'”’]|이다|입니다|이며|[은는이가을를로과와]\s")
"""Text after a marker that needs it."""
WORD_FOLLOWS = re.compile(r"\s+[a-z가-힣]")
