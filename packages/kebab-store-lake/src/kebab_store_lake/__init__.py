"""A knowledge base as Lance tables in a folder or bucket: one process publishes it, any number read it.

Committer(folder, clock=clock).publish(base)
revision = LakeRevision(folder)
LakeLexicalIndex(revision).search(query, limit=10)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_store_lake.committer import Committer as Committer, PublishedBase as PublishedBase
    from kebab_store_lake.documents import (
        LakeDocumentStore as LakeDocumentStore,
        LakeSourceFiles as LakeSourceFiles,
    )
    from kebab_store_lake.head import Head as Head, read_newest_head as read_newest_head
    from kebab_store_lake.inspection import (
        count_unindexed as count_unindexed,
        list_damaged as list_damaged,
        list_miscounted as list_miscounted,
    )
    from kebab_store_lake.mirror import Mirroring as Mirroring, mirror_lake as mirror_lake
    from kebab_store_lake.objects import has_conditional_put as has_conditional_put, objects_of as objects_of
    from kebab_store_lake.revision import LakeRevision as LakeRevision
    from kebab_store_lake.rows import StoredPassage as StoredPassage
    from kebab_store_lake.terms import LakeLexicalIndex as LakeLexicalIndex
    from kebab_store_lake.vector_sums import VectorSums as VectorSums
    from kebab_store_lake.vectors import LakeEmbeddings as LakeEmbeddings, LakeVectorStore as LakeVectorStore

__getattr__, __dir__ = lazy_exports(__name__)
