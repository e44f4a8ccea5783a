"""Checks by themselves: what each says where all is well, what it finds, and what an error in it comes to."""

from __future__ import annotations

import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from kebab_core import (
    ChunkId,
    ConfigInvalidError,
    DatabaseCorruptError,
    DocumentId,
    EmbeddingFailure,
    EmbeddingKind,
    IndexId,
    IngestRun,
    ModelMissingError,
    ModelsSettings,
    Remedy,
    RunId,
    StorageError,
    VectorKey,
)
from kebab_diagnose import (
    CheckResult,
    DatabaseAccess,
    HealthAccess,
    VectorAccess,
    VectorFiles,
    count_unindexed_copies,
    examine,
    repair_vectors,
    report_broken_config,
)
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.asset_store import InMemoryAssetStore
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.fakes.document_store import InMemoryDocumentStore
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.fakes.embedding_repo import InMemoryEmbeddingRepo
from kebab_testing.fakes.lexical_index import InMemoryLexicalIndex
from kebab_testing.fakes.source_file_store import InMemorySourceFileStore
from kebab_testing.fakes.vector_store import InMemoryVectorStore

from tests.remedies import say

IN_FORCE, LEFT_BEHIND = IndexId("1" * 32), IndexId("2" * 32)
"""Vector indexes of the model in force and of another."""


@pytest.fixture
def healthy(tmp_path: Path) -> HealthAccess:
    """A knowledge base in which all is well and nothing is stored yet."""
    documents = InMemoryDocumentStore()
    embedder = BagOfWordsEmbedder()
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "notes").mkdir()
    return HealthAccess(
        config="config.toml",
        roots=[tmp_path / "notes"],
        data_dir=tmp_path / "data",
        readonly=False,
        models=ModelsSettings(),
        cache_mb=100,
        database=DatabaseAccess(
            path=tmp_path / "data" / "kebab.sqlite",
            documents=lambda: documents,
            source_files=lambda: InMemorySourceFileStore(documents),
            assets=lambda: InMemoryAssetStore(documents),
            lexical_index=lambda: InMemoryLexicalIndex(documents),
            embeddings=lambda: InMemoryEmbeddingRepo(documents),
            schema_version=lambda: 7,
            cache_bytes=lambda: 1024 * 1024,
            unfinished_runs=list,
            find_damage=list,
            find_table_damage=list,
            table_sizes=dict,
            require_unprotected=lambda: None,
        ),
        vectors=VectorAccess(
            folder=tmp_path / "data" / "vectors",
            store=InMemoryVectorStore(),
            index_of=lambda _: IN_FORCE,
            read_files=lambda _: None,
            find_lost=lambda _: frozenset(),
        ),
        analyzer=WordAnalyzer,
        embedder=lambda: embedder,
        find_model=lambda: embedder.identity,
        find_writer=lambda: None,
        inspect_plugins=tuple,
        count_asset_files=lambda: 0,
    )


def results(access: HealthAccess) -> dict[str, CheckResult]:
    return {check.name: check for check in examine(access).checks}


def with_database(access: HealthAccess, **parts: object) -> HealthAccess:
    assert access.database is not None
    return replace(access, database=replace(access.database, **parts))  # type: ignore[arg-type]


def with_vectors(access: HealthAccess, **parts: object) -> HealthAccess:
    assert access.vectors is not None
    return replace(access, vectors=replace(access.vectors, **parts))  # type: ignore[arg-type]


def raising(error: Exception) -> Callable[..., object]:
    def fail(*_: object) -> object:
        raise error

    return fail


def test_healthy_parts_pass_every_check(healthy: HealthAccess) -> None:
    report = examine(healthy)
    assert [check for check in report.checks if not check.ok or say(check)] == []
    assert report.ok
    assert results(healthy)["sqlite_open"].detail == "kebab.sqlite (schema v7, 0 documents)"
    assert results(healthy)["derivation_cache"].detail == "1.0 MB of at most 100 MB (storage.cache_mb)"
    assert results(healthy)["embedding_model"].detail.endswith("dimensions, threads: one per core")


def test_before_the_first_ingest_nothing_is_missed(healthy: HealthAccess) -> None:
    fresh = replace(healthy, database=None, vectors=None, embedder=lambda: None, find_model=lambda: None)
    assert examine(fresh).ok
    assert results(fresh)["files_readable"].detail == "nothing ingested yet"
    assert results(fresh)["lancedb_open"].detail == "not configured"


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (DatabaseCorruptError("torn page"), "kebab doctor --repair"),
        (StorageError("the disk fails", remedy=Remedy(kind="check_drive")), "check that the drive"),
        (StorageError("the disk fails"), "log folder"),
        (PermissionError("not yours"), "permissions"),
        (ZeroDivisionError("a bug"), "log folder"),
    ],
)
def test_error_in_one_check_is_its_result_and_keeps_no_other_from_running(
    healthy: HealthAccess, error: Exception, hint: str
) -> None:
    broken = with_database(healthy, lexical_index=raising(error))
    failed = [check for check in examine(broken).checks if not check.ok]
    assert [check.name for check in failed] == ["lexical_index"]
    assert hint in str(say(failed[0]))


