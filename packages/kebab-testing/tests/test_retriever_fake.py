import pytest
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.fakes.document_store import InMemoryDocumentStore
from kebab_testing.fakes.retriever import OverlapRetriever
from kebab_testing.laws.retriever import RetrieverLaws, StoreAndRetriever


class TestOverlapRetriever(RetrieverLaws):
    @pytest.fixture
    def searched(self) -> StoreAndRetriever:
        store = InMemoryDocumentStore()
        return store, OverlapRetriever(store, FixedClock())
