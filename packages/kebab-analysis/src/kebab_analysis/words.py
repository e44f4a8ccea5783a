"""Terms of Latin text and numbers: words with their English stems, compounds and identifiers also by part."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from kebab_core import Term, TermKind

from kebab_analysis.identifiers import identifier_parts, is_contraction, join_hyphenated
from kebab_analysis.normalization import fold
from kebab_analysis.scripts import blank_unspaced
from kebab_analysis.stemming import EnglishStemmer

_ADDRESS = r"https?://[^\s<>\"'`()\[\]{}]+"
_SIGNED = r"(?<!\w)(?:[cC]\+\+|[cCfF]\#)(?!\w)"
_JOINER = r"(?:::|[-./@'’\\]|,(?=\d{3}))"
_TOKEN = re.compile(rf"{_ADDRESS}|{_SIGNED}|\w+(?:{_JOINER}\w+)*")
"""An address, a language with a sign in its name, or a word with all that is joined to it, where there are blanks for
scripts that write without."""
_PLAIN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_ACRONYMS = re.compile(r"[A-Z]{2,}s")
_ENGLISH = re.compile(r"[a-z]+(?:'[a-z]+)?")
_LEAST_STEMMED = 3
_EDGES = "_.:;!?/'’-\\"
_TOKENS_KEPT = 1 << 14
_MAX_TERM = 128
"""Longest term in code points; beyond it stands data, not a name."""


class WordReader:
    """Turns everything outside Hangul, Han and Kana into terms, remembering the tokens it has seen."""

    def __init__(self) -> None:
        self._stemmer = EnglishStemmer()
        self._known = lru_cache(_TOKENS_KEPT)(self._learn)

    def terms(self, text: str) -> list[Term]:
        """Return the terms of a text, by start, then longest first."""
        found: list[Term] = []
        for match in _TOKEN.finditer(blank_unspaced(text)):
            at = match.start()
            found += [
                Term(term, at + start, at + end, kind) for term, start, end, kind in self._known(match[0])
            ]
        return found

    def _learn(self, token: str) -> tuple[Term, ...]:
        return tuple(self._token_terms(token))

    def _token_terms(self, token: str) -> Iterator[Term]:
        """Yield a token's terms with places relative to its start."""
        if _PLAIN.fullmatch(token):
            yield from self._word(token.lower(), 0, len(token), TermKind.WORD)
        elif _ACRONYMS.fullmatch(token):
            yield Term(token.lower(), 0, len(token))
            yield Term(token[:-1].lower(), 0, len(token), TermKind.STEM)
        else:
            core = token.lstrip(_EDGES)
            yield from self._compound(core.rstrip(_EDGES), len(token) - len(core))

    def _compound(self, token: str, start: int) -> Iterator[Term]:
        end = start + len(token)
        whole = fold(token).replace("’", "'")
        if 0 < len(whole) <= _MAX_TERM:
            yield from self._word(whole, start, end, TermKind.WORD)
        if is_contraction(whole):
            return
        joined = join_hyphenated(whole)
        if joined:
            yield from self._word(joined, start, end, TermKind.PART)
        for part in identifier_parts(token):
            if len(part.text) <= _MAX_TERM:
                yield from self._word(fold(part.text), start + part.start, start + part.end, TermKind.PART)

    def _word(self, word: str, start: int, end: int, kind: TermKind) -> Iterator[Term]:
        yield Term(word, start, end, kind)
        if len(word) >= _LEAST_STEMMED and _ENGLISH.fullmatch(word):
            stem = self._stemmer.stem(word)
            if stem != word:
                yield Term(stem, start, end, TermKind.STEM)
