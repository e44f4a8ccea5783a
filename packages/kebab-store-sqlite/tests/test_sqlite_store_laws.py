"""The law suites, held against SQLite and against the fakes that stand in for it."""

from __future__ import annotations

import pytest
from kebab_core import (
    AnswerRepo,
    ChatSessionRepo,
    DerivationCache,
    DocumentStore,
    EvalRunRepo,
    IngestRunRepo,
    JobRepo,
)
from kebab_store_sqlite import (
    SqliteAnswerRepo,
    SqliteChatSessionRepo,
    SqliteDatabase,
    SqliteDerivationCache,
    SqliteDocumentStore,
    SqliteEmbeddingRepo,
    SqliteEvalRunRepo,
    SqliteIngestRunRepo,
    SqliteJobRepo,
    SqliteLexicalIndex,
)
from kebab_testing.fakes.document_store import InMemoryDocumentStore
from kebab_testing.fakes.embedding_repo import InMemoryEmbeddingRepo
from kebab_testing.fakes.lexical_index import InMemoryLexicalIndex
from kebab_testing.laws.answer_repo import AnswerRepoLaws
from kebab_testing.laws.chat_session_repo import ChatSessionRepoLaws
from kebab_testing.laws.derivation_cache import DerivationCacheLaws
from kebab_testing.laws.document_store import DocumentStoreLaws
from kebab_testing.laws.embedding_repo import EmbeddingRepoLaws, StoreAndEmbeddings
from kebab_testing.laws.eval_run_repo import EvalRunRepoLaws
from kebab_testing.laws.ingest_run_repo import IngestRunRepoLaws
from kebab_testing.laws.job_repo import JobRepoLaws
from kebab_testing.laws.lexical_index import LexicalIndexLaws, StoreAndIndex


class TestSqliteDocumentStore(DocumentStoreLaws):
    @pytest.fixture
    def store(self, database: SqliteDatabase) -> DocumentStore:
        return SqliteDocumentStore(database)


class TestInMemoryDocumentStore(DocumentStoreLaws):
    @pytest.fixture
    def store(self) -> DocumentStore:
        return InMemoryDocumentStore(copy_threshold_bytes=self.copy_threshold_bytes)


class TestSqliteLexicalIndex(LexicalIndexLaws):
    @pytest.fixture
    def indexed(self, database: SqliteDatabase) -> StoreAndIndex:
        return SqliteDocumentStore(database), SqliteLexicalIndex(database)


class TestInMemoryLexicalIndex(LexicalIndexLaws):
    @pytest.fixture
    def indexed(self) -> StoreAndIndex:
        store = InMemoryDocumentStore()
        return store, InMemoryLexicalIndex(store)


class TestSqliteEmbeddingRepo(EmbeddingRepoLaws):
    @pytest.fixture
    def embedded(self, database: SqliteDatabase) -> StoreAndEmbeddings:
        return SqliteDocumentStore(database), SqliteEmbeddingRepo(database)


class TestInMemoryEmbeddingRepo(EmbeddingRepoLaws):
    @pytest.fixture
    def embedded(self) -> StoreAndEmbeddings:
        store = InMemoryDocumentStore()
        return store, InMemoryEmbeddingRepo(store)


class TestSqliteIngestRunRepo(IngestRunRepoLaws):
    @pytest.fixture
    def runs(self, database: SqliteDatabase) -> IngestRunRepo:
        return SqliteIngestRunRepo(database)


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
    def sessions(self, database: SqliteDatabase) -> ChatSessionRepo:
        return SqliteChatSessionRepo(database)


class TestSqliteEvalRunRepo(EvalRunRepoLaws):
    @pytest.fixture
    def evaluations(self, database: SqliteDatabase) -> EvalRunRepo:
        return SqliteEvalRunRepo(database)


class TestSqliteDerivationCache(DerivationCacheLaws):
    @pytest.fixture
    def cache(self, database: SqliteDatabase) -> DerivationCache:
        return SqliteDerivationCache(database)
