"""Words of claims, of questions and of what claims cite."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from kebab_core import Analyzer, TermKind
from kebab_text import has_hangul

from kebab_rag.facts import read_facts

NEGATION = re.compile(
    r"\b(?:not|never|no|none|nor|neither|cannot|without|nothing|nobody|unable|\w+n['’]t)\b(?!\s+only\b)|(?<!\w)(?:안|못)(?=\s)"
    r"|않|없|아니[고며다]|아닙|아닌|못하|못했|못합|지\s말|마세요|금지|불가|(?<!\w)X(?!\w)",
    re.IGNORECASE,
)
NOT = "not"
"""Key of a negation."""
_EMPTY_TEXT = (
    "a an the is are be been am it its they this these those there you your we our i my do does has have of"
)
_EMPTY = frozenset(_EMPTY_TEXT.split())
"""Words of English without which a statement says the same."""
_LATIN = re.compile("[A-Za-z]+")
_LATIN_NAME = re.compile(r"\w[A-Z]|[\d_+#/]|[a-z]\.[a-z]")


class Word(NamedTuple):
    """A word, name or fact of a text that says something."""

    start: int
    end: int
    text: str
    keys: frozenset[object]
    """By which it is compared: term and stem, or the value of a fact."""
    kind: str
    """`word`, `stem` of a Korean verb, `name`, `grammar`, or that of a fact: `figure` or `date`."""

    @property
    def is_fact(self) -> bool:
        """Whether it is a figure, date or time."""
        return self.kind in {"figure", "date"}


class WordReader:
    """Reads the words of texts.

    Args:
        analyzer: Tells words by their stems.
    """

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self.read = lru_cache(4_096)(self._read)

    def _read(self, text: str) -> tuple[Word, ...]:
        facts = read_facts(text)
        words = [
            Word(each.start, each.end, text[each.start : each.end], frozenset([each.value]), each.check.value)
            for each in facts
        ]
        taken = {at for each in facts for at in range(each.start, each.end)}
        is_korean = has_hangul(text)
        last = (0, 0)
        for term in self._analyzer.analyze_query(text):
            if term.start in taken or term.end - 1 in taken:
                continue
            if term.start < last[1]:
                if term.kind is TermKind.STEM and term.start == last[0]:
                    words[-1] = words[-1]._replace(keys=words[-1].keys | {term.text})
                continue
            last = term.start, term.end
            if any(map(str.isalnum, term.text)):
                shown = text[term.start : term.end]
                is_name = _is_name(text, term.start, shown, is_korean=is_korean)
                kind = "name" if is_name else "stem" if term.kind is TermKind.STEM else "word"
                words.append(Word(*last, shown, frozenset([term.text]), kind))
        return tuple(sorted(words))

    def read_all(self, text: str) -> list[Word]:
        """Return the words of a text that say something, with negations and the words of the grammar that change what is said."""
        spans = [match.span() for match in NEGATION.finditer(text)]
        words = [Word(start, end, text[start:end], frozenset([NOT]), "grammar") for start, end in spans]
        words += [
            word
            for word in self.read(text)
            if not any(start < word.end and word.start < end for start, end in spans)
        ]
        taken = {at for word in words for at in range(word.start, word.end)}
        words += [
            Word(*match.span(), match[0], frozenset([match[0].lower()]), "grammar")
            for match in _LATIN.finditer(text)
            if match.start() not in taken and match[0].lower() not in _EMPTY
        ]
        return sorted(words)

    def keys(self, *texts: str) -> frozenset[object]:
        """Return the keys of the words of texts."""
        return frozenset(key for text in texts for word in self.read(text) for key in word.keys)


def _is_name(text: str, start: int, word: str, *, is_korean: bool) -> bool:
    """Return True for a Latin word that is written as names are, or stands in a Korean text."""
    if not re.search("[A-Za-z_/@]", word):
        return False
    is_first = not text[:start].strip(" \"'(`*-") or text[:start].rstrip()[-1:] in {".", "!", "?", ":"}
    return is_korean or _LATIN_NAME.search(word) is not None or (word[0].isupper() and not is_first)
