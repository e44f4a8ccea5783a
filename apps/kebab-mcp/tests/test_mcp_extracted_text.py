"""Documents of pages and of time for agents."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from kebab_testing.fakes.extractors import CUES_MAGIC, PAGES_MAGIC, hide_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from conftest import Base

PAGES = "The grill is lit at noon.\fThe cellar keeps forty barrels of vinegar.\n"
CUES = "0 4000 Welcome to the meeting.\n4000 9500 The orchard keeps ninety crates of quince.\n"


def test_pages_and_times_are_found_fetched_and_cited(
    base: Base, serve_base: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe_rows = import_module("kebab_app.recipe_rows")
    rows = [
        recipe_rows.RecipeRow(
            media=media, extractor=f"kebab_testing.fakes.extractors:{factory}", chunker="md-heading-v4"
        )
        for media, factory in (("pdf", "build_page_extractor"), ("audio", "build_cue_extractor"))
    ]
    monkeypatch.setattr(recipe_rows, "RECIPES", (*rows, *recipe_rows.RECIPES))
    (base.notes / "guide.pdf").write_bytes(hide_text(PAGES, PAGES_MAGIC))
    (base.notes / "meeting.wav").write_bytes(hide_text(CUES, CUES_MAGIC))
    base.ingest()
    with serve_base(base.parameters()) as session:
        hit = session.call("search", query="vinegar barrels", mode="lexical").value["hits"][0]
        assert hit["address"] == "guide.pdf#p=2"
        assert session.call("fetch", address=hit["address"]).value["text"] == PAGES.split("\f")[1]
        first = session.call("fetch", address="guide.pdf", max_tokens=8).value
        assert (first["parts"], first["total_parts"]) == (["p=1"], 2)
        rest = session.call("fetch", address=first["next"]).value
        assert first["text"] + rest["text"] == PAGES
        assert "next" not in rest
        missing = session.call("fetch", address="guide.pdf#p=3")
        assert missing.value["message"] == "guide.pdf has 2 pages, and no page 3"
        guide = base.find("vinegar barrels").doc_id
        assert session.call("fetch", kind="doc", doc_id=guide).value["text"] == PAGES
        page = session.call("fetch", kind="span", doc_id=guide, page=2).value
        assert (page["kind"], page["page"], page["text"]) == ("page", 2, PAGES.split("\f")[1])
        meeting = session.call("search", query="quince crates", mode="lexical").value["hits"][0]
        assert meeting["address"] == "meeting.wav#t=00:00:04.000,00:00:09.500"
        meeting_id = base.find("quince crates").doc_id
        time = session.call("fetch", kind="span", doc_id=meeting_id, start_ms=4000, end_ms=5000).value
        assert (time["kind"], time["text"]) == ("time", "The orchard keeps ninety crates of quince.\n")
        for given, code, said in (
            ({"line_start": 1, "line_end": 2}, "span_not_supported", "addressed by pages"),
            ({"page": 1, "start_ms": 1, "end_ms": 2}, "invalid_input", "no argument"),
            ({"start_ms": 1}, "invalid_input", "needs the argument 'end_ms'"),
            ({}, "invalid_input", "needs the argument 'line_end'"),
        ):
            reply = session.call("fetch", kind="span", doc_id=guide, **given)
            assert reply.is_error
            assert reply.value["code"] == code
            assert said in reply.value["message"]
        answer = session.call(
            "ask", question="How many barrels of vinegar does the cellar keep?", mode="lexical"
        ).value
        assert answer["grounded"] is True
        assert answer["citations"][0]["address"] == "guide.pdf#p=2"


def test_unseen_characters_of_a_document_are_shown(base: Base, serve_base: Callable[..., Any]) -> None:
    base.write(
        "lease.md", '# Lease\n\nThe deposit\u202e is\x1b[31m 300\U000e0041 euros\u2028 or\x85 "\\u001b".\n'
    )
    base.ingest()
    with serve_base(base.parameters()) as session:
        (hit,) = session.call("search", query="deposit", mode="lexical").value["hits"]
        fetched = session.call("fetch", address=hit["address"]).value["text"]
    shown = 'deposit� is�[31m 300� euros� or� "\\u001b".'
    assert shown in hit["snippet"]
    assert shown in fetched
