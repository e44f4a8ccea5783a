import pytest
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.fakes.retriever import OverlapRetriever
from kebab_testing.laws.retriever import RetrieverLaws, StoreAndRetriever
from kebab_testing.temporary_stores import TemporaryStores


class TestOverlapRetriever(RetrieverLaws):
    @pytest.fixture
    def searched(self) -> StoreAndRetriever:
        store = TemporaryStores().documents
        return store, OverlapRetriever(store, FixedClock())
