"""An analyser that knows no language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from kebab_core import AnalyzerVersion, ChunkTerms, Term

_WRITTEN = re.compile(r"\S+")
_QUESTION_WORDS = frozenset({"what", "무엇"})


class WordAnalyzer:
    """Splits at white space, folds case and drops punctuation around words; `what` and `무엇` only ask."""

    def __init__(self, version: str = "words@1") -> None:
        self._version = AnalyzerVersion(version)

    @property
    def version(self) -> AnalyzerVersion:
        """The version it was made with."""
        return self._version

    def analyze(self, text: str) -> list[Term]:
        """Return the words of the text, each with the range it was written in."""
        words = ((_fold(match[0]), match) for match in _WRITTEN.finditer(text))
        return [Term(word, match.start(), match.end()) for word, match in words if word]

    def analyze_query(self, text: str) -> list[Term]:
        """Return the words less the two that only ask."""
        terms = self.analyze(text)
        return [term for term in terms if term.text not in _QUESTION_WORDS] or terms

    def surface(self, text: str) -> list[Term]:
        """Return the same as `analyze`."""
        return self.analyze(text)

    def analyze_chunk(self, *, title: str, heading_path: Sequence[str], text: str) -> ChunkTerms:
        """Return the words of each column."""
        heading = self._joined("\n".join(heading_path))
        body = self._joined(text)
        return ChunkTerms(
            title=self._joined(title), heading=heading, body=body, surface=f"{heading} {body}".strip()
        )

    def _joined(self, text: str) -> str:
        return " ".join(term.text for term in self.analyze(text))


def _fold(word: str) -> str:
    letters = unicodedata.normalize("NFC", word).lower()
    return "".join(unicodedata.normalize("NFC", letters).strip(".,:;!?\"'`()[]").split())
