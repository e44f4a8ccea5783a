"""Checks by themselves: what each says where all is well, what it finds, and what an error in it comes to."""

from __future__ import annotations

import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from kebab_core import (
    ConfigInvalidError,
    DatabaseCorruptError,
    EmbeddingFailure,
    EmbeddingIdentity,
    IngestRun,
    ModelMissingError,
    ModelsSettings,
    Remedy,
    RunId,
    StorageError,
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
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.vectors import halves_of, unit

from tests.remedies import say

CURRENT = VectorFiles(
    recall=None, is_index_used=False, is_index_due=False, size_bytes=2_500_000, is_matrix_current=True
)


@pytest.fixture
def healthy(tmp_path: Path) -> HealthAccess:
    """A knowledge base in which all is well and nothing is stored yet."""
    documents = InMemoryDocumentStore()
    embeddings = InMemoryEmbeddingRepo(documents)
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
            embeddings=lambda: embeddings,
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
            store=lambda: InMemoryVectorStore(embeddings),
            read_files=lambda _: CURRENT,
        ),
        analyzer=WordAnalyzer,
        chat_model=lambda: None,
        embedder=lambda: embedder,
        nli=lambda: None,
        find_model=lambda: embedder.identity,
        find_writer=lambda: None,
        find_embedding_process=lambda: None,
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
    fresh = replace(
        healthy,
        database=None,
        vectors=None,
        chat_model=lambda: None,
        embedder=lambda: None,
        find_model=lambda: None,
    )
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
        chat_model=lambda: None,
        embedder=raising(error),
        find_model=lambda: EmbeddingFailure(code=error.code, message=error.message),
    )
    failed = [check for check in examine(broken).checks if not check.ok]
    assert [(check.name, say(check)) for check in failed] == [("embedding_model", "kebab models pull")]


def embed(access: HealthAccess, model: EmbeddingIdentity, *texts: str, whole: bool = True) -> None:
    """Store a document with these passages and their vectors."""
    assert access.database is not None
    record = build_record(RecordSpec(paragraphs=texts))
    access.database.documents().replace_document(record)
    repo = access.database.embeddings()
    vector = halves_of(unit([1.0] * model.dimensions) if whole else [0.0] * model.dimensions)
    repo.put(model, dict.fromkeys(repo.text_hashes([record.document.doc_id]), vector))
    repo.save_query_centroids(model, b"{}", content_version=repo.content_version())


@pytest.fixture
def model(healthy: HealthAccess) -> EmbeddingIdentity:
    """The model in force."""
    found = healthy.find_model()
    assert isinstance(found, EmbeddingIdentity)
    return found


@pytest.mark.parametrize(
    ("files", "shown"),
    [
        (CURRENT, "exact, 2.5 MB"),
        (
            replace(CURRENT, is_matrix_current=False),
            "exact, 2.5 MB, read slowly until the next run (repair makes it current)",
        ),
        (replace(CURRENT, recall=0.991, is_index_used=True), "approximate, recall 0.991, 2.5 MB"),
        (
            replace(CURRENT, recall=0.9, is_matrix_current=False),
            "approximate, recall 0.900, too low to be used: exact, 2.5 MB, "
            "read slowly until the next run (repair makes it current)",
        ),
    ],
)
def test_vectors_are_described_with_their_index_and_size(
    healthy: HealthAccess, model: EmbeddingIdentity, files: VectorFiles, shown: str
) -> None:
    embed(healthy, model, "one", "two")
    check = results(with_vectors(healthy, read_files=lambda _: files))["lancedb_open"]
    assert (check.ok, check.detail) == (True, f"bag-of-words {model.model_version}: 2 vectors, {shown}")


def test_vectors_of_a_model_that_is_not_in_force_are_named(healthy: HealthAccess) -> None:
    embed(healthy, BagOfWordsEmbedder(model_id="other").identity, "one")
    check = results(healthy)["lancedb_open"]
    assert check.ok
    assert str(check.detail).startswith(
        "other v1+000000000000: 1 vector of a model that is not in force (they go when vectors of former models are deleted), "
    )


