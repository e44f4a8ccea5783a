"""The law suites of SQLite's stores, over a lake to which each change is published before it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from kebab_testing.laws.asset_store import AssetStoreLaws
from kebab_testing.laws.document_store import DocumentStoreLaws
from kebab_testing.laws.lexical_index import LexicalIndexLaws, StoreAndIndex
from kebab_testing.laws.source_file_store import SourceFileStoreLaws
from kebab_testing.laws.stores import StoreFixtures, Stores
from kebab_testing.laws.symbol_index import StoreAndSymbols, SymbolIndexLaws

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


class TestLakeSymbols(SymbolIndexLaws):
    @pytest.fixture
    def symbols(self, make_lake: Callable[..., LakeOfBase]) -> StoreAndSymbols:
        lake = make_lake()
        return lake.documents, lake.terms
