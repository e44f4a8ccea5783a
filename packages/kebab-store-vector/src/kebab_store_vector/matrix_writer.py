"""Keeps a matrix in step with its table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from kebab_core import ChunkId, EmbeddingIdentity, VectorKey

from kebab_store_vector.lance_errors import MatrixDamagedError
from kebab_store_vector.manifest import (
    ApproximateIndex,
    Intent,
    MatrixManifest,
    read_manifest,
    write_manifest,
)
from kebab_store_vector.matrix_files import (
    append_rows,
    next_generation,
    open_rows,
    remove_other_generations,
    write_generation,
)
from kebab_store_vector.matrix_rows import (
    ID,
    KEY,
    KeyNumbers,
    MatrixRows,
    encode_keys,
    packed_ids,
    split_ids,
)
from kebab_store_vector.places import IndexPlace
from kebab_store_vector.table_versions import TableStamp
from kebab_store_vector.vector_file import HALF

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LATER_SHARE = 8
"""Rows out of order and dead ones may be one in so many before all is written anew."""
_LATER_ROWS = 1000


class MatrixWriter:
    """The matrix of one index as its one writer knows it.

    Args:
        place: Of the index.
        manifest: The state on disk, whose files are whole.
        rows: Of that state.
    """

    def __init__(self, place: IndexPlace, manifest: MatrixManifest, rows: MatrixRows) -> None:
        self._place = place
        self.manifest = manifest
        chunks = split_ids(np.ascontiguousarray(rows.keys["chunk"]))
        dead = set(rows.dead.tolist())
        self._row_of = {chunk: row for row, chunk in enumerate(chunks) if row not in dead}
        self._numbers = KeyNumbers(split_ids(rows.documents), rows.langs)

    def announce(self, intent: Intent) -> None:
        """Tell readers what comes, so that they go on with the matrix meanwhile."""
        self._write(self.manifest.model_copy(update={"intent": intent, "maintained": False}), durable=False)

    def held(self, chunk_ids: Iterable[ChunkId]) -> list[ChunkId]:
        """Return those that have a vector, each once, in order."""
        asked = list(dict.fromkeys(chunk_ids))
        packed = split_ids(packed_ids(asked))
        return [chunk_id for chunk_id, chunk in zip(asked, packed, strict=True) if chunk in self._row_of]

    def append(self, keys: Sequence[VectorKey], vectors: NDArray[np.float16], stamp: TableStamp) -> None:
        """Add rows, each chunk once, in place of those of the same chunks."""
        known = len(self._numbers.documents)
        encoded = encode_keys(self._numbers, keys)
        documents = np.array(list(self._numbers.documents)[known:], ID)
        chunks = split_ids(np.ascontiguousarray(encoded["chunk"]))
        dead = [self._row_of[chunk] for chunk in chunks if chunk in self._row_of]
        self._extend(_added(encoded, vectors, documents, dead), stamp)
        start = self.manifest.rows - len(chunks)
        self._row_of.update({chunk: start + place for place, chunk in enumerate(chunks)})

    def bury(self, chunk_ids: Sequence[ChunkId], stamp: TableStamp) -> None:
        """Remove rows that are there."""
        chunks = split_ids(packed_ids(chunk_ids))
        none = np.empty((0, self.manifest.identity.dimensions), HALF)
        dead = [self._row_of[chunk] for chunk in chunks]
        self._extend(_added(np.empty(0, KEY), none, np.empty(0, ID), dead), stamp)
        for chunk in chunks:
            del self._row_of[chunk]

    def settle(
        self, stamp: TableStamp, *, approximate: ApproximateIndex | None, maintained: bool = False
    ) -> None:
        """Note that the table has changed without any of its rows."""
        update = {"approximate": approximate, "maintained": maintained, "edition": self.manifest.row_edition}
        self._write(self.manifest.model_copy(update=update | _stamped(stamp)))

    def tighten(self) -> MatrixWriter:
        """Write all rows anew, in order.

        Returns:
            The writer to go on with; this one is not used any more.
        """
        rows = open_rows(self._place.matrix, self.manifest)
        held = self.manifest
        tight = write_matrix(self._place, held.identity, rows, held.stamp, edition=held.row_edition)
        tight.settle(self.manifest.stamp, approximate=self.manifest.approximate)
        return tight

    def is_loose(self) -> bool:
        """Return whether so much was appended and buried that all should be written anew."""
        loose = self.manifest.rows - self.manifest.ordered + self.manifest.dead
        return loose > max(_LATER_ROWS, self.manifest.rows // _LATER_SHARE)

    def _extend(self, added: MatrixRows, stamp: TableStamp) -> None:
        checksums = append_rows(self._place.matrix, self.manifest, added)
        counts = {
            "checksums": checksums,
            "rows": self.manifest.rows + len(added.keys),
            "dead": self.manifest.dead + len(added.dead),
            "documents": self.manifest.documents + len(added.documents),
            "langs": tuple(self._numbers.langs),
            "maintained": False,
            "edition": "",
        }
        self._write(self.manifest.model_copy(update=counts | _stamped(stamp)))

    def _write(self, manifest: MatrixManifest, *, durable: bool = True) -> None:
        write_manifest(self._place.matrix, manifest, durable=durable)
        self.manifest = manifest


def open_writer(place: IndexPlace, stamp: TableStamp) -> MatrixWriter | None:
    """Return the writer of a matrix that equals this version of its table; None if it does not."""
    manifest = read_manifest(place.matrix)
    if manifest is None or manifest.stamp != stamp:
        return None
    try:
        return MatrixWriter(place, manifest, open_rows(place.matrix, manifest))
    except (FileNotFoundError, MatrixDamagedError):
        return None


def write_matrix(
    place: IndexPlace, identity: EmbeddingIdentity, rows: MatrixRows, stamp: TableStamp, *, edition: str = ""
) -> MatrixWriter:
    """Write all rows of an index anew, in the order of their chunk ids and without those that are dead.

    Args:
        place: Of the index.
        identity: Whose vectors these are.
        rows: What to write.
        stamp: The version of the table that has these rows.
        edition: Of the rows, where they are older than that version.

    Returns:
        The writer of the new matrix.
    """
    generation = next_generation(place.matrix)
    living = np.ones(len(rows.keys), np.bool_)
    living[rows.dead] = False
    kept = np.flatnonzero(living)
    order = kept[np.argsort(rows.keys["chunk"][kept], kind="stable")]
    numbers = _numbered_anew(rows, order)
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
        edition=edition,
    )
    write_manifest(place.matrix, manifest)
    remove_other_generations(place.matrix, generation)
    return MatrixWriter(place, manifest, open_rows(place.matrix, manifest))


def _added(
    keys: NDArray[np.void], vectors: NDArray[np.float16], documents: NDArray[np.bytes_], dead: list[int]
) -> MatrixRows:
    return MatrixRows(vectors, keys, documents, (), np.array(dead, np.uint32), 0)


def _numbered_anew(rows: MatrixRows, order: NDArray[np.intp]) -> MatrixRows:
    """Return the rows with the numbers of only those documents that the chosen rows have."""
    used, numbers = np.unique(rows.keys["document"][order], return_inverse=True)
    keys = np.array(rows.keys)
    keys["document"][order] = numbers
    return rows._replace(keys=keys, documents=np.array(rows.documents)[used])


def _stamped(stamp: TableStamp) -> dict[str, object]:
    return {"table_version": stamp.version, "table_digest": stamp.digest, "intent": None}
