"""Vectors of kebab in LanceDB, read from a mapped matrix.

Implements `VectorStore` of `kebab_core`. Makes no vectors and knows no texts.

    store = LanceVectorStore(folder)
    store.ensure_table(index_id, identity)
    store.upsert(index_id, keys, vectors)
    store.search(index_id, query, limit=10)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_store_vector.report import VectorReport as VectorReport
    from kebab_store_vector.store import LanceVectorStore as LanceVectorStore

__getattr__, __dir__ = lazy_exports(__name__)
