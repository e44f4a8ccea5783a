"""Vectors as a user meets them, with the model that comes with kebab."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from kebab_model_e5_small import files

pytestmark = pytest.mark.skipif(files() is None, reason="the model comes without weights here")


@pytest.fixture(scope="module")
def embedded_once(tmp_path_factory, make_inside) -> Path:  # type: ignore[no-untyped-def]
    base = make_inside(tmp_path_factory.mktemp("embedded"))
    base.config.write_text('[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n', encoding="utf-8")
    base.write("backup.md", "# Backups\n\nThe database is copied to the vault every night at three.\n")
    base.write("요리.md", "# 김치찌개\n\n묵은지와 돼지고기를 볶다가 물을 붓고 오래 끓인다.\n")
    done = base("ingest", "--json")
    assert done.code == 0, done.stderr
    assert done.last["embedding"]["pending"] == 0
    assert done.last["embeddings_indexed"] == done.last["chunks_indexed"] == 2
    folder: Path = base.folder
    return folder


@pytest.fixture
def embedded(tmp_path, kebab, inside, embedded_once):  # type: ignore[no-untyped-def]
    """A knowledge base with vectors; a copy that the test may spoil."""
    shutil.copytree(embedded_once, tmp_path / "kb")
    return inside(SimpleNamespace(folder=tmp_path / "kb", kebab=kebab))


def test_a_question_finds_a_note_in_the_other_language(embedded) -> None:  # type: ignore[no-untyped-def]
    done = embedded("search", "how do I make kimchi stew", "--mode", "vector", "--json")
    assert done.last["hits"][0]["doc_path"] == "요리.md"
    assert done.last["coverage"]["documents_pending"] == 0


def test_what_was_not_embedded_is_made_up_for(embedded) -> None:  # type: ignore[no-untyped-def]
    embedded.write("새 글.md", "# 산책\n\n아침마다 강을 따라 걷는다.\n")
    left = embedded("ingest", "--no-embed")
    assert left.code == 0
    assert left.stdout.splitlines()[-1] == "note: 1 passage has no vector (kebab embed)"
    assert embedded("doctor", "--json").code == 3
    done = embedded("embed")
    assert done.code == 0
    assert done.stdout.startswith("done  1 passage embedded  (")
    assert embedded("embed").stdout.startswith("done  nothing to embed  (")
    assert embedded("doctor", "--json").code == 0


def test_single_documents_may_wait_for_their_vectors_too(embedded) -> None:  # type: ignore[no-untyped-def]
    letter = embedded.folder / "letter.md"
    letter.write_text("# Letter\n\nThe lease ends in May.\n", encoding="utf-8")
    given = embedded("ingest-file", "--no-embed", str(letter))
    assert (given.code, given.stdout.splitlines()[-1]) == (
        0,
        "note: 1 passage has no vector (kebab embed)",
    )
    piped = embedded("ingest-stdin", "--no-embed", "--title", "차", stdin="보리차를 끓인다.\n")
    assert (piped.code, piped.stdout.splitlines()[-1]) == (
        0,
        "note: 2 passages have no vectors (kebab embed)",
    )
    assert embedded("embed").stdout.startswith("done  2 passages embedded  (")


def test_files_of_vectors_may_be_deleted(embedded) -> None:  # type: ignore[no-untyped-def]
    """They are made from the database: nothing is found less without them, and the next run makes them again."""
    modes = ("vector", "hybrid")
    before = [embedded("search", "backup", "--mode", mode, "--json").last["hits"] for mode in modes]
    shutil.rmtree(embedded.data / "vectors")
    after = [embedded("search", "backup", "--mode", mode, "--json").last for mode in modes]
    assert [found["hits"] for found in after] == before
    assert [found["coverage"]["documents_pending"] for found in after] == [0, 0]
    assert not (embedded.data / "vectors").exists()
    done = embedded("embed", "--json")
    assert (done.last["embedding"]["computed"], done.last["embedding"]["reused"]) == (0, 0)
    assert [path.suffix for path in (embedded.data / "vectors").iterdir()] == [".matrix"]


@pytest.mark.parametrize("index", ["auto", "matrix", "lancedb"])
def test_every_kind_of_vector_index_finds_the_same(embedded, index: str) -> None:  # type: ignore[no-untyped-def]
    question = ("search", "어디에 복사되나", "--mode", "vector", "--json")
    expected = embedded(*question).last["hits"]
    with embedded.config.open("a", encoding="utf-8") as config:
        config.write(f'vector_index = "{index}"\n')
    assert embedded("embed").code == 0
    suffixes = {path.suffix for path in (embedded.data / "vectors").iterdir()}
    assert suffixes == ({".matrix", ".lance", ".json"} if index == "lancedb" else {".matrix"})
    assert embedded(*question).last["hits"] == expected
    checks = {check["name"]: check for check in embedded("doctor", "--json").last["checks"]}
    assert checks["lancedb_open"]["ok"], checks
    assert ("approximate" in checks["lancedb_open"]["detail"]) == (index == "lancedb")


def test_a_renamed_note_is_found_by_meaning_without_the_model(embedded) -> None:  # type: ignore[no-untyped-def]
    (embedded.notes / "backup.md").rename(embedded.notes / "nightly.md")
    done = embedded("ingest", "--json")
    assert done.last["embedding"].get("computed", 0) == 0
    found = embedded("search", "어디에 복사되나", "--mode", "vector", "--json").last
    assert found["hits"][0]["doc_path"] == "nightly.md"
    assert found["coverage"]["documents_pending"] == 0


def test_a_note_that_comes_back_needs_no_model(embedded) -> None:  # type: ignore[no-untyped-def]
    note = embedded.notes / "요리.md"
    content = note.read_bytes()
    note.unlink()
    assert embedded("ingest").code == 0
    note.write_bytes(content)
    done = embedded("ingest", "--json")
    assert (done.last["new"], done.last["embedding"].get("computed", 0)) == (1, 0)
    assert embedded("doctor", "--json").code == 0
    found = embedded("search", "how do I make kimchi stew", "--mode", "vector", "--json").last
    assert found["hits"][0]["doc_path"] == "요리.md"


@pytest.mark.parametrize("command", ["ingest", "embed"])
def test_damaged_vectors_are_named_and_made_again(embedded, command: str) -> None:  # type: ignore[no-untyped-def]
    with closing(sqlite3.connect(embedded.data / "kebab.sqlite")) as connection:
        connection.execute("UPDATE vectors SET vector = zeroblob(length(vector)) WHERE vector_no = 1")
        connection.commit()
    checks = {check["name"]: check for check in embedded("doctor", "--json").last["checks"]}
    assert checks["lancedb_open"]["detail"] == "1 vector is damaged"
    assert "kebab embed" in checks["lancedb_open"]["hint"]
    shutil.rmtree(embedded.data / "vectors")
    found = embedded("search", "backup", "--json")
    assert (found.code, found.last["coverage"]["leg_failure"]["code"]) == (0, "database_corrupt")
    assert embedded(command, "--json").last["embedding"]["computed"] == 1
    assert embedded("doctor", "--json").code == 0


def test_a_second_run_loads_neither_model_nor_lancedb(embedded) -> None:  # type: ignore[no-untyped-def]
    code = (
        "import sys; from kebab_cli.main import run; run(sys.argv[1:]); "
        "sys.exit(int(any(name in sys.modules for name in ('lancedb', 'pyarrow', 'onnxruntime', 'tokenizers'))))"
    )
    command = [sys.executable, "-c", code, "ingest", "--config", str(embedded.config)]
    done = subprocess.run(
        command, env=embedded.kebab.environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_ctrl_c_over_vectors_ends_with_130_and_the_next_run_goes_on(kb, inside) -> None:  # type: ignore[no-untyped-def]
    kb.config.write_text('[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n', encoding="utf-8")
    for number in range(40):
        kb.write(
            f"many/{number}.md", f"# Note {number}\n\nA paragraph of its own with the number {number}.\n"
        )
    with kb.kebab.begin("ingest", "--json", "--config", str(kb.config)) as process:
        for line in process.stdout:
            if json.loads(line).get("kind") == "embed_batch_started":
                process.send_signal(signal.SIGINT)
                break
        last = [json.loads(line) for line in process.stdout][-1]
    assert process.returncode == 130
    assert last["aborted"]
    done = last["embeddings_indexed"]
    assert done > 0
    kb = inside(kb)
    again = kb("ingest", "--json")
    assert again.code == 0
    assert again.last["embedding"]["computed"] == last["embedding"]["pending"]
    assert again.last["embedding"]["pending"] == 0
    assert kb("doctor", "--json").code == 0


def test_a_note_in_the_other_language_is_found_by_meaning_alone_and_answers(embedded) -> None:  # type: ignore[no-untyped-def]
    done = embedded("ask", "데이터베이스는 매일 밤 어디에 복사되나요?", "--json")
    assert done.code == 0
    assert "The database is copied to the vault every night at three." in done.last["answer"]


def test_a_note_in_the_other_language_that_is_only_near_is_quoted_as_no_answer(embedded) -> None:  # type: ignore[no-untyped-def]
    question = "데이터베이스를 복사하는 사람은 누구인가요?"
    done = embedded("ask", question, "--json", env={"KEBAB_RAG_SCORE_GATE": "0.1"})
    assert (done.code, done.last["refusal_reason"]) == (1, "weak_support")
    assert "The database is copied to the vault every night at three." in done.last["answer"]
    assert done.last["citations"][0]["citation"]["path"] == done.last["citations"][0]["passage"]["path"]
    text = embedded("ask", question, env={"KEBAB_RAG_SCORE_GATE": "0.1"}).stdout
    assert text.startswith("확실하지 않습니다.")
    assert "▎ The database is copied to the vault every night at three." in text
    assert text.splitlines()[-1].startswith("? not sure")


def test_an_answer_names_the_model_of_the_vectors_that_found_it(embedded) -> None:  # type: ignore[no-untyped-def]
    done = embedded("ask", "when is the database copied to the vault?", "--json")
    assert done.last["embedding"]["id"] == "multilingual-e5-small"
    assert done.last["retrieval"]["mode"] == "hybrid"
    shown = embedded("ask", "when is the database copied to the vault?")
    assert shown.stdout.splitlines()[-1].startswith("✓ from your documents")


def test_a_question_about_something_else_is_refused_in_both_languages(embedded) -> None:  # type: ignore[no-untyped-def]
    for question in ("할머니의 생신은 며칠인가요?", "who painted Guernica?", "asdf qwer zxcv"):
        done = embedded("ask", question, "--json")
        assert (done.code, done.last["grounded"]) == (1, False), question


def test_an_empty_index_is_the_reason_in_every_mode_and_no_missing_leg_is_lamented(kb, inside) -> None:  # type: ignore[no-untyped-def]
    kb = inside(kb)
    kb.config.write_text('[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n', encoding="utf-8")
    for note in kb.notes.rglob("*.md"):
        note.unlink()
    assert kb("ingest").code == 0
    for mode in ("lexical", "vector", "hybrid"):
        done = kb("search", "rollback", "--mode", mode)
        assert (done.code, done.stderr) == (1, "")
        assert done.stdout.splitlines() == [
            "no hits: the index is empty (0 documents searched)",
            "hint: kebab ingest",
        ]


@pytest.mark.parametrize(
    ("setting", "fix"),
    [
        ("dimensions = 1024", "set models.embedding.dimensions = 384"),
        ('model = "foo"', 'set models.embedding.model = "multilingual-e5-small"'),
    ],
)
def test_a_setting_that_does_not_fit_the_model_leaves_words_and_is_named(
    embedded, setting: str, fix: str
) -> None:  # type: ignore[no-untyped-def]
    with embedded.config.open("a", encoding="utf-8") as config:
        config.write(f"[models.embedding]\n{setting}\n")
    found = embedded("search", "backup", "--json").last["coverage"]
    assert (found["legs"], found["missing_legs"]) == (["lexical"], ["vector"])
    assert found["leg_failure"]["code"] == "config_invalid"
    assert found["leg_failure"]["hint"].startswith(fix)
    assert "note: not searched by vector: models.embedding." in embedded("search", "backup").stdout
    asked = embedded("ask", "when is the database copied to the vault?", "--json")
    assert (asked.code, asked.last["coverage"]["leg_failure"]["code"]) == (0, "config_invalid")
    for command in (("search", "backup"), ("ask", "when is the database copied?")):
        refused = embedded(*command, "--mode", "vector", "--json")
        assert (refused.code, refused.error["code"]) == (2, "config_invalid")


def test_an_answer_by_words_alone_names_no_model(embedded) -> None:  # type: ignore[no-untyped-def]
    done = embedded("ask", "when is the database copied to the vault?", "--mode", "lexical", "--json")
    assert done.code == 0
    assert "embedding" not in done.last
    assert embedded("ask", "데이터베이스는 매일 밤 어디에 복사되나요?", "--mode", "lexical").code == 1
