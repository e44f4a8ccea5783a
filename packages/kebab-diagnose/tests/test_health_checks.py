"""Checks by themselves: what each finds, and what an error in one comes to."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from kebab_core import (
    ConfigInvalidError,
    DatabaseCorruptError,
    FileFailure,
    IngestFailure,
    IngestRun,
    Message,
    ModelMissingError,
    ModelsSettings,
    Remedy,
    RunId,
    SourceId,
    StorageError,
    StoreStats,
    WorkspacePath,
)
from kebab_diagnose import (
    START_OVER,
    HealthReport,
    Problem,
    VectorFiles,
    advise_on_damage,
    check_data_dir_private,
    check_disk_space,
    check_embedding_model,
    check_files_readable,
    check_ingest_finished,
    check_unindexed_copies,
    check_vector_folder,
    describe_database,
    describe_vectors,
    iter_checks,
    report_broken_config,
)
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.temporary_stores import TemporaryStores
from kebab_testing.vectors import halves_of, unit

from tests.remedies import say


def raising(error: Exception) -> Callable[..., Message]:
    def fail(*_: object) -> Message:
        raise error

    return fail


def run(first: Callable[[], Message | Problem]) -> HealthReport:
    checks = {"first": first, "second": lambda: Message("fine"), "third": Message("nothing to check")}
    results = iter_checks(checks, advise_on_damage=lambda: Remedy(kind="repair"))
    return HealthReport(checks=tuple(results))


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (DatabaseCorruptError("torn page"), "kebab doctor --repair"),
        (
            StorageError(
                "the disk fails",
                remedy=Remedy(
                    advice=Message(
                        "check that the drive is mounted and that the configuration names the right folder"
                    )
                ),
            ),
            "check that the drive",
        ),
        (StorageError("the disk fails"), "log folder"),
        (PermissionError("not yours"), "permissions"),
        (ZeroDivisionError("a bug"), "log folder"),
    ],
)
def test_error_in_one_check_is_its_result_and_keeps_no_other_from_running(
    error: Exception, hint: str
) -> None:
    report = run(raising(error))
    assert [(check.name, check.ok) for check in report.checks] == [
        ("first", False),
        ("second", True),
        ("third", True),
    ]
    assert hint in str(say(report.checks[0]))


def test_damage_beyond_the_full_text_indexes_is_not_offered_for_repair() -> None:
    assert advise_on_damage([]).kind == "repair"
    assert advise_on_damage(["a row is gone"]) == START_OVER


def test_interrupted_run_is_a_problem_unless_an_ingest_is_at_work() -> None:
    unfinished = [IngestRun(run_id=RunId("run_1"), scopes=(), started_at=FixedClock().now())]
    interrupted = check_ingest_finished(unfinished, None)
    assert isinstance(interrupted, Problem)
    assert interrupted.remedy.kind == "ingest"
    assert check_ingest_finished(unfinished, 42) == "an ingest is running (pid 42)"
    assert check_ingest_finished([], None) == "no interrupted run"


def test_a_folder_that_may_not_be_read_is_not_to_be_edited() -> None:
    denied = StorageError("{reason}: {path}", path="/notes/closed", _reason="Permission denied")
    failure = FileFailure(
        source_id=SourceId("default"),
        workspace_path=WorkspacePath("closed"),
        failure=IngestFailure(code=denied.code, message=denied.message),
        failed_at=FixedClock().now(),
    )
    problem = check_files_readable([failure])
    assert isinstance(problem, Problem)
    assert problem.remedy is not None
    assert problem.remedy.then == Remedy(kind="check_permissions", path="closed", then=Remedy(kind="ingest"))


def test_copies_beside_an_empty_database_are_a_problem() -> None:
    lost = check_unindexed_copies(3)
    assert lost is not None
    assert "3 copies of files are kept" in lost.detail
    assert check_unindexed_copies(0) is None


def test_data_folder_that_others_may_list_is_a_problem(tmp_path: Path) -> None:
    tmp_path.chmod(stat.S_IRWXU | stat.S_IXGRP)
    found = check_data_dir_private(tmp_path)
    assert isinstance(found, Problem)
    assert found.remedy.kind == "make_private"
    assert not isinstance(check_data_dir_private(tmp_path / "new"), Problem)


def test_model_that_cannot_be_used_names_its_own_remedy() -> None:
    error = ModelMissingError("no weights", remedy=Remedy(kind="pull_model"))
    found = check_embedding_model(error, ModelsSettings().embedding)
    assert found == Problem(
        Message("{reason}; search uses full text only", reason=error.message), error.remedy
    )


@pytest.mark.parametrize(
    ("recall", "is_used", "is_current", "shown"),
    [
        (None, False, True, "exact, 2.5 MB"),
        (None, False, False, "exact, 2.5 MB, slow until the next run (repair updates it)"),
        (0.991, True, True, "approximate, recall 0.991, 2.5 MB"),
        (
            0.9,
            False,
            False,
            "approximate, recall 0.900, too low to be used: exact, 2.5 MB, "
            "slow until the next run (repair updates it)",
        ),
    ],
)
def test_vectors_are_described_with_their_index_and_size(
    *, recall: float | None, is_used: bool, is_current: bool, shown: str
) -> None:
    stores, model = TemporaryStores(), BagOfWordsEmbedder().identity
    documents = stores.documents
    documents.replace_document(record := build_record(RecordSpec(paragraphs=("one", "two"))))
    embeddings = stores.embeddings
    vector = halves_of(unit([1.0] * model.dimensions))
    embeddings.put(model, dict.fromkeys(embeddings.text_hashes([record.document.doc_id]), vector))
    files = VectorFiles(
        recall=recall,
        is_index_used=is_used,
        is_index_due=False,
        size_bytes=2_500_000,
        is_matrix_current=is_current,
    )
    described = describe_vectors(files, model, embeddings, model)
    assert described == f"bag-of-words {model.model_version}: 2 vectors, {shown}"


def test_a_file_in_the_place_of_the_folder_of_vectors_is_a_problem(tmp_path: Path) -> None:
    assert check_vector_folder(tmp_path) is None
    assert check_vector_folder(tmp_path / "new") is None
    (tmp_path / "vectors").write_bytes(b"")
    found = check_vector_folder(tmp_path / "vectors")
    assert found is not None
    assert found.detail == f"{tmp_path / 'vectors'} is no folder"


def test_configuration_that_does_not_load_is_the_one_failed_check() -> None:
    report = report_broken_config(ConfigInvalidError("bad key"))
    (check,) = report.checks
    assert (report.ok, check.name, check.detail) == (False, "config_loaded", "bad key")
    assert "kebab init --force" in str(say(check))


def test_what_takes_space_is_told(tmp_path: Path) -> None:
    (tmp_path / "assets" / "ab").mkdir(parents=True)
    (tmp_path / "assets" / "ab" / "copy").write_bytes(bytes(2_000_000))
    (tmp_path / "kebab.sqlite").write_bytes(bytes(1_500_000))
    space = check_disk_space(tmp_path)
    assert isinstance(space, Message)
    assert space.endswith(" 3.5 MB in the data folder (assets 2.0, kebab.sqlite 1.5)")
    sizes = {"document_parts": 1_200_000, "unused": 90_000}
    stats: StoreStats = TemporaryStores().documents.stats()
    described = describe_database(tmp_path / "kebab.sqlite", stats, schema_version=7, sizes=sizes)
    assert described == "kebab.sqlite (schema v7, 0 documents; MB: document_parts 1.2, unused 0.1)"
