"""`RetrievalOutcome`: the candidates of a search, and their order as passages and as hits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kebab_search.folding import FoldedOrder, fold_documents
from kebab_search.lexical_search import QueryAnalysis
from kebab_search.ranking import Candidate, put_in_order


class RetrievalOutcome(NamedTuple):
    """The candidates of a search, before they are ordered.

    Attributes:
        analysis: The query, with the forms of its surface words.
        candidates: All of them, each once.
        by_surface: Those found by surface words, candidates for the first place however deep they are; among
            `candidates` too.
        is_lexical: True if terms were looked up.
        lexical_ms: Time of lexical search.
        vector_ms: Time of vector search.
        places: The places that the candidates are deep enough for.
        is_complete: True if there are no other candidates, however deep one looks.
        has_evidence: True if the best of them are hits.
        unlikely: Passages that were found too, with a score below that of a hit; for the trace.
    """

    analysis: QueryAnalysis
    candidates: Sequence[Candidate]
    by_surface: Sequence[Candidate] = ()
    is_lexical: bool = True
    lexical_ms: int = 0
    vector_ms: int = 0
    places: int = 1
    is_complete: bool = True
    has_evidence: bool = True
    unlikely: Sequence[Candidate] = ()

    def ordered(self) -> list[Candidate]:
        """Put the candidates in order: as many as they are deep enough for, up to the next step."""
        return put_in_order(self.candidates, places=self.places, by_surface=self.by_surface)

    def folded(self, places: int | None = None) -> FoldedOrder:
        """Put the candidates in order as hits, likewise; `places` are those that they are deep enough for, or fewer."""
        return fold_documents(
            self.candidates,
            query=self.analysis.weighted,
            places=places or self.places,
            by_surface=self.by_surface,
        )

    def after(self, before: RetrievalOutcome) -> RetrievalOutcome:
        """Add the times of a search that was not deep enough."""
        return self._replace(
            lexical_ms=before.lexical_ms + self.lexical_ms, vector_ms=before.vector_ms + self.vector_ms
        )
