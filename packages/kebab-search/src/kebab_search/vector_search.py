"""Vector search: the passages most similar to a query, every script of the index on one scale of z-scores.

Cosines of a model lie in a narrow band that differs for every query and every pair of languages, so that 0.84 alone says
nothing. A z-score, the distance from the mean of the index in standard deviations, compares between queries, corpora and
scripts, and does not depend on how many passages were looked at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    ChunkId,
    EmbeddingIdentity,
    EmbeddingKind,
    IndexModelMismatchError,
    LanguageDistribution,
    Message,
    NotIndexedError,
    Remedy,
    VectorMatrix,
)
from kebab_text import Script, script_of_language, script_of_text

from kebab_search.query_centroids import QueryCentroids, max_cosine, subtract_centroid
from kebab_search.score import chance_z_score

if TYPE_CHECKING:
    from kebab_core import Embedder, Selection, VectorStore

_LEAST_DEVIATION = 0.005
_PRIOR_VECTORS = 30
"""Weight of a model's prior in vectors: the mean of ten passages says little."""
_GIBBERISH = -0.003
"""Cosine by which a query may be nearer to questions than to gibberish and still count as gibberish."""


class CosineDistribution(NamedTuple):
    """Cosines of a query with many passages: their number, mean and standard deviation."""

    vectors: float
    mean: float
    deviation: float

    def z_score(self, cosine: float) -> float:
        """Compute the distance of a cosine from the mean, in standard deviations."""
        return (cosine - self.mean) / max(self.deviation, _LEAST_DEVIATION)


class MinScore(NamedTuple):
    """Minimum z-score of a candidate by similarity alone.

    Attributes:
        same_script: For passages in the script of the query.
        cross_script: For all others.
    """

    same_script: float
    cross_script: float


class ModelCalibration(NamedTuple):
    """Measured properties of an embedding model.

    Attributes:
        same_script: Prior of the cosines between a query and passages of any subject in its script; None: unknown.
        cross_script: The same between scripts, after the query centroid was subtracted.
    """

    same_script: CosineDistribution | None
    cross_script: CosineDistribution | None


_CALIBRATIONS: Mapping[str, ModelCalibration] = {
    "multilingual-e5-small": ModelCalibration(
        CosineDistribution(_PRIOR_VECTORS, 0.78, 0.021),
        CosineDistribution(_PRIOR_VECTORS, 0.0, 0.033),
    ),
}
_UNCALIBRATED = ModelCalibration(None, None)
"""For a model that was not measured; numbers of one model say nothing of another."""


def expected_z_score(
    passages: float, distribution: CosineDistribution, *, prior: CosineDistribution | None
) -> float:
    """Estimate the z-score above which a similarity is evidence: that of chance, less if the query is near to all passages.

    In an index about one subject no passage stands out, and a question that it can answer is near to all of it. So the
    nearness of the query, in standard deviations, is subtracted. Below 0 it is ignored: a question about one of many
    subjects is far from most passages.

    Args:
        passages: Number of passages in the distribution.
        distribution: Of the cosines of a query.
        prior: Of the model; None: unknown.
    """
    nearness = 0.0 if prior is None else (distribution.mean - prior.mean) / prior.deviation
    return chance_z_score(passages) - max(nearness, 0.0)


def calibration_of(model_id: str) -> ModelCalibration:
    """Look up the calibration of a model; a default without priors if it was not measured."""
    return _CALIBRATIONS.get(model_id, _UNCALIBRATED)


def distributions_by_script(
    by_language: Iterable[LanguageDistribution], *, prior: CosineDistribution | None = None
) -> Mapping[Script, CosineDistribution]:
    """Pool the cosine distributions of languages by script.

    Args:
        by_language: Of one query over the passages of each language.
        prior: Of the model, pooled with each script; None: unknown.
    """
    by_script: dict[Script, list[CosineDistribution]] = {}
    for one in by_language:
        distribution = CosineDistribution(one.vectors, one.mean, one.deviation)
        by_script.setdefault(script_of_language(one.lang), []).append(distribution)
    priors = [] if prior is None else [prior]
    return {script: _pool([*distributions, *priors]) for script, distributions in by_script.items()}


def min_score_for(query: VectorMatrix, *, centroids: QueryCentroids, has_known_terms: bool) -> MinScore:
    """Compute the minimum z-scores of candidates by similarity alone: those of passages above the mean.

    Args:
        query: Its vector, shape (1, d).
        centroids: Of the model; without them gibberish cannot be recognized, and z-scores of passages in another script say
            nothing.
        has_known_terms: True if any passage of the index holds a term of the query.
    """
    if not has_known_terms and _is_gibberish(query, centroids):
        return MinScore(math.inf, math.inf)
    return MinScore(0.0, 0.0 if centroids.questions else math.inf)


def _pool(distributions: list[CosineDistribution]) -> CosineDistribution:
    vectors = sum(one.vectors for one in distributions)
    mean = sum(one.vectors * one.mean for one in distributions) / vectors
    variance = sum(one.vectors * (one.deviation**2 + (one.mean - mean) ** 2) for one in distributions)
    return CosineDistribution(vectors, mean, math.sqrt(variance / vectors))


