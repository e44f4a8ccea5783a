"""Search over the vectors of a database: by a matrix that is made from it, and in large bases by an index of LanceDB.

Implements `VectorStore` of `kebab_core`. Makes no vectors and knows no texts.

    store = MatrixVectorStore(folder, source)
    store.search(identity, query, limit=10)
    store.update(identity)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_store_vector.lance_store import EXACT_ROWS as EXACT_ROWS, LanceVectorStore as LanceVectorStore
    from kebab_store_vector.store import MatrixVectorStore as MatrixVectorStore

__getattr__, __dir__ = lazy_exports(__name__)
