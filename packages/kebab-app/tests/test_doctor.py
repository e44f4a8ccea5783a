"""Every check of the doctor can fail, and says what to do when it does."""

from __future__ import annotations

import shlex
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from kebab_app import report_broken_config
from kebab_core import (
    CancelToken,
    ConfigInvalidError,
    ConfigNotFoundError,
    EmbeddingIdentity,
    FileFailure,
    IngestFailure,
    ModelMissingError,
    Remedy,
    RunId,
    SourceId,
    StorageError,
    WorkspacePath,
)
from kebab_runtime import ModelServer
from kebab_store_sqlite import SqliteJobRepo
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.pdf_files import PageSpec, write_pdf
from kebab_testing.tables import walk

from tests.remedies import say

if TYPE_CHECKING:
    from kebab_diagnose import CheckResult

    from conftest import Base, Embedding

    Breaker = Callable[[Base, pytest.MonkeyPatch], None]


def examine(base: Base) -> dict[str, CheckResult]:
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
    patch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=100_000_000))


def not_a_database(base: Base, _: pytest.MonkeyPatch) -> None:
    base.close()
    (base.data_dir / "kebab.sqlite").write_bytes(b"no database at all" * 1000)
    for suffix in ("-wal", "-shm"):
        (base.data_dir / f"kebab.sqlite{suffix}").unlink(missing_ok=True)


def newer_database(base: Base, _: pytest.MonkeyPatch) -> None:
    with base.app.base.open_for_writing().writing() as connection:
        connection.execute("UPDATE schema_meta SET value = '9999' WHERE key = 'schema_version'")
    base.close()


def row_that_refers_to_nothing(base: Base, _: pytest.MonkeyPatch) -> None:
    with base.app.base.open_for_writing().reading() as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DELETE FROM assets")
        connection.execute("PRAGMA foreign_keys = ON")


def index_of_another_analyser(base: Base, _: pytest.MonkeyPatch) -> None:
    base.run_with(analyzer=WordAnalyzer())


class Speechless(WordAnalyzer):
    def analyze(self, text: str) -> list:
        return []


def dictionary_without_words(base: Base, _: pytest.MonkeyPatch) -> None:
    base.app.base.__dict__["analyzer"] = Speechless()


def run_that_never_ended(base: Base, _: pytest.MonkeyPatch) -> None:
    runs = SqliteJobRepo(base.app.base.open_for_writing())
    runs.start_run(RunId("run_dead"), [], started_at=base.clock.now())


def file_that_failed(base: Base, _: pytest.MonkeyPatch) -> None:
    base.app.base.index.source_files.record_failure(
        FileFailure(
            source_id=SourceId("default"),
            workspace_path=WorkspacePath("bad.md"),
            failure=IngestFailure(code="io_error", message="cannot be read"),
            failed_at=base.clock.now(),
        )
    )


def embedding_provider(base: Base, _: pytest.MonkeyPatch) -> None:
    base.configure("models.embedding", provider="onnx", model="nowhere")


def passages_without_vectors(base: Base, _: pytest.MonkeyPatch) -> None:
    base.close()
    base.embedder = BagOfWordsEmbedder()


def vectors_that_are_damaged(base: Base, patch: pytest.MonkeyPatch) -> None:
    passages_without_vectors(base, patch)
    base.ingest()
    base.close()
    with closing(sqlite3.connect(base.data_dir / "kebab.sqlite")) as connection, connection:
        connection.execute("UPDATE vectors SET vector = zeroblob(length(vector))")


def file_for_the_folder_of_vectors(base: Base, patch: pytest.MonkeyPatch) -> None:
    passages_without_vectors(base, patch)
    (base.data_dir / "vectors").write_text("", encoding="utf-8")


def query_centroids_lost(base: Base, patch: pytest.MonkeyPatch) -> None:
    passages_without_vectors(base, patch)
    base.ingest()
    with base.app.base.open_for_writing().writing() as connection:
        connection.execute("DELETE FROM kv WHERE key LIKE 'anchors:%'")


