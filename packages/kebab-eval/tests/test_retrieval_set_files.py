from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from kebab_core import InvalidInputError
from kebab_eval import (
    classify_language,
    open_retrieval_set,
    part_of,
    read_judgements,
    read_passages,
)
from kebab_testing.tables import walk

from tests.remedies import say


def write_set(folder: Path, *, queries: list[object], qrels: str, corpus: list[object] | None = None) -> Path:
    for name, rows in (("queries.jsonl", queries), ("corpus.jsonl", corpus)):
        if rows is not None:
            text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
            (folder / name).write_text(text, encoding="utf-8")
    (folder / "qrels.tsv").write_text(qrels, encoding="utf-8")
    return folder


def test_queries_carry_their_judgements_and_those_without_are_counted(tmp_path: Path) -> None:
    write_set(
        tmp_path,
        queries=[
            {"_id": "q1", "text": "색인은 언제", "kind": "fact"},
            {"_id": 2, "text": "when"},
            {"_id": "q3", "text": "?"},
        ],
        qrels="query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n2\td1\t0\n",
        corpus=[],
    )
    found = open_retrieval_set(tmp_path)
    (query,) = found.queries
    assert (query.query_id, query.language, query.kind, query.excluded) == ("q1", "ko", "fact", None)
    assert query.grades == {"d1": 2, "d2": 0}
    assert found.skipped == 2
    assert found.name == tmp_path.name


def test_a_query_across_collections_leaves_its_own_document_out(tmp_path: Path) -> None:
    write_set(
        tmp_path,
        queries=[{"_id": "docs-ko>docs-en:a/b.md", "text": "제목"}],
        qrels="docs-ko>docs-en:a/b.md\tdocs-en/a/b.md\t1\n",
        corpus=[],
    )
    assert open_retrieval_set(tmp_path).queries[0].excluded == "docs-ko/a/b.md"


def test_judgements_need_no_heading_and_may_have_the_columns_of_trec(tmp_path: Path) -> None:
    (tmp_path / "qrels.tsv").write_text("q1\td1\t1\n\nq1\t0\td2\t3\n", encoding="utf-8")
    assert read_judgements(tmp_path) == {"q1": {"d1": 1, "d2": 3}}


def test_the_same_query_twice_counts_once(tmp_path: Path) -> None:
    row = {"_id": "q", "text": "x"}
    write_set(tmp_path, queries=[row, {**row, "part": "other"}], qrels="q\td\t1\n", corpus=[])
    assert len(open_retrieval_set(tmp_path).queries) == 1


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ([{"_id": "q", "text": "x"}, "{broken"], 2),
        (["", "[]"], 2),
        ([{"_id": "q"}], 1),
        ([{"text": "x"}], 1),
        ([{"_id": "", "text": "x"}], 1),
        ([{"_id": "q", "text": ["x"]}], 1),
        ([{"_id": "q", "text": "x"}, {"_id": "q", "text": "y"}], 2),
    ],
)
def test_a_broken_line_is_named_by_its_number(rows: list[object], line: int, tmp_path: Path) -> None:
    write_set(tmp_path, queries=rows, qrels="q\td\t1\n", corpus=[])
    with pytest.raises(InvalidInputError) as caught:
        open_retrieval_set(tmp_path)
    assert caught.value.details["line"] == line
    assert say(caught.value)


@pytest.mark.parametrize("text", ["q1\td1\n", "q1\td1\t1\nq1 d1 1\n", "a\tb\tc\nq\td\tmuch\n"])
def test_a_line_that_is_no_judgement_is_an_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "qrels.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInputError):
        read_judgements(tmp_path)


@pytest.mark.parametrize("name", ["queries.jsonl", "qrels.tsv", "corpus.jsonl"])
def test_a_missing_file_is_named(name: str, tmp_path: Path) -> None:
    write_set(tmp_path, queries=[{"_id": "q", "text": "x"}], qrels="q\td\t1\n", corpus=[])
    (tmp_path / name).unlink()
    with pytest.raises(InvalidInputError, match=name):
        open_retrieval_set(tmp_path)


