"""From the domain to the wire: nothing lost, nothing invented."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given, strategies as st
from kebab_app import ActiveVersions, Introspection
from kebab_core import (
    Block,
    Citation,
    Coverage,
    Evidence,
    IngestCounts,
    IngestEvent,
    IngestReport,
    LineCitation,
    NoHitReason,
    RetrievalDetail,
    RunId,
    SearchFilters,
    SearchHit,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SkipReason,
    StoreStats,
    WorkspacePath,
    parse_citation,
)
from kebab_testing.tables import walk
from kebab_wire import (
    WIRE_SCHEMAS,
    ConfigReport,
    DoctorCheck,
    DoctorReport,
    FiltersV1,
    IngestReportV1,
    SchemaModels,
    SearchHitV1,
    parse_wire,
    wire_citation,
    wire_document_inspection,
    wire_ingest_report,
    wire_json,
    wire_schema_report,
    wire_search_hit,
    wire_search_response,
)
from kebab_wire.base import WireObject
from pydantic import ValidationError

from tools.wire.examples import build_examples
from tools.wire.examples.documents import DOCUMENT, START
from tools.wire.examples.reports import STATS
from tools.wire.examples.searches import HIT

EXAMPLES = build_examples()


def members(union: object) -> set[str]:
    """Return the `kind`s of a discriminated union."""
    return {member.model_fields["kind"].default for member in get_args(get_args(union)[0])}


def kinds_in(value: object) -> set[str]:
    """Return every `kind` anywhere in JSON."""
    if isinstance(value, dict):
        found = {value["kind"]} if isinstance(value.get("kind"), str) else set()
        return found.union(*(kinds_in(item) for item in value.values()))
    return set().union(*(kinds_in(item) for item in value)) if isinstance(value, list) else set()


def _is_path(text: str) -> bool:
    return not text.startswith("/") and bool({*text.split("/")} - {"", "."}) and ".." not in text.split("/")


def dump(value: WireObject) -> Any:
    return json.loads(wire_json(value))


@walk("name", EXAMPLES)
def test_example_survives_writing_and_reading(name: str) -> None:
    assert parse_wire(wire_json(EXAMPLES[name])) == EXAMPLES[name]


@walk("name", EXAMPLES)
def test_example_is_named_after_its_object(name: str) -> None:
    named = name.partition(".")[0] + (".v2" if ".v2" in name else ".v1")
    assert dump(EXAMPLES[name])["schema_version"] == named


def test_every_object_has_an_example() -> None:
    assert {dump(example)["schema_version"] for example in EXAMPLES.values()} == set(WIRE_SCHEMAS)


@walk(("union", "version"), [(Citation, "citation.v1"), (IngestEvent, "ingest_progress.v1")])
def test_every_kind_of_a_domain_union_has_an_example(union: object, version: str) -> None:
    shown = {
        dump(example).get("kind")
        for example in EXAMPLES.values()
        if dump(example)["schema_version"] == version
    }
    assert shown == members(union) == members(WIRE_SCHEMAS[version])


def test_every_kind_of_block_reaches_the_wire_unchanged() -> None:
    blocks = dump(wire_document_inspection(DOCUMENT))["blocks"]
    assert {block["kind"] for block in blocks} == members(Block)
    for block, original in zip(blocks, DOCUMENT.blocks, strict=True):
        stored = json.loads(original.model_dump_json())
        assert block == {key: stored[key] for key in block}
        assert {value for key, value in stored.items() if key not in block} <= {None}


@walk("name", [name for name in EXAMPLES if name.startswith("citation.")])
def test_citation_uri_addresses_what_the_fields_say(name: str) -> None:
    shown = dump(EXAMPLES[name])
    parsed = parse_citation(shown["uri"]).model_dump()
    shared = set(parsed) & set(shown) - {"section", "rectangles", "page_size", "char_start", "char_end"}
    assert {key: shown[key] for key in shared} == {key: parsed[key] for key in shared}


def test_every_citation_anywhere_has_schema_version_and_uri() -> None:
    citation = dump(wire_search_hit(HIT))["citation"]
    assert (citation["schema_version"], citation["uri"].partition("#")[2]) == ("citation.v1", "L10-L14")


def test_every_field_of_a_domain_hit_is_on_the_wire() -> None:
    assert set(SearchHit.model_fields) <= set(SearchHitV1.model_fields)
    reranked = HIT.model_copy(update={"retrieval": HIT.retrieval.model_copy(update={"rerank_score": 0.5})})
    shown = dump(wire_search_hit(reranked))
    assert set(RetrievalDetail.model_fields) == set(shown["retrieval"])
    assert {field.alias or name for name, field in Evidence.model_fields.items()} == set(shown["evidence"])


def test_leg_that_did_not_find_the_hit_is_null_and_code_fields_are_absent() -> None:
    shown = dump(wire_search_hit(HIT))
    assert shown["retrieval"]["vector_score"] is None
    assert "code_lang" not in shown
    code = HIT.model_copy(update={"code_lang": "rust", "repo": "kebab"})
    assert dump(wire_search_hit(code))["code_lang"] == "rust"


def test_response_echoes_the_query_and_only_the_filters_in_force() -> None:
    query = SearchQuery(
        text="설계", mode=SearchMode.LEXICAL, k=3, filters=SearchFilters(tags_any=("a", "b"), lang=("ko",))
    )
    response = SearchResponse(
        query=query,
        hits=(),
        coverage=Coverage(documents_indexed=0),
        no_hit_reason=NoHitReason.NOTHING_MATCHES,
    )
    assert dump(wire_search_response(response))["query"] == {
        "text": "설계",
        "mode": "lexical",
        "k": 3,
        "filters": {"tag": ["a", "b"], "lang": ["ko"]},
    }


def test_every_domain_filter_has_a_name_on_the_wire() -> None:
    renamed = {"tags_any": "tag", "source_id": "source"}
    assert {renamed.get(name, name) for name in SearchFilters.model_fields} == set(FiltersV1.model_fields)


def test_every_skip_reason_has_its_counter() -> None:
    counters = {name for name in IngestReportV1.model_fields if name.startswith("skipped_")}
    assert counters == {f"skipped_{reason}" for reason in SkipReason} | {"skipped_by_extension"}


@given(
    reasons=st.dictionaries(st.sampled_from(SkipReason), st.integers(0, 9)),
    counts=st.builds(
        IngestCounts, scanned=st.integers(0, 9), new=st.integers(0, 9), errors=st.integers(0, 9)
    ),
)
def test_report_carries_every_count(reasons: dict[SkipReason, int], counts: IngestCounts) -> None:
    report = IngestReport(
        run_id=RunId("r"),
        scopes=(),
        counts=counts.model_copy(update={"skipped": sum(reasons.values())}),
        skipped_by_reason=reasons,
        duration_ms=0,
        started_at=START,
        finished_at=START,
    )
    shown = dump(wire_ingest_report(report))
    assert {name: shown[name] for name in IngestCounts.model_fields} == report.counts.model_dump()
    assert sum(shown[f"skipped_{reason}"] for reason in SkipReason) == shown["skipped"]
    assert (shown["scope"], shown["items"]) == (None, None)


def test_report_has_the_first_source_as_scope_and_all_as_scopes() -> None:
    shown = dump(EXAMPLES["ingest_report"])
    assert shown["scope"] == shown["scopes"][0]


def test_every_statistic_of_the_store_is_in_the_schema_report() -> None:
    stats = dump(EXAMPLES["schema"])["stats"]
    elsewhere = {"schema_version", "corpus_revision", "active_parsers", "active_chunkers", "analyzer_version"}
    assert set(StoreStats.model_fields) - elsewhere <= set(stats)


def test_schema_report_refuses_models_that_are_not_documented() -> None:
    with pytest.raises(ValidationError):
        SchemaModels.model_validate({"parser_version": "a", "surprise": 1})


def test_schema_report_claims_json_where_there_are_wire_objects() -> None:
    models = ActiveVersions(
        parser_version="a",
        chunker_version="b",
        active_parsers=(),
        active_chunkers=(),
        analyzer_version="c",
        embedding_model=None,
        prompt_template_version="d",
        index_version=None,
        corpus_revision=0,
    )
    found = Introspection(
        kebab_version="0",
        capabilities={"ask": True},
        models=models,
        stats=STATS,
        stale_document_count=None,
        plugins=(),
        data_bytes={},
        table_bytes={},
    )
    shown = wire_schema_report(found, schemas=WIRE_SCHEMAS)
    assert list(shown.capabilities.items()) == [("json_mode", True), ("ingest_progress", True), ("ask", True)]
    assert shown.wire.schemas == tuple(sorted(WIRE_SCHEMAS))
    assert not any(
        wire_schema_report(found, schemas=()).capabilities[name] for name in ("json_mode", "ingest_progress")
    )


def test_doctor_report_that_contradicts_its_checks_is_refused() -> None:
    with pytest.raises(ValidationError):
        DoctorReport(ok=True, checks=(DoctorCheck(name="a", ok=False, detail="b"),))


def test_wire_object_refuses_unknown_fields_and_numbers_that_json_has_not() -> None:
    with pytest.raises(ValidationError):
        ConfigReport.model_validate({**EXAMPLES["config_report"].model_dump(), "surprise": 1})
    for number in (float("nan"), float("inf")):
        with pytest.raises(ValidationError):
            SearchHitV1.model_validate({**EXAMPLES["search_hit"].model_dump(), "score": number})


def test_wire_object_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        EXAMPLES["doctor"].ok = False  # type: ignore[attr-defined]  # the point of the test


@given(
    path=st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(_is_path),
    lines=st.tuples(st.integers(1, 10**6), st.integers(0, 100)),
)
def test_any_line_citation_is_read_back_from_its_wire_uri(path: str, lines: tuple[int, int]) -> None:
    citation = LineCitation(path=WorkspacePath(path), start=lines[0], end=sum(lines))
    assert parse_citation(wire_citation(citation).uri) == citation
