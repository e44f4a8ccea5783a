"""Indexes that say how many vectors they have, but cannot be read to their end."""

from __future__ import annotations

import logging

from kebab_core import DatabaseCorruptError, EmbeddingIdentity, EmbeddingRepo, VectorStore

from kebab_app.embedding.reconciliation import Reconciliation

_LOG = logging.getLogger("kebab.embedding")


def drop_unreadable(store: VectorStore, repo: EmbeddingRepo, identity: EmbeddingIdentity) -> None:
    """Read every index to its end, as the doctor does; one that is damaged goes, and the next pass makes it anew.

    An index may be asked for its rows, and searched, while one file of its table is cut off: counting finds nothing.

    Args:
        store: The vectors.
        repo: What is known of them.
        identity: The model in force; rows of its index are pending again if that is damaged.

    Raises:
        StorageError: An index cannot be read, or not be removed, for another reason than damage.
    """
    from kebab_store_vector import LanceVectorStore

    if not isinstance(store, LanceVectorStore):
        return
    try:
        tables = store.tables()
    except DatabaseCorruptError:  # the pass finds that by itself
        return
    mending = Reconciliation(repo=repo, store=store, identity=identity)
    for table in tables:
        try:
            store.report(table.index_id)
        except DatabaseCorruptError as error:
            _LOG.warning("the vector index %s is made anew: %s", table.index_id, error.message)
            mending.start_over(table.index_id)
