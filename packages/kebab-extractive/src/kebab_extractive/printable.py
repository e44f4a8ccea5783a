"""Which sentences say something to a reader who does not see the page around them."""

from __future__ import annotations

import re
import unicodedata

_DIRECTIVE = re.compile(
    r"^[ \t]*(?:\{[*!%{#].*[*!%}#]\}|-+8<-+.*|\.\.[ \t]+[\w-]+::.*|[│├└╰].*)[ \t]*$", re.MULTILINE
)
_LINK = re.compile(
    r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\](?:\([^()]*\)|\[[^\[\]]*\])"
    r"|<?\b(?:https?|ftp)://[^\s>]+>?|<?\bwww\.[^\s>]+>?"
)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.{0,2000}?-->", re.DOTALL)
_BULLET = re.compile(r"^(?:[-*+•‣◦▪·]|\(?\d{1,3}[.)])[ \t]+")
_CLOSERS = "\"'”’»)]」』*_` "
_SENTENCE_ENDS = (".", "!", "。", "！", "…", "다", "요", "죠", "음", "함", "됨", "임")
_PARTS = re.compile(r"[:：,;|=→\d]|\s[-–—]\s")
_GOES_ON = re.compile(
    r"\.{3}|…|(?:and|but|so|then|also|or|because|otherwise|let's|of course|for example|as before)\b"
    r"|(?:그리고|그러나|하지만|그래서|그런데|따라서|또한|또는|그러면|예를 들어)[\s,]",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"(?:it|its|they|their|them|this|these|that|those|he|his|him|she|her|there|then|such|both)\b"
    r"|(?:그|이|저|이것|그것|이는|이를|여기|거기|그들|당시|이때|이후|그때|또|이번|해당)(?:[은는이가의에을를도들]|\s)",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"^[^:：=–—]{1,40}(?:[:：]|\s[-–—=])\s+\S")
_COMMAND = re.compile(r"(?:[$>] )?[a-z][\w.-]*(?: \S+)* (?:--?\w|[~./]|[|>] |\w+=)\S*")
_LEADS_ON = re.compile(
    r"[:：]$|(?:다음|아래)(?:과|와)\s*같(?:다|습니다|아요|음)[.]?$|\b(?:as\s+follows|the\s+following)[.]?$"
    r"|(?:다음|아래)(?:의)?(?:\s*(?:명령|코드|스크립트|예시?|설정|줄|단계)\S*)?(?:을|를|처럼|대로)?\s*(?:실행|입력|사용|작성|추가)\S*[.]?$",
    re.IGNORECASE,
)
_MAX_FRAGMENT_WORDS = 7


def has_directive(text: str) -> bool:
    """Return whether a line of a text is a template's directive, or drawn as part of a tree of files."""
    return _DIRECTIVE.search(_BULLET.sub("", text.strip())) is not None


def has_words(text: str) -> bool:
    """Return whether a text has words beside links, images and tags."""
    left = _TAG.sub(" ", _LINK.sub(" ", _BULLET.sub("", text.strip())))
    return any(unicodedata.category(char)[0] in "LN" for char in left)


def ends_as_sentence(text: str) -> bool:
    """Return whether a text ends with a mark, or as Korean sentences do without one."""
    return text.endswith(_SENTENCE_ENDS) or text.rstrip(_CLOSERS).endswith(_SENTENCE_ENDS)


def is_fragment(text: str) -> bool:
    """Return whether a text is a few words like those of a heading: no end, no parts, no number."""
    bare = _BULLET.sub("", text.strip())
    is_short = len(bare.split()) <= _MAX_FRAGMENT_WORDS
    return is_short and not ends_as_sentence(bare) and _PARTS.search(bare) is None


def is_title(text: str) -> bool:
    """Return whether a text is a few words like those of a heading, and not like a command."""
    return is_fragment(text) and not text[:1].islower()


def is_command(text: str) -> bool:
    """Return whether a line is a command with options, paths or the like."""
    return _COMMAND.match(text) is not None


def is_dangling(text: str) -> bool:
    """Return whether a text begins like something that goes on from what was said before it."""
    return _GOES_ON.match(_BULLET.sub("", text.strip())) is not None


def refers_back(text: str) -> bool:
    """Return whether a text begins with a word that stands for something named before."""
    return _REFERS.match(text) is not None


def leads_on(text: str) -> bool:
    """Return whether a text only says that something follows: a list, a command."""
    return _LEADS_ON.search(text) is not None


def is_entry(text: str) -> bool:
    """Return whether a text is a label and what belongs to it, not a sentence."""
    return _ENTRY.search(_BULLET.sub("", text.strip())) is not None and not ends_as_sentence(text)
