"""Rows of vectors as arrays, and reading them from a `EmbeddingRepo`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from kebab_core import ChunkId, DatabaseCorruptError, TextHash

from kebab_store_vector.errors import REMAKE
from kebab_store_vector.half_vectors import HALF, has_unit_norm
from kebab_store_vector.rounded_vectors import RoundedVectors, round_vectors

if TYPE_CHECKING:
    from kebab_core import EmbeddingIdentity, EmbeddingRepo, VectorRows
    from numpy.typing import NDArray


ID_BYTES = 16
ID = np.dtype(f"S{ID_BYTES}")
"""The 16 bytes of an id or of the hash of a text; all have one length, so that numpy compares them as bytes."""
KEY = np.dtype([("chunk", ID), ("text", ID), ("document", "<u4"), ("lang", "<u2")])
"""Key of a row; document and language are indexes into their lists."""
_BLOCK = 4096
_DAMAGE = "a vector in the database is damaged"


class MatrixRows(NamedTuple):
    """n vectors of d dimensions with their keys."""

    vectors: RoundedVectors
    """Of unit norm but for rounding."""
    keys: NDArray[np.void]
    """Shape (n,) of `KEY`."""
    documents: NDArray[np.bytes_]
    """Ids, in the order of their numbers."""
    langs: tuple[str, ...]
    """In the order of their numbers."""
    dead: NDArray[np.intp]
    """Numbers of rows that are not in the source any more."""
    ordered: int
    """Number of rows at the start that are sorted by chunk id; each id is in them once."""

    @property
    def stale(self) -> int:
        """Number of rows that are dead or behind the sorted ones."""
        return len(self.keys) - self.ordered + len(self.dead)


class _KeyNumbers:
    """Assigns numbers to documents and languages, continuing after those given."""

    def __init__(self, documents: Iterable[bytes] = (), langs: Iterable[str] = ()) -> None:
        self.documents = {document: number for number, document in enumerate(documents)}
        self.langs = {lang: number for number, lang in enumerate(langs)}

    def encode(self, rows: Iterable[VectorRows]) -> NDArray[np.void]:
        """Return the keys of rows."""
        chunks, texts, sizes, documents, langs = [], [], [], [], []
        for doc_id, lang, chunk_ids, text_hashes in rows:
            chunks.append(chunk_ids)
            texts.append(text_hashes)
            sizes.append(len(chunk_ids) // ID_BYTES)
            documents.append(self.documents.setdefault(bytes.fromhex(doc_id), len(self.documents)))
            langs.append(self.langs.setdefault(lang, len(self.langs)))
        keys = np.zeros(sum(sizes), KEY)
        keys["chunk"] = np.frombuffer(b"".join(chunks), ID)
        keys["text"] = np.frombuffer(b"".join(texts), ID)
        keys["document"] = np.repeat(np.array(documents, np.uint32), sizes)
        keys["lang"] = np.repeat(np.array(langs, np.uint16), sizes)
        return keys


def collect_rows(source: EmbeddingRepo, identity: EmbeddingIdentity, known: MatrixRows | None) -> MatrixRows:
    """Return all rows of a model in their present state. The source must stay in one state.

    Args:
        source: The vectors.
        identity: The model.
        known: Sorted rows of an earlier state; vectors that are in them are not read from the source.

    Returns:
        Sorted by chunk id, or the known rows with those that are missing behind them.

    Raises:
        DatabaseCorruptError: A vector is damaged.
    """
    numbers = _KeyNumbers() if known is None else _KeyNumbers(split_ids(known.documents), known.langs)
    keys = numbers.encode(source.rows(identity))
    documents, langs = np.frombuffer(b"".join(numbers.documents), ID), tuple(numbers.langs)
    none = np.empty(0, np.intp)
    if known is None or not len(known.keys):
        keys = keys[np.argsort(keys["chunk"], kind="stable")]
        vectors = _round_stored(source, identity, keys)
        return MatrixRows(vectors, keys, documents, langs, none, len(keys))
    places = ChunkIndex(known).find(keys["chunk"])
    is_known = (places >= 0) & (known.keys[places] == keys)
    gone = np.ones(len(known.keys), np.bool_)
    gone[places[is_known]] = False
    added = keys[~is_known]
    return MatrixRows(
        vectors=known.vectors.followed_by(_round_stored(source, identity, added)),
        keys=np.concatenate([known.keys, added]),
        documents=documents,
        langs=langs,
        dead=np.flatnonzero(gone),
        ordered=known.ordered,
    )


class ChunkIndex:
    """The live rows by chunk id."""

    def __init__(self, rows: MatrixRows) -> None:
        self._ordered = rows.ordered
        self._chunks = np.ascontiguousarray(rows.keys["chunk"])
        self._live = np.ones(len(self._chunks), np.bool_)
        self._live[rows.dead] = False
        behind = np.flatnonzero(self._live[rows.ordered :]) + rows.ordered
        self._behind = behind[np.argsort(self._chunks[behind], kind="stable")]
        self._behind_chunks = self._chunks[self._behind]

    def find(self, chunks: NDArray[np.bytes_]) -> NDArray[np.intp]:
        """Return the number of the live row of each chunk, -1 without one."""
        found = np.full(len(chunks), -1, np.intp)
        if self._ordered:
            places = np.searchsorted(self._chunks[: self._ordered], chunks)
            self._take(found, chunks, np.minimum(places, self._ordered - 1))
        if len(self._behind):
            places = np.searchsorted(self._behind_chunks, chunks)
            self._take(found, chunks, self._behind[np.minimum(places, len(self._behind) - 1)])
        return found

    def _take(
        self, found: NDArray[np.intp], chunks: NDArray[np.bytes_], candidates: NDArray[np.intp]
    ) -> None:
        is_found = (self._chunks[candidates] == chunks) & self._live[candidates]
        found[is_found] = candidates[is_found]


def read_exact(
    source: EmbeddingRepo, identity: EmbeddingIdentity, rows: MatrixRows, chosen: NDArray[np.intp]
) -> NDArray[np.floating]:
    """Read the vectors of chosen rows from the source, which must be in the state of the rows.

    A vector that is damaged there is the rounded one: `find_damaged` tells of it, and the next pass makes it again.

    Returns:
        Shape (k, d), of half precision, or single where one is damaged.
    """
    size = identity.dimensions * HALF.itemsize
    texts = map(TextHash, split_ids(np.ascontiguousarray(rows.keys["text"][chosen])))
    stored = [vector if len(vector) == size else bytes(size) for vector in source.vectors(identity, texts)]
    found = np.frombuffer(b"".join(stored), HALF).reshape(len(chosen), identity.dimensions)
    intact = has_unit_norm(found)
    if intact.all():
        return found
    wide = found.astype(np.float32)
    wide[~intact] = rows.vectors.vectors(chosen[~intact])
    return wide


def find_damaged(source: EmbeddingRepo, identity: EmbeddingIdentity) -> list[TextHash]:
    """Return the texts of passages whose vectors do not have the length and unit norm of the model's."""
    texts = list(dict.fromkeys(chain.from_iterable(rows.list_texts() for rows in source.rows(identity))))
    size = identity.dimensions * HALF.itemsize
    damaged: list[TextHash] = []
    for start in range(0, len(texts), _BLOCK):
        block = texts[start : start + _BLOCK]
        stored = list(source.vectors(identity, block))
        whole = [vector if len(vector) == size else bytes(size) for vector in stored]
        found = np.frombuffer(b"".join(whole), HALF).reshape(len(block), identity.dimensions)
        damaged += [
            text for text, intact in zip(block, has_unit_norm(found).tolist(), strict=True) if not intact
        ]
    return damaged


