"""Several searches in one call: what is asked, what is found and what goes wrong, for programs and for agents."""

from __future__ import annotations

from kebab_core import InvalidInputError, SearchMode, SearchQuery, SearchResponse
from pydantic import JsonValue

from kebab_wire.base import WireObject
from kebab_wire.brief import wire_search_brief
from kebab_wire.bulk import BulkSearchInputV1, BulkSearchResponseV1, wire_bulk_item, wire_bulk_summary
from kebab_wire.errors import classify_error
from kebab_wire.examples.searches import COVERAGE, HIT
from kebab_wire.search import wire_search_response


def build_bulk_searches() -> dict[str, WireObject]:
    """Return inputs, items and what surrounds them by name."""
    given: dict[str, JsonValue] = {
        "query": "코드 블록은 어떻게 나누나요?",
        "mode": "lexical",
        "k": 5,
        "tag": ["설계"],
    }
    wrong: dict[str, JsonValue] = {"query": "rollback", "trust_min": "certain"}
    query = SearchQuery(text="코드 블록은 어떻게 나누나요?", mode=SearchMode.LEXICAL, k=5)
    found = SearchResponse(query=query, hits=(HIT,), coverage=COVERAGE)
    failure = classify_error(
        InvalidInputError(
            "trust_min: must be 'primary', 'secondary' or 'generated', got 'certain'",
            hint="kebab search --help",
            field="trust_min",
        )
    )
    item = wire_bulk_item(given, wire_search_response(found))
    failed = wire_bulk_item(wrong, failure)
    summary = wire_bulk_summary(total=2, failed=1)
    return {
        "bulk_search_input": BulkSearchInputV1.model_validate({
            "schema_version": "bulk_search_input.v1",
            **given,
        }),
        "bulk_search_item": item,
        "bulk_search_item.failed": failed,
        "bulk_search_response": BulkSearchResponseV1(
            results=(wire_bulk_item(given, wire_search_brief(found)), failed), summary=summary
        ),
        "bulk_search_response.empty": BulkSearchResponseV1(
            results=(), summary=wire_bulk_summary(total=0, failed=0)
        ),
        "bulk_search_summary": summary,
    }
