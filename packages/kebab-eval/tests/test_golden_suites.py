"""Golden suites: what a file may say, and what hits come to against it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kebab_core import (
    ChunkerVersion,
    ChunkId,
    DocumentId,
    IndexVersion,
    InvalidInputError,
    LineCitation,
    RetrievalDetail,
    ScoreKind,
    SearchHit,
    SearchMode,
    SourceId,
    TrustLevel,
    WorkspacePath,
)
from kebab_eval import GoldenQuery, GoldenResult, measure_hits, read_golden_suite, summarize_golden

SUITE = """\
suite: 노트
corpus: ../notes
include: ["**/*.md"]
queries:
  - id: a
    query: 색인은 언제 만드나요?
    kind: 사실
    expected_doc_ids: [ko/a.md]
    expected_chunk_ids: ["ko/a.md#색인"]
    must_contain: [매일]
    forbidden: [매주]
  - id: b
    query: who won?
    answerable: false
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "suite.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_suite_says_what_to_ask_and_what_to_expect(tmp_path: Path) -> None:
    suite = read_golden_suite(written(tmp_path, SUITE))
    assert (suite.suite, suite.corpus, suite.include) == ("노트", "../notes", ("**/*.md",))
    judged, unjudged = suite.to_searches()
    assert (unjudged.query_id, unjudged.has_relevant, unjudged.judge("ko/a.md")) == ("b", False, None)
    assert (judged.query_id, judged.language, judged.kind, judged.grades) == (
        "a",
        "ko",
        "사실",
        {"ko/a.md": 1},
    )
    answerable, unanswerable = suite.to_questions()
    assert (answerable.answerable, answerable.must_contain, answerable.forbidden) == (
        True,
        ("매일",),
        ("매주",),
    )
    assert (unanswerable.answerable, unanswerable.language, unanswerable.relevant) == (
        False,
        "en",
        frozenset(),
    )


def test_a_suite_without_a_name_is_called_like_its_file(tmp_path: Path) -> None:
    assert read_golden_suite(written(tmp_path, "queries: [{id: a, query: b}]")).suite == "suite"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("queries: [", "no YAML"),
        ("", "the whole"),
        ("queries: []", "queries"),
        ("queries: [{id: a}]", "queries.0.query"),
        ("queries: [{id: a, query: b, expectd: c}]", "queries.0.expectd"),
        ("queries: [{id: a, query: b}, {id: a, query: c}]", "'a' occurs twice"),
        ("!!python/object/apply:os.getcwd []", "no YAML"),
    ],
)
def test_a_suite_that_cannot_be_used_says_where(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=says):
        read_golden_suite(written(tmp_path, text))


def test_a_suite_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"absent\.yaml"):
        read_golden_suite(tmp_path / "absent.yaml")


def hit(rank: int) -> SearchHit:
    path = WorkspacePath(f"note-{rank}.md")
    return SearchHit(
        rank=rank,
        score=1.0,
        score_kind=ScoreKind.BM25,
        chunk_id=ChunkId(f"{rank:032x}"),
        doc_id=DocumentId(f"{rank + 100:032x}"),
        source_id=SourceId("default"),
        doc_path=path,
        title="",
        heading_path=(),
        snippet="",
        citation=LineCitation(path=path, start=1, end=1),
        retrieval=RetrievalDetail(
            method=SearchMode.LEXICAL,
            fusion_score=1.0,
            lexical_score=1.0,
            vector_score=None,
            lexical_rank=1,
            vector_rank=None,
        ),
        index_version=IndexVersion("lexical:test"),
        chunker_version=ChunkerVersion("md-heading-v1"),
        indexed_at=datetime(2026, 1, 1, tzinfo=UTC),
        stale=False,
        lang="ko",
        trust_level=TrustLevel.PRIMARY,
    )


HITS = tuple(hit(rank) for rank in (1, 2, 3))


def measured(query: GoldenQuery, hits: Sequence[SearchHit], k: int = 4) -> GoldenResult:
    return measure_hits(query, hits, k=k)


def test_ranks_and_shares_are_of_the_first_k_and_precision_of_k_itself() -> None:
    second, third = HITS[1], HITS[2]
    query = GoldenQuery(
        id="q",
        query="?",
        expected_chunk_ids=(str(second.chunk_id), str(third.chunk_id)),
        expected_doc_ids=(str(second.doc_path), "absent.md"),
    )
    assert measured(query, HITS) == GoldenResult(
        query_id="q",
        hit_at_k=True,
        reciprocal_rank=0.5,
        precision_at_k_chunk=2 / 4,
        recall_at_k_doc=0.5,
    )
    nothing = measured(query, HITS, k=1)
    assert (nothing.hit_at_k, nothing.reciprocal_rank, nothing.precision_at_k_chunk) == (False, 0.0, 0.0)


def test_a_passage_is_named_by_its_heading_or_by_the_names_around_a_definition() -> None:
    method = HITS[1].model_copy(update={"heading_path": ("fastapi", "routing", "APIRoute", "handle")})
    other = HITS[1].model_copy(update={"heading_path": ("fastapi", "routing", "Mount", "handle")})

    def is_found(name: str, found: SearchHit) -> bool | None:
        query = GoldenQuery(id="q", query="?", expected_chunk_ids=(f"{found.doc_path}#{name}",))
        return measured(query, [found]).hit_at_k

    assert is_found("APIRoute.handle", method)
    assert is_found("handle", method)
    assert is_found("APIRoute", method)
    assert not is_found("APIRoute.handle", other)


def test_what_is_not_expected_is_not_measured() -> None:
    only_document = GoldenQuery(id="d", query="?", expected_doc_ids=(str(HITS[0].doc_id),))
    nothing = GoldenQuery(id="n", query="?")
    results = [measured(only_document, HITS), measured(nothing, HITS)]
    assert results[1] == GoldenResult(query_id="n")
    summary = summarize_golden(results, k=4)
    assert (summary.chunk_queries, summary.doc_queries) == (0, 1)
    assert (summary.hit_at_k, summary.mrr, summary.precision_at_k_chunk) == (None, None, None)
    assert summary.recall_at_k_doc == 1.0
