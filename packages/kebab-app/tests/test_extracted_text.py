"""Files that are not text: their extracted text is found, fetched by page and time, cited and quoted."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from kebab_app import AskRequest
from kebab_app.wiring import LANGUAGE_MODELS
from kebab_core import (
    DocumentId,
    FetchDocument,
    FetchSpan,
    InvalidInputError,
    SearchHit,
    SearchMode,
    SearchQuery,
    SpanNotSupportedError,
)
from kebab_testing.fakes.extractors import CUES_MAGIC, PAGES_MAGIC, PICTURE_MAGIC, hide_text
from kebab_testing.fakes.language_model import ScriptedModel
from kebab_testing.tables import walk
from pydantic import ValidationError

if TYPE_CHECKING:
    from conftest import Base

PAGES = (
    "Kebab guide\n\nThe grill is lit at noon.\f"
    "Storage\n\nThe cellar keeps\nforty barrels of vinegar.\n\nIt is locked at night.\f"
)
CUES = "0 4000 Welcome to the harvest meeting.\n4000 9500 The orchard keeps ninety crates of quince.\n9500 12000 Thank you.\n"
POSTER = "Village fair\nThe choir sings sixty carols on Sunday.\nFree entry\n"

SAID: list[str] = []
"""The words of the model."""


def build_scripted(_settings: object, _services: object) -> ScriptedModel:
    return ScriptedModel(SAID)


@pytest.fixture
def ingested(base: Base, monkeypatch: pytest.MonkeyPatch) -> Base:
    recipe_rows = import_module("kebab_app.recipe_rows")
    rows = [
        recipe_rows.RecipeRow(
            media=media, extractor=f"kebab_testing.fakes.extractors:{factory}", chunker="md-heading-v4"
        )
        for media, factory in (
            ("pdf", "build_page_extractor"),
            ("audio", "build_cue_extractor"),
            ("image", "build_picture_extractor"),
        )
    ]
    monkeypatch.setattr(recipe_rows, "RECIPES", (*rows, *recipe_rows.RECIPES))
    monkeypatch.setitem(LANGUAGE_MODELS, "ollama", f"{__name__}:build_scripted")  # type: ignore[arg-type]
    base.configure("models.llm", provider="ollama", model="scripted")
    base.configure("rag", prompt_template_version="rag-v3")
    base.write("guide.pdf", hide_text(PAGES, PAGES_MAGIC))
    base.write("meeting.wav", hide_text(CUES, CUES_MAGIC))
    base.write("poster.png", hide_text(POSTER, PICTURE_MAGIC))
    base.write("note.md", "# Note\n\nA line.\n")
    report = base.ingest().report
    assert (report.counts.new, report.counts.errors) == (4, 0)
    return base


def doc_id(base: Base, path: str) -> DocumentId:
    return base.documents()[path].doc_id


def hit(base: Base, text: str) -> SearchHit:
    return base.app.search(SearchQuery(text=text, mode=SearchMode.LEXICAL)).hits[0]


def test_the_whole_document_is_its_extracted_text(ingested: Base) -> None:
    for path, text in (
        ("guide.pdf", PAGES),
        ("meeting.wav", "".join(f"{line.split(' ', 2)[2]}\n" for line in CUES.splitlines())),
        ("note.md", "# Note\n\nA line.\n"),
    ):
        assert ingested.app.fetch(FetchDocument(doc_id=doc_id(ingested, path))).text == text


@pytest.mark.parametrize(
    ("page", "text"), [(1, PAGES.split("\f")[0]), (2, PAGES.split("\f")[1]), (3, ""), (9, "")]
)
def test_a_page_is_fetched_by_its_number(ingested: Base, page: int, text: str) -> None:
    result = ingested.app.fetch(FetchSpan(doc_id=doc_id(ingested, "guide.pdf"), page=page))
    assert (result.kind, result.page, result.text, result.truncated) == ("page", page, text, False)


def test_a_page_over_its_budget_is_cut(ingested: Base) -> None:
    result = ingested.app.fetch(FetchSpan(doc_id=doc_id(ingested, "guide.pdf"), page=2, max_tokens=2))
    assert result.truncated
    assert PAGES.split("\f")[1].startswith(result.text or "-")


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [
        (0, 4000, (0, 1)),
        (3999, 4001, (0, 2)),
        (5000, 6000, (1, 2)),
        (0, 99999, (0, 3)),
        (12000, 13000, (0, 0)),
    ],
)
def test_a_stretch_of_time_is_the_parts_that_overlap_it(
    ingested: Base, start: int, end: int, lines: tuple[int, int]
) -> None:
    words = [f"{line.split(' ', 2)[2]}\n" for line in CUES.splitlines()]
    query = FetchSpan(doc_id=doc_id(ingested, "meeting.wav"), start_ms=start, end_ms=end)
    result = ingested.app.fetch(query)
    assert (result.kind, result.start_ms, result.end_ms) == ("time", start, end)
    assert result.text == "".join(words[slice(*lines)])


@pytest.mark.parametrize(
    ("path", "address", "said"),
    [
        ("guide.pdf", {"line_start": 1, "line_end": 1}, "has no lines: it is addressed by pages"),
        ("guide.pdf", {"start_ms": 0, "end_ms": 1}, "has no times: it is addressed by pages"),
        ("meeting.wav", {"page": 1}, "has no pages: it is addressed by times"),
        ("meeting.wav", {"line_start": 1, "line_end": 1}, "has no lines: it is addressed by times"),
        ("note.md", {"page": 1}, "has no pages: it is addressed by lines"),
        ("note.md", {"start_ms": 0, "end_ms": 1}, "has no times: it is addressed by lines"),
    ],
)
def test_an_address_of_another_kind_is_refused_with_the_reason(
    ingested: Base, path: str, address: dict[str, int], said: str
) -> None:
    with pytest.raises(SpanNotSupportedError, match=said):
        ingested.app.fetch(FetchSpan(doc_id=doc_id(ingested, path), **address))


@walk("address", [{}, {"line_start": 1}, {"start_ms": 1}, {"page": 1, "line_start": 1, "line_end": 1}])
def test_a_span_has_exactly_one_address(address: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        FetchSpan(doc_id=DocumentId("0" * 32), **address)


def test_a_time_that_ends_before_it_starts_is_refused(ingested: Base) -> None:
    with pytest.raises(InvalidInputError):
        ingested.app.fetch(FetchSpan(doc_id=doc_id(ingested, "meeting.wav"), start_ms=2, end_ms=1))


def test_hits_are_cited_by_page_and_time_and_hold_what_is_fetched(ingested: Base) -> None:
    page = hit(ingested, "vinegar barrels")
    assert page.citation.kind == "page"
    assert page.citation.to_uri() == "guide.pdf#p=2"
    fetched = ingested.app.fetch(FetchSpan(doc_id=page.doc_id, page=page.citation.page)).text or ""
    cited = fetched[page.citation.char_start : page.citation.char_end]
    assert "forty barrels of vinegar." in cited
    assert page.citation.rectangles
    time = hit(ingested, "quince orchard")
    assert time.citation.kind == "time"
    stretch = {"start_ms": time.citation.start_ms, "end_ms": time.citation.end_ms}
    assert "ninety crates" in (ingested.app.fetch(FetchSpan(doc_id=time.doc_id, **stretch)).text or "")


@pytest.mark.parametrize(
    ("question", "quote", "uri"),
    [
        ("How many barrels of vinegar does the cellar keep?", "forty barrels of vinegar.", "guide.pdf#p=2"),
        (
            "How many crates of quince does the orchard keep?",
            "ninety crates of quince.",
            "meeting.wav#t=00:00:04.000,00:00:09.500",
        ),
        (
            "How many carols does the choir sing on Sunday?",
            "The choir sings sixty carols on Sunday.",
            "poster.png#xywh=0,0,600,60",
        ),
    ],
)
def test_claims_quote_the_extracted_text(ingested: Base, question: str, quote: str, uri: str) -> None:
    SAID[:] = [f"{quote} [#1]"]
    *_, last = ingested.app.ask_stream(AskRequest(question=question, mode=SearchMode.LEXICAL))
    assert last.answer.grounded
    claims = last.answer.claims
    sources = [
        source for claim in claims for source in claim.sources if source.quote and quote in source.quote
    ]
    assert sources
    assert sources[0].citation.to_uri() == uri
    citation = sources[0].citation
    if citation.kind == "page":
        page = ingested.app.fetch(FetchSpan(doc_id=doc_id(ingested, "guide.pdf"), page=2)).text or ""
        assert page[citation.char_start : citation.char_end] == sources[0].quote
    elif citation.kind == "region":
        assert POSTER[citation.char_start : citation.char_end] == sources[0].quote == quote
    else:
        assert sources[0].quote == "The orchard keeps ninety crates of quince."


def test_the_text_goes_with_the_file(ingested: Base) -> None:
    gone = doc_id(ingested, "guide.pdf")
    (ingested.root / "guide.pdf").unlink()
    ingested.ingest(prune=True)
    assert ingested.app.base.index.documents.get_text(gone) is None
