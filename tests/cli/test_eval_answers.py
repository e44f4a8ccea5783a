"""`kebab eval run` and `kebab eval beir --answers`: answers measured as a user measures them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SUITES = Path(__file__).parents[1] / "goldens" / "suites"
QUOTED = """\
queries:
  - id: rollback
    query: how long does rolling back take?
    kind: fact
    expected_doc_ids: [english/deployment.md]
    expected_chunk_ids: ["english/deployment.md#Rollback"]
    must_contain: [five minutes]
    forbidden: [Tuesday]
  - id: birthday
    query: 할머니의 생신은 며칠인가요?
    answerable: false
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "내 질문.yaml"
    path.write_text(QUOTED, encoding="utf-8")
    return path


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["guide-ko", "guide-en"])
def test_questions_about_the_guides_are_answered_or_refused_as_they_should(name: str, quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("eval", "run", str(SUITES / f"{name}.yaml"), "--json")
    assert done.code == 0, done.stderr
    run = done.last
    golden, answers = run["golden"], run["answers"]
    assert (golden["chunk_queries"], answers["answerable"], answers["unanswerable"]) == (30, 30, 8)  # type: ignore[index]
    assert run["documents_missing"] == 0
    floors = {
        ("golden", "hit_at_k"): 0.96,
        # Korean: .91 before the guides had sections about addresses, `kebab watch` and exact search, which share words with
        # questions and come before the section that answers (-.03); -.01 by the ranking itself. Answers are not worse by it.
        # .86 before the guides were written anew, .84 since; by page .91 before, .93 since.
        # English: .90 before the section about rerankers.
        ("golden", "mrr"): 0.89 if name == "guide-en" else 0.83,
        ("golden", "recall_at_k_doc"): 0.96,
        ("answers", "answered"): 0.5,
        ("answers", "must_contain"): 0.4,
        ("answers", "quotes_verbatim"): 1.0,
        ("answers", "citation_coverage"): 1.0,
        ("answers", "citation_precision"): 0.8,
        ("answers", "refusal_precision"): 0.34,
        ("answers", "refusal_recall"): 1.0,
        ("answers", "refusal_auroc"): 0.98,
        ("answers", "in_language"): 0.9,
    }
    below = {key: run[key[0]][key[1]] for key, floor in floors.items() if run[key[0]][key[1]] < floor}  # type: ignore[index]
    assert below == {}


def test_a_suite_without_a_corpus_asks_the_knowledge_base_and_leaves_no_answer_in_it(quick, suite) -> None:  # type: ignore[no-untyped-def]
    done = quick("eval", "run", str(suite), "--json")
    assert (done.code, done.stderr) == (0, "")
    run = done.last
    assert (run["suite"], run["queries"], run["queries_skipped"], run["documents"]) == ("내 질문", 1, 1, 2)
    assert run["metrics"]["ndcg_at_10"] == 1.0  # type: ignore[index]
    answers = run["answers"]
    assert (answers["questions"], answers["answered"], answers["refusal_recall"]) == (2, 1.0, 1.0)  # type: ignore[index]
    assert (answers["must_contain"], answers["forbidden"]) == (1.0, 1.0)  # type: ignore[index]
    assert quick("answers", "list", "--json").last["answers"] == []


def test_documents_named_by_id_count_as_documents_named_by_path(quick, suite) -> None:  # type: ignore[no-untyped-def]
    (doc_id,) = [
        doc["doc_id"]
        for doc in quick("list", "docs", "--json").last["documents"]
        if doc["doc_path"] == "english/deployment.md"
    ]
    by_path = quick("eval", "run", str(suite), "--json").last
    suite.write_text(QUOTED.replace("[english/deployment.md]", f"[{doc_id}]"), encoding="utf-8")
    by_id = quick("eval", "run", str(suite), "--json").last
    assert by_id["answers"]["citation_precision"] == 1.0  # type: ignore[index]
    for run in (by_path, by_id):
        for field in ("latency_p50", "latency_p95", "cpu_p50", "cpu_p95"):
            del run["answers"][field]  # type: ignore[attr-defined]
    for field in ("metrics", "golden", "answers", "documents_missing"):
        assert by_id[field] == by_path[field], field


def test_a_suite_is_shown_as_a_table_and_kept_with_every_answer(quick, suite) -> None:  # type: ignore[no-untyped-def]
    done = quick("eval", "run", str(suite))
    assert "answers to 1 answerable and 1 unanswerable questions" in done.stdout
    assert "  hit@10                      1.0000" in done.stdout
    assert "  refusal AUROC               1.0000" in done.stdout
    folder = Path(done.stdout.partition("kept in ")[2].strip())
    rows = [json.loads(line) for line in (folder / "per_answer.jsonl").read_text("utf-8").splitlines()]
    assert [(row["query_id"], row["given"]["grounded"]) for row in rows] == [
        ("rollback", True),
        ("birthday", False),
    ]
    assert "## Answers" in (folder / "report.md").read_text("utf-8")
    assert quick("eval", "show", "last").stdout == done.stdout


def test_reset_takes_the_answers_of_a_run_along(quick, suite) -> None:  # type: ignore[no-untyped-def]
    quick("eval", "run", str(suite))
    quick("reset", "--data-only", "--yes")
    assert not (quick.data / "runs").exists()


def test_a_suite_can_be_asked_for_its_hits_alone_and_compared(quick, suite) -> None:  # type: ignore[no-untyped-def]
    quick("eval", "run", str(suite), "--no-answers")
    done = quick("eval", "run", str(suite), "--no-answers", "--k", "1", "--compare", "last", "--json")
    assert "answers" not in done.last
    assert done.last["golden"]["k"] == 1  # type: ignore[index]
    assert done.last["comparison"]["ties"] == 1  # type: ignore[index]


def test_a_corpus_can_be_named_on_the_command_line(quick, suite) -> None:  # type: ignore[no-untyped-def]
    corpus = str(quick.notes / "english")
    done = quick("eval", "run", str(suite), "--corpus", corpus, "--json")
    assert (done.last["documents"], done.last["documents_missing"]) == (1, 1)


def test_a_suite_that_cannot_be_used_is_an_error_that_leads_to_the_manual(quick, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "broken.yaml").write_text("queries: 3", encoding="utf-8")
    done = quick("eval", "run", str(tmp_path / "broken.yaml"), "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")
    assert "docs/evaluation.md" in str(done.error["hint"])


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    files: dict[str, list[dict[str, object]]] = {
        "corpus": [
            {
                "_id": "회의",
                "title": "회의",
                "text": "다음 회의는 3월 2일 화요일에 열린다.\n장소는 본관이다.",
            },
            {"_id": "deploy", "title": "Deployment", "text": "We deploy every Tuesday."},
        ],
        "queries": [
            {"_id": "q1", "text": "다음 회의는 언제 열리나요?"},
            {"_id": "q2", "text": "when do we deploy?"},
            {"_id": "q3", "text": "who won the football match?"},
        ],
        "answers": [
            {"_id": "q1", "answers": ["3월 2일"]},
            {"_id": "q2", "answers": ["Wednesday"]},
            {"_id": "q3", "answerable": False},
        ],
    }
    folder = tmp_path / "set"
    folder.mkdir()
    for name, rows in files.items():
        lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (folder / "qrels.tsv").write_text("q1\t회의\t1\nq2\tdeploy\t1\n", encoding="utf-8")
    return folder


def test_known_answers_are_looked_for_in_what_is_cited_and_printed(quick, judged) -> None:  # type: ignore[no-untyped-def]
    run = quick("eval", "beir", str(judged), "--answers", "--json").last
    answers = run["answers"]
    assert (run["queries"], answers["questions"], answers["unanswerable"]) == (2, 3, 1)  # type: ignore[index]
    assert (answers["answer_in_citations"], answers["answer_in_printed"]) == (0.5, 0.5)  # type: ignore[index]
    assert (answers["quotes_verbatim"], answers["refusal_auroc"]) == (1.0, 1.0)  # type: ignore[index]


@pytest.mark.parametrize(("which", "refused"), [("relevant", 0.5), ("related", 1.0)])
def test_questions_are_asked_again_without_what_answers_them(
    which: str, refused: float, quick, judged
) -> None:  # type: ignore[no-untyped-def]
    more = [
        {"_id": "again", "title": "회의", "text": "다음 회의는 언제 열리나요? 다음 회의는 매주 열린다."},
        {"_id": "국수", "title": "국수", "text": "국수는 끓는 물에 삶는다."},
    ]
    with (judged / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(f"\n{json.dumps(row, ensure_ascii=False)}" for row in more)
    (judged / "answers.jsonl").write_text(
        '{"_id": "q1", "answers": ["3월 2일"]}\n{"_id": "q2", "answers": ["Tuesday"]}', encoding="utf-8"
    )
    done = quick("eval", "beir", str(judged), "--answers", "--leave-out", which, "--json")
    answers = done.last["answers"]
    assert (answers["answerable"], answers["unanswerable"]) == (2, 2)  # type: ignore[index]
    assert answers["refusal_recall"] == refused  # type: ignore[index]


def test_nothing_can_be_left_out_of_a_folder(quick, judged) -> None:  # type: ignore[no-untyped-def]
    corpus = ("--corpus", str(quick.notes))
    done = quick("eval", "beir", str(judged), *corpus, "--answers", "--leave-out", "relevant", "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")


def test_a_set_without_answers_says_so_only_when_they_are_asked_for(quick, judged) -> None:  # type: ignore[no-untyped-def]
    (judged / "answers.jsonl").unlink()
    assert quick("eval", "beir", str(judged), "--json").code == 0
    done = quick("eval", "beir", str(judged), "--answers", "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")
    assert "answers.jsonl" in str(done.error["message"])
