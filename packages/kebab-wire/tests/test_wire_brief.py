"""A result in brief: what is usual is not said, what is needed to go on is."""

from __future__ import annotations

import json

from kebab_core import Coverage, LegFailure, SearchMode, SearchQuery, SearchResponse, SourceId
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
