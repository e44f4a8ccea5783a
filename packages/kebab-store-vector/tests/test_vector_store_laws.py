from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from kebab_core import (
    ChunkId,
    DocumentSet,
    IndexId,
    LanguageDistribution,
    VectorHit,
    VectorMatrix,
    VectorStore,
)
from kebab_store_vector import LanceVectorStore
from kebab_testing.laws.vector_store import VectorStoreLaws


class TestLanceVectorStore(VectorStoreLaws):
    @pytest.fixture
    def store(self, tmp_path: Path) -> VectorStore:
        return LanceVectorStore(tmp_path / "lancedb")


class WithoutMatrix(LanceVectorStore):
    """A store whose matrix is lost before every read."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._below = folder

    def search(
        self,
        index_id: IndexId,
        query: VectorMatrix,
        *,
        limit: int,
        documents: DocumentSet | None = None,
        lang: str | None = None,
    ) -> list[VectorHit]:
        self._lose()
        return super().search(index_id, query, limit=limit, documents=documents, lang=lang)

    def similarities(
        self, index_id: IndexId, query: VectorMatrix, chunk_ids: Sequence[ChunkId]
    ) -> list[float | None]:
        self._lose()
        return super().similarities(index_id, query, chunk_ids)

    def cosine_distributions(self, index_id: IndexId, query: VectorMatrix) -> list[LanguageDistribution]:
        self._lose()
        return super().cosine_distributions(index_id, query)

    def _lose(self) -> None:
        for path in self._below.glob("*.matrix/current.json"):
            path.unlink()


class TestReadingTheTable(VectorStoreLaws):
    @pytest.fixture
    def store(self, tmp_path: Path) -> VectorStore:
        return WithoutMatrix(tmp_path / "lancedb")
