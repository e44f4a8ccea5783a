"""Query syntax: words, exact phrases, prefixes, or full-text syntax.

벡터 인덱스 rebuild      words; any of them, the rarer the better
"vector index" 언제     words, and chunks must hold the phrase as written; a last word in Hangul may go on
임베* search            words, and anything that begins with the prefix
raw: 색인 AND deploy    full-text syntax: AND, OR, NOT, parentheses, "terms side by side", beginning*
'색인 NOT deploy'       the same, the whole query in single quotes
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import InvalidInputError, Remedy, Term
from kebab_text import fold, fold_forms, is_initials

if TYPE_CHECKING:
    from kebab_core import Analyzer

_RAW_PREFIX = "raw:"
_PHRASE = re.compile(r"[\"“”]([^\"“”]*)[\"“”]")
_UNPAIRED = re.compile(r"[\"“”]")
_BEGINNING = re.compile(r"(?<!\S)([^\s*]{2,}|[가-힣])\*(?!\S)")
_OPERATOR = re.compile(r"\b(?:AND|OR|NOT)\b|[\"*()]")
_READ_CHARS = 20_000
"""Characters of a query that are analysed: a second of work in Korean."""
_EMBEDDED_CHARS = 2_000
"""Characters of a query that are embedded: some 500 to 1,300 tokens, of which a model of 2020's kind embeds 512 in half a second."""
_MAX_CHARS = 1_000_000
"""Length of the longest query."""
_REMEDY = Remedy(kind="give_query")
_SYLLABLES = range(0xAC00, 0xD7A4)
_MIN_INITIALS = 2


@dataclass(frozen=True)
class ParsedQuery:
    """A parsed query. All strings are without invisible characters and forms of letters, in NFC.

    Attributes:
        words: The text to analyse, without quotation marks, prefixes and operators.
        phrases: Exact phrases, in order.
        prefixes: Beginnings of words, in lower case.
        raw: Full-text syntax that replaces everything else; None: words. See `syntax.parse_syntax`.
        read_chars: Characters of the query that were read; None: all.
    """

    words: str
    phrases: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    raw: str | None = None
    read_chars: int | None = None

    @property
    def embedding_text(self) -> str:
        """The text to embed: the words, or the beginning of very many."""
        return _beginning(self.words, _EMBEDDED_CHARS)

    @property
    def embedding_chars(self) -> int | None:
        """Characters of the words that are embedded; None: all."""
        return None if len(self.embedding_text) == len(self.words) else len(self.embedding_text)


def parse_query(text: str) -> ParsedQuery:
    """Parse a query; of a very long one only the beginning.

    Raises:
        InvalidInputError: The query is empty, longer than 1,000,000 characters, or full-text syntax of more than 20,000.
    """
    if len(text) > _MAX_CHARS:
        raise InvalidInputError(
            "the query has {count:,} characters; at most {limit:,} are taken",
            remedy=_REMEDY,
            _count=len(text),
            _limit=_MAX_CHARS,
        )
    query = fold_forms(text).text.strip()
    raw = _raw_syntax(query)
    if raw is not None:
        return ParsedQuery(words=_OPERATOR.sub(" ", raw), raw=_short(_required(raw)))
    whole, query = len(query), _beginning(query, _READ_CHARS)
    phrases = tuple(phrase for match in _PHRASE.finditer(query) if (phrase := match[1].strip()))
    unquoted = _UNPAIRED.sub(" ", _PHRASE.sub(" ", query))
    prefixes = tuple(dict.fromkeys(fold(match[1]) for match in _BEGINNING.finditer(unquoted)))
    words = _BEGINNING.sub(" ", _UNPAIRED.sub(" ", _PHRASE.sub(r" \1 ", query)))
    _required(words + "".join(prefixes))
    read_chars = None if len(query) == whole else len(query)
    return ParsedQuery(words=words, phrases=phrases, prefixes=prefixes, read_chars=read_chars)


def is_bound(parsed: ParsedQuery) -> bool:
    """True if only lexical candidates are hits: in a query with phrases, with full-text syntax, or without a letter."""
    return parsed.raw is not None or bool(parsed.phrases) or not any(map(str.isalnum, parsed.words))


def read_initials(text: str) -> str:
    """Return a query of initial consonants without spaces around it; empty for any other query."""
    wanted = " ".join(fold_forms(text).text.split())
    letters = wanted.replace(" ", "")
    return wanted if len(letters) >= _MIN_INITIALS and is_initials(letters) else ""


class Phrase(NamedTuple):
    """An exact phrase: at least one surface word of the analyser."""

    words: tuple[str, ...]

    @property
    def is_open(self) -> bool:
        """True if its last word may go on: Korean particles and endings stick to the word before."""
        return ord(self.words[-1][-1]) in _SYLLABLES

    def places(self, surface: Sequence[Term]) -> Iterator[tuple[int, int]]:
        """Yield its ranges among the surface words of a text: code points, half open."""
        texts = tuple(word.text for word in surface)
        length = len(self.words)
        for at in range(len(texts) - length + 1):
            if texts[at : at + length - 1] == self.words[:-1] and self._ends_with(texts[at + length - 1]):
                yield surface[at].start, self._end_in(surface[at + length - 1])

    def _ends_with(self, word: str) -> bool:
        return word.startswith(self.words[-1]) if self.is_open else word == self.words[-1]

    def _end_in(self, word: Term) -> int:
        composed = word.end - word.start == len(word.text)
        return word.start + len(self.words[-1]) if composed else word.end


def read_phrases(parsed: ParsedQuery, analyzer: Analyzer) -> tuple[Phrase, ...]:
    """Analyse the phrases of a query; those without a word are left out."""
    surface = (analyzer.surface(phrase) for phrase in parsed.phrases)
    return tuple(Phrase(tuple(word.text for word in words)) for words in surface if words)


def _beginning(text: str, most: int) -> str:
    """Cut a text to as many of its whole words as fit; a single word to its beginning."""
    if len(text) <= most:
        return text
    cut = text[:most]
    words, _, last = cut.rpartition(" ")
    is_cut = last and not text[most].isspace()
    return words.rstrip() if is_cut and words.strip() else cut.rstrip() or cut


def _short(syntax: str) -> str:
    if len(syntax) > _READ_CHARS:
        raise InvalidInputError(
            "full-text syntax has {count:,} characters; {limit:,} are read",
            remedy=_REMEDY,
            _count=len(syntax),
            _limit=_READ_CHARS,
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
        raise InvalidInputError("the query is empty", remedy=_REMEDY)
    return text
