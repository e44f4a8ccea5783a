import pytest
from kebab_core import VectorStore
from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.fakes.vector_store import InMemoryVectorStore
from kebab_testing.laws.vector_store import VectorStoreLaws


class TestInMemoryVectorStore(VectorStoreLaws):
    @pytest.fixture
    def store(self, source: InMemoryVectorSource) -> VectorStore:
        return InMemoryVectorStore(source)
