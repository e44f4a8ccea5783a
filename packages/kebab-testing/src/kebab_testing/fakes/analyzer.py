"""An analyser that knows no language."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence, Set
from itertools import pairwise

from kebab_core import AnalyzerVersion, ChunkTerms, FoundTerms, Term
from kebab_text import has_hangul

_WRITTEN = re.compile(r"\S+")
_BLANK_LINES = re.compile(r"\n\s*\n")
_QUESTION_WORDS = frozenset({"what", "무엇"})


class WordAnalyzer:
    """Splits at white space, folds case and drops punctuation around words; `what` and `무엇` only ask.

    A surface has `¶` where blank lines or headings part words.
    """

    def __init__(self, version: str = "words@1") -> None:
        self._version = AnalyzerVersion(version)

    @property
    def version(self) -> AnalyzerVersion:
        """The version it was made with."""
        return self._version

    def reads(self, indexed: AnalyzerVersion) -> bool:
        """Return True for an index of this version."""
        return indexed == self._version

    def analyze(self, text: str) -> list[Term]:
        """Return the words of the text, each with the range it was written in."""
        words = ((_fold(match[0]), match) for match in _WRITTEN.finditer(text))
        return [Term(word, match.start(), match.end()) for word, match in words if word]

    def find_terms(self, text: str, wanted: Set[str], *, beginnings: tuple[str, ...] = ()) -> FoundTerms:
        """Return the words that are wanted or have one of the beginnings, and the number of all."""
        terms = self.analyze(text)
        found = [term for term in terms if term.text in wanted or term.text.startswith(beginnings)]
        return FoundTerms(found, len(terms))

    def analyze_query(self, text: str) -> list[Term]:
        """Return the words less the two that only ask."""
        terms = self.analyze(text)
        return [term for term in terms if term.text not in _QUESTION_WORDS] or terms

    def surface(self, text: str) -> list[Term]:
        """Return the same as `analyze`, and the gaps."""
        words = self.analyze(text)
        parted = list(pairwise(words))
        gaps = [
            Term("¶", blank.start() + one.end, blank.end() + one.end)
            for one, other in parted
            if (blank := _BLANK_LINES.search(text[one.end : other.start]))
        ]
        return sorted([*words, *gaps], key=lambda term: term.start)

    def log_likelihood(self, word: str) -> float:  # noqa: ARG002
        """Return minus infinity: this analyser knows no language."""
        return -math.inf

    def analyze_chunk(self, *, title: str, heading_path: Sequence[str], text: str) -> ChunkTerms:
        """Return the words of each column."""
        surfaces = (_joined(self.surface(part)) for part in (*heading_path, text))
        return ChunkTerms(
            title=_joined(self.analyze(title)),
            heading=_joined(self.analyze("\n".join(heading_path))),
            body=_joined(self.analyze(text)),
            surface=" ¶ ".join(surface for surface in surfaces if surface),
        )


class StemmingAnalyzer(WordAnalyzer):
    """Also cuts common endings off, and leaves common function words out of queries."""

    def analyze(self, text: str) -> list[Term]:
        """Return the words of the text without their endings."""
        return [self._cut(word) for word in super().analyze(text)]

    def analyze_query(self, text: str) -> list[Term]:
        """Return the words less those that only ask or tie others together."""
        terms = self.analyze(text)
        return [term for term in terms if term.text not in _FUNCTION_WORDS] or terms

    def _cut(self, word: Term) -> Term:
        stem = _ENDING.sub("", word.text)
        return word._replace(text=stem, end=word.start + len(stem) if has_hangul(stem) else word.end)


_ENDING = re.compile(
    r"(?<=[가-힣])(?:입니다|이다|이었다|인가|나요|다|으로|에서|에게|은|는|이|가|을|를|의|에|로|와|과|도|라고)$|(?<=[a-z]{3})(?:ing|ed|es|s|e)$"
)
_FUNCTION_WORDS = frozenset([
    "a",
    "an",
    "the",
    "is",
    "are",
    "was",
    "were",
    "be",
    "do",
    "does",
    "did",
    "to",
    "of",
    "in",
    "on",
    "at",
    "for",
    "from",
    "with",
    "and",
    "or",
    "by",
    "as",
    "it",
    "its",
    "this",
    "that",
    "which",
    "when",
    "who",
    "where",
    "how",
    "why",
    "what",
    "can",
    "무엇",
    "누구",
    "어디",
    "언제",
    "몇",
    "얼마",
    "누가",
])


def _joined(terms: Sequence[Term]) -> str:
    return " ".join(term.text for term in terms)


def _fold(word: str) -> str:
    letters = unicodedata.normalize("NFC", word).lower()
    return "".join(unicodedata.normalize("NFC", letters).strip(".,:;!?\"'`()[]").split())
