"""What a sentence must hold to answer a question, whatever words they share.

A question for a price is not answered by a sentence without one. The words that state what is asked for need not be in
the sentence: the thing itself is.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kebab_extractive import figures
from kebab_extractive.subjects import names_subject


class Demand(NamedTuple):
    """A kind of thing, how questions ask for it, and what it looks like.

    Attributes:
        asks: Finds the words of a question that state it.
        holds: Finds the thing in a sentence; None where anything may be it.
        is_figure: Whether what is found must hold digits that the question does not name itself, or none.
        is_name: Whether what is found must hold a word that the question does not.
        unless: Finds that a sentence says where something is not; then it does not hold the thing.
        is_new: Whether what is found must hold a word that the question does not, here or in the line that leads to it.
        is_headed: Whether a bare number in a row of a table may be it only where the heads of the table say so.
    """

    asks: re.Pattern[str]
    holds: re.Pattern[str] | None
    is_figure: bool = False
    is_name: bool = False
    is_headed: bool = False
    is_new: bool = False
    unless: re.Pattern[str] | None = None


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.VERBOSE)


_KEY = r"비밀\s?번호|비번|암호|\b(?:pass(?:word|code|phrase|wd)|PIN)\b"
_COLOUR = r"""[가-힣]색|빨간|파란|노란|까만|검은|검정|하얀|하양|흰|푸른|\b(?:red|blue|green|yellow|black|white|gr[ae]y|brown
    |orange|purple|violet|pink|silver|gold(?:en)?|beige|colou?r\w*)\b"""
_ASKS_KEY = _pattern(_KEY)
_WHO = re.compile(figures.WHO)
_ASKS_ABOUT = re.compile(r"^(?:when|where|who|why|how)\b|언제|누가|왜|어디|어떻게|며칠|얼마나", re.IGNORECASE)
"""Questions for something else than the password that they name."""
_DEMANDS = (
    Demand(
        _pattern(
            r"""가격|요금|비용|사용료|보험료|\bprices?\b|\bcosts?\b|\bfees?\b
            |\bhow\s+much\s+(?:is|are|was|were)\b|\bhow\s+much\b(?=.{0,120}\bcosts?\b)"""
        ),
        _pattern(figures.MONEY),
        is_figure=True,
        is_headed=True,
    ),
    Demand(
        _pattern(r"전화\s?번호|전화는|\b(?:tele)?phone(?:\s+numbers?)?\b"),
        _pattern(figures.PHONE),
        is_figure=True,
    ),
    Demand(
        _pattern(
            r"""(?<!비밀)(?<!전화)(?<!비밀\s)(?<!전화\s)번호(?=[는가를은이]?\s*(?:뭐|무엇|뭔|알려|[?？]|$))
            |\b(?:serial|account|booking|reservation|confirmation|passport|licen[cs]e|registration|order|room|flight|invoice
            |customer|part|model)\s+(?:number|code)\b"""
        ),
        _pattern(figures.IDENTIFIER),
        is_figure=True,
    ),
    Demand(_pattern(r"(?:이메일|메일)(?:\s*주소)|이메일(?=[은이])|\be-?mail\s+address"), _pattern(r"\S@\S")),
    Demand(_pattern(r"색깔|색상|무슨\s*색|어떤\s*색|\bcolou?rs?\b"), _pattern(_COLOUR)),
    Demand(_ASKS_KEY, _pattern(_KEY)),
    Demand(_pattern(r"^(?:since\s+)?when\s+(?:was|were|did)\b"), _pattern(figures.DATE), is_figure=True),
    Demand(
        _pattern(
            r"언제|몇\s*(?:시|월|년|일)(?![가-힣]*\s*(?:간|동안))|날짜|^(?:since\s+|until\s+)?when\b|\bwhat\s+(?:time|date|day|year)\b"
        ),
        _pattern(figures.TIME),
        is_new=True,
    ),
    Demand(_pattern(r"얼마나\s*자주|\bhow\s+often\b"), _pattern(figures.FREQUENCY)),
    Demand(
        _pattern(
            r"\bhow\s+many\b|\b(?:what|which)\s+number\b|몇\s*(?:개|명|번|건|그램|병|장|대|가지|도|퍼센트|리터|컵|권|곳)(?:[가-힣]*)"
        ),
        _pattern(figures.NUMBER),
        is_figure=True,
    ),
    Demand(
        _pattern(r"\bhow\s+long\b|얼마나\s*(?:오래|걸|긴|길)|기간"),
        _pattern(figures.DURATION),
        is_figure=True,
    ),
    Demand(_pattern(r"얼마(?=[인일예야였]|\s*(?:하|[?？]|$))"), _pattern(figures.QUANTITY), is_figure=True),
    Demand(
        _pattern(r"^who\b(?!\s+(?:is|are|was|were)\s+(?:the\s+)?\w+\W*$)"),
        _WHO,
        is_name=True,
    ),
    Demand(_pattern(r"누가(?=\s)"), _pattern(figures.SUBJECT_KO), is_name=True),
    Demand(
        _pattern(r"\bhow\s+(?:far|old|large|big|tall|high|deep|wide|heavy)\b"),
        _pattern(figures.MEASURE),
        is_figure=True,
    ),
    Demand(
        _pattern(r"무슨\s*요일|어느\s*요일|\b(?:what|which)\s+day\s+of\s+the\s+week\b"),
        _pattern(figures.WEEKDAY),
    ),
    Demand(_pattern(r"어디"), _pattern(figures.PLACE_KO), unless=_pattern(figures.NOWHERE)),
    Demand(_pattern(r"^where\b"), _pattern(figures.PLACE), unless=_pattern(figures.NOWHERE)),
    Demand(
        _pattern(r"\bmeaning\b|뜻|의미"),
        _pattern(r"\bmean|\brefers?\s+to\b|\bstands?\s+for\b|뜻|의미|[은는란]\s|\bis\s+an?\b"),
    ),
    Demand(
        _pattern(
            r"""얼마나|얼마|며칠|동안|어떻게|\bhow\s+(?:much|long|often|fast|soon|quickly)\b
            |^(?:which|what)\s+\w+\s+(?!of\b|do\b|does\b|did\b|is\b|are\b|was\b|were\b|has\b|have\b|had\b|can\b|should\b|must\b|may\b)(?=\w)
            |\bvalues?\b|\bnames?\b|\bdefault\b|\bcommands?\b|명령어?|\bcodes?\b|\bexamples?\b|\blinks?\b|\burls?\b|\bweb\s?site\b|\breasons?\b|코드|예제|예시|링크|홈페이지|이유|원인|까닭|방법
            |값|이름|기본값?|시간|정도|보통"""
        ),
        None,
    ),
)
_MONEY_HEADS = re.compile(
    r"price|cost|amount|fee|paid|total|sum|rent|가격|요금|비용|금액|값|합계|지출|수입", re.IGNORECASE
)
_CURRENCY = re.compile(
    r"[$€£¥₩]|[\d만천백억]\s?(?:원|달러|유로|엔)|\b(?:USD|EUR|KRW|GBP|euros?|dollars?|won)\b", re.IGNORECASE
)
_WORD = re.compile(r"\w+")
_COUNTED = re.compile(r"몇\s*(명|시간|시|도|살|층|건|권|포기|그램|초|개월|미터|기가|마리|부터|까지)")
"""Units that nothing else is counted in."""


class Demands(NamedTuple):
    """What a question demands of a sentence."""

    question: str
    made: tuple[Demand, ...]
    places: tuple[tuple[int, int], ...]
    """Where the question states its demands: half open ranges of code points."""

    def state(self, start: int) -> bool:
        """Return whether a word of the question only states a demand, by where it begins."""
        return any(low <= start < high for low, high in self.places)

    def are_met(self, text: str, *, lead: str = "") -> bool:
        """Return whether a sentence, or the line that leads to it, holds all that is demanded.

        Names and figures it must hold itself.
        """
        return all(self._is_met(demand, text, lead=lead) for demand in self.made)

    def says_who(self, text: str, *, lead: str = "") -> bool:
        """Return whether a sentence plainly says who does what is asked about; no other kind of question is met."""
        return any(demand.holds is _WHO for demand in self.made) and names_subject(
            self.question, text, lead=lead
        )

    def _is_met(self, demand: Demand, text: str, *, lead: str) -> bool:
        if demand.is_headed and _is_other_column(text, lead=lead):
            return False
        if demand.holds is _WHO and self.says_who(text, lead=lead):
            return True
        led = text if demand.is_name or demand.is_figure else f"{lead}\n{text}"
        return _holds(demand, led, question=self.question)


def read_demands(question: str) -> Demands:
    """Return what a question demands."""
    is_about = _ASKS_ABOUT.search(question) is not None
    asked = [each for each in _DEMANDS if each.asks is not _ASKS_KEY or not is_about]
    stated = [(demand, match.span()) for demand in asked for match in demand.asks.finditer(question)]
    made = dict.fromkeys(demand for demand, _ in stated if demand.holds is not None)
    if counted := _COUNTED.search(question):
        made[Demand(_COUNTED, _pattern(figures.count_of(counted[1])), is_figure=True)] = None
    return Demands(question, tuple(made), tuple(span for _, span in stated))


def _is_other_column(row: str, *, lead: str) -> bool:
    """Return whether a row holds bare numbers below heads that do not say what they are."""
    is_row = " | " in row and " | " in lead
    return is_row and not _MONEY_HEADS.search(lead) and not _CURRENCY.search(row)


def _holds(demand: Demand, text: str, *, question: str) -> bool:
    if demand.holds is None:
        return True
    if demand.unless is not None and demand.unless.search(text):
        return False
    found = (match[0] for match in demand.holds.finditer(text))
    if demand.is_figure:
        known = set(figures.digits(question))
        return any(not known.issuperset(figures.digits(each) or [each]) for each in found)
    if demand.is_name or demand.is_new:
        asked = set(_WORD.findall(question.lower()))
        return any(not asked.issuperset(_WORD.findall(each.lower())) for each in found)
    return any(True for _ in found)