def test_damaged_vectors_are_a_problem_that_embedding_mends(
    healthy: HealthAccess, model: EmbeddingIdentity
) -> None:
    embed(healthy, model, "one", "two", whole=False)
    check = results(healthy)["lancedb_open"]
    assert (check.ok, check.detail, say(check)) == (False, "2 vectors are damaged", "kebab embed")


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (StorageError("no access", remedy=Remedy(kind="check_drive")), "check that the drive"),
        (DatabaseCorruptError("torn page"), "kebab embed"),
    ],
)
def test_vectors_that_cannot_be_read_are_a_problem(
    healthy: HealthAccess, model: EmbeddingIdentity, error: StorageError, hint: str
) -> None:
    embed(healthy, model, "one")
    check = results(with_vectors(healthy, read_files=raising(error)))["lancedb_open"]
    assert (check.ok, check.detail) == (False, error.message)
    assert hint in str(say(check))


def test_a_file_in_the_place_of_the_folder_of_vectors_is_a_problem(healthy: HealthAccess) -> None:
    assert healthy.vectors is not None
    healthy.vectors.folder.write_bytes(b"")
    check = results(healthy)["lancedb_open"]
    assert (check.ok, check.detail) == (False, f"{healthy.vectors.folder} is no folder")


def test_documents_without_vectors_are_a_problem_until_they_have_them(
    healthy: HealthAccess, model: EmbeddingIdentity
) -> None:
    assert healthy.database is not None
    healthy.database.embeddings().request(model)
    healthy.database.documents().replace_document(build_record(RecordSpec(paragraphs=("one", "two"))))
    check = results(healthy)["vectors_complete"]
    assert (check.ok, say(check)) == (False, "kebab embed")
    assert check.detail == "1 document has passages without a vector; 0 passages have vectors"
    writing = results(replace(healthy, find_embedding_process=lambda: 42))["vectors_complete"]
    assert (writing.ok, writing.detail) == (True, "0 passages have vectors; a writer is at work (pid 42)")
    embed(healthy, model, "one", "two")
    assert results(healthy)["vectors_complete"].detail == "2 passages have vectors"


def test_a_lost_calibration_is_a_problem(healthy: HealthAccess, model: EmbeddingIdentity) -> None:
    assert healthy.database is not None
    record = build_record(RecordSpec())
    healthy.database.documents().replace_document(record)
    repo = healthy.database.embeddings()
    repo.put(
        model,
        dict.fromkeys(repo.text_hashes([record.document.doc_id]), halves_of(unit([1.0] * model.dimensions))),
    )
    check = results(healthy)["vectors_complete"]
    assert (check.ok, say(check)) == (False, "kebab embed")


def test_repair_makes_only_what_is_not_current_again(healthy: HealthAccess, model: EmbeddingIdentity) -> None:
    assert healthy.database is not None
    repo = healthy.database.embeddings()
    store = InMemoryVectorStore(repo)
    stale = replace(CURRENT, is_matrix_current=False)

    def repaired(files: VectorFiles) -> object:
        vectors = with_vectors(healthy, store=lambda: store, read_files=lambda _: files).vectors
        assert vectors is not None
        return repair_vectors(vectors, lambda: repo)

    assert (repaired(stale), store.updates) == (None, [])
    embed(healthy, model, "one")
    assert (repaired(CURRENT), store.updates) == (None, [])
    assert repaired(stale) == "what searches read of 1 vector was made anew"
    assert store.updates == [(model, True)]


def test_what_cannot_be_repaired_is_left_to_the_checks(
    healthy: HealthAccess, model: EmbeddingIdentity
) -> None:
    embed(healthy, model, "one")
    broken = with_vectors(healthy, read_files=raising(StorageError("the disk fails"))).vectors
    assert broken is not None
    assert healthy.database is not None
    assert repair_vectors(broken, healthy.database.embeddings()) is None


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
