"""Rows of a matrix as arrays, and how ids and languages become numbers in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from kebab_core import ChunkId, VectorKey

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kebab_store_vector.vector_file import VectorFile

ID_BYTES = 16
ID = np.dtype(f"S{ID_BYTES}")
"""An id's 16 bytes. All are of one length, so that comparing them as strings compares them as bytes."""
KEY = np.dtype([("chunk", ID), ("document", "<u4"), ("lang", "<u2"), ("reserved", "<u2")])
"""What a vector belongs to; the document and the language as places in their lists."""


class MatrixRows(NamedTuple):
    """n vectors of d dimensions with what is needed to choose among them."""

    vectors: NDArray[np.floating] | VectorFile
    """Shape (n, d) of half precision, or the same values in single precision; rows of unit norm."""
    keys: NDArray[np.void]
    """Shape (n,) of `KEY`."""
    documents: NDArray[np.bytes_]
    """Ids, in the order of their numbers."""
    langs: tuple[str, ...]
    """In the order of their numbers."""
    dead: NDArray[np.uint32]
    """Rows that count no more."""
    ordered: int
    """How many of the first rows are in the order of their chunk ids."""


class KeyNumbers:
    """Numbers documents and languages as they come, from those that are known on."""

    def __init__(self, documents: Iterable[bytes] = (), langs: Iterable[str] = ()) -> None:
        self.documents = {document: number for number, document in enumerate(documents)}
        self.langs = {lang: number for number, lang in enumerate(langs)}

    def encode(
        self, chunks: NDArray[np.bytes_], documents: Sequence[bytes], langs: Sequence[str]
    ) -> NDArray[np.void]:
        """Return the keys of some rows."""
        keys = np.zeros(len(chunks), KEY)
        keys["chunk"] = chunks
        keys["document"] = [
            self.documents.setdefault(document, len(self.documents)) for document in documents
        ]
        keys["lang"] = [self.langs.setdefault(lang, len(self.langs)) for lang in langs]
        return keys


def packed_ids(ids: Iterable[str]) -> NDArray[np.bytes_]:
    """Return ids of 32 hex digits as their bytes."""
    return np.frombuffer(bytes.fromhex("".join(ids)), ID)


def chunk_id_of(packed: np.bytes_ | bytes) -> ChunkId:
    """Return an id from its bytes, without those zeros at the end that numpy leaves out."""
    return ChunkId(bytes(packed).ljust(ID_BYTES, b"\0").hex())


def split_ids(packed: NDArray[np.bytes_]) -> list[bytes]:
    """Return each id's 16 bytes."""
    whole = packed.tobytes()
    return [whole[start : start + ID_BYTES] for start in range(0, len(whole), ID_BYTES)]


def encode_keys(numbers: KeyNumbers, keys: Sequence[VectorKey]) -> NDArray[np.void]:
    """Return the keys of some rows."""
    documents = split_ids(packed_ids(key.doc_id for key in keys))
    return numbers.encode(packed_ids(key.chunk_id for key in keys), documents, [key.lang for key in keys])
