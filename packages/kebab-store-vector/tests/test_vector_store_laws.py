from __future__ import annotations

from pathlib import Path

import pytest
from kebab_core import VectorStore
from kebab_store_vector import LanceVectorStore, MatrixVectorStore
from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.laws.vector_store import VectorStoreLaws


class TestMatrixVectorStore(VectorStoreLaws):
    @pytest.fixture
    def store(self, source: InMemoryVectorSource, tmp_path: Path) -> VectorStore:
        return MatrixVectorStore(tmp_path / "vectors", source)


class TestLanceVectorStore(VectorStoreLaws):
    @pytest.fixture
    def store(self, source: InMemoryVectorSource, tmp_path: Path) -> VectorStore:
        return LanceVectorStore(tmp_path / "vectors", source, exact_rows=0)