def _round_stored(
    source: EmbeddingRepo, identity: EmbeddingIdentity, keys: NDArray[np.void]
) -> RoundedVectors:
    """Read the vectors of rows and round them.

    Raises:
        DatabaseCorruptError: One is damaged.
    """
    size = identity.dimensions * HALF.itemsize
    found = round_vectors(np.empty((0, identity.dimensions), HALF))
    blocks = []
    for start in range(0, len(keys), _BLOCK):
        texts = map(TextHash, split_ids(np.ascontiguousarray(keys["text"][start : start + _BLOCK])))
        stored = list(source.vectors(identity, texts))
        if any(len(vector) != size for vector in stored):
            raise DatabaseCorruptError(_DAMAGE, remedy=REMAKE)
        block = np.frombuffer(b"".join(stored), HALF).reshape(len(stored), identity.dimensions)
        if not has_unit_norm(block).all():
            raise DatabaseCorruptError(_DAMAGE, remedy=REMAKE)
        blocks.append(round_vectors(block))
    return reduce(RoundedVectors.followed_by, blocks, found)


def packed_ids(ids: Iterable[str]) -> NDArray[np.bytes_]:
    """Return the bytes of ids of 32 hex digits."""
    return np.frombuffer(bytes.fromhex("".join(ids)), ID)


def chunk_id_of(packed: np.bytes_ | bytes) -> ChunkId:
    """Return the id of bytes whose trailing zeros numpy has cut off."""
    return ChunkId(bytes(packed).ljust(ID_BYTES, b"\0").hex())


def split_ids(packed: NDArray[np.bytes_]) -> Sequence[bytes]:
    """Return the 16 bytes of each id."""
    whole = packed.tobytes()
    return [whole[start : start + ID_BYTES] for start in range(0, len(whole), ID_BYTES)]
