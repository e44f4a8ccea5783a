"""Terms of the passages of a document, with the other names of the document beside them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from kebab_core import Analyzer, Chunk, WorkspacePath, distinct_names

if TYPE_CHECKING:
    from kebab_core import ChunkTerms

_MAX_NAME_TERMS = 100
"""Maximum number of terms of other names than the title: they are indexed with every passage."""


class DocumentTerms:
    """Makes the terms of the passages of one document.

    Args:
        analyzer: Analyses names and passages.
        title: Title of the document.
        path: Its path, whose stem is a name of it.
        aliases: Its further names.
    """

    def __init__(
        self, analyzer: Analyzer, *, title: str, path: WorkspacePath, aliases: Sequence[str]
    ) -> None:
        self._analyzer = analyzer
        self._title = title
        self._other_names = self._analyze_names((path.stem, *aliases))

    def analyze(self, chunk: Chunk) -> ChunkTerms:
        """Return the terms of a passage."""
        terms = self._analyzer.analyze_chunk(
            title=self._title, heading_path=chunk.heading_path, text=chunk.text
        )
        if not self._other_names:
            return terms
        return terms.model_copy(update={"title": f"{terms.title} {self._other_names}".strip()})

    def _analyze_names(self, names: Sequence[str]) -> str:
        """Return the terms of names that the title does not have, each once."""
        title, *others = distinct_names((self._title, *names))
        known, new = set(self._name_terms(title)), dict[str, None]()
        for name in others:
            new |= dict.fromkeys(term for term in self._name_terms(name) if term not in known)
        return " ".join(islice(new, _MAX_NAME_TERMS))

    def _name_terms(self, name: str) -> list[str]:
        return self._analyzer.analyze_chunk(title=name, heading_path=(), text="").title.split()