def nli_provider(base: Base, _: pytest.MonkeyPatch) -> None:
    base.configure("models.nli", provider="onnx")


def reranker_that_is_not_there(base: Base, _: pytest.MonkeyPatch) -> None:
    base.configure("models", reranker="nowhere")


def reranking_without_a_model(base: Base, _: pytest.MonkeyPatch) -> None:
    base.configure("search", rerank=True)


def model_server(base: Base, _: pytest.MonkeyPatch) -> None:
    base.configure("models.llm", provider="ollama", model="qwen", endpoint="http://127.0.0.1:9")


def server_without_the_model(base: Base, patch: pytest.MonkeyPatch) -> None:
    base.configure("models.llm", provider="openai", model="qwen", endpoint="http://127.0.0.1:9/v1")
    patch.setattr(ModelServer, "get", lambda *_: {"data": [{"id": "gemma"}]})


def server_that_reads_little(base: Base, patch: pytest.MonkeyPatch) -> None:
    base.configure("models.llm", provider="openai", model="qwen", endpoint="http://127.0.0.1:9/v1")
    patch.setattr(ModelServer, "get", lambda *_: {"data": [{"id": "qwen", "max_model_len": 512}]})


def model_file_that_is_not_there(base: Base, _: pytest.MonkeyPatch) -> None:
    base.configure("models.llm", provider="llama-cpp", model="nothing.gguf")


def embedding_server_that_is_not_there(base: Base, _: pytest.MonkeyPatch) -> None:
    base.configure(
        "models.embedding", provider="ollama", model="bge-m3", endpoint="http://127.0.0.1:9", dimensions=8
    )


def plugin_that_cannot_be_imported(base: Base, patch: pytest.MonkeyPatch) -> None:
    base.install("acme", {"kebab.extractors": {"pdf": "acme_is_not_here:build"}}, patch)


def copies_gone(base: Base, _patch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(base.data_dir / "assets")


def export_that_was_killed(base: Base, _patch: pytest.MonkeyPatch) -> None:
    (base.data_dir / "scratch" / "export-x").mkdir(parents=True)


def files_gone_at_once(base: Base, _patch: pytest.MonkeyPatch) -> None:
    paths = [base.write(f"{number}.md") for number in range(25)]
    base.ingest()
    for path in paths:
        path.unlink()
    base.ingest()


def packages_that_read_pictures_missing(base: Base, patch: pytest.MonkeyPatch) -> None:
    patch.setattr("kebab_app.ocr.find_spec", lambda _name: None)
    base.write("scan.pdf", write_pdf(PageSpec(picture=True)))
    base.ingest()


def packages_that_hear_recordings_missing(base: Base, patch: pytest.MonkeyPatch) -> None:
    patch.setattr("kebab_app.asr.find_spec", lambda _name: None)
    base.write("talk.mp3", "no sound")
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
    ("scratch_swept", export_that_was_killed),
    ("korean_analysis", dictionary_without_words),
    ("ingest_finished", run_that_never_ended),
    ("files_readable", file_that_failed),
    ("pictures_read", packages_that_read_pictures_missing),
    ("recordings_heard", packages_that_hear_recordings_missing),
    ("embedding_model", embedding_provider),
    ("vectors_complete", passages_without_vectors),
    ("vectors_complete", query_centroids_lost),
    ("lancedb_open", vectors_that_are_damaged),
    ("lancedb_open", file_for_the_folder_of_vectors),
    ("nli_model", nli_provider),
    ("reranker", reranker_that_is_not_there),
    ("reranker", reranking_without_a_model),
    ("ollama_reachable", model_server),
    ("ollama_model_pulled", server_without_the_model),
    ("language_model", model_server),
    ("language_model", server_that_reads_little),
    ("language_model", model_file_that_is_not_there),
    ("ollama_reachable", embedding_server_that_is_not_there),
    ("plugins", plugin_that_cannot_be_imported),
]
CANNOT_FAIL = {"config_loaded", "derivation_cache"}
"""A configuration that does not load leaves no knowledge base to examine, and the cache keeps to its size by itself."""


