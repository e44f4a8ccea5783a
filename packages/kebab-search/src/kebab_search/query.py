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
from typing import Literal, NamedTuple

from kebab_core import Analyzer, InvalidInputError, Message, Remedy, SyntaxGroup, SyntaxWords, Term
from kebab_text import fold, fold_forms

_RAW_PREFIX = "raw:"
_PHRASE = re.compile(r"[\"“”]([^\"“”]*)[\"“”]")
_UNPAIRED = re.compile(r"[\"“”]")
_BEGINNING = re.compile(r"(?<!\S)([^\s*]{2,}|[가-힣])\*(?!\S)")
_OPERATOR = re.compile(r"\b(?:AND|OR|NOT|NEAR)\b|\b(?:title|heading|body)\s*:|[\"^*(){}+:,]")
_READ_CHARS = 20_000
"""Characters of a query that are analysed: a second of work in Korean."""
_EMBEDDED_CHARS = 2_000
"""Characters of a query that are embedded: some 500 to 1,300 tokens, of which a model of 2020's kind embeds 512 in half a second."""
_MAX_CHARS = 1_000_000
"""Length of the longest query."""
_REMEDY = Remedy(kind="give_query")
_SYNTAX = re.compile(
    r'\s*(?:(?P<sign>[()])|"(?P<quoted>(?:[^"]|"")*)"|(?P<word>[\w\u0080-\U0010ffff]+)|$)(?P<open>\s*\*)?',
    re.ASCII,
)
"""One piece of full-text syntax."""
_OPERATORS: tuple[Literal["OR", "AND", "NOT"], ...] = ("OR", "AND", "NOT")
"""From the one that binds least; words that follow each other bind most."""
_MAX_NESTING = 50
_MAX_SYNTAX_WORDS = 1_000
_SYLLABLES = range(0xAC00, 0xD7A4)


@dataclass(frozen=True)
class ParsedQuery:
    """A parsed query. All strings are without invisible characters and forms of letters, in NFC.

    Attributes:
        words: The text to analyse, without quotation marks, prefixes and operators.
        phrases: Exact phrases, in order.
        prefixes: Beginnings of words, in lower case.
        raw: Full-text syntax that replaces everything else; None: words. See `parse_syntax`.
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


def parse_syntax(text: str) -> SyntaxWords | SyntaxGroup:
    """Parse full-text syntax.

    Words that follow each other are joined by AND. NOT binds more than AND, AND more than OR. Whatever is not a letter, a digit
    or an underscore stands in double quotes.

    Raises:
        InvalidInputError: It is wrong, nested more than fifty times, or has more than a thousand words.
    """
    return _SyntaxReader(text).read()


class _Piece(NamedTuple):
    kind: str
    """`word`, an operator, a parenthesis, or empty at the end."""
    words: SyntaxWords
    start: int


class _SyntaxReader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._pieces = list(self._split())
        self._at = self._nesting = 0

    def read(self) -> SyntaxWords | SyntaxGroup:
        """Return the whole. See `parse_syntax`."""
        whole = self._read_group(0)
        if self._next.kind:
            raise self._error(self._next.start)
        return whole

    def _split(self) -> Iterator[_Piece]:
        at = count = 0
        while at < len(self._text):
            found = _SYNTAX.match(self._text, at)
            if found is None or (found["sign"] and found["open"]):
                raise self._error(at)
            if found["sign"]:
                yield _Piece(found["sign"], SyntaxWords(()), at)
            elif found["word"] in _OPERATORS and not found["open"]:
                yield _Piece(found["word"], SyntaxWords(()), at)
            elif texts := tuple(
                (found["word"] or (found["quoted"] or "").replace('""', '"')).lower().split()
            ):
                count += len(texts)
                yield _Piece("word", SyntaxWords(texts, is_open=found["open"] is not None), at)
            elif found["quoted"] is not None or found["open"]:
                raise self._error(at)
            at = found.end()
        if count > _MAX_SYNTAX_WORDS:
            raise self._error(0)
        yield _Piece("", SyntaxWords(()), at)

    @property
    def _next(self) -> _Piece:
        return self._pieces[self._at]

    def _read_group(self, level: int) -> SyntaxWords | SyntaxGroup:
        """Read parts with the operator of a level between them."""
        if level == len(_OPERATORS):
            return self._read_words()
        operator = _OPERATORS[level]
        parts = [self._read_group(level + 1)]
        while self._next.kind == operator:
            self._at += 1
            parts.append(self._read_group(level + 1))
        if operator == "NOT":
            return _group("NOT", [parts[0], _group("OR", parts[1:])]) if parts[1:] else parts[0]
        return _group(operator, parts)

    def _read_words(self) -> SyntaxWords | SyntaxGroup:
        """Read a part in parentheses, or words that follow each other."""
        if self._next.kind == "(":
            self._nesting += 1
            if self._nesting > _MAX_NESTING:
                raise self._error(self._next.start)
            self._at += 1
            inner = self._read_group(0)
            if self._next.kind != ")":
                raise self._error(self._next.start)
            self._at += 1
            self._nesting -= 1
            return inner
        words: list[SyntaxWords | SyntaxGroup] = []
        while self._next.kind == "word":
            words.append(self._next.words)
            self._at += 1
        if not words:
            raise self._error(self._next.start)
        return _group("AND", words)

    def _error(self, at: int) -> InvalidInputError:
        return InvalidInputError(
            "{raw!r} is not a valid full-text query: {error}",
            remedy=Remedy(
                advice=Message("put words in double quotes"),
                otherwise=Remedy(advice=Message("search without the raw syntax")),
            ),
            _raw=self._text,
            _error=Message('it cannot be read from "{rest}"', rest=self._text[at : at + 20].strip())
            if at < len(self._text)
            else Message("its end is missing"),
        )


def _group(
    operator: Literal["AND", "OR", "NOT"], parts: Sequence[SyntaxWords | SyntaxGroup]
) -> SyntaxWords | SyntaxGroup:
    return parts[0] if len(parts) == 1 else SyntaxGroup(operator, tuple(parts))


def is_bound(parsed: ParsedQuery) -> bool:
    """True if only lexical candidates are hits: in a query with phrases, with full-text syntax, or without a letter."""
    return parsed.raw is not None or bool(parsed.phrases) or not any(map(str.isalnum, parsed.words))


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
