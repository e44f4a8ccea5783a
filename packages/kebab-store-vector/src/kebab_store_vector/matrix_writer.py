"""Writes to a matrix, so that it equals its table after every commit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from kebab_core import ChunkId, EmbeddingIdentity, VectorKey

from kebab_store_vector.index_files import IndexPlace, TableStamp
from kebab_store_vector.manifest import (
    ApproximateIndex,
    Intent,
    MatrixManifest,
    read_manifest,
    write_manifest,
)
from kebab_store_vector.matrix_files import (
    ID,
    KeyNumbers,
    MatrixRows,
    append_rows,
    find_rows,
    next_generation,
    open_rows,
    packed_ids,
    remove_other_generations,
    split_ids,
    write_generation,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_UNSORTED_SHARE = 8
"""A matrix is rewritten when more than one row in so many is unsorted or dead."""
_MIN_UNSORTED_ROWS = 1000
"""Unsorted and dead rows that never cause a rewrite."""


class MatrixWriter:
    """The only writer of one matrix.

    Args:
        place: Of the index.
        manifest: The state on disk; its files are complete.
        rows: Of that state.
    """

    def __init__(self, place: IndexPlace, manifest: MatrixManifest, rows: MatrixRows) -> None:
        self._place = place
        self.manifest = manifest
        chunks = split_ids(np.ascontiguousarray(rows.keys["chunk"]))
        dead = set(rows.dead.tolist())
        self._row_of = {chunk: row for row, chunk in enumerate(chunks) if row not in dead}
        self._numbers = KeyNumbers(split_ids(rows.documents), rows.langs)

    def write_intent(self, intent: Intent) -> None:
        """Record a change of the table before it begins; readers go on with the matrix meanwhile."""
        self._write(self.manifest.model_copy(update={"intent": intent, "maintained": False}), durable=False)

    def find_stored(self, chunk_ids: Iterable[ChunkId]) -> list[ChunkId]:
        """Return the chunk ids that have a vector, each once, in order."""
        wanted = list(dict.fromkeys(chunk_ids))
        packed = split_ids(packed_ids(wanted))
        return [chunk_id for chunk_id, chunk in zip(wanted, packed, strict=True) if chunk in self._row_of]

    def append(self, keys: Sequence[VectorKey], vectors: NDArray[np.float16], stamp: TableStamp) -> None:
        """Append rows, each chunk once; earlier rows of the same chunks become dead."""
        known = len(self._numbers.documents)
        chunk_ids, doc_ids, langs = zip(*keys, strict=True)
        encoded = self._numbers.encode(chunk_ids, doc_ids, langs)
        documents = np.array(list(self._numbers.documents)[known:], ID)
        chunks = split_ids(np.ascontiguousarray(encoded["chunk"]))
        dead = [self._row_of[chunk] for chunk in chunks if chunk in self._row_of]
        self._extend({"vectors": vectors, "keys": encoded, "documents": documents}, dead, stamp)
        start = self.manifest.rows - len(chunks)
        self._row_of.update({chunk: start + place for place, chunk in enumerate(chunks)})

    def remove(self, chunk_ids: Sequence[ChunkId], stamp: TableStamp) -> None:
        """Mark the rows of stored chunks as dead."""
        chunks = split_ids(packed_ids(chunk_ids))
        self._extend({}, [self._row_of[chunk] for chunk in chunks], stamp)
        for chunk in chunks:
            del self._row_of[chunk]

    def update_stamp(
        self, stamp: TableStamp, *, approximate: ApproximateIndex | None, maintained: bool = False
    ) -> None:
        """Record a new version of the table that has the same rows."""
        update = {
            "approximate": approximate,
            "maintained": maintained,
            "edition": self.manifest.content_version,
        }
        self._write(self.manifest.model_copy(update=update | _stamped(stamp)))

    def rewrite(self) -> MatrixWriter:
        """Write all live rows to a new generation, sorted.

        Returns:
            The writer of the new generation; this one must not be used any more.
        """
        rows = open_rows(self._place.matrix, self.manifest)
        held = self.manifest
        rewritten = write_matrix(
            self._place, held.identity, rows, held.stamp, content_version=held.content_version
        )
        rewritten.update_stamp(self.manifest.stamp, approximate=self.manifest.approximate)
        return rewritten

    def needs_rewrite(self) -> bool:
        """True if so many rows are unsorted or dead that the matrix should be rewritten."""
        unsorted = self.manifest.rows - self.manifest.ordered + self.manifest.dead
        return unsorted > max(_MIN_UNSORTED_ROWS, self.manifest.rows // _UNSORTED_SHARE)

    def _extend(self, added: Mapping[str, NDArray[Any]], dead: list[int], stamp: TableStamp) -> None:
        pieces = {**added, "dead": np.array(dead, np.uint32)}
        checksums = append_rows(self._place.matrix, self.manifest, pieces)
        counts = {
            "checksums": checksums,
            "rows": self.manifest.rows + len(added.get("keys", ())),
            "dead": self.manifest.dead + len(dead),
            "documents": self.manifest.documents + len(added.get("documents", ())),
            "langs": tuple(self._numbers.langs),
            "maintained": False,
            "edition": "",
        }
        self._write(self.manifest.model_copy(update=counts | _stamped(stamp)))

    def _write(self, manifest: MatrixManifest, *, durable: bool = True) -> None:
        write_manifest(self._place.matrix, manifest, durable=durable)
        self.manifest = manifest


def open_writer(place: IndexPlace, stamp: TableStamp) -> MatrixWriter | None:
    """Return the writer of a matrix; None if it does not equal this version of its table."""
    manifest = read_manifest(place.matrix)
    if manifest is None or manifest.stamp != stamp:
        return None
    rows = find_rows(place.matrix, manifest)
    return None if rows is None else MatrixWriter(place, manifest, rows)


def write_matrix(
    place: IndexPlace,
    identity: EmbeddingIdentity,
    rows: MatrixRows,
    stamp: TableStamp,
    *,
    content_version: str = "",
) -> MatrixWriter:
    """Write the live rows of an index to a new generation, sorted by chunk id.

    Args:
        place: Of the index.
        identity: The model of the vectors.
        rows: All rows.
        stamp: The version of the table with these rows.
        content_version: Of the rows; empty if `stamp` is the version that changed them last.

    Returns:
        The writer of the new matrix.
    """
    generation = next_generation(place.matrix)
    live = np.ones(len(rows.keys), np.bool_)
    live[rows.dead] = False
    kept = np.flatnonzero(live)
    order = kept[np.argsort(rows.keys["chunk"][kept], kind="stable")]
    numbers = _renumber_documents(rows, order)
    checksums = write_generation(place.matrix, generation, numbers, order=order)
    manifest = MatrixManifest(
        checksums=checksums,
        identity=identity,
        generation=generation,
        rows=len(order),
        ordered=len(order),
        dead=0,
        documents=len(numbers.documents),
        langs=rows.langs,
        table_version=stamp.version,
        table_digest=stamp.digest,
        edition=content_version,
    )
    write_manifest(place.matrix, manifest)
    remove_other_generations(place.matrix, generation)
    return MatrixWriter(place, manifest, open_rows(place.matrix, manifest))


def _renumber_documents(rows: MatrixRows, order: NDArray[np.intp]) -> MatrixRows:
    """Drop documents without a row in `order`, and renumber the rest."""
    used, numbers = np.unique(rows.keys["document"][order], return_inverse=True)
    keys = np.array(rows.keys)
    keys["document"][order] = numbers
    return rows._replace(keys=keys, documents=np.array(rows.documents)[used])


def _stamped(stamp: TableStamp) -> dict[str, object]:
    return {"table_version": stamp.version, "table_digest": stamp.digest, "intent": None}
