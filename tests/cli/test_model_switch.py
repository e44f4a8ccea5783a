"""`kebab models switch`, `gc` and `verify`, with two small models in folders."""

from __future__ import annotations

import hashlib
import json
import shutil
import signal
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest
from kebab_store_sqlite import LockWait, hold_switch_lock
from kebab_testing.full_disks import run_with_small_files
from kebab_testing.onnx_files import write_word_embedder
from kebab_wire import ModelCleanupV1, ModelSwitchV1, parse_wire

TOPICS = ["cat", "tax", *(f"{first}{second}" for first in "bdgkm" for second in ("aro", "elu", "ino", "uta"))]
WORDS = [*TOPICS, *["kitten", "levy", "passage", "query", ":", "everything", "about"]]
NOTES = {f"{topic}.md": f"# {topic}\n\nEverything about {topic}, {topic}, {topic}.\n" for topic in TOPICS}
SUITE = """\
suite: small
queries:
  - {id: q1, query: "kitten", kind: answerable, expected_doc_ids: ["cat.md"]}
  - {id: q2, query: "levy", kind: answerable, expected_doc_ids: ["tax.md"]}
"""


@pytest.fixture
def base(kebab, inside, tmp_path: Path, switchable_once: Path):  # type: ignore[no-untyped-def]
    """Short notes with vectors of the model `old`; `new` knows that a kitten is a cat, and a levy a tax."""
    shutil.copytree(switchable_once, tmp_path / "kb")
    return inside(SimpleNamespace(folder=tmp_path / "kb", kebab=kebab))


@pytest.fixture(scope="module")
def switchable_once(make_inside, tmp_path_factory) -> Path:  # type: ignore[no-untyped-def]
    kb = make_inside(tmp_path_factory.mktemp("switchable"))
    models = kb.data / "models"
    write_word_embedder(models / "old-e5", WORDS, dimensions=32)
    write_word_embedder(
        models / "new-e5", WORDS, dimensions=48, seed=2, same=[["cat", "kitten"], ["tax", "levy"]]
    )
    for path, text in NOTES.items():
        kb.write(path, text)
    (kb.folder / "suite.yaml").write_text(SUITE, encoding="utf-8")
    for key, value in (("model", "old-e5"), ("dimensions", "32"), ("provider", "onnx")):
        assert kb("config", "set", f"models.embedding.{key}", value).code == 0
    assert kb("ingest").code == 0
    folder: Path = kb.folder
    return folder


def model_of(kb) -> set[str]:  # type: ignore[no-untyped-def]
    hits = kb("search", "cat", "--mode", "vector", "--json").last["hits"]
    return {hit["embedding_model"] for hit in hits}


def switch(kb, *arguments: str) -> ModelSwitchV1:  # type: ignore[no-untyped-def]
    done = kb("models", "switch", *arguments, "--json")
    assert done.code == 0, done.stderr
    report = parse_wire(done.stdout)
    assert isinstance(report, ModelSwitchV1)
    return report


def check(kb, name: str) -> dict[str, object]:  # type: ignore[no-untyped-def]
    (found,) = [each for each in kb("models", "verify", "--json").last["checks"] if each["name"] == name]
    return found


def test_a_switch_makes_all_vectors_and_changes_the_configuration(base) -> None:
    assert model_of(base) == {"old-e5"}
    report = switch(base, "new-e5")
    assert (report.switched, report.computed, report.pending) == (True, len(NOTES), 0)
    assert report.before is not None
    assert (report.model.model_id, report.before.model_id) == ("new-e5", "old-e5")
    assert set(report.changed) == {"models.embedding.model", "models.embedding.dimensions"}
    assert model_of(base) == {"new-e5"}
    assert check(base, "vectors_complete")["ok"]


def test_a_switch_back_makes_only_the_vectors_of_what_is_new_since(base) -> None:
    switch(base, "new-e5")
    report = switch(base, "--back")
    assert (report.switched, report.computed) == (True, 0)
    assert model_of(base) == {"old-e5"}
    base.write("kitten.md", "# kitten\n\nEverything about the kitten.\n")
    assert base("ingest").code == 0
    report = switch(base, "--back")
    assert (report.model.model_id, report.computed) == ("new-e5", 1)


def test_a_model_with_vectors_is_named_with_its_version(base) -> None:
    switch(base, "new-e5")
    old = switch(base, "old-e5").model
    switch(base, "new-e5")
    assert switch(base, f"{old.model_id}@{old.model_version}").model == old


def test_a_folder_anywhere_is_a_model(base, tmp_path: Path) -> None:
    folder = write_word_embedder(tmp_path / "else-e5", WORDS, dimensions=40, seed=3)
    report = switch(base, str(folder))
    assert (report.model.model_id, report.model.dimensions) == ("else-e5", 40)
    assert model_of(base) == {"else-e5"}


def test_a_switch_to_the_model_in_use_changes_nothing(base) -> None:
    config = base.config.read_text()
    report = switch(base, "old-e5")
    assert (report.switched, report.computed, report.changed) == (True, 0, ())
    assert base.config.read_text() == config


