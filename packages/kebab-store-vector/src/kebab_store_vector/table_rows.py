"""All rows of a table as rows of a matrix: slow, and needed only where there is no matrix that equals the table."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kebab_store_vector.lance_table import LanceTable, ReadBatch
from kebab_store_vector.matrix_rows import ID, KEY, KeyNumbers, MatrixRows, packed_ids, split_ids
from kebab_store_vector.places import IndexPlace
from kebab_store_vector.unit_rows import halved
from kebab_store_vector.vector_file import HALF


def rows_of_table(place: IndexPlace) -> MatrixRows:
    """Return the rows of the newest version of a table.

    Raises:
        StorageError: It cannot be read.
    """
    table = LanceTable.open(place)
    return gathered_rows(table.read(), table.identity.dimensions)


def gathered_rows(batches: Iterable[ReadBatch], dimensions: int) -> MatrixRows:
    """Return rows of a table as rows of a matrix, in no order."""
    numbers = KeyNumbers()
    keys, vectors = [np.empty(0, KEY)], [np.empty((0, dimensions), HALF)]
    for batch in batches:
        documents = split_ids(packed_ids(batch.doc_ids))
        keys.append(numbers.encode(packed_ids(batch.chunk_ids), documents, batch.langs))
        vectors.append(halved(batch.vectors))
    return MatrixRows(
        vectors=np.concatenate(vectors),
        keys=np.concatenate(keys),
        documents=np.array(list(numbers.documents), ID),
        langs=tuple(numbers.langs),
        dead=np.empty(0, np.uint32),
        ordered=0,
    )
