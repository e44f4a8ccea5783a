"""Every check of the doctor can fail, and says what to do when it does."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from kebab_app import doctor, report_broken_config
from kebab_core import (
    ConfigInvalidError,
    ConfigNotFoundError,
    FileFailure,
    IngestFailure,
    RunId,
    SourceId,
    WorkspacePath,
)
from kebab_store_sqlite import SqliteIngestRunRepo
from kebab_testing.fakes.analyzer import WordAnalyzer

if TYPE_CHECKING:
    from kebab_wire import DoctorCheck

    from conftest import Base

    Breaker = Callable[[Base, pytest.MonkeyPatch], None]


def examine(base: Base) -> dict[str, DoctorCheck]:
    report = base.app.doctor()
    assert report.ok == all(check.ok for check in report.checks)
    return {check.name: check for check in report.checks}


def missing_root(base: Base, _: pytest.MonkeyPatch) -> None:
    shutil.rmtree(base.root)


def file_for_a_root(base: Base, patch: pytest.MonkeyPatch) -> None:
    missing_root(base, patch)
    base.root.write_text("", encoding="utf-8")


def second_root_missing(base: Base, _: pytest.MonkeyPatch) -> None:
    base.set_sources({"id": "a", "root": str(base.root)}, {"id": "b", "root": str(base.home / "b")})


def file_for_a_data_folder(base: Base, _: pytest.MonkeyPatch) -> None:
    base.close()
    shutil.rmtree(base.data_dir)
    base.data_dir.write_text("", encoding="utf-8")


def data_folder_that_others_may_list(base: Base, _: pytest.MonkeyPatch) -> None:
    base.data_dir.chmod(0o755)


def data_folder_of_a_group(base: Base, _: pytest.MonkeyPatch) -> None:
    base.data_dir.chmod(0o710)


def no_space(_base: Base, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(doctor, "MIN_FREE_BYTES", 1 << 80)


def not_a_database(base: Base, _: pytest.MonkeyPatch) -> None:
    base.close()
    (base.data_dir / "kebab.sqlite").write_bytes(b"no database at all" * 1000)
    for suffix in ("-wal", "-shm"):
        (base.data_dir / f"kebab.sqlite{suffix}").unlink(missing_ok=True)


def newer_database(base: Base, _: pytest.MonkeyPatch) -> None:
    with base.app.open_for_writing().writing() as connection:
        connection.execute("UPDATE schema_meta SET value = '9999' WHERE key = 'schema_version'")
    base.close()


def row_that_refers_to_nothing(base: Base, _: pytest.MonkeyPatch) -> None:
    with base.app.open_for_writing().reading() as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DELETE FROM assets")
        connection.execute("PRAGMA foreign_keys = ON")


def index_of_another_analyser(base: Base, _: pytest.MonkeyPatch) -> None:
    base.run_with(analyzer=WordAnalyzer())


class Speechless(WordAnalyzer):
    def analyze(self, text: str) -> list:
        return []


def dictionary_without_words(base: Base, _: pytest.MonkeyPatch) -> None:
    base.app.__dict__["analyzer"] = Speechless()


def run_that_never_ended(base: Base, _: pytest.MonkeyPatch) -> None:
    runs = SqliteIngestRunRepo(base.app.open_for_writing())
    runs.start_run(RunId("run_dead"), [], started_at=base.clock.now())


def file_that_failed(base: Base, _: pytest.MonkeyPatch) -> None:
    base.app.documents.record_failure(
        FileFailure(
            source_id=SourceId("default"),
            workspace_path=WorkspacePath("bad.md"),
            failure=IngestFailure(code="io_error", message="cannot be read"),
            failed_at=base.clock.now(),
        )
    )


def embedding_provider(base: Base, _: pytest.MonkeyPatch) -> None:
    base.configure("models.embedding", provider="ollama")


def nli_provider(base: Base, _: pytest.MonkeyPatch) -> None:
    base.configure("models.nli", provider="onnx")


def model_server(base: Base, _: pytest.MonkeyPatch) -> None:
    base.configure("models.llm", provider="ollama", model="qwen")


def copies_gone(base: Base, _patch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(base.data_dir / "assets")


def files_gone_at_once(base: Base, _patch: pytest.MonkeyPatch) -> None:
    paths = [base.write(f"{number}.md") for number in range(25)]
    base.ingest()
    for path in paths:
        path.unlink()
    base.ingest()


BROKEN: list[tuple[str, Breaker]] = [
    ("workspace_readable", missing_root),
    ("workspace_readable", file_for_a_root),
    ("workspace_readable", second_root_missing),
    ("data_dir_writable", file_for_a_data_folder),
    ("data_dir_private", data_folder_that_others_may_list),
    ("data_dir_private", data_folder_of_a_group),
    ("disk_space", no_space),
    ("sqlite_open", not_a_database),
    ("sqlite_open", newer_database),
    ("sqlite_integrity", not_a_database),
    ("sqlite_integrity", row_that_refers_to_nothing),
    ("lexical_index", not_a_database),
    ("lexical_index", index_of_another_analyser),
    ("removals_settled", files_gone_at_once),
    ("assets_kept", copies_gone),
    ("korean_analysis", dictionary_without_words),
    ("ingest_finished", run_that_never_ended),
    ("files_readable", file_that_failed),
    ("embedding_model", embedding_provider),
    ("nli_model", nli_provider),
    ("ollama_reachable", model_server),
    ("ollama_model_pulled", model_server),
]
CANNOT_FAIL_YET = {"config_loaded", "lancedb_open"}
"""A configuration that does not load leaves no knowledge base to examine; there is no vector store."""


def test_healthy_knowledge_base_passes_every_check(base: Base) -> None:
    base.write("a.md")
    base.ingest()

    checks = examine(base)

    assert [check.name for check in checks.values() if not check.ok] == []
    assert all(check.detail and check.hint is None for check in checks.values())


def test_fresh_machine_passes_every_check_and_nothing_is_made(base: Base) -> None:
    checks = examine(base)

    assert [check.name for check in checks.values() if not check.ok] == []
    assert not base.data_dir.exists()


def test_folder_made_by_hand_is_private_after_the_hint(base: Base) -> None:
    base.data_dir.mkdir(mode=0o755, parents=True)
    base.data_dir.chmod(0o755)
    base.write("a.md")
    base.ingest()
    assert examine(base)["data_dir_private"].hint == f"chmod 700 {shlex.quote(str(base.data_dir))}"
    base.data_dir.chmod(0o700)
    assert examine(base)["data_dir_private"].ok


def test_what_is_not_configured_is_ok_and_says_so(base: Base) -> None:
    checks = examine(base)

    for name in ("lancedb_open", "embedding_model", "nli_model", "ollama_reachable", "ollama_model_pulled"):
        assert (checks[name].ok, checks[name].detail) == (True, "not configured")


def test_every_check_has_a_case_that_fails() -> None:
    assert {name for name, _ in BROKEN} == doctor.CHECKS.keys() - CANNOT_FAIL_YET


@pytest.mark.parametrize(("name", "make_broken"), BROKEN)
def test_check_of_what_is_broken_fails_with_a_hint_and_the_others_still_run(
    base: Base, monkeypatch: pytest.MonkeyPatch, name: str, make_broken: Breaker
) -> None:
    base.write("a.md")
    base.ingest()
    make_broken(base, monkeypatch)

    checks = examine(base)

    assert not checks[name].ok
    assert checks[name].detail
    assert checks[name].hint
    assert checks.keys() == doctor.CHECKS.keys()
    assert all(check.hint for check in checks.values() if not check.ok)


@pytest.mark.parametrize(
    "error",
    [ConfigInvalidError("bad key"), ConfigNotFoundError("no such file", hint="kebab init --config x")],
)
def test_configuration_that_does_not_load_is_a_failed_check_with_a_hint(error: ConfigInvalidError) -> None:
    report = report_broken_config(error)

    (check,) = report.checks
    assert (report.ok, check.name, check.ok, check.detail) == (False, "config_loaded", False, error.message)
    assert check.hint


def test_check_of_the_configuration_names_the_file_and_its_warnings(base: Base) -> None:
    assert str(base.config_path) in examine(base)["config_loaded"].detail


def test_readonly_needs_no_writable_data_folder(base: Base) -> None:
    base.data_dir.write_text("a file", encoding="utf-8")
    base.readonly = True

    assert examine(base)["data_dir_writable"].ok
