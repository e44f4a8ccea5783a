"""Questions about a mail itself, who sent it to whom and when, and the header fields that answer them.

Things are sent and written as well as mails, so that a question is about a mail only where it says so, or names a file or what
is sent as one. `model` calls `choose_header_fields` before it scores sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_extractive.query_terms import MIN_STRENGTH, QueryTerm, weigh_terms
from kebab_extractive.question import content_terms
from kebab_extractive.quotes import Quote, is_quotable

if TYPE_CHECKING:
    from kebab_core import Analyzer, LexicalIndex

    from kebab_extractive.passage import ReadPassage

_MAX_QUOTED = 3
_MAIL_KO, _MAIL_EN = r"(?:메일|전자\s?우편|편지)", r"e-?mails?|mails?|letters?|messages?"
_SENT_KO = r"(?:보냈|보낸|썼|쓴(?![가-힣])|발송)"
_CAME_KO = rf"(?:{_SENT_KO}|왔|온(?![가-힣])|도착|받았|받은)"
_SENT_EN = r"(?:sen[dt]|wr(?:ite|ote|itten)|e-?mail(?:ed)?)"
_CAME_EN = rf"(?:{_SENT_EN}|arrived?|c[oa]me|received?|got|get)"
_NAME = r"([가-힣A-Za-z]{2,40}?)"
_ASKS = {
    "From": re.compile(
        rf"누가\s{{1,3}}(?:\S{{1,40}}\s{{1,3}}){{0,4}}?{_SENT_KO}|누구(?:한테|에게)서|(?:보낸|쓴)\s?(?:사람|분)|발신[인자]"
        rf"|^who\s{{1,3}}(?:has\s{{1,3}})?{_SENT_EN}\b|^who\b.{{1,80}}\bfrom\b|\bsenders?\b|\bfrom\s{{1,3}}whom\b",
        re.IGNORECASE,
    ),
    "To": re.compile(
        r"누구(?:에게|한테)(?!서)|받[는은]\s?(?:사람|분)|수신[인자]"
        r"|^whom?\b.{1,80}\bto\b|^who\s{1,3}(?:received|got)\b|\brecipients?\b|\bto\s{1,3}whom\b",
        re.IGNORECASE,
    ),
    "Date": re.compile(
        rf"언제\s{{1,3}}{_CAME_KO}|{_CAME_KO}\s?(?:날|일시|시각)|{_MAIL_KO}\S{{0,3}}\s{{1,3}}날짜"
        rf"|^(?:when|what\s{{1,3}}(?:day|date|time))\b.{{1,80}}\b{_CAME_EN}\b",
        re.IGNORECASE,
    ),
}
"""Questions for each of the header fields."""
_FILE = r"[\w)]\.[A-Za-z][A-Za-z0-9]{1,4}(?![A-Za-z0-9])"
_NAMES_MAIL = re.compile(
    rf"{_MAIL_KO}|자료|파일|첨부|문서|서류|사진|{_FILE}|[발수]신[인자]|(?:보낸|받[는은])\s?사람"
    rf"|\b(?:{_MAIL_EN}|files?|attachments?|documents?|slides|photos?|e-?mailed|senders?|recipients?|wr(?:ite|ote|itten)\s{{1,3}}to)\b",
    re.IGNORECASE,
)
_PEOPLE = {
    "From": re.compile(
        rf"(?<!\S)(?!누가)(?:\S{{1,40}}\s)?{_NAME}(?:이|가|께서)\s{{1,3}}(?:\S{{1,40}}\s{{1,3}}){{0,3}}?{_SENT_KO}"
        rf"|(?<!\S){_NAME}(?:에게|한테)서\s|\bdid\s{{1,3}}(?:the\s{{1,3}})?([A-Za-z]{{2,40}})\s.{{0,80}}?\b{_SENT_EN}\b"
        rf"|\b(?:from|by)\s{{1,3}}(?-i:([A-Z가-힣]\w{{1,40}}))",
        re.IGNORECASE,
    ),
    "To": re.compile(
        rf"(?<!\S)(?!누구){_NAME}(?:에게|한테|께)\s|\b{_SENT_EN}\s.{{0,80}}?\bto\s{{1,3}}(?-i:([A-Z가-힣]\w{{1,40}}))",
        re.IGNORECASE,
    ),
}
"""Who sent a mail or got it, as a question says it."""
_SAYS_NO_MORE = re.compile(
    rf"이?{_MAIL_KO}\S*+|첨부\S*+|파일\S*+|(?<![가-힣]){_CAME_KO}\S*+|누[가구]\S*+|언제|날짜\S*+|사람\S*+|[발수]신[인자]\S*+|받는"
    rf"|\b(?:{_MAIL_EN}|{_CAME_EN}|files?|attachments?|senders?|recipients?|day|date|time)\b",
    re.IGNORECASE,
)
"""Words that any mail may be asked for with: they do not say which one is meant."""


def choose_header_fields(
    question: str,
    passages: Sequence[ReadPassage],
    *,
    analyzer: Analyzer,
    index: LexicalIndex,
) -> list[Quote]:
    """Return the header fields of the mails that a question asks for, at most three, in the order of the evidence.

    None for a question about anything else. A mail is meant if its passage holds every word of the question that says which
    one, and its fields the people in their parts. If several do, those that hold the words in title and headings are meant.
    Where no word says which mail, there must be only one.
    """
    asked = [field for field, pattern in _ASKS.items() if pattern.search(question)]
    if not asked or not _NAMES_MAIL.search(question):
        return []
    general = [match.span() for match in _SAYS_NO_MORE.finditer(question)]
    terms = [
        term
        for term in content_terms(question, analyzer)
        if not any(low <= term.start < high for low, high in general)
    ]
    words = weigh_terms(question, terms, index)
    people = [
        (field, next(name for name in match.groups() if name).casefold())
        for field, pattern in _PEOPLE.items()
        for match in pattern.finditer(question)
    ]
    meant = [
        (read, position)
        for read in passages
        for position in sorted(read.own_header_fields)
        if _has_fields(read.text(position), asked, people)
        and _holds(words, read.held_terms)
        and is_quotable(read.text(position))
    ]
    if not words and len(meant) > 1:
        return []
    meant = [each for each in meant if _holds(words, each[0].context)] or meant
    return [Quote(read.passage, ((read.sentences[position],),)) for read, position in meant[:_MAX_QUOTED]]


def _has_fields(header: str, asked: Sequence[str], people: Sequence[tuple[str, str]]) -> bool:
    fields = {
        name: text.casefold() for name, _, text in (line.partition(": ") for line in header.split("\n"))
    }
    return all(field in fields for field in asked) and all(
        name in fields.get(field, "") for field, name in people
    )


def _holds(words: Sequence[QueryTerm], terms: frozenset[str]) -> bool:
    return all(word.strength(terms) >= MIN_STRENGTH for word in words)
