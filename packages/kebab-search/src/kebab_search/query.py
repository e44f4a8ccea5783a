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
_READ_CHARS = 20_000
"""What words are read from: a second of work in Korean."""
_MEANT_CHARS = 2_000
"""What meaning is asked by: some 500 to 1,300 tokens, of which a model of 2020's kind embeds 512 in half a second."""
_MAX_CHARS = 1_000_000
"""No query is longer."""
_HINT = 'kebab search "벡터 인덱스"'


@dataclass(frozen=True)
class ParsedQuery:
    """A query taken apart. All strings are NFC.

    Attributes:
        words: What is analysed for terms: the text without quotation marks, prefixes and operators.
        phrases: Exact phrases, in order.
        prefixes: Beginnings of words, in lower case.
        raw: FTS5 syntax that replaces everything else; None where there is none.
        read_chars: How many characters of the query it was read from; None: all.
    """

    words: str
    phrases: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    raw: str | None = None
    read_chars: int | None = None

    @property
    def meant(self) -> str:
        """What is asked by meaning: the words, or their beginning where there are very many."""
        return _beginning(self.words, _MEANT_CHARS)

    @property
    def meant_chars(self) -> int | None:
        """How many characters of the words that is; None: all."""
        return None if len(self.meant) == len(self.words) else len(self.meant)


def parse_query(text: str) -> ParsedQuery:
    """Return a query taken apart; of a very long one the beginning.

    Raises:
        InvalidInputError: The query is empty, longer than 1,000,000 characters, or full-text syntax of more than 20,000.
    """
    if len(text) > _MAX_CHARS:
        raise InvalidInputError(
            f"the query has {len(text):,} characters; at most {_MAX_CHARS:,} are taken", hint=_HINT
        )
    query = unicodedata.normalize("NFC", text).strip()
    raw = _raw_syntax(query)
    if raw is not None:
        return ParsedQuery(words=_OPERATOR.sub(" ", raw), raw=_short(_required(raw)))
    whole, query = len(query), _beginning(query, _READ_CHARS)
    phrases = tuple(phrase for match in _PHRASE.finditer(query) if (phrase := match[1].strip()))
    unquoted = _UNPAIRED.sub(" ", _PHRASE.sub(" ", query))
    prefixes = tuple(dict.fromkeys(match[1].lower() for match in _BEGINNING.finditer(unquoted)))
    words = _BEGINNING.sub(" ", _UNPAIRED.sub(" ", _PHRASE.sub(r" \1 ", query)))
    _required(words + "".join(prefixes))
    read_chars = None if len(query) == whole else len(query)
    return ParsedQuery(words=words, phrases=phrases, prefixes=prefixes, read_chars=read_chars)


def _beginning(text: str, most: int) -> str:
    """Return a text, or as many of its whole words as there is room for; of a single word its beginning."""
    if len(text) <= most:
        return text
    cut = text[:most]
    words, _, last = cut.rpartition(" ")
    is_cut = last and not text[most].isspace()
    return words.rstrip() if is_cut and words.strip() else cut.rstrip() or cut


def _short(syntax: str) -> str:
    if len(syntax) > _READ_CHARS:
        raise InvalidInputError(
            f"full-text syntax has {len(syntax):,} characters; {_READ_CHARS:,} are read", hint=_HINT
        )
    return syntax


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
