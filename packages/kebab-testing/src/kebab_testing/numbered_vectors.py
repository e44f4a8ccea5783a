"""An index whose every vector is made of a number, to be filled and looked through in tests of vector stores."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from kebab_core import ChunkId, VectorKey, VectorStore

from kebab_testing.vectors import hex_id, identity_of, index_id, matrix_of, unit, vector_key

INDEX = index_id("numbered")
DIMENSIONS = 16
QUERY = matrix_of(unit([1.0] * DIMENSIONS))
_CHUNKS_OF_DOCUMENT = 3

State = dict[str, tuple[str, float]]


def put_numbered(store: VectorStore, numbers: Iterable[int]) -> None:
    """Store the vectors of some numbers in one call; the index is made if there is none."""
    chosen = list(numbers)
    store.ensure_table(INDEX, identity_of(DIMENSIONS))
    store.upsert(INDEX, [numbered_key(number) for number in chosen], matrix_of(*map(_row, chosen)))


def numbered_key(number: int) -> VectorKey:
    """Return what the vector of a number belongs to; three numbers make a document."""
    document = str(number // _CHUNKS_OF_DOCUMENT)
    return vector_key(str(number), document=document, lang="ko" if number % 2 else "en")


def numbered_chunks(numbers: Iterable[int]) -> list[ChunkId]:
    """Return the chunks of some numbers."""
    return [ChunkId(hex_id(str(number))) for number in numbers]


def state_of(store: VectorStore) -> State:
    """Return language and cosine with `QUERY` of every chunk, after holding the ways of reading to each other."""
    hits = store.search(INDEX, QUERY, limit=10_000)
    ids = [hit.chunk_id for hit in hits]
    assert sorted(store.chunk_ids(INDEX)) == sorted(ids)
    assert store.similarities(INDEX, QUERY, ids) == [hit.cosine for hit in hits]
    assert sum(spread.vectors for spread in store.cosine_distributions(INDEX, QUERY)) == len(ids)
    return {hit.chunk_id: (hit.lang, hit.cosine) for hit in hits}


def _row(number: int) -> list[float]:
    random = Random(number)  # noqa: S311 - the same vector every time
    return unit([random.gauss(0.2, 1) for _ in range(DIMENSIONS)])
