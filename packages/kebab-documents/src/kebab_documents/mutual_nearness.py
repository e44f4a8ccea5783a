"""Passages of two documents that are nearer to each other than chance, by stored vectors.

A passage that is near to everything, such as a list of credits, is near to any given one as well. So a pair counts by the
smaller of two z-scores: that of its cosine among the cosines of the one passage with a sample of the base, and among those
of the other one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from kebab_core import SampledVector
    from numpy.typing import NDArray

MIN_Z_SCORE = 3.0
"""Least z-score of a pair on both sides, chosen on two Korean vaults on 2026-11-28; docs/quality.md has the figures."""
_FEW_VECTORS = 30
"""Fewer of a language say too little about its spread; those of all languages count then."""
_LEAST_VECTORS = 8
"""Fewer in all say nothing."""
_LEAST_DEVIATION = 1e-4


class NearPassage(NamedTuple):
    """A passage that is near to one of a document, beyond chance."""

    row: int
    """Its number among the candidates."""
    z_score: float
    """The smaller of the two."""
    cosine: float


@dataclass(frozen=True, kw_only=True)
class Passages:
    """Passages of documents with their vectors."""

    vectors: NDArray[np.float32]
    """Shape (n, d), of unit norm."""
    documents: Sequence[str]
    langs: Sequence[str]


def find_near_passages(own: Passages, others: Passages, sample: Sequence[SampledVector]) -> list[NearPassage]:
    """Find the nearest passage of each other document with a passage near to one of its own, best first, ties by row.

    Args:
        own: The passages of one document; at least one.
        others: Candidates.
        sample: A random sample of the base.
    """
    chance = _Chance(sample, dimensions=own.vectors.shape[1])
    of_own, of_others = own.vectors @ chance.vectors.T, others.vectors @ chance.vectors.T
    cosines = own.vectors @ others.vectors.T
    found: list[NearPassage] = []
    names = np.array(others.documents, dtype=object)
    for document in dict.fromkeys(others.documents):
        rows = np.flatnonzero(names == document)
        there = chance.choose(others.langs[rows[0]], without=(own.documents[0], document))
        here = chance.choose(own.langs[0], without=(own.documents[0], document))
        if min(len(there), len(here)) < _LEAST_VECTORS:
            continue
        pairs = cosines[:, rows]
        z_scores = np.minimum(
            _z_scores(pairs, of_own[:, there]), _z_scores(pairs.T, of_others[np.ix_(rows, here)]).T
        )
        at, best = np.unravel_index(int(z_scores.argmax()), z_scores.shape)
        if z_scores[at, best] >= MIN_Z_SCORE:
            cosine = min(1.0, max(-1.0, float(pairs[at, best])))
            found.append(NearPassage(int(rows[best]), float(z_scores[at, best]), cosine))
    return sorted(found, key=lambda one: (-one.z_score, one.row))


class _Chance:
    """The sample, by document and language."""

    def __init__(self, sample: Sequence[SampledVector], *, dimensions: int) -> None:
        self.vectors = read_vectors([each.vector for each in sample], dimensions)
        self._documents = np.array([each.doc_id for each in sample], dtype=object)
        self._langs = np.array([each.lang for each in sample], dtype=object)

    def choose(self, lang: str, *, without: tuple[str, ...]) -> NDArray[np.intp]:
        """Choose the rows of a language, of all where there are few, without those of some documents."""
        kept = ~np.isin(self._documents, without)
        of_lang = np.flatnonzero(kept & (self._langs == lang))
        return of_lang if len(of_lang) >= _FEW_VECTORS else np.flatnonzero(kept)


def read_vectors(stored: Sequence[bytes], dimensions: int) -> NDArray[np.float32]:
    """Read stored vectors: shape (n, d), of unit norm."""
    rows = np.frombuffer(b"".join(stored), "<f2").reshape(len(stored), dimensions).astype(np.float32)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    read: NDArray[np.float32] = rows / np.maximum(norms, np.float32(1e-9))
    return read


def _z_scores(cosines: NDArray[np.float32], chance: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the z-scores of cosines, shape (n, k), among those of chance, shape (n, s), row by row."""
    mean, deviation = chance.mean(axis=1, keepdims=True), chance.std(axis=1, keepdims=True)
    scores: NDArray[np.float32] = (cosines - mean) / np.maximum(deviation, _LEAST_DEVIATION)
    return scores
