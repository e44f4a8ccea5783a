"""From hits, which are passages, to a ranking of documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kebab_core import SearchHit, SearchMode, SearchQuery, SearchResponse

from kebab_eval.queries import JudgedQuery

Search = Callable[[SearchQuery], SearchResponse]
Timer = Callable[[], float]
"""Seconds from an arbitrary start."""

_MOST_HITS = 1000
"""What a search can be asked for."""
_GROWTH = 4


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
    document_of: Callable[[SearchHit], str]
    """The id of a hit's document, as the test set names it."""
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
        share documents, asks for more until there are enough documents or no more hits.

        Raises:
            KebabError: What the search raised.
        """
        k = self.depth
        started, cpu_started = self.timer(), self.cpu_timer()
        first = response = self.search(SearchQuery(text=query.text, mode=self.mode, k=k))
        seconds, cpu_seconds = self.timer() - started, self.cpu_timer() - cpu_started
        ranked = self._documents(response.hits, query.excluded)
        while len(ranked) < self.depth and len(response.hits) >= k and k < _MOST_HITS:
            k = min(k * _GROWTH, _MOST_HITS)
            response = self.search(SearchQuery(text=query.text, mode=self.mode, k=k))
            ranked = self._documents(response.hits, query.excluded)
        return Ranking(ranked[: self.depth], first, seconds, cpu_seconds)

    def _documents(self, hits: Sequence[SearchHit], excluded: str | None) -> tuple[str, ...]:
        """Return the documents of hits, each at the place of its best one."""
        return tuple(doc_id for doc_id in dict.fromkeys(map(self.document_of, hits)) if doc_id != excluded)
