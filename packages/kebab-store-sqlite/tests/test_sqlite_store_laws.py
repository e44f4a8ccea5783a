"""The law suites, held against SQLite."""

from __future__ import annotations

import pytest
from kebab_core import (
    AnswerRepo,
    JobRepo,
)
from kebab_store_sqlite import (
    SqliteAnswerRepo,
    SqliteDatabase,
    SqliteDocumentStore,
    SqliteEmbeddingRepo,
    SqliteJobRepo,
    SqliteLexicalIndex,
    SqliteSourceFileStore,
)
from kebab_testing.laws.answer_repo import AnswerRepoLaws
from kebab_testing.laws.asset_store import AssetStoreLaws
from kebab_testing.laws.chat_session_repo import ChatSessionRepoLaws
from kebab_testing.laws.document_store import DocumentStoreLaws
from kebab_testing.laws.embedding_repo import EmbeddingRepoLaws, StoreAndEmbeddings
from kebab_testing.laws.eval_run_repo import EvalRunRepoLaws
from kebab_testing.laws.ingest_run_repo import IngestRunRepoLaws
from kebab_testing.laws.job_repo import JobRepoLaws
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


class TestSqliteIngestRunRepo(IngestRunRepoLaws):
    @pytest.fixture
    def runs(self, database: SqliteDatabase) -> JobRepo:
        return SqliteJobRepo(database)


class TestSqliteJobRepo(JobRepoLaws):
    @pytest.fixture
    def jobs(self, database: SqliteDatabase) -> JobRepo:
        return SqliteJobRepo(database)


class TestSqliteAnswerRepo(AnswerRepoLaws):
    @pytest.fixture
    def answers(self, database: SqliteDatabase) -> AnswerRepo:
        return SqliteAnswerRepo(database)


class TestSqliteChatSessionRepo(ChatSessionRepoLaws):
    @pytest.fixture
    def sessions(self, database: SqliteDatabase) -> AnswerRepo:
        return SqliteAnswerRepo(database)


class TestSqliteEvalRunRepo(EvalRunRepoLaws):
    @pytest.fixture
    def evaluations(self, database: SqliteDatabase) -> JobRepo:
        return SqliteJobRepo(database)
