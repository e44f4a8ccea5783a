"""From hits, which are passages, to a ranking of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kebab_core import (
    SearchHit,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchTrace,
    TraceCandidate,
    WorkspacePath,
)

from kebab_eval.queries import JudgedQuery

Search = Callable[[SearchQuery], SearchResponse]
Timer = Callable[[], float]
"""Seconds from an arbitrary start."""

_MOST_HITS = 1000
"""What a search can be asked for."""
_GROWTH = 4
_LEAST_CHARS = 20
"""Of a snippet that nobody reads."""

Found = SearchHit | TraceCandidate
"""A passage that was found, shown or only ranked."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one query finds."""

    documents: tuple[str, ...]
    """Ids, best first."""
    response: SearchResponse
    """To the search that a user would make."""
    seconds: float
    """That it took, by the clock on the wall."""
    cpu_seconds: float
    """Of this process, which other programs do not slow down."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentRanker:
    """Ranks documents by their best passages."""

    search: Search
    document_of: Callable[[Found], str]
    """The id of a passage's document, as the test set names it."""
    mode: SearchMode
    depth: int
    """How many documents to rank."""
    timer: Timer
    """Of the wall."""
    cpu_timer: Timer
    """Of this process."""

    def rank(self, query: JudgedQuery) -> Ranking:
        """Return the ranking of one query.

        Asks for as many hits as documents are wanted, which is what a user asks for and what is timed. Where hits
        share documents, looks further down the order of passages, without having them shown, until there are enough
        documents or no more passages.

        Raises:
            KebabError: What the search raised.
        """
        k = self.depth
        started, cpu_started = self.timer(), self.cpu_timer()
        response = self.search(SearchQuery(text=query.text, mode=self.mode, k=k))
        seconds, cpu_seconds = self.timer() - started, self.cpu_timer() - cpu_started
        found: list[Found] = list(response.hits)
        ranked = self._documents(found, query.excluded)
        while len(ranked) < self.depth and len(found) >= k and k < _MOST_HITS:
            k = min(k * _GROWTH, _MOST_HITS)
            found = self._order(query.text, k)
            ranked = self._documents(found, query.excluded)
        return Ranking(ranked[: self.depth], response, seconds, cpu_seconds)

    def _order(self, text: str, k: int) -> list[Found]:
        """Return the first `k` passages; the budget keeps the search from making a hit of each."""
        asked = SearchQuery(
            text=text, mode=self.mode, k=k, snippet_chars=_LEAST_CHARS, max_tokens=1, trace=True
        )
        trace = self.search(asked).trace or SearchTrace()
        candidates = {candidate.chunk_id: candidate for candidate in (*trace.vector, *trace.lexical)}
        return [candidates[placed.chunk_id] for placed in trace.rrf_inputs[:k]]

    def _documents(self, found: Iterable[Found], excluded: str | None) -> tuple[str, ...]:
        """Return the documents of passages, each at the place of its best one."""
        best: dict[WorkspacePath, Found] = {}
        for passage in found:
            best.setdefault(passage.doc_path, passage)
        ids = dict.fromkeys(map(self.document_of, best.values()))
        return tuple(doc_id for doc_id in ids if doc_id != excluded)