def test_a_comparison_switches_only_with_yes_where_nobody_can_answer(base) -> None:
    suite, config = str(base.folder / "suite.yaml"), base.config.read_text()
    report = switch(base, "new-e5", "--compare", suite)
    assert not report.switched
    assert report.run_before is not None
    assert report.run_after is not None
    assert report.run_before.metrics.ndcg_at_10 < report.run_after.metrics.ndcg_at_10
    assert report.run_after.comparison is not None
    assert report.run_after.comparison.wins >= 1
    assert base.config.read_text() == config
    assert model_of(base) == {"old-e5"}
    report = switch(base, "new-e5", "--compare", suite, "--yes")
    assert (report.switched, report.computed) == (True, 0)
    assert model_of(base) == {"new-e5"}


def test_new_vectors_of_a_switch_that_was_declined_are_deleted_by_gc(base) -> None:
    switch(base, "new-e5", "--compare", str(base.folder / "suite.yaml"))
    report = parse_wire(base("models", "gc", "--yes", "--json").stdout)
    assert isinstance(report, ModelCleanupV1)
    assert [each.model.model_id for each in report.models] == ["new-e5"]
    assert report.size_bytes == report.vectors * 48 * 2 > 0
    assert model_of(base) == {"old-e5"}


def test_gc_deletes_the_former_vectors_and_the_way_back(base) -> None:
    switch(base, "new-e5")
    refused = base("models", "gc")
    assert (refused.code, "--yes" in refused.stderr) == (2, True)
    assert base("models", "gc", "--yes").code == 0
    assert base("models", "gc").stdout == "nothing to delete\n"
    assert base("models", "switch", "--back").code == 2
    assert model_of(base) == {"new-e5"}
    assert switch(base, str(base.data / "models" / "old-e5")).computed == len(NOTES)


def test_searches_use_the_former_model_while_the_new_one_is_incomplete(base) -> None:
    for key, value in (("model", "new-e5"), ("dimensions", "48")):
        base("config", "set", f"models.embedding.{key}", value)
    assert base("embed", "--embed-for", "0").code == 0
    assert model_of(base) == {"old-e5"}
    detail = str(check(base, "model_identity")["detail"])
    assert "searches use old-e5" in detail
    assert f"{len(NOTES)} to go" in detail
    assert base("embed").code == 0
    assert model_of(base) == {"new-e5"}


def test_verification_finds_changed_files_and_other_vectors(base) -> None:
    assert base("models", "verify").code == 0
    graph = base.data / "models" / "old-e5" / "model.onnx"
    write_word_embedder(base.folder / "other", WORDS, dimensions=32, seed=9)
    graph.write_bytes((base.folder / "other" / "model.onnx").read_bytes())
    found = check(base, "model_identity")
    assert not found["ok"]
    assert "have changed" in str(found["detail"])


def test_verification_finds_vectors_that_the_model_does_not_give(base) -> None:
    with sqlite3.connect(base.data / "kebab.sqlite") as connection:
        for number, vector in connection.execute("SELECT vector_no, vector FROM vectors").fetchall():
            turned = vector[2:] + vector[:2]
            connection.execute("UPDATE vectors SET vector = ? WHERE vector_no = ?", (turned, number))
    assert check(base, "lancedb_open")["ok"]
    found = check(base, "known_vectors")
    assert not found["ok"]
    assert found["hint"] == "kebab reset --vector-only; then kebab embed"


def test_verification_compares_a_pulled_model_with_the_hashes_of_the_hub(base) -> None:
    folder = base.data / "models" / "old-e5"
    graph = (folder / "model.onnx").read_bytes()
    source = {
        "files": {"model.onnx": len(graph)},
        "hashes": {"model.onnx": hashlib.sha256(graph).hexdigest()},
    }
    (folder / "kebab-model.json").write_text(json.dumps(source), "utf-8")
    base("config", "set", "models.embedding.provider", "fastembed")
    assert check(base, "embedding_model")["ok"]
    (folder / "model.onnx").write_bytes(graph[:-1] + bytes([graph[-1] ^ 1]))
    found = check(base, "embedding_model")
    assert not found["ok"]
    assert "hub" in str(found["detail"])


def test_a_variable_that_would_win_over_the_file_is_an_error(base) -> None:
    done = base("models", "switch", "new-e5", "--json", env={"KEBAB_MODELS_EMBEDDING_MODEL": "old-e5"})
    assert (done.code, done.error["code"]) == (2, "config_invalid")
    assert "KEBAB_MODELS_EMBEDDING_MODEL" in str(done.error["hint"])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["nothing-like-it"], "invalid_input"),
        (["--back"], "invalid_input"),
        (["multilingual-e5-large"], "model_missing"),
        (["new-e5", "--compare", "nowhere.yaml"], "invalid_input"),
        (["new-e5", "--readonly"], "readonly_mode"),
    ],
)
def test_a_switch_that_cannot_be_is_an_error_and_changes_nothing(
    base, arguments: list[str], code: str
) -> None:
    config = base.config.read_text()
    done = base("models", "switch", *arguments, "--json")
    assert (done.code, done.error["code"]) == (2, code)
    assert base.config.read_text() == config
    assert model_of(base) == {"old-e5"}


