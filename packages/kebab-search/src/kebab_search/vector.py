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
from kebab_search.fusion import Weighed, squash
from kebab_search.hits import Candidate
from kebab_search.joined import Asked
from kebab_search.legs import LegSearch
from kebab_search.results import Method
from kebab_search.vector_leg import VectorLeg


class VectorRetriever:
    """Finds passages by meaning. Implements `Retriever`; thread-safe where its parts are.

    A score is the cosine of the query with a passage. Where an index holds passages in another script than the query's,
    which a model places farther away whatever they say, cosines do not compare: scores then tell how far a passage stands
    out among those in its script, in [0, 1], and are of the kind `calibrated`. Exact phrases and full-text syntax say
    which passages are ranked. A passage without a vector is not found.

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
        """Return hits by score, and what was searched. The mode of the query is not looked at.

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
        return self._search.run(query, vectors, method=method, order=order, score=_by_nearness)


def _by_nearness(candidates: Sequence[Weighed], asked: Asked) -> list[Candidate]:
    is_mixed = asked.near.has_others
    return [
        candidate._replace(score=squash(candidate.standing) if is_mixed else candidate.cosine)
        for candidate, _ in candidates
        if candidate.cosine is not None and candidate.standing is not None
    ]
