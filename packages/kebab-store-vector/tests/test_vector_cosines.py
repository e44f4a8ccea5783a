"""How exact cosines are."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st
from kebab_store_vector.half_vectors import HALF, exact_cosines
from kebab_store_vector.rounded_vectors import round_vectors
from numpy.typing import NDArray

HALF_ERROR = 5e-4


def _units(seed: int, rows: int, dimensions: int, *, sharpness: float = 1.0) -> NDArray[np.float32]:
    random = np.random.default_rng(seed)
    values = random.normal(size=(rows, dimensions))
    values = np.sign(values) * np.abs(values) ** sharpness
    return (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(np.float32)


@given(
    seed=st.integers(0, 10_000),
    dimensions=st.sampled_from([1, 2, 3, 64, 384, 1024]),
    sharpness=st.sampled_from([0.0, 1.0, 6.0]),
)
def test_half_precision_costs_less_than_its_bound(seed: int, dimensions: int, sharpness: float) -> None:
    vectors = _units(seed, 20, dimensions, sharpness=sharpness)
    query = _units(seed + 1, 1, dimensions)[0]
    true = vectors.astype(np.float64) @ query.astype(np.float64)
    found = exact_cosines(vectors.astype(HALF), query)
    assert np.abs(found - np.clip(true, -1, 1)).max() < HALF_ERROR


@given(seed=st.integers(0, 10_000), neighbours=st.integers(0, 40))
def test_equal_rows_have_equal_cosines_whatever_stands_beside_them(seed: int, neighbours: int) -> None:
    row, query = _units(seed, 1, 384).astype(HALF), _units(seed + 1, 1, 384)[0]
    others = _units(seed + 2, neighbours, 384).astype(HALF)
    together = np.concatenate([row, others, row])
    found = exact_cosines(together, query)
    assert found[0] == found[-1] == exact_cosines(row, query)[0]


@given(seed=st.integers(0, 1000))
def test_a_vector_has_a_cosine_of_one_with_itself_and_never_more(seed: int) -> None:
    vectors = _units(seed, 50, 384)
    for number, vector in enumerate(vectors):
        (found,) = exact_cosines(vectors[[number]].astype(HALF), vector)
        assert 1 - HALF_ERROR < found <= 1


@given(
    seed=st.integers(0, 10_000),
    rows=st.integers(1, 600),
    dimensions=st.sampled_from([1, 3, 64, 384]),
    sharpness=st.sampled_from([0.0, 1.0, 6.0]),
)
def test_rounded_cosines_are_off_by_less_than_their_bound(
    seed: int, rows: int, dimensions: int, sharpness: float
) -> None:
    vectors = _units(seed, rows, dimensions, sharpness=sharpness).astype(HALF)
    query = _units(seed + 1, 1, dimensions)[0]
    exact = exact_cosines(vectors, query)
    rounded = round_vectors(vectors[: rows // 2 + 1]).followed_by(round_vectors(vectors[rows // 2 + 1 :]))
    assert (np.abs(rounded.cosines(query) - exact) <= rounded.errors + 1e-5).all()
    assert np.abs(rounded.in_memory().cosines(query) - rounded.cosines(query)).max() < 1e-6
    chosen = np.random.default_rng(seed).permutation(rows)[:50]
    assert np.abs(rounded.select(chosen).cosines(query) - rounded.cosines(query)[chosen]).max() < 1e-6
    difference = np.linalg.norm(rounded.vectors(chosen) - vectors[chosen].astype(np.float32), axis=1)
    assert (difference <= rounded.errors[chosen] + 1e-5).all()


@given(seed=st.integers(0, 1000), rows=st.integers(1, 300))
def test_a_vector_is_rounded_in_the_same_way_whatever_stands_beside_it(seed: int, rows: int) -> None:
    vectors = _units(seed, rows, 24).astype(HALF)
    together, alone = round_vectors(vectors), [round_vectors(vectors[[row]]) for row in range(rows)]
    every = np.arange(rows)
    assert np.array_equal(
        together.vectors(every), np.concatenate([each.vectors(np.array([0])) for each in alone])
    )
