"""A result in brief: what is usual is not said, what is needed to go on is."""

from __future__ import annotations

import json

from kebab_core import (
    Coverage,
    FurtherPassage,
    LegFailure,
    LineCitation,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SourceId,
    Translation,
    WorkspacePath,
)
from kebab_wire import LegFailureV1, wire_brief_hit, wire_json, wire_search_brief, wire_search_hit

from tools.wire.examples.searches import HIT


def test_brief_hit_says_what_is_needed_to_judge_cite_and_open_it() -> None:
    brief = json.loads(wire_json(wire_brief_hit(HIT)))
    full = json.loads(wire_json(wire_search_hit(HIT)))
    assert {name: brief[name] for name in ("chunk_id", "doc_id", "snippet")} == {
        name: full[name] for name in ("chunk_id", "doc_id", "snippet")
    }
    assert (brief["path"], brief["at"]) == (full["doc_path"], full["citation"]["uri"].partition("#")[2])
    assert not {"source", "stale"} & brief.keys()


def test_brief_hit_names_each_heading_once_and_what_is_unusual() -> None:
    hit = HIT.model_copy(
        update={
            "title": "설계",
            "heading_path": ("설계", "청크", "설계"),
            "source_id": SourceId("repo"),
            "stale": True,
            "score": 0.123456,
        }
    )
    brief = wire_brief_hit(hit)
    assert (brief.section, brief.source, brief.stale, brief.score) == ("설계 > 청크", "repo", True, 0.123)


def test_brief_hit_tells_further_passages_and_translations_by_what_differs() -> None:
    assert isinstance(HIT.citation, LineCitation)
    further = FurtherPassage(
        rank=2,
        score=1.0,
        chunk_id=HIT.chunk_id,
        heading_path=("설계", "표"),
        snippet="표는 자르지 않는다.",
        citation=HIT.citation.model_copy(update={"start": 30, "end": 31}),
    )
    same = further.model_copy(update={"heading_path": HIT.heading_path})
    told = [
        Translation(doc_id=HIT.doc_id, source_id=source, doc_path=path, title="Design", lang="en")
        for source, path in (
            (HIT.source_id, WorkspacePath("en/design.md")),
            (SourceId("docs-en"), HIT.doc_path),
        )
    ]
    hit = HIT.model_copy(update={"more": (further, same), "more_count": 5, "translations": tuple(told)})
    brief = json.loads(wire_json(wire_brief_hit(hit)))
    assert brief["more"] == [{"at": "L30-L31", "heading": "표"}, {"at": "L30-L31"}]
    assert brief["more_count"] == 5
    assert brief["translations"] == [
        {"lang": "en", "path": "en/design.md"},
        {"lang": "en", "source": "docs-en"},
    ]
    whole = json.loads(wire_json(wire_search_hit(hit)))
    assert [one["uri"] for one in whole["translations"]] == [one.to_uri() for one in told]
    assert [one["uri"] for one in whole["more"]] == [further.citation.to_uri()] * 2
    assert not {"more", "more_count", "translations"} & json.loads(wire_json(wire_search_hit(HIT))).keys()


def test_brief_response_says_why_a_leg_is_missing() -> None:
    failure = LegFailure(code="model_missing", message="no weights", hint="kebab models pull")
    coverage = Coverage(documents_indexed=3, missing_legs=(SearchMode.VECTOR,), leg_failure=failure)
    response = SearchResponse(query=SearchQuery(text="q"), hits=(), coverage=coverage)
    said = wire_search_brief(response).coverage
    assert (said.missing_legs, said.leg_failure) == (
        (SearchMode.VECTOR,),
        LegFailureV1(code="model_missing", message="no weights", hint="kebab models pull"),
    )


def test_brief_response_without_anything_to_report_is_its_hits() -> None:
    response = SearchResponse(query=SearchQuery(text="q"), hits=(), coverage=Coverage(documents_indexed=3))
    assert json.loads(wire_json(wire_search_brief(response))) == {
        "schema_version": "search_brief.v1",
        "hits": [],
        "coverage": {"indexed": 3},
    }