@pytest.mark.parametrize("qrels", ["", "query-id\tcorpus-id\tscore\n", "other\td\t1\n"])
def test_without_any_judged_query_there_is_nothing_to_measure(qrels: str, tmp_path: Path) -> None:
    write_set(tmp_path, queries=[{"_id": "q", "text": "x"}], qrels=qrels, corpus=[])
    with pytest.raises(InvalidInputError):
        open_retrieval_set(tmp_path)


def test_a_file_that_is_not_utf8_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "qrels.tsv").write_bytes("질문\td\t1\n".encode("cp949"))
    with pytest.raises(InvalidInputError):
        read_judgements(tmp_path)


def test_ids_meet_whatever_normal_form_they_are_written_in(tmp_path: Path) -> None:
    write_set(tmp_path, queries=[{"_id": "가", "text": "x"}], qrels="가\t나.md\t1\n", corpus=[])
    assert open_retrieval_set(tmp_path).queries[0].grades == {"나.md": 1}


def test_documents_are_read_one_by_one(tmp_path: Path) -> None:
    rows = ['{"_id": "a", "title": "제목", "text": "본문"}', '{"_id": 7, "text": ""}', "broken"]
    (tmp_path / "corpus.jsonl").write_text("\n".join(rows), encoding="utf-8")
    passages = read_passages(tmp_path)
    first, second = next(passages), next(passages)
    assert (first.doc_id, first.title, first.text) == ("a", "제목", "본문")
    assert (second.doc_id, second.title, second.text) == ("7", "", "")
    with pytest.raises(InvalidInputError):
        next(passages)


@given(count=st.integers(1, 40), parts=st.integers(1, 5), limit=st.integers(1, 40))
def test_parts_divide_the_queries_whatever_else_there_is(
    count: int, parts: int, limit: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    names = [f"q{number}" for number in range(count)]
    folder = write_set(
        tmp_path_factory.mktemp("set"),
        queries=[{"_id": name, "text": "x"} for name in names],
        qrels="".join(f"{name}\td\t1\n" for name in names),
        corpus=[],
    )
    divided = {name: part_of(name, parts=parts) for name in names}
    assert set(divided.values()) <= set(range(1, parts + 1))
    for part in set(divided.values()):
        chosen = open_retrieval_set(folder, part=part, parts=parts).queries
        assert {query.query_id for query in chosen} == {name for name in names if divided[name] == part}
    assert len(open_retrieval_set(folder, limit=limit).queries) == min(limit, count)


@walk(
    ("text", "language"),
    [
        ("한국어 질문", "ko"),
        ("question", "en"),
        ("API를 부르는 법", "mixed"),
        ("123?", "other"),
        ("가", "ko"),
    ],
)
def test_the_language_of_a_query_is_told_by_its_letters(text: str, language: str) -> None:
    assert classify_language(text) == language


def test_ids_that_are_judged_and_not_asked_are_counted(tmp_path: Path) -> None:
    qrels = "q\td\t1\nother\td\t1\nother\te\t1\nthird\td\t0\n"
    write_set(tmp_path, queries=[{"_id": "q", "text": "x"}], qrels=qrels, corpus=[])
    assert open_retrieval_set(tmp_path).unknown == 2
    assert open_retrieval_set(tmp_path, limit=1).unknown == 2


def test_a_file_without_queries_says_so(tmp_path: Path) -> None:
    write_set(tmp_path, queries=[], qrels="q\td\t1\n", corpus=[])
    with pytest.raises(InvalidInputError, match=r"there are no queries in .*queries\.jsonl"):
        open_retrieval_set(tmp_path)


@pytest.mark.parametrize("has_corpus", [True, False])
def test_a_folder_that_is_none_says_so(has_corpus: bool, tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    with pytest.raises(InvalidInputError, match=r"there is no folder .*set\.jsonl"):
        open_retrieval_set(file, has_corpus=has_corpus)
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"set\.jsonl' is a file, not a folder"):
        open_retrieval_set(file, has_corpus=has_corpus)
