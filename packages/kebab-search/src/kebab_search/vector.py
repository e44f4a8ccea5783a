"""Search by meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kebab_core import (
    Analyzer,
    Clock,
    DocumentStore,
    IndexVersion,
    LexicalIndex,
    ScoreKind,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
)

from kebab_search.budget import HitCost
from kebab_search.fusion import Weighed
from kebab_search.hits import Candidate
from kebab_search.joined import Asked
from kebab_search.legs import LegSearch
from kebab_search.results import Method
from kebab_search.scripts import script_of_language
from kebab_search.sides import Placed
from kebab_search.vector_leg import VectorLeg


class VectorRetriever:
    """Finds passages by meaning. Implements `Retriever`; thread-safe where its parts are.

    A score is a cosine: that of the query with a passage in its script; for a passage in another script, which a model
    places farther away whatever it says, the cosine that stands out as far in the query's own. Exact phrases and
    full-text syntax say which passages are ranked. A passage without a vector is not found.

    Args:
        vectors: Gives the vector leg; may raise what says why there is none.
        index: Where terms are looked up.
        documents: What chunks belong to.
        analyzer: The one that the index was made with.
        clock: Tells what is stale, and how long searching takes.
        settings: Length of snippets, and when documents are stale.
        cost: What a hit costs of `SearchQuery.max_tokens`.
    """

    def __init__(
        self,
        *,
        vectors: Callable[[], VectorLeg],
        index: LexicalIndex,
        documents: DocumentStore,
        analyzer: Analyzer,
        clock: Clock,
        settings: SearchSettings,
        cost: HitCost,
    ) -> None:
        self._vectors = vectors
        self._search = LegSearch(
            index=index, documents=documents, analyzer=analyzer, clock=clock, settings=settings, cost=cost
        )

    def index_version(self) -> IndexVersion:
        """Return `vector:` and the model with its version.

        Raises:
            ModelMissingError: There is no model.
        """
        return self._search.index_version(SearchMode.VECTOR, self._vectors())

    def search(self, query: SearchQuery) -> SearchResponse:
        """Return hits by cosine, and what was searched. The mode of the query is not looked at.

        Raises:
            InvalidInputError: The query is empty or its full-text syntax is wrong.
            NotIndexedError: There are no vectors, or the index was made by another analyser.
            IndexModelMismatchError: The vectors were made by another model.
            ModelMissingError: The model is not on this machine.
            StaleCursorError: The cursor cannot be read, or belongs to another query or state of the index.
        """
        vectors = self._vectors()
        method = Method(
            SearchMode.VECTOR,
            ScoreKind.COSINE,
            self._search.index_version(SearchMode.VECTOR, vectors),
            embedding_model=vectors.identity.model_id,
        )
        order = (vectors.anchors.digest,)
        return self._search.run(query, vectors, method=method, order=order, score=_by_cosine)


def _by_cosine(candidates: Sequence[Weighed], asked: Asked) -> list[Candidate]:
    return [
        candidate._replace(score=asked.near.corrected_cosine(place))
        for candidate, _ in candidates
        if (place := _place_of(candidate)) is not None
    ]


def _place_of(candidate: Candidate) -> Placed | None:
    if candidate.cosine is None or candidate.standing is None:
        return None
    return Placed(script_of_language(candidate.found.document.lang), candidate.cosine, candidate.standing)
