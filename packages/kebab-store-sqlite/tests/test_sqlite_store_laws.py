"""The law suites, held against SQLite."""

from __future__ import annotations

import pytest
from kebab_store_sqlite import (
    SqliteDatabase,
    SqliteDocumentStore,
    SqliteEmbeddingRepo,
    SqliteLexicalIndex,
    SqliteSourceFileStore,
)
from kebab_testing.laws.asset_store import AssetStoreLaws
from kebab_testing.laws.document_store import DocumentStoreLaws
from kebab_testing.laws.embedding_repo import EmbeddingRepoLaws, StoreAndEmbeddings
from kebab_testing.laws.lexical_index import LexicalIndexLaws, StoreAndIndex
from kebab_testing.laws.source_file_store import SourceFileStoreLaws
from kebab_testing.laws.stores import StoreFixtures, Stores
from kebab_testing.laws.symbol_index import StoreAndSymbols, SymbolIndexLaws


class SqliteStores(StoreFixtures):
    @pytest.fixture
    def stores(self, database: SqliteDatabase) -> Stores:
        return Stores(SqliteDocumentStore(database), SqliteSourceFileStore(database))


class TestSqliteDocumentStore(SqliteStores, DocumentStoreLaws): ...


class TestSqliteSourceFileStore(SqliteStores, SourceFileStoreLaws): ...


class TestSqliteAssets(SqliteStores, AssetStoreLaws): ...


class TestSqliteLexicalIndex(LexicalIndexLaws):
    @pytest.fixture
    def indexed(self, database: SqliteDatabase) -> StoreAndIndex:
        return SqliteDocumentStore(database), SqliteLexicalIndex(database)


class TestSqliteSymbols(SymbolIndexLaws):
    @pytest.fixture
    def symbols(self, database: SqliteDatabase) -> StoreAndSymbols:
        return SqliteDocumentStore(database), SqliteLexicalIndex(database)


class TestSqliteEmbeddingRepo(EmbeddingRepoLaws):
    @pytest.fixture
    def embedded(self, database: SqliteDatabase) -> StoreAndEmbeddings:
        return SqliteDocumentStore(database), SqliteEmbeddingRepo(database)