def _is_gibberish(query: VectorMatrix, centroids: QueryCentroids) -> bool:
    gibberish, questions = max_cosine(query, centroids.gibberish), max_cosine(query, centroids.questions)
    return gibberish is not None and questions is not None and gibberish - questions > _GIBBERISH


class ScriptQuery(NamedTuple):
    """A query as it is compared with the passages of one script.

    Attributes:
        vector: Shape (1, d); for another script than the query's without the query centroid.
        distribution: Of its cosines with all of these passages.
        languages: The languages of the index in that script; None alone if it has no others.
        is_cross_script: True if the script is not the query's.
        expected: The z-score above which a similarity is evidence.
    """

    vector: VectorMatrix
    distribution: CosineDistribution
    languages: tuple[str | None, ...]
    is_cross_script: bool
    expected: float

    def min_z_score(self, min_score: MinScore) -> float:
        """Choose the minimum for these passages."""
        return min_score.cross_script if self.is_cross_script else min_score.same_script


class VectorQuery(NamedTuple):
    """An embedded query.

    Attributes:
        vector: As the model gave it, shape (1, d).
        script: Of the query.
        by_script: By script of the passages.
    """

    vector: VectorMatrix
    script: Script
    by_script: Mapping[Script, ScriptQuery]

    @property
    def script_share(self) -> float:
        """The share of the vectors that are of passages in the script of the query, in [0, 1]."""
        vectors = {script: query.distribution.vectors for script, query in self.by_script.items()}
        return vectors.get(self.script, 0.0) / sum(vectors.values())

    @property
    def is_cross_script(self) -> bool:
        """True if the index holds passages in another script, whose cosines do not compare with those of its own."""
        return any(query.is_cross_script for query in self.by_script.values())


class Similarity(NamedTuple):
    """The similarity of a chunk to a query.

    Attributes:
        script: Of its document.
        cosine: Of the query with it.
        z_score: Of its cosine among those of its script.
        above_chance: Its z-score above that from which on similarity is evidence.
    """

    script: Script
    cosine: float
    z_score: float
    above_chance: float


