"""What is found in one state of an index, held to a plain sort."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import given, strategies as st
from kebab_core import ChunkId, DocumentId
from kebab_store_vector.half_vectors import HALF
from kebab_store_vector.rounded_vectors import round_vectors
from kebab_store_vector.rows import ID, KEY, MatrixRows, chunk_id_of, packed_ids
from kebab_store_vector.snapshot import Snapshot
from kebab_testing.vectors import hex_id
from numpy.typing import NDArray

D = 6
DOCUMENTS = 5


class Stored(NamedTuple):
    """Rows and their vectors in half precision."""

    rows: MatrixRows
    halves: NDArray[np.float16]

    def snapshot(self) -> Snapshot:
        return Snapshot(self.rows, self.halves.__getitem__)


def _stored(random: np.random.Generator, size: int, *, ordered: int, dead: int) -> Stored:
    """Return rows whose few different vectors make ties; ids that end in zeros are among them."""
    keys = np.zeros(size, KEY)
    ids = [hex_id(str(number)) for number in range(size)]
    keys["chunk"] = packed_ids([
        name[:28] + "0000" if number % 3 == 0 else name for number, name in enumerate(ids)
    ])
    keys["document"] = random.integers(DOCUMENTS, size=size)
    keys["lang"] = random.integers(2, size=size)
    keys[:ordered] = np.sort(keys[:ordered], order="chunk")
    kinds = random.normal(size=(7, D))
    vectors = (kinds / np.linalg.norm(kinds, axis=1, keepdims=True))[random.integers(7, size=size)]
    documents = packed_ids([hex_id(f"document {number}") for number in range(DOCUMENTS)])
    gone = random.permutation(size)[:dead].astype(np.uint32)
    halves = vectors.astype(HALF)
    return Stored(MatrixRows(round_vectors(halves), keys, documents, ("ko", "en"), gone, ordered), halves)


@st.composite
def _stores(draw: st.DrawFn) -> tuple[Stored, NDArray[np.float32]]:
    size = draw(st.integers(0, 60))
    random = np.random.default_rng(draw(st.integers(0, 999)))
    stored = _stored(random, size, ordered=draw(st.integers(0, size)), dead=draw(st.integers(0, size)))
    query = random.normal(size=D)
    return stored, (query / np.linalg.norm(query)).astype(np.float32)


@given(
    drawn=_stores(),
    limit=st.integers(1, 70),
    documents=st.none() | st.frozensets(st.integers(0, DOCUMENTS)),
    lang=st.sampled_from([None, "ko", "en", "fr"]),
)
def test_a_search_is_the_beginning_of_a_sort_of_all_that_pass(
    drawn: tuple[Stored, NDArray[np.float32]],
    limit: int,
    documents: frozenset[int] | None,
    lang: str | None,
) -> None:
    stored, query = drawn
    rows, snapshot = stored.rows, stored.snapshot()
    live = set(range(len(rows.keys))) - set(rows.dead.tolist())
    passing = [
        row
        for row in live
        if (documents is None or int(rows.keys["document"][row]) in documents)
        and (lang is None or rows.langs[rows.keys["lang"][row]] == lang)
    ]
    cosines = {row: float((stored.halves[row] * query.astype(np.float64)).sum()) for row in passing}
    passing.sort(key=lambda row: (-cosines[row], chunk_id_of(rows.keys["chunk"][row])))
    chosen = documents and frozenset(DocumentId(hex_id(f"document {number}")) for number in documents)
    hits = snapshot.search(query, limit=limit, documents=chosen, lang=lang)
    assert [hit.chunk_id for hit in hits] == [chunk_id_of(rows.keys["chunk"][row]) for row in passing[:limit]]
    assert [hit.cosine for hit in hits] == [cosines[row] for row in passing[:limit]]


@given(drawn=_stores())
def test_rows_are_found_by_chunk_wherever_they_stand(drawn: tuple[Stored, NDArray[np.float32]]) -> None:
    snapshot = drawn[0].snapshot()
    chunks = [chunk_id_of(chunk) for chunk in snapshot.rows.keys["chunk"]]
    live = set(snapshot.live_rows().tolist())
    expected = [row if row in live else -1 for row in range(len(chunks))]
    unknown = ChunkId("f" * 32)
    assert snapshot.rows_of([*chunks, unknown]).tolist() == [*expected, -1]
    assert snapshot.chunks_of(snapshot.live_rows()) == [chunks[row] for row in sorted(live)]


def test_an_old_row_of_a_chunk_gives_way_to_its_new_one() -> None:
    random = np.random.default_rng(1)
    rows, halves = _stored(random, 10, ordered=8, dead=0)
    rows.keys["chunk"][8] = rows.keys["chunk"][3]
    snapshot = Stored(rows._replace(dead=np.array([3])), halves).snapshot()
    assert snapshot.rows_of([chunk_id_of(rows.keys["chunk"][8])]).tolist() == [8]


def test_ids_keep_the_zeros_that_they_end_in() -> None:
    name = "ab" * 10 + "0" * 12
    packed = packed_ids([name, "0" * 32])
    assert [chunk_id_of(one) for one in packed] == [name, "0" * 32]
    assert packed.dtype == ID
