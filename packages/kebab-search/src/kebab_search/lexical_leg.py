"""The lexical leg: the passages that hold words of a query, boosted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from kebab_core import (
    Analyzer,
    AnalyzerVersion,
    DocumentSet,
    DocumentStore,
    IndexedChunk,
    LexicalIndex,
    NotIndexedError,
)

from kebab_search.hits import Candidate
from kebab_search.ordering import FIRST_POOL, pool_size, step_above
from kebab_search.query import ParsedQuery
from kebab_search.question import Question, read_question
from kebab_search.ranking import boost
from kebab_search.rescue import Rescued, look_up_written


class LexicalFinds(NamedTuple):
    """What words found.

    Attributes:
        found: By the rank that the index gave them.
        beside: Those that hold words as written, some of `found` again with what that adds.
        looked_up: With what the words of `beside` begin, by the word of the query.
    """

    found: Sequence[Candidate] = ()
    beside: Sequence[Candidate] = ()
    looked_up: Mapping[str, str] = MappingProxyType({})

    def every(self) -> list[Candidate]:
        """Return each chunk once, those beside with what they were given for it."""
        beside = {candidate.chunk_id: candidate for candidate in self.beside}
        first = [beside.pop(candidate.chunk_id, candidate) for candidate in self.found]
        return [*first, *beside.values()]

    def ranked(self) -> list[Candidate]:
        """Return each chunk once, as the index ranked them."""
        known = {candidate.chunk_id for candidate in self.found}
        return [*self.found, *(candidate for candidate in self.beside if candidate.chunk_id not in known)]


class LexicalLeg:
    """Asks a lexical index.

    Args:
        index: Where terms are looked up.
        documents: What chunks belong to.
        analyzer: The one that the index was made with.
    """

    def __init__(self, *, index: LexicalIndex, documents: DocumentStore, analyzer: Analyzer) -> None:
        self._index = index
        self._documents = documents
        self.analyzer = analyzer

    @property
    def version(self) -> AnalyzerVersion:
        """The version of the analyser."""
        return self.analyzer.version

    def require_index(self) -> None:
        """Do nothing where the index can be asked.

        Raises:
            NotIndexedError: It was made by another analyser.
        """
        indexed = self._index.analyzer_version()
        if indexed is not None and indexed != self.version:
            raise NotIndexedError(
                f"the index was made by the analyser {indexed!r}, this is {self.version!r}",
                hint="kebab ingest",
                indexed=indexed,
                expected=self.version,
            )

    def read(self, parsed: ParsedQuery) -> Question:
        """Return a query as it is put to the index."""
        return read_question(parsed, analyzer=self.analyzer, index=self._index)

    def find(self, question: Question, documents: DocumentSet | None, *, places: int) -> LexicalFinds:
        """Return the chunks to give so many places to.

        Raises:
            InvalidInputError: The full-text syntax of the query is wrong.
        """
        matches = self._matches(question, documents, places=places)
        rescued = self._look_up(question, [item for item, _ in matches[:FIRST_POOL]], documents)
        found = [
            Candidate(item, bm25, rank, bm25 + boost(question.weighted, item))
            for rank, (item, bm25) in enumerate(matches, start=1)
        ]
        beside = self._rescued(question, rescued, found[:FIRST_POOL])
        return LexicalFinds(found, beside, rescued.looked_up)

    def finds(self, question: Question, documents: DocumentSet | None) -> bool:
        """Return whether anything is found."""
        if documents is not None and not documents:
            return False
        if question.lexical is not None and self._index.search(
            question.lexical, limit=1, documents=documents
        ):
            return True
        return bool(self._look_up(question, (), documents).weights)

    def _matches(
        self, question: Question, documents: DocumentSet | None, *, places: int
    ) -> list[tuple[IndexedChunk, float]]:
        """Return the chunks with their BM25, best first."""
        if question.lexical is None or (documents is not None and not documents):
            return []
        limit = pool_size(step_above(places))
        matches = self._index.search(question.lexical, limit=limit, documents=documents)
        chunks = self._documents.get_chunks([match.chunk_id for match in matches])
        found = {item.chunk.chunk_id: item for item in chunks}
        return [(item, match.bm25) for match in matches if (item := found.get(match.chunk_id)) is not None]

    def _look_up(
        self, question: Question, first: Sequence[IndexedChunk], documents: DocumentSet | None
    ) -> Rescued:
        if not question.written or (documents is not None and not documents):
            return Rescued({}, {})
        return look_up_written(question, first, index=self._index, documents=documents)

    def _rescued(self, question: Question, rescued: Rescued, first: Sequence[Candidate]) -> list[Candidate]:
        """Return the chunks that were looked up, with their BM25 only where that is among the first."""
        known = {candidate.chunk_id: candidate for candidate in first}
        candidates = []
        for place, item in enumerate(self._documents.get_chunks(list(rescued.weights)), start=1):
            weight = rescued.weights[item.chunk.chunk_id]
            candidate = known.get(item.chunk.chunk_id) or Candidate(
                item, 0.0, len(first) + place, boost(question.weighted, item)
            )
            candidates.append(candidate._replace(score=candidate.score + weight))
        return candidates