def test_healthy_knowledge_base_passes_every_check(base: Base) -> None:
    base.write("a.md")
    base.ingest()

    checks = examine(base)

    assert [check.name for check in checks.values() if not check.ok] == []
    assert all(check.detail and check.remedy is None for check in checks.values())


def test_fresh_machine_passes_every_check_and_nothing_is_made(base: Base) -> None:
    checks = examine(base)

    assert [check.name for check in checks.values() if not check.ok] == []
    assert not base.data_dir.exists()


def test_folder_made_by_hand_is_private_after_the_hint(base: Base) -> None:
    base.data_dir.mkdir(mode=0o755, parents=True)
    base.data_dir.chmod(0o755)
    base.write("a.md")
    base.ingest()
    assert say(examine(base)["data_dir_private"]) == f"chmod 700 {shlex.quote(str(base.data_dir))}"
    base.data_dir.chmod(0o700)
    assert examine(base)["data_dir_private"].ok


def test_what_is_not_configured_is_ok_and_says_so(base: Base) -> None:
    checks = examine(base)

    for name in (
        "lancedb_open",
        "embedding_model",
        "nli_model",
        "reranker",
        "ollama_reachable",
        "ollama_model_pulled",
    ):
        assert (checks[name].ok, checks[name].detail) == (True, "not configured")


def test_every_check_has_a_case_that_fails(base: Base) -> None:
    assert {name for name, _ in BROKEN} == examine(base).keys() - CANNOT_FAIL


@pytest.mark.parametrize(("name", "make_broken"), BROKEN)
def test_check_of_what_is_broken_fails_with_a_hint_and_the_others_still_run(
    base: Base, monkeypatch: pytest.MonkeyPatch, name: str, make_broken: Breaker
) -> None:
    base.write("a.md")
    base.ingest()
    names = examine(base).keys()
    make_broken(base, monkeypatch)

    checks = examine(base)

    assert not checks[name].ok
    assert checks[name].detail
    assert say(checks[name])
    assert checks.keys() == names
    assert all(say(check) for check in checks.values() if not check.ok)


@walk(
    "error",
    [ConfigInvalidError("bad key"), ConfigNotFoundError("no such file", remedy=Remedy(kind="init"))],
)
def test_configuration_that_does_not_load_is_a_failed_check_with_a_hint(error: ConfigInvalidError) -> None:
    report = report_broken_config(error)

    (check,) = report.checks
    assert (report.ok, check.name, check.ok, check.detail) == (False, "config_loaded", False, error.message)
    assert say(check)


def test_check_of_the_configuration_names_the_file_and_its_warnings(base: Base) -> None:
    assert str(base.config_path) in examine(base)["config_loaded"].detail


def test_readonly_needs_no_writable_data_folder(base: Base) -> None:
    base.data_dir.write_text("a file", encoding="utf-8")
    base.readonly = True

    assert examine(base)["data_dir_writable"].ok


@pytest.fixture
def vectors(base: Base, embedding: Embedding) -> Embedding:
    """One document with vectors."""
    base.write("a.md", "# A\n\none\n\n## B\n\ntwo\n")
    base.ingest()
    return embedding


def test_a_knowledge_base_with_vectors_passes_and_says_what_it_has(base: Base, vectors: Embedding) -> None:
    checks = examine(base)
    assert [check.name for check in checks.values() if not check.ok] == []
    chunks = len(base.chunk_ids())
    assert f"{chunks} vectors, exact" in checks["lancedb_open"].detail
    assert checks["vectors_complete"].detail == f"{chunks} passages have vectors"
    assert "bag-of-words" in checks["embedding_model"].detail
    assert "64 dimensions" in checks["embedding_model"].detail
    vectors.assert_complete()


