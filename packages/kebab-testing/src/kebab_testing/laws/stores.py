"""Fixtures and builders that the laws of the stores of documents and source files share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from kebab_core import (
    ChunkId,
    CompletedScan,
    DocumentId,
    DocumentRecord,
    DocumentStore,
    EmbeddingIdentity,
    EmbeddingModelId,
    EmbeddingVersion,
    FileFailure,
    IngestFailure,
    Message,
    SourceFileStore,
    SourceId,
    WorkspacePath,
)

from kebab_testing.fakes.clock import START
from kebab_testing.records import RecordSpec, build_record


class Stores(NamedTuple):
    """The stores over one empty database."""

    documents: DocumentStore
    source_files: SourceFileStore


DEFAULT = SourceId("default")
UNKNOWN_DOCUMENT = DocumentId("0" * 32)
UNKNOWN_CHUNK = ChunkId("0" * 32)
MODEL = EmbeddingIdentity(
    model_id=EmbeddingModelId("hash"), model_version=EmbeddingVersion("1+0123456789ab"), dimensions=4
)


class StoreFixtures:
    """Base of the law suites: subclasses override `stores`."""

    copy_threshold_bytes = 100
    """The threshold that `stores` must be made with."""

    @pytest.fixture
    def stores(self) -> Stores:
        """Give the stores of an empty database."""
        raise NotImplementedError

    @pytest.fixture
    def store(self, stores: Stores) -> DocumentStore:
        """Give the document store."""
        return stores.documents

    @pytest.fixture
    def source_files(self, stores: Stores) -> SourceFileStore:
        """Give the store of source files over the same data."""
        return stores.source_files


def store_all(store: DocumentStore, specs: Sequence[RecordSpec]) -> list[DocumentRecord]:
    """Store the records of some specs and return them."""
    records = [build_record(spec) for spec in specs]
    for record in records:
        store.replace_document(record)
    return records


def failure_of(path: str) -> FileFailure:
    """Return a failure of a file of the default source."""
    failure = IngestFailure(code="unsupported_media", message=Message("망가진 파일"))
    return FileFailure(
        source_id=DEFAULT, workspace_path=WorkspacePath(path), failure=failure, failed_at=START
    )


def scan_of(source: str = "default") -> CompletedScan:
    """Return a complete scan of a source."""
    return CompletedScan(source_id=SourceId(source), root="/notes", completed_at=START, files=3)
