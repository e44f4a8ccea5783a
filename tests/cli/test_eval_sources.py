"""`kebab eval run` on a knowledge base of two sources, with searches that are not asked and topics that are absent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SUITE = """\
queries:
  - {id: garden, query: tomatoes, kind: name, expected_doc_ids: ["garden:plan.md"]}
  - {id: house, query: roof, kind: title, expected_doc_ids: [house.md]}
  - {id: both, query: plan, kind: search, expected_doc_ids: [plan.md]}
  - {id: when, query: "When are tomatoes sown?", kind: when, expected_doc_ids: ["garden:plan.md"], must_contain: [March]}
  - {id: opera, query: opera, kind: absent, answerable: false}
"""


@pytest.fixture(scope="module")
def two_sources(tmp_path_factory, make_inside):  # type: ignore[no-untyped-def]
    kb = make_inside(tmp_path_factory.mktemp("two sources"))
    kb.write("plan.md", "# Plan\n\nThe walls are painted in June.\n")
    kb.write("house.md", "# Roof\n\n- [Roof](https://example.com/roof)\n")
    (kb.folder / "garden").mkdir()
    (kb.folder / "garden" / "plan.md").write_text("# Plan\n\nTomatoes are sown in March.\n", encoding="utf-8")
    kb.config.write_text(
        '[[workspace.sources]]\nid = "notes"\nroot = "notes"\n'
        '[[workspace.sources]]\nid = "garden"\nroot = "garden"\n'
        '[storage]\ndata_dir = "data"\n[models.embedding]\nprovider = "none"\n'
    )
    assert kb("ingest").code == 0
    return kb


def test_the_same_path_in_two_sources_is_two_documents(two_sources, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    suite = tmp_path / "two.yaml"
    suite.write_text(SUITE, encoding="utf-8")
    done = two_sources("eval", "run", str(suite), "--json")
    assert (done.code, done.stderr) == (0, "")
    run = done.last
    assert (run["queries"], run["queries_skipped"], run["documents"], run["documents_missing"]) == (
        4,
        1,
        3,
        0,
    )
    rows = [
        json.loads(line) for line in Path(run["run_dir"], "per_query.jsonl").read_text("utf-8").splitlines()
    ]
    assert {row["query_id"]: (row["relevant"], set(row["ranked"][:2])) for row in rows} == {
        "garden": (["garden:plan.md"], {"garden:plan.md"}),
        "house": (["notes:house.md"], {"notes:house.md"}),
        "both": (["garden:plan.md", "notes:plan.md"], {"garden:plan.md", "notes:plan.md"}),
        "when": (["garden:plan.md"], {"garden:plan.md"}),
    }
    assert run["metrics"]["hit_at_1"] == run["metrics"]["hit_at_3"] == 1.0


def test_searches_are_not_asked_and_first_hits_are_measured(two_sources, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    suite = tmp_path / "two.yaml"
    suite.write_text(SUITE, encoding="utf-8")
    run = two_sources("eval", "run", str(suite), "--json").last
    hits, answers = run["hits"], run["answers"]
    assert (hits["searches"], hits["absent"], hits["absent_no_hit"], hits["judged_no_hit"]) == (
        5,
        1,
        1.0,
        0.0,
    )
    assert hits["strangers"] == 0.0
    assert [
        (part["kind"], part["questions"], part["right"], part["refused"]) for part in answers["outcomes"]
    ] == [
        ("when", 1, 1, 0),
        ("absent", 1, 0, 1),
    ]
    assert (answers["answered_right"], answers["answerable_right"], answers["absent_answered"]) == (
        1.0,
        1.0,
        0.0,
    )
    folder = Path(run["run_dir"])
    rows = [json.loads(line) for line in (folder / "per_search.jsonl").read_text("utf-8").splitlines()]
    first = {row["query_id"]: [hit["boilerplate"] for hit in row["hits"][:1]] for row in rows}
    assert first == {"garden": [False], "house": [True], "both": [False], "when": [False], "opera": []}
    report = (folder / "report.md").read_text("utf-8")
    assert "## First hits" in report
    assert "## Outcomes" in report
