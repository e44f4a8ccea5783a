"""The law suites of SQLite's stores, over a lake to which each change is published before it is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from kebab_core import VectorRow
from kebab_store_lake import Head, LakeRevision, LakeVectorStore, StoredPassage, VectorSums
from kebab_store_lake.head import Heads
from kebab_store_lake.tables import LakeFolder
from kebab_testing.fakes.clock import START
from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.laws.asset_store import AssetStoreLaws
from kebab_testing.laws.document_store import DocumentStoreLaws
from kebab_testing.laws.embedding_repo import EmbeddingRepoLaws, StoreAndEmbeddings
from kebab_testing.laws.lexical_index import LexicalIndexLaws, StoreAndIndex
from kebab_testing.laws.source_file_store import SourceFileStoreLaws
from kebab_testing.laws.stores import StoreFixtures, Stores
from kebab_testing.laws.symbol_index import StoreAndSymbols, SymbolIndexLaws
from kebab_testing.laws.vector_store import MODEL, D, VectorStoreLaws
from kebab_testing.vectors import unpack_rows

if TYPE_CHECKING:
    from conftest import LakeOfBase

pytestmark = pytest.mark.thorough


class LakeStores(StoreFixtures):
    @pytest.fixture
    def stores(self, make_lake: Callable[..., LakeOfBase]) -> Stores:
        lake = make_lake(copy_threshold_bytes=self.copy_threshold_bytes)
        return Stores(lake.documents, lake.source_files)


class TestLakeDocumentStore(LakeStores, DocumentStoreLaws): ...


class TestLakeSourceFiles(LakeStores, SourceFileStoreLaws): ...


class TestLakeAssets(LakeStores, AssetStoreLaws): ...


class TestLakeLexicalIndex(LexicalIndexLaws):
    @pytest.fixture
    def indexed(self, make_lake: Callable[..., LakeOfBase]) -> StoreAndIndex:
        lake = make_lake()
        return lake.documents, lake.terms


class LakeOfVectors:
    """A search over the vectors of a source, which a lake gets before each look."""

    def __init__(self, folder: Path, source: InMemoryVectorSource) -> None:
        self._lake = str(folder)
        self._source = source
        self._version = ""

    def __getattr__(self, name: str) -> Any:
        if self._version != self._source.content_version():
            self._version = self._source.content_version()
            self._write(list(unpack_rows(self._source.rows(MODEL))))
        return getattr(LakeVectorStore(LakeRevision(self._lake)), name)

    def _write(self, rows: list[VectorRow]) -> None:
        folder = LakeFolder(self._lake)
        tables = {
            name: folder.create(name, dimensions=D) for name in ("documents", "passages", "vector_sums")
        }
        tables["documents"].add([{"doc_id": row.doc_id, "lang": row.lang} for row in rows])
        vectors = list(self._source.vectors(MODEL, [row.text_hash for row in rows]))
        sums = VectorSums(D)
        if vectors:
            sums.add([row.lang for row in rows], np.frombuffer(b"".join(vectors), "<f2").reshape(-1, D))
        tables["vector_sums"].add(sums.rows())
        tables["passages"].add([
            {
                "chunk_id": row.chunk_id,
                "doc_id": row.doc_id,
                "lang": row.lang,
                "text_hash": bytes(row.text_hash),
                "sample": int(row.chunk_id[:4], 16),
                "content": StoredPassage(row.chunk_id, row.lang, 0, "", "", vector, b"").write(),
                "vector": np.frombuffer(vector, dtype="<f2"),
            }
            for row, vector in zip(rows, vectors, strict=True)
        ])
        head = Head(
            revision=int(self._version) + 1,
            tables={name: table.version for name, table in tables.items()},
            passages=len(rows),
            vectors=len(rows),
            model=MODEL,
            is_complete=True,
            published_at=START,
            writer="",
            requires="",
        )
        Heads(self._lake).put(head)


class TestLakeVectors(VectorStoreLaws):
    test_models_know_nothing_of_each_other = None
    """A lake has the vectors of one model."""
    test_damaged_vectors_are_named = None
    """`kebab lake verify` finds damage."""

    @pytest.fixture
    def store(self, source: InMemoryVectorSource, tmp_path: Path) -> Any:
        return LakeOfVectors(tmp_path / "lake", source)


class TestLakeEmbeddings(EmbeddingRepoLaws):
    """Without the laws of vectors that are not published: of models but one, of texts that no passage has, and unasked ones."""

    test_a_passage_has_a_state_for_the_model_in_force_and_those_with_its_vector = None
    test_a_passage_with_another_title_is_another_text = None
    test_deleted_vectors_are_pending_again_for_every_model = None
    test_query_centroids_are_kept_by_model_until_all_vectors_are_deleted = None
    test_rows_have_the_language_of_their_document = None
    test_the_oldest_unused_vectors_are_evicted_and_no_others = None
    test_vectors_of_gone_passages_stay_for_texts_that_come_back = None
    test_vectors_of_models_that_are_neither_in_force_nor_active_nor_the_previous_one_are_unused = None
    test_vectors_of_the_previous_model_stay_until_they_are_deleted = None

    @pytest.fixture
    def embedded(self, make_lake: Callable[..., LakeOfBase]) -> StoreAndEmbeddings:
        lake = make_lake()
        return lake.documents, lake.embeddings


class TestLakeSymbols(SymbolIndexLaws):
    @pytest.fixture
    def symbols(self, make_lake: Callable[..., LakeOfBase]) -> StoreAndSymbols:
        lake = make_lake()
        return lake.documents, lake.terms
