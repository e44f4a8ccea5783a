"""Near passages: what is near to everything is near to nothing."""

from __future__ import annotations

import numpy as np
from kebab_core import DocumentId, SampledVector
from kebab_documents.related import Passages, find_near_passages, read_vectors
from numpy.typing import NDArray

DIMENSIONS = 64
RNG = np.random.default_rng(1)


def unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    vectors: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype("f")
    return vectors


COMMON = np.ones(DIMENSIONS)
"""What all passages have in common, as vectors of sentence models do."""
BASE = unit(RNG.normal(size=(200, DIMENSIONS)) + COMMON)
TOPIC = RNG.normal(size=DIMENSIONS) * 2


def sample_of(vectors: NDArray[np.float32]) -> list[SampledVector]:
    return [
        SampledVector(DocumentId(f"{number:032x}"), "ko", row.astype("<f2").tobytes())
        for number, row in enumerate(vectors)
    ]


def passages(vectors: NDArray[np.float32], *documents: str, lang: str = "ko") -> Passages:
    return Passages(vectors=vectors, documents=documents, langs=[lang] * len(documents))


def near(own: NDArray[np.float32], others: NDArray[np.float32], *, sample: int = 200) -> list[int]:
    names = [f"other {row}" for row in range(len(others))]
    found = find_near_passages(
        passages(own, *["own"] * len(own)), passages(others, *names), sample_of(BASE[:sample])
    )
    return [one.row for one in found]


def test_a_passage_that_is_near_to_everything_is_related_to_nothing() -> None:
    own = unit(np.array([COMMON + TOPIC, COMMON + RNG.normal(size=DIMENSIONS)]))
    same_topic = COMMON + TOPIC + RNG.normal(size=DIMENSIONS) / 2
    typical = COMMON  # its cosine with any passage is the highest that there is
    others = unit(np.array([typical, same_topic, BASE[3]]))
    assert own[1] @ others[0] > own[1] @ others[2]
    assert near(own, others) == [1]


def test_a_typical_passage_of_its_own_is_near_to_nothing() -> None:
    assert near(unit(COMMON[None]), BASE[:50]) == []


def test_too_few_passages_say_nothing() -> None:
    pair = unit((COMMON + TOPIC)[None])
    assert near(pair, pair) == [0]
    assert near(pair, pair, sample=7) == []


def test_stored_vectors_are_read_with_unit_norm() -> None:
    read = read_vectors([each.vector for each in sample_of(BASE[:3])], DIMENSIONS)
    assert read.shape == (3, DIMENSIONS)
    assert np.allclose(np.linalg.norm(read, axis=1), 1, atol=1e-6)
