"""Vectors that are made of numbers, to be stored and looked through in tests of vector stores."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from kebab_core import ChunkId, VectorRow, VectorStore

from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.vectors import hex_id, identity_of, matrix_of, unit, vector_row

DIMENSIONS = 16
MODEL = identity_of(DIMENSIONS)
QUERY = matrix_of(unit([1.0] * DIMENSIONS))
_CHUNKS_OF_DOCUMENT = 3

State = dict[str, tuple[str, float]]


def put_numbered(source: InMemoryVectorSource, numbers: Iterable[int]) -> None:
    """Give the passages of some numbers their vectors."""
    source.put(MODEL, {numbered_row(number): _vector(number) for number in numbers})


def numbered_row(number: int) -> VectorRow:
    """Return the passage of a number; three numbers make a document."""
    document = str(number // _CHUNKS_OF_DOCUMENT)
    return vector_row(str(number), document=document, lang="ko" if number % 2 else "en")


def numbered_chunks(numbers: Iterable[int]) -> list[ChunkId]:
    """Return the chunks of some numbers."""
    return [ChunkId(hex_id(str(number))) for number in numbers]


def state_of(store: VectorStore) -> State:
    """Return language and cosine with `QUERY` of every chunk, after comparing the ways of reading with each other."""
    hits = store.search(MODEL, QUERY, limit=10_000)
    ids = [hit.chunk_id for hit in hits]
    assert store.similarities(MODEL, QUERY, ids) == [hit.cosine for hit in hits]
    assert sum(spread.vectors for spread in store.cosine_distributions(MODEL, QUERY)) == len(ids)
    return {hit.chunk_id: (hit.lang, hit.cosine) for hit in hits}


def _vector(number: int) -> list[float]:
    random = Random(number)  # noqa: S311 - the same vector every time
    return unit([random.gauss(0.2, 1) for _ in range(DIMENSIONS)])
