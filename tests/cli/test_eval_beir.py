"""`kebab eval`: a small set in Korean and English, as a user measures it."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path

import pytest

PASSAGES = [
    {"_id": "색인", "title": "색인", "text": "색인은 파일이 바뀌면 다시 만들어진다."},
    {"_id": "국수/..", "title": "국수", "text": "국수는 끓는 물에 삶는다.\n\n    면을 찬물에 헹군다."},
    {"_id": "code #1", "title": "", "text": "def read_file(path):\n    # open it\n\n    return __name__"},
    {"_id": "deploy", "title": "Deployment", "text": "We deploy every Tuesday.\n# not a heading"},
]
QUERIES = [
    {"_id": "q1", "text": "색인은 언제 다시 만드나요?", "kind": "question"},
    {"_id": "q2", "text": "when do we deploy?", "kind": "question"},
    {"_id": "q3", "text": "read_file 함수"},
    {"_id": "unjudged", "text": "아무도 모르는 것"},
]
QRELS = (
    "query-id\tcorpus-id\tscore\nq1\t색인\t1\nq2\tdeploy\t1\nq2\tcode #1\t0\nq3\tcode #1\t2\nq3\tnowhere\t1\n"
)


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "작은 세트"
    folder.mkdir()
    for name, rows in (("corpus.jsonl", PASSAGES), ("queries.jsonl", QUERIES)):
        lines = (json.dumps(row, ensure_ascii=False) for row in rows)
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
    (folder / "qrels.tsv").write_text(QRELS, encoding="utf-8")
    return folder


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_a_set_is_measured_in_a_knowledge_base_that_is_gone_after(quick, beir, temporary) -> None:  # type: ignore[no-untyped-def]
    before = quick("list", "docs", "--json").stdout
    done = quick("eval", "beir", str(beir), "--json")
    assert (done.code, done.stderr) == (0, "")
    (run,) = done.objects
    assert run["schema_version"] == "eval_run.v1"
    assert (run["queries"], run["queries_skipped"], run["documents"]) == (3, 1, 4)
    assert run["documents_missing"] == 1
    assert run["metrics"]["hit_at_1"] == 1.0
    assert 0.8 < run["metrics"]["ndcg_at_10"] < 1.0, "one relevant document is not there to be found"
    assert set(run["metrics"]) == {"ndcg_at_10", "mrr_at_10", "recall_at_10", "hit_at_1", "hit_at_3"}
    assert set(run["baselines"]) == {"grep"}
    assert [(part["by"], part["name"]) for part in run["slices"]] == [
        ("language", "en"),
        ("language", "ko"),
        ("language", "mixed"),
        ("kind", "question"),
    ]
    assert run["latency_ms"]["p95"] >= run["latency_ms"]["p50"] > 0
    assert run["versions"]["kebab"]
    assert run["config"]["search"]["default_k"] == 10
    assert quick("list", "docs", "--json").stdout == before
    assert list(temporary.iterdir()) == []


def test_what_each_query_found_is_kept_with_a_report(quick, beir) -> None:  # type: ignore[no-untyped-def]
    (run,) = quick("eval", "beir", str(beir), "--json").objects
    folder = Path(run["run_dir"])
    assert folder == quick.data / "runs" / run["run_id"]
    rows = [json.loads(line) for line in (folder / "per_query.jsonl").read_text("utf-8").splitlines()]
    assert [(row["query_id"], row["ranked"][0]) for row in rows] == [
        ("q1", "색인"),
        ("q2", "deploy"),
        ("q3", "code #1"),
    ]
    assert "| grep | 3 |" in (folder / "report.md").read_text("utf-8")
    assert (folder.stat().st_mode & 0o777, (folder / "report.md").stat().st_mode & 0o777) == (0o700, 0o600)
    assert quick("eval", "show", "last", "--json").objects == [run]
    assert quick("eval", "list", "--json").last["runs"] == [run]
    quick("reset", "--data-only", "--yes")
    assert not (quick.data / "runs").exists()


def test_titles_count_as_titles_and_code_is_not_read_as_markdown(quick, beir) -> None:  # type: ignore[no-untyped-def]
    for text, doc_id in (
        ("Deployment", "deploy"),
        ("__name__", "code #1"),
        ("heading", "deploy"),
        ("국수", "국수/.."),
    ):
        (beir / "queries.jsonl").write_text(json.dumps({"_id": "q", "text": text}), encoding="utf-8")
        (beir / "qrels.tsv").write_text(f"q\t{doc_id}\t1\n", encoding="utf-8")
        (run,) = quick("eval", "beir", str(beir), "--readonly", "--json").objects
        assert run["metrics"]["ndcg_at_10"] == 1.0, text


def test_nothing_is_kept_under_readonly(quick, beir) -> None:  # type: ignore[no-untyped-def]
    (run,) = quick("eval", "beir", str(beir), "--readonly", "--json").objects
    assert (run["persisted"], run["run_dir"]) == (False, None)
    assert not (quick.data / "runs").exists()
    assert quick("eval", "list", "--json").last["runs"] == []


def test_files_of_a_folder_are_documents_by_their_path(quick, beir) -> None:  # type: ignore[no-untyped-def]
    (beir / "queries.jsonl").write_text(
        '{"_id": "notes>notes:english/deployment.md", "text": "rollback 색인"}\n'
        '{"_id": "q2", "text": "how long does a rollback take"}',
        encoding="utf-8",
    )
    (beir / "qrels.tsv").write_text(
        "notes>notes:english/deployment.md\tnotes/한국어/색인.md\t1\nq2\tnotes/english/deployment.md\t1\n",
        encoding="utf-8",
    )
    flags = ["--corpus", str(quick.folder), "--include", "notes/**", "--json"]
    (run,) = quick("eval", "beir", str(beir), *flags).objects
    assert (run["documents"], run["documents_missing"], run["metrics"]["hit_at_1"]) == (2, 0, 1.0)
    (run,) = quick(
        "eval", "beir", str(beir), "--corpus", str(quick.notes), "--include", "english/**", "--json"
    ).objects
    assert (run["documents"], run["documents_missing"]) == (1, 2)


def test_a_run_that_got_worse_is_named_with_its_queries_and_exits_with_one(quick, beir) -> None:  # type: ignore[no-untyped-def]
    numbers = range(12)
    (beir / "queries.jsonl").write_text(
        "\n".join(json.dumps({"_id": f"q{n}", "text": "deploy"}) for n in numbers), encoding="utf-8"
    )
    (beir / "qrels.tsv").write_text("".join(f"q{n}\tdeploy\t1\n" for n in numbers), encoding="utf-8")
    (good,) = quick("eval", "beir", str(beir), "--json").objects
    (beir / "qrels.tsv").write_text("".join(f"q{n}\t국수/..\t1\n" for n in numbers), encoding="utf-8")
    done = quick("eval", "beir", str(beir), "--json", "--compare", "last")
    assert done.code == 1
    (worse,) = done.objects
    assert worse["comparison"]["regressed"] is True
    assert worse["comparison"]["losses"] == 12
    assert "12 worse, 0 the same" in (Path(worse["run_dir"]) / "report.md").read_text("utf-8")
    done = quick("eval", "compare", good["run_id"], worse["run_id"], "--json")
    assert (done.code, done.objects) == (1, [worse["comparison"]])
    back = quick("eval", "compare", worse["run_id"], good["run_id"])
    assert back.code == 0
    assert "12 better, 0 worse, 0 the same of 12 queries" in back.stdout
    assert "worse   1.000 -> 0.000  q0" in quick("eval", "show", "last").stdout


def test_people_see_one_table_with_the_baseline_in_it(quick, beir) -> None:  # type: ignore[no-untyped-def]
    done = quick("eval", "beir", str(beir), "--part", "1/1", "--limit", "2")
    assert done.code == 0
    rows = [line.split()[:2] for line in done.stdout.splitlines()]
    assert ["lexical", "2"] in rows
    assert ["grep", "2"] in rows
    assert "note: 1 queries without a relevant document were not asked" in done.stdout
    assert "no runs yet" not in quick("eval", "list").stdout


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        (["--part", "3/2"], "invalid_input"),
        (["--compare", "last"], "invalid_input"),
        (["--mode", "vector"], "not_indexed"),
        (["--baseline", "lexical"], "invalid_input"),
        (["--corpus", "absent"], "invalid_input"),
        (["--corpus", ".", "--include", "*.none"], "invalid_input"),
    ],
)
def test_what_cannot_be_measured_is_an_error_with_a_hint(flags: list[str], code: str, quick, beir) -> None:  # type: ignore[no-untyped-def]
    done = quick("eval", "beir", str(beir), "--json", *flags)
    assert (done.code, done.stdout) == (2, "")
    assert done.error["code"] == code
    assert done.error["hint"]
    assert not (quick.data / "runs").exists()


def test_a_hybrid_run_without_vectors_says_so(quick, beir) -> None:  # type: ignore[no-untyped-def]
    done = quick(
        "eval", "beir", str(beir), "--mode", "hybrid", "--baseline", "lexical", "--baseline", "grep", "--json"
    )
    (run,) = done.objects
    assert (run["legs"], run["missing_legs"]) == (["lexical"], ["vector"])
    assert run["baselines"]["lexical"] == run["metrics"]
    assert "note: not searched by vector" in quick("eval", "show", run["run_id"][:18]).stdout


BROKEN = {
    "corpus.jsonl": ('{"_id": "a", "text": "x"}\n{"_id": "b"', 2),
    "queries.jsonl": ('{"_id": "q"}', 1),
    "qrels.tsv": ("q\td\t1\nnonsense\n", 2),
}


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_broken_line_is_an_error_that_names_it(name: str, quick, beir, temporary) -> None:  # type: ignore[no-untyped-def]
    text, line = BROKEN[name]
    (beir / name).write_text(text, encoding="utf-8")
    done = quick("eval", "beir", str(beir), "--json")
    assert (done.code, done.error["code"], done.error["details"]["line"]) == (2, "invalid_input", line)
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_an_error_that_says_what_belongs_there(name: str, quick, beir) -> None:  # type: ignore[no-untyped-def]
    (beir / name).unlink()
    done = quick("eval", "beir", str(beir))
    assert done.code == 2
    assert name in done.stderr
    assert "hint: " in done.stderr


def test_two_different_documents_of_one_id_are_an_error_and_the_same_twice_is_one(quick, beir) -> None:  # type: ignore[no-untyped-def]
    lines = (beir / "corpus.jsonl").read_text("utf-8").splitlines()
    (beir / "corpus.jsonl").write_text("\n".join([*lines, lines[0]]), encoding="utf-8")
    assert quick("eval", "beir", str(beir), "--readonly", "--json").last["documents"] == 4
    other = json.dumps({**PASSAGES[0], "text": "다른 글"})
    (beir / "corpus.jsonl").write_text("\n".join([*lines, other]), encoding="utf-8")
    assert quick("eval", "beir", str(beir), "--readonly", "--json").error["code"] == "invalid_input"


def test_judgements_of_queries_that_are_not_asked_are_counted_and_told(quick, beir) -> None:  # type: ignore[no-untyped-def]
    (beir / "qrels.tsv").write_text(QRELS + "q9\tdeploy\t1\nq8\tdeploy\t1\n", encoding="utf-8")
    (run,) = quick("eval", "beir", str(beir), "--json").objects
    assert run["queries_unknown"] == 2
    said = quick("eval", "show", "last").stdout
    assert "note: 2 ids of queries in qrels.tsv are not in queries.jsonl" in said


@pytest.mark.parametrize("option", [[], ["--corpus"]])
def test_a_folder_that_is_missing_or_a_file_is_told_apart(option: list[str], quick, beir) -> None:  # type: ignore[no-untyped-def]
    for path, says in (
        (beir / "nowhere", "error: there is no folder"),
        (beir / "qrels.tsv", "is a file, not a folder"),
    ):
        arguments = [str(beir), *option, str(path)] if option else [str(path)]
        done = quick("eval", "beir", *arguments)
        assert (done.code, done.stdout) == (2, "")
        assert says in done.stderr


def _leave_folder(folder: Path, *, hours: int, owned: bool) -> Path:
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "kebab.sqlite").write_text("left behind", encoding="utf-8")
    if owned:
        (folder / "owner.lock").touch()
    seconds = folder.stat().st_mtime - hours * 3600
    os.utime(folder, (seconds, seconds))
    return folder


def test_folders_that_dead_evaluations_left_behind_are_deleted(quick, beir, temporary) -> None:  # type: ignore[no-untyped-def]
    for name, hours, owned in (("old", 25, False), ("dead", 1, True)):
        _leave_folder(temporary / f"kebab-eval-{name}", hours=hours, owned=owned)
    kept = [
        _leave_folder(temporary / "kebab-eval-young", hours=0, owned=True),
        _leave_folder(temporary / "kebab-eval-unknown", hours=1, owned=False),
        _leave_folder(temporary / "kebab-eval-alive", hours=30, owned=True),
        _leave_folder(temporary / "somebody-else", hours=30, owned=False),
    ]
    (temporary / "kebab-eval-link").symlink_to(kept[-1])
    with (kept[2] / "owner.lock").open() as owner:
        fcntl.flock(owner, fcntl.LOCK_EX)
        assert quick("eval", "beir", str(beir), "--json").code == 0
    assert {path.name for path in temporary.iterdir()} == {*(path.name for path in kept), "kebab-eval-link"}
    assert all((path / "data" / "kebab.sqlite").is_file() for path in kept)