class VectorSearch:
    """Finds chunks by similarity. Thread-safe where its parts are.

    Passages in the script of the query go by the z-score of their cosine with it. Passages in another script go by the
    z-score of their cosine with the query less the centroid of queries in its script, each script apart; with plain
    cosines they would all come after those of the query's own script.

    Args:
        embedder: The model.
        store: Its vectors.
        centroids: Of queries, measured for the model.
        advice: Gives the remedy for an index without vectors of the model; called only then. None: to embed.
    """

    def __init__(
        self,
        *,
        embedder: Embedder,
        store: VectorStore,
        centroids: QueryCentroids,
        advice: Callable[[], Remedy] | None = None,
    ) -> None:
        self._embedder = embedder
        self._store = store
        self._advice = advice or (lambda: Remedy(kind="embed"))
        self.centroids = centroids

    @property
    def identity(self) -> EmbeddingIdentity:
        """The exact model."""
        return self._embedder.identity

    @property
    def calibration(self) -> ModelCalibration:
        """Measured properties of the model."""
        return calibration_of(self.identity.model_id)

    def embed_query(self, text: str) -> VectorQuery:
        """Embed a query and measure its cosines with the index.

        Raises:
            NotIndexedError: There are no vectors yet.
            IndexModelMismatchError: There are, of other models only.
        """
        if self.identity not in self._store.embedded_models():  # the model need not be loaded
            raise self._missing()
        vector = self._embedder.embed([text], EmbeddingKind.QUERY)
        script, by_language = script_of_text(text), self._distributions(vector)
        prior = self.calibration.same_script
        plain = distributions_by_script(by_language, prior=prior)
        languages, passages = _languages_by_script(by_language), _passages_by_script(by_language)
        by_script = {
            held: ScriptQuery(
                vector,
                distribution,
                languages[held],
                is_cross_script=held is not script,
                expected=expected_z_score(passages[held], distribution, prior=prior),
            )
            for held, distribution in plain.items()
        }
        query = VectorQuery(vector, script, by_script)
        centroid = self.centroids.questions.get(script)
        if centroid is None or not query.is_cross_script:
            return query
        rest = subtract_centroid(vector, centroid)
        prior = self.calibration.cross_script
        centred = distributions_by_script(self._distributions(rest), prior=prior)
        return query._replace(
            by_script={
                held: one._replace(
                    vector=rest,
                    distribution=centred[held],
                    expected=expected_z_score(passages[held], centred[held], prior=prior),
                )
                if one.is_cross_script
                else one
                for held, one in by_script.items()
            }
        )

    def min_score(self, query: VectorQuery, *, has_known_terms: bool) -> MinScore:
        """Choose the minimum z-scores of chunks that are candidates by similarity alone.

        Args:
            query: The query.
            has_known_terms: True if any chunk of the index holds a term of it.
        """
        return min_score_for(
            query.vector,
            centroids=self.centroids,
            has_known_terms=has_known_terms,
        )

    def nearest(
        self, query: VectorQuery, *, depth: int, documents: Selection | None, min_score: MinScore
    ) -> list[ChunkId]:
        """Find the chunks with the highest z-scores over all scripts, `depth` at most, best first.

        Args:
            query: The query.
            depth: Chunks looked at in each script.
            documents: Only chunks of these; None is all of them.
            min_score: The z-scores below which a chunk is left out.
        """
        if documents is not None and not documents:
            return []
        found = [
            (-z_score, chunk_id)
            for one in query.by_script.values()
            for chunk_id, z_score in self._nearest_in_script(one, depth=depth, documents=documents)
            if z_score >= one.min_z_score(min_score)
        ]
        return [chunk_id for _, chunk_id in sorted(found)[:depth]]

    def similarities(
        self, query: VectorQuery, chunks: Sequence[tuple[ChunkId, str]]
    ) -> Mapping[ChunkId, Similarity]:
        """Measure chunks, given with the language of their documents; those without a vector are left out."""
        measured: dict[ChunkId, Similarity] = {}
        cosines = self._cosines(query.vector, [chunk_id for chunk_id, _ in chunks])
        for script, one in query.by_script.items():
            ids = [chunk_id for chunk_id, lang in chunks if script_of_language(lang) is script]
            compared = cosines if one.vector is query.vector else self._cosines(one.vector, ids)
            for chunk_id in ids:
                if chunk_id in compared and chunk_id in cosines:
                    z_score = one.distribution.z_score(compared[chunk_id])
                    measured[chunk_id] = Similarity(
                        script, cosines[chunk_id], z_score, z_score - one.expected
                    )
        return measured

    def _cosines(self, vector: VectorMatrix, chunk_ids: Sequence[ChunkId]) -> Mapping[ChunkId, float]:
        found = self._store.similarities(self.identity, vector, chunk_ids) if chunk_ids else []
        return {
            chunk_id: cosine for chunk_id, cosine in zip(chunk_ids, found, strict=True) if cosine is not None
        }

    def _nearest_in_script(
        self, query: ScriptQuery, *, depth: int, documents: Selection | None
    ) -> Iterator[tuple[ChunkId, float]]:
        hits = [
            hit
            for lang in query.languages
            for hit in self._store.search(
                self.identity, query.vector, limit=depth, documents=documents, lang=lang
            )
        ]
        hits.sort(key=lambda hit: (-hit.cosine, hit.chunk_id))
        return ((hit.chunk_id, query.distribution.z_score(hit.cosine)) for hit in hits[:depth])

    def _distributions(self, vector: VectorMatrix) -> list[LanguageDistribution]:
        if found := self._store.cosine_distributions(self.identity, vector):
            return found
        raise self._missing()

    def _missing(self) -> NotIndexedError | IndexModelMismatchError:
        """Return the error of an index without vectors of the model."""
        others = [identity for identity in self._store.embedded_models() if identity != self.identity]
        if not others:
            return NotIndexedError("no passage has a vector yet", remedy=self._advice())
        held = others[0]
        made_by, in_force = _name_apart(held, self.identity)
        return IndexModelMismatchError(
            "the vectors were made by {made_by}, the model in force is {in_force}",
            remedy=self._advice(),
            indexed=f"{held.model_id}@{held.model_version}",
            expected=f"{self.identity.model_id}@{self.identity.model_version}",
            _made_by=made_by,
            _in_force=in_force,
        )


def _name_apart(held: EmbeddingIdentity, wanted: EmbeddingIdentity) -> tuple[str, str]:
    """Name two models: by id, and two of the same id with their versions or dimensions."""
    if held.model_id != wanted.model_id:
        return repr(held.model_id), repr(wanted.model_id)
    if held.model_version != wanted.model_version:
        return _with_version(held), _with_version(wanted)
    return (
        Message("{model}, {dimensions} dimensions", model=_with_version(held), dimensions=held.dimensions),
        f"{_with_version(wanted)}, {wanted.dimensions}",
    )


def _with_version(identity: EmbeddingIdentity) -> str:
    return f"{identity.model_id!r} {identity.model_version}"


def _passages_by_script(by_language: Sequence[LanguageDistribution]) -> Mapping[Script, int]:
    passages: dict[Script, int] = {}
    for one in by_language:
        script = script_of_language(one.lang)
        passages[script] = passages.get(script, 0) + one.vectors
    return passages


def _languages_by_script(
    by_language: Sequence[LanguageDistribution],
) -> Mapping[Script, tuple[str | None, ...]]:
    """Group languages by script; None alone, which stands for all, if there is one script only."""
    by_script: dict[Script, tuple[str | None, ...]] = {}
    for one in by_language:
        script = script_of_language(one.lang)
        by_script[script] = (*by_script.get(script, ()), one.lang)
    return by_script if len(by_script) > 1 else dict.fromkeys(by_script, (None,))