def test_vectors_of_a_model_that_is_not_in_force_are_named_with_what_removes_them(
    base: Base, vectors: Embedding
) -> None:
    vectors.switch(BagOfWordsEmbedder(dimensions=32, model_id="other"))
    base.ingest()
    check = examine(base)["lancedb_open"]
    assert check.ok
    (line,) = [line for line in check.detail.splitlines() if "bag-of-words" in line]
    assert "kept for switching back" in line
    vectors.switch(BagOfWordsEmbedder(dimensions=16, model_id="third"))
    base.ingest()
    lines = examine(base)["lancedb_open"].detail.splitlines()
    assert sorted(line.split()[0] for line in lines) == ["bag-of-words", "other", "third"]
    (line,) = [line for line in lines if "not in force" in line]
    assert line.startswith("bag-of-words ")
    assert "go when vectors of former models are deleted" in line


def test_vectors_that_are_searched_until_those_of_the_model_in_force_are_complete_are_named(
    base: Base, vectors: Embedding
) -> None:
    vectors.switch(BagOfWordsEmbedder(dimensions=32, model_id="other"))
    cancel = CancelToken()
    cancel.cancel()
    base.app.embed(cancel=cancel)
    (line,) = examine(base)["lancedb_open"].detail.splitlines()
    assert line.startswith("bag-of-words ")
    assert "searches use until every passage has one of the model in force" in line
    assert "reset" not in line


def test_vectors_may_be_of_the_model_in_force_where_that_cannot_be_asked(
    base: Base, vectors: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity = vectors.embedder.identity

    def refuse(_: object) -> EmbeddingIdentity:
        raise ModelMissingError("the weights are not on this machine")

    monkeypatch.setattr(BagOfWordsEmbedder, "identity", property(refuse))
    check = examine(base)["lancedb_open"]
    assert check.ok
    assert "not in force" not in check.detail
    assert "reset" not in check.detail
    assert base.app.base.vectors.embedded_models() == [identity]


def test_a_model_that_was_configured_and_made_no_vector_has_no_line(base: Base, vectors: Embedding) -> None:
    vectors.switch(BagOfWordsEmbedder(dimensions=16, model_id="failed"))
    base.ingest(embed=False)
    assert examine(base)["lancedb_open"].detail.startswith("bag-of-words ")
    assert len(examine(base)["lancedb_open"].detail.splitlines()) == 1
    assert not examine(base)["vectors_complete"].ok


def test_a_file_in_the_place_of_the_folder_of_vectors_is_named_with_what_to_do(
    base: Base, vectors: Embedding
) -> None:
    base.close()
    folder = base.data_dir / "vectors"
    shutil.rmtree(folder)
    folder.write_text("", encoding="utf-8")
    check = examine(base)["lancedb_open"]
    assert not check.ok
    assert say(check) == f"move {str(folder)!r} away; then kebab embed"
    with pytest.raises(StorageError, match="in the place of the folder of vectors") as raised:
        base.app.embed()
    assert say(raised.value) == say(check)
    folder.unlink()
    base.app.embed()
    vectors.assert_complete()


def test_what_is_counted_once_is_told_as_one(base: Base) -> None:
    base.write("a.md", "# A\n\none\n")
    base.embedder = BagOfWordsEmbedder()
    base.ingest(embed=False)
    assert examine(base)["vectors_complete"].detail == (
        "1 document has passages without a vector; 0 passages have vectors"
    )
    base.app.embed()
    checks = examine(base)
    assert ": 1 vector, exact, 0.0 MB" in checks["lancedb_open"].detail
    assert checks["vectors_complete"].detail == "1 passage has a vector"


def test_the_folder_of_vectors_that_is_gone_is_no_fault(base: Base, vectors: Embedding) -> None:
    shutil.rmtree(base.data_dir / "vectors")
    checks = examine(base)
    assert [check.name for check in checks.values() if not check.ok] == []
    assert "repair updates it" in checks["lancedb_open"].detail
    assert not (base.data_dir / "vectors").exists()


def test_the_size_of_the_cache_is_told_in_the_unit_of_its_setting(base: Base) -> None:
    base.configure("storage", cache_mb=2000)
    base.write("a.md")
    base.ingest()
    assert "of at most 2000 MB" in examine(base)["derivation_cache"].detail
