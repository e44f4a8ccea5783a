from pathlib import Path

import pytest
from kebab_core import VectorStore
from kebab_store_vector import LanceVectorStore
from kebab_testing.laws.vector_store import VectorStoreLaws


class TestLanceVectorStore(VectorStoreLaws):
    @pytest.fixture
    def store(self, tmp_path: Path) -> VectorStore:
        return LanceVectorStore(tmp_path / "lancedb")
