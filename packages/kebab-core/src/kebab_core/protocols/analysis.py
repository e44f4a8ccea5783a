"""From text to terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kebab_core.lexical import ChunkTerms, Term
    from kebab_core.versions import AnalyzerVersion


class Analyzer(Protocol):
    """Turns text into the terms the lexical index holds. Index and query must use the same one.

    Pure and thread-safe. Text is brought to NFC by the caller or by the analyser without moving code points
    that are already NFC; offsets refer to the text as given.
    """

    @property
    def version(self) -> AnalyzerVersion:
        """Identity; changes whenever the same text would give other terms."""
        ...

    def analyze(self, text: str) -> list[Term]:
        """Return the terms of a document's text, by start, then longest first.

        A compound is followed by its parts at their own places. Empty text gives no terms.
        """
        ...

    def analyze_query(self, text: str) -> list[Term]:
        """Return the terms of a question, the same way, less the words that only ask.

        The last word may also be read as if the question went on; its other reading gives parts. Never empty where `analyze` is not: a question of nothing but function words keeps them.
        """
        ...

    def surface(self, text: str) -> list[Term]:
        """Return the words as written, folded: what exact phrases are compared with.

        A word reads the same in a phrase and in the text. Blank lines between two words give a sign in their
        place that is no word.
        """
        ...

    def analyze_chunk(self, *, title: str, heading_path: Sequence[str], text: str) -> ChunkTerms:
        """Return one chunk's columns: each is the terms above, joined by single spaces.

        In the surface a sign that is no word stands between headings and between blocks of text.
        """
        ...
