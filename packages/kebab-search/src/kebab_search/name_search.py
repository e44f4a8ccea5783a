"""Search for what has a name: the finder of symbols or documents, and documents by the initial consonants of their names."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_core import SearchMode
from kebab_text import fold_forms, initials_of

from kebab_search.candidate_finder import CandidateFinder, RetrievalOutcome
from kebab_search.query import read_initials
from kebab_search.ranking import FIRST_POOL, Candidate, pool_size, step_above

if TYPE_CHECKING:
    from kebab_core import DocumentEntry, DocumentId, DocumentStore, SearchQuery, Selection

    from kebab_search.candidate_finder import Stopwatch
    from kebab_search.lexical_search import QueryAnalysis
    from kebab_search.symbol_search import SymbolSearch

INITIALS = "initials@2"
"""Version of the order of names. Change it with the order, so that older cursors become stale."""
_LEAST_SCORE = 0.5
"""Score of a name in which the initials are next to nothing; all of a name has 1."""


class InitialsSearch:
    """Finds documents whose names have some initial consonants. Thread-safe where its part is.

    Args:
        documents: The documents; all of their names are read.
    """

    version = INITIALS

    def __init__(self, documents: DocumentStore) -> None:
        self._documents = documents

    def find(self, text: str, within: Selection | None, *, limit: int) -> list[Candidate]:
        """List the beginnings of the documents with a name that has these initials, the shortest name first.

        Args:
            text: The query; `read_initials` reads it.
            within: Only these documents; None is all of them.
            limit: Maximum number of documents.
        """
        wanted = read_initials(text)
        scores: dict[DocumentId, float] = {}
        for entry in self._documents.list_entries():
            if within is None or entry.doc_id in within:
                share = max(_initials_share(wanted, name) for name in _names(entry))
                if share:
                    scores[entry.doc_id] = _LEAST_SCORE + (1 - _LEAST_SCORE) * share
        best = sorted(scores, key=lambda doc_id: -scores[doc_id])[:limit]
        first = [chunks[0].chunk_id for doc_id in best if (chunks := self._documents.list_chunks(doc_id))]
        return [
            Candidate(passage, None, rank, scores[passage.document.doc_id])
            for rank, passage in enumerate(self._documents.get_chunks(first), start=1)
        ]

    def find_near(self, _text: str, _within: Selection | None, *, limit: int) -> list[Candidate]:
        """Return nothing: no name is near to initials, at most `limit`."""
        return [][:limit]


def _names(entry: DocumentEntry) -> tuple[str, ...]:
    return (entry.title, entry.doc_path.stem, *entry.aliases)


def _initials_share(wanted: str, name: str) -> float:
    initials = "".join(initials_of(fold_forms(name).text).split())
    letters = wanted.replace(" ", "")
    return len(letters) / len(initials) if letters in initials else 0.0


@dataclass
class NameFinder:
    """Finds what has the name that a query is: symbols of source code, or documents by initial consonants."""

    query: SearchQuery
    analysis: QueryAnalysis
    documents: Selection | None
    """Those that are searched; None is all."""
    names: SymbolSearch | InitialsSearch
    watch: Stopwatch

    mode = SearchMode.LEXICAL
    vectors = None

    @property
    def version(self) -> tuple[str, ...]:
        """The version of the order of names."""
        return (self.names.version,)

    def find(self, places: int) -> RetrievalOutcome:
        """Find the candidates for the first `places`; where nothing has the name, what has one near to it, which is no hit."""
        limit = pool_size(step_above(places))
        found = self.names.find(self.query.text, self.documents, limit=limit)
        candidates = found or self.names.find_near(self.query.text, self.documents, limit=limit)
        return RetrievalOutcome(
            self.analysis,
            candidates,
            lexical_ms=self.watch.lap(),
            places=places,
            is_complete=len(candidates) < limit,
            has_evidence=bool(found),
        )

    def has_hits(self, within: Selection | None) -> bool:
        """True if anything in these documents has the name; None is all."""
        return bool(self.names.find(self.query.text, within, limit=FIRST_POOL))

    def has_others(self, known: Collection[DocumentId]) -> bool:
        """True if a document that is not known, or something in it, has the name."""
        limit = FIRST_POOL
        while True:
            found = self.names.find(self.query.text, self.documents, limit=limit)
            if any(each.passage.document.doc_id not in known for each in found):
                return True
            if len(found) < limit:
                return False
            limit *= 2


Finder = CandidateFinder | NameFinder
