"""Whether a matrix says what its table says."""

from __future__ import annotations

import numpy as np

from kebab_store_vector.lance_table import LanceTable, ReadBatch
from kebab_store_vector.matrix_rows import MatrixRows, packed_ids
from kebab_store_vector.snapshot import Snapshot
from kebab_store_vector.unit_rows import halved


def is_same(rows: MatrixRows, table: LanceTable) -> bool:
    """Return whether a matrix has the rows of a table, with the same documents, languages and vectors."""
    snapshot = Snapshot(rows)
    count = 0
    for batch in table.read():
        if not _has(snapshot, batch):
            return False
        count += len(batch.chunk_ids)
    return count == len(snapshot.living_rows())


def _has(snapshot: Snapshot, batch: ReadBatch) -> bool:
    places = snapshot.rows_of(batch.chunk_ids)
    if (places < 0).any():
        return False
    keys = snapshot.rows.keys[places]
    documents = snapshot.rows.documents[keys["document"]]
    langs = [snapshot.rows.langs[number] for number in keys["lang"].tolist()]
    return (
        langs == batch.langs
        and bool((documents == packed_ids(batch.doc_ids)).all())
        and np.array_equal(snapshot.rows.vectors[places], halved(batch.vectors))
    )