def test_a_name_and_back_together_are_a_usage_error(base) -> None:
    assert base("models", "switch", "new-e5", "--back").code == 2
    assert base("models", "switch").code == 2


@pytest.mark.parametrize(("typed", "model"), [("y\n", "new-e5"), ("n\n", "old-e5")])
def test_both_scores_are_shown_before_the_question(base, terminal, typed: str, model: str) -> None:  # type: ignore[no-untyped-def]
    suite = str(base.folder / "suite.yaml")
    done = terminal(base, "models", "switch", "new-e5", "--compare", suite, typed=typed)
    assert done.code == 0
    assert done.stdout.index("model in use") < done.stdout.index("new model")
    assert "Switch to this model?" in done.stderr
    assert model_of(base) == {model}


def test_the_commands_speak_korean(base) -> None:
    korean = {"KEBAB_LANG": "ko"}
    done = base("models", "switch", "new-e5", env=korean)
    assert "이제 new-e5@" in done.stdout
    assert "모델로 검색합니다" in done.stdout
    assert "벡터" in base("models", "gc", "--yes", env=korean).stdout
    assert base("models", "verify", env=korean).code == 0


KILL = """
import os, signal, sys
from importlib import import_module
from kebab_cli.main import run

place, when, *arguments = sys.argv[1:]
module, _, path = place.partition(":")
owner = import_module(module)
*parts, name = path.split(".")
for part in parts:
    owner = getattr(owner, part)
function = getattr(owner, name)

def die(*given, **named):
    if when == "after":
        function(*given, **named)
    os.kill(os.getpid(), signal.SIGKILL)

setattr(owner, name, die)
run(arguments)
"""
REPO = "kebab_store_sqlite:SqliteEmbeddingRepo"


@pytest.mark.thorough
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("place", "still"),
    [
        (f"{REPO}.request", {"old-e5"}),
        (f"{REPO}.put", {"old-e5"}),
        ("kebab_store_vector:MatrixVectorStore.update", {"old-e5"}),
        ("kebab_app.model_switch:_compare", {"old-e5"}),
        ("kebab_app.model_switch:_write", {"old-e5"}),
        (f"{REPO}.activate", {"old-e5", "new-e5"}),
    ],
)
def test_a_switch_that_is_killed_leaves_searches_as_they_are_and_goes_on(
    base, place: str, still: set[str], when: str
) -> None:
    command = ["models", "switch", "new-e5", "--compare", str(base.folder / "suite.yaml"), "--yes"]
    killed = base.kebab.run_program(KILL, place, when, *command, "--config", str(base.config))
    assert killed.code == -signal.SIGKILL, killed.stderr
    assert len(model_of(base)) == 1
    assert model_of(base) <= still
    assert base("ingest").code == 0  # of whatever model the configuration names now
    report = switch(base, "new-e5")
    assert (report.switched, report.pending) == (True, 0)
    assert model_of(base) == {"new-e5"}
    assert base("models", "verify").code == 0


def test_two_switches_at_once_leave_one_model(base) -> None:
    running = [
        base.kebab.begin("models", "switch", name, "--wait", "--config", str(base.config))
        for name in ("new-e5", "new-e5", "old-e5")
    ]
    said = [process.communicate(timeout=120)[1] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], said
    named = base("config", "get", "models.embedding.model", "--json").last["keys"][0]["value"]
    assert model_of(base) == {named}
    assert base("models", "verify").code == 0


def test_a_switch_refuses_to_begin_beside_another(base) -> None:
    with hold_switch_lock(base.data, wait=LockWait()):
        done = base("models", "switch", "new-e5", "--json")
    assert (done.code, json.loads(done.stderr)["code"]) == (2, "locked")
    assert model_of(base) == {"old-e5"}


def test_a_switch_that_waits_says_for_whom_and_ends_on_ctrl_c(base) -> None:
    command = ("models", "switch", "new-e5", "--wait", "--config", str(base.config))
    with hold_switch_lock(base.data, wait=LockWait()):
        waiting = base.kebab.begin(*command)
        assert waiting.stderr.readline().startswith("waiting for ")
        waiting.send_signal(signal.SIGINT)
        waiting.communicate(timeout=120)
    assert waiting.returncode == 130
    assert model_of(base) == {"old-e5"}


def test_a_full_disk_leaves_searches_as_they_are_and_the_next_switch_goes_on(base) -> None:
    config = base.config.read_text()
    command = base.kebab.command("models", "switch", "new-e5", "--json", "--config", str(base.config))
    done = run_with_small_files(command, max_bytes=40_000, env=base.kebab.environment())
    assert (done.returncode, json.loads(done.stderr)["code"]) == (2, "io_error")
    assert base.config.read_text() == config
    assert model_of(base) == {"old-e5"}
    assert switch(base, "new-e5").switched
    assert base("models", "verify").code == 0