def test_damage_beyond_the_full_text_indexes_is_not_offered_for_repair(healthy: HealthAccess) -> None:
    damaged = with_database(healthy, find_damage=lambda: ["a row is gone"])
    assert say(results(damaged)["sqlite_integrity"]) == "kebab doctor --repair"
    for find in (lambda: ["a row is gone"], raising(DatabaseCorruptError("torn page"))):
        check = results(with_database(damaged, find_table_damage=find))["sqlite_integrity"]
        assert (check.ok, check.detail) == (False, "a row is gone")
        assert str(say(check)).startswith("kebab reset --data-only")


def test_interrupted_run_is_a_problem_unless_an_ingest_is_at_work(healthy: HealthAccess) -> None:
    run = IngestRun(run_id=RunId("run_1"), scopes=(), started_at=FixedClock().now())
    interrupted = with_database(healthy, unfinished_runs=lambda: [run])
    assert say(results(interrupted)["ingest_finished"]) == "kebab ingest"
    running = replace(interrupted, find_writer=lambda: 42)
    assert results(running)["ingest_finished"].detail == "an ingest is running (pid 42)"


def test_copies_beside_an_empty_database_are_a_problem(healthy: HealthAccess) -> None:
    lost = replace(healthy, database=None, count_asset_files=lambda: 3)
    assert count_unindexed_copies(lost) == 3
    assert "3 copies of files are kept" in results(lost)["assets_kept"].detail
    assert count_unindexed_copies(replace(lost, find_writer=lambda: 42)) == 0


def test_data_folder_that_others_may_list_is_a_problem(healthy: HealthAccess) -> None:
    healthy.data_dir.chmod(stat.S_IRWXU | stat.S_IXGRP)
    assert say(results(healthy)["data_dir_private"]) == f"chmod 700 {healthy.data_dir}"
    assert results(replace(healthy, data_dir=healthy.data_dir / "new"))["data_dir_private"].ok


def test_model_that_cannot_be_used_leaves_its_vectors_unjudged(healthy: HealthAccess) -> None:
    error = ModelMissingError("no weights", remedy=Remedy(kind="pull_model"))
    broken = replace(
        healthy,
        embedder=raising(error),
        find_model=lambda: EmbeddingFailure(code=error.code, message=error.message),
    )
    failed = [check for check in examine(broken).checks if not check.ok]
    assert [(check.name, say(check)) for check in failed] == [("embedding_model", "kebab models pull")]


def store_with(embedder: BagOfWordsEmbedder, index_id: IndexId) -> InMemoryVectorStore:
    store = InMemoryVectorStore()
    store.ensure_table(index_id, embedder.identity)
    key = VectorKey(chunk_id=ChunkId("0" * 32), doc_id=DocumentId("1" * 32), lang="en")
    store.upsert(index_id, [key], embedder.embed(["kebab"], EmbeddingKind.QUERY))
    return store


def test_vectors_on_disk_are_told_with_index_pieces_and_size(healthy: HealthAccess) -> None:
    other = BagOfWordsEmbedder(model_id="other")
    files = VectorFiles(
        index_kind="ivf",
        recall=0.9,
        is_index_used=False,
        fragments=2,
        size_bytes=2_500_000,
        is_matrix_current=False,
    )
    full = with_vectors(healthy, store=store_with(other, LEFT_BEHIND), read_files=lambda _: files)
    assert results(full)["lancedb_open"].detail == (
        f"other {other.identity.model_version}: 1 vector of a model that is not in force "
        "(a reset of the vectors lets them go), ivf, recall 0.900, too low to be used: exact, "
        "2 pieces, 2.5 MB, read slowly until the next run (repair makes it current)"
    )


def test_repair_makes_only_what_is_not_current_again(healthy: HealthAccess) -> None:
    embedder = BagOfWordsEmbedder()
    store = store_with(embedder, IN_FORCE)
    current = VectorFiles(
        index_kind=None, recall=1.0, is_index_used=False, fragments=1, size_bytes=1, is_matrix_current=True
    )
    reopened: list[object] = []
    for files, sentence in (
        (None, None),
        (current, None),
        (replace(current, is_matrix_current=False), "what searches read of 1 vector was made anew"),
    ):
        vectors = with_vectors(healthy, store=store, read_files=lambda _, files=files: files).vectors
        assert vectors is not None
        assert repair_vectors(vectors, reopened.append) == sentence
    assert (store.maintained, reopened) == ([IN_FORCE], [embedder.identity])


def test_configuration_that_does_not_load_is_the_one_failed_check() -> None:
    report = report_broken_config(ConfigInvalidError("bad key"))
    (check,) = report.checks
    assert (report.ok, check.name, check.detail) == (False, "config_loaded", "bad key")
    assert "kebab init --force" in str(say(check))


def test_what_takes_space_is_told(healthy: HealthAccess) -> None:
    (healthy.data_dir / "assets" / "ab").mkdir(parents=True)
    (healthy.data_dir / "assets" / "ab" / "copy").write_bytes(bytes(2_000_000))
    (healthy.data_dir / "kebab.sqlite").write_bytes(bytes(1_500_000))
    found = results(
        with_database(healthy, table_sizes=lambda: {"document_parts": 1_200_000, "unused": 90_000})
    )
    assert found["disk_space"].detail.endswith(" 3.5 MB in the data folder (assets 2.0, kebab.sqlite 1.5)")
    assert found["sqlite_open"].detail.endswith(
        "(schema v7, 0 documents; MB: document_parts 1.2, unused 0.1)"
    )
