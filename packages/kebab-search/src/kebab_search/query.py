"""What a user typed: words, exact phrases, prefixes, or full-text syntax of their own.

벡터 인덱스 rebuild      words; any of them, the rarer the better
"vector index" 언제     words, and chunks must hold the phrase as written; a last word in Hangul may go on
임베* search            words, and anything that begins with the prefix
raw: heading : 색인     FTS5 syntax as it is, over the columns `title`, `heading` and `body`
'title : kebab'         the same, the whole query in single quotes
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from kebab_core import InvalidInputError

_RAW_PREFIX = "raw:"
_PHRASE = re.compile(r"[\"“”]([^\"“”]*)[\"“”]")
_UNPAIRED = re.compile(r"[\"“”]")
_BEGINNING = re.compile(r"(?<!\S)([^\s*]{2,}|[가-힣])\*(?!\S)")
_OPERATOR = re.compile(r"\b(?:AND|OR|NOT|NEAR)\b|\b(?:title|heading|body)\s*:|[\"^*(){}+:,]")
_HINT = 'kebab search "벡터 인덱스"'


@dataclass(frozen=True)
class ParsedQuery:
    """A query taken apart. All strings are NFC.

    Attributes:
        words: What is analysed for terms: the text without quotation marks, prefixes and operators.
        phrases: Exact phrases, in order.
        prefixes: Beginnings of words, in lower case.
        raw: FTS5 syntax that replaces everything else; None where there is none.
    """

    words: str
    phrases: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    raw: str | None = None


def parse_query(text: str) -> ParsedQuery:
    """Return a query taken apart.

    Raises:
        InvalidInputError: The query is empty.
    """
    query = unicodedata.normalize("NFC", text).strip()
    raw = _raw_syntax(query)
    if raw is not None:
        return ParsedQuery(words=_OPERATOR.sub(" ", raw), raw=_required(raw))
    phrases = tuple(phrase for match in _PHRASE.finditer(query) if (phrase := match[1].strip()))
    unquoted = _UNPAIRED.sub(" ", _PHRASE.sub(" ", query))
    prefixes = tuple(dict.fromkeys(match[1].lower() for match in _BEGINNING.finditer(unquoted)))
    words = _BEGINNING.sub(" ", _UNPAIRED.sub(" ", _PHRASE.sub(r" \1 ", query)))
    _required(words + "".join(prefixes))
    return ParsedQuery(words=words, phrases=phrases, prefixes=prefixes)


def _raw_syntax(query: str) -> str | None:
    if query.startswith(_RAW_PREFIX):
        return query.removeprefix(_RAW_PREFIX).strip()
    if len(query) >= len("''") and query[0] == query[-1] == "'":
        return query[1:-1].strip()
    return None


def _required(text: str) -> str:
    if not text.strip():
        raise InvalidInputError("the query is empty", hint=_HINT)
    return text
