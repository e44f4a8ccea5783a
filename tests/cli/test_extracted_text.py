"""Documents of pages and of time on the command line: found, read in part, asked about."""

from __future__ import annotations

from importlib import import_module

import pytest
from kebab_testing.fakes.extractors import CUES_MAGIC, PAGES_MAGIC, hide_text

PAGES = "The grill is lit at noon.\fThe cellar keeps forty barrels of vinegar.\n"
CUES = "0 4000 Welcome to the meeting.\n4000 9500 The orchard keeps ninety crates of quince.\n"


@pytest.fixture
def paged(kb, inside, monkeypatch):  # type: ignore[no-untyped-def]
    recipe_rows = import_module("kebab_app.recipe_rows")
    rows = [
        recipe_rows.RecipeRow(
            media=media, extractor=f"kebab_testing.fakes.extractors:{factory}", chunker="md-heading-v4"
        )
        for media, factory in (("pdf", "build_page_extractor"), ("audio", "build_cue_extractor"))
    ]
    monkeypatch.setattr(recipe_rows, "RECIPES", (*rows, *recipe_rows.RECIPES))
    base = inside(kb)
    base.write("guide.pdf", hide_text(PAGES, PAGES_MAGIC))
    base.write("meeting.wav", hide_text(CUES, CUES_MAGIC))
    assert base("ingest").code == 0
    return base


def test_a_page_and_a_stretch_of_time_are_read(paged) -> None:  # type: ignore[no-untyped-def]
    guide, meeting = paged.doc_id("guide.pdf"), paged.doc_id("meeting.wav")
    assert paged("fetch", "doc", guide).stdout == PAGES.replace("\f", "�")
    page = paged("fetch", "span", guide, "--page", "2")
    assert page.stdout == "The cellar keeps forty barrels of vinegar.\n"
    assert "[guide.pdf page 2]" in page.stderr
    time = paged("fetch", "span", meeting, "--time", "0:04.5", "5")
    assert time.stdout == "The orchard keeps ninety crates of quince.\n"
    assert "[meeting.wav 0:04-0:05]" in time.stderr
    nothing = paged("fetch", "span", guide, "--page", "7")
    assert (nothing.code, nothing.stdout) == (0, "")
    assert "guide.pdf has no text on page 7" in nothing.stderr


def test_programs_get_a_kind_for_each(paged) -> None:  # type: ignore[no-untyped-def]
    guide, meeting = paged.doc_id("guide.pdf"), paged.doc_id("meeting.wav")
    page = paged("--json", "fetch", "span", guide, "--page", "2").last
    assert (page["kind"], page["page"]) == ("page", 2)
    assert "line_start" not in page
    time = paged("--json", "fetch", "span", meeting, "--time", "0", "1:00:00").last
    assert (time["kind"], time["start_ms"], time["end_ms"]) == ("time", 0, 3_600_000)
    lines = paged("--json", "fetch", "span", guide, "1", "2")
    assert (lines.code, lines.error["code"]) == (2, "span_not_supported")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--page", "1", "--time", "0", "1"], "cannot be used together"),
        (["1", "2", "--page", "1"], "cannot be used together"),
        (["1"], "'LINE_END'"),
        ([], "'LINE_START'"),
        (["--time", "soon", "1"], "is not a time"),
        (["--time", "nan", "1"], "is not a time"),
        (["--time", "-1", "1"], "is not a time"),
        (["--time", "9", "1"], "before it starts"),
    ],
)
def test_a_wrong_address_is_a_mistake_in_the_call(paged, arguments: list[str], said: str) -> None:  # type: ignore[no-untyped-def]
    done = paged("fetch", "span", paged.doc_id("meeting.wav"), *arguments)
    assert done.code == 2
    assert said in done.stderr


def test_hits_and_answers_name_pages_and_times(paged) -> None:  # type: ignore[no-untyped-def]
    assert "guide.pdf#p=2" in paged("search", "vinegar barrels", "--mode", "lexical").stdout
    found = paged("--json", "search", "vinegar barrels", "--mode", "lexical").last["hits"][0]["citation"]
    assert (found["page"], found["char_start"]) == (2, 0)
    assert found["rectangles"]
    answer = paged("ask", "How many barrels of vinegar does the cellar keep?", "--mode", "lexical")
    assert answer.code == 0
    assert "forty barrels" in answer.stdout
    assert "guide.pdf#p=2" in answer.stdout


def test_pages_are_read_on_to_the_end_by_the_address_that_is_told(paged) -> None:  # type: ignore[no-untyped-def]
    first = paged("--json", "fetch", "guide.pdf", "--max-tokens", "8").last
    assert (first["kind"], first["text"], first["parts"]) == ("doc", PAGES.partition("\f")[0] + "\f", ["p=1"])
    rest = paged("--json", "fetch", first["next"]).last
    assert (first["text"] + rest["text"], rest["parts"], rest["total_parts"]) == (PAGES, ["p=2"], 2)
    told = paged("fetch", "guide.pdf", "--max-tokens", "8").stderr
    assert f"kebab fetch 'guide.pdf#char={len(first['text'])},'" in told
    assert "[guide.pdf p=1 of 2]" in told
    assert "[guide.pdf page 2 of 2]" in paged("fetch", "guide.pdf#p=2").stderr


@pytest.mark.parametrize("command", [["fetch"], ["open"], ["related"], ["inspect", "doc"]])
def test_a_page_that_is_not_there_is_an_error_everywhere(paged, command: list[str]) -> None:  # type: ignore[no-untyped-def]
    done = paged(*command, "guide.pdf#p=3", env={"EDITOR": "true"})
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.splitlines()[0] == "error: guide.pdf has 2 pages, and no page 3"
    assert done.stderr.splitlines()[1] == "hint: kebab fetch guide.pdf"


def test_the_blocks_of_a_page_are_inspected(paged) -> None:  # type: ignore[no-untyped-def]
    blocks = paged("--json", "inspect", "doc", "guide.pdf#p=2").last["blocks"]
    assert [block["source_span"]["page"] for block in blocks] == [2]
    assert len(paged("--json", "inspect", "doc", "guide.pdf").last["blocks"]) == 2


def test_exact_search_tells_the_page(paged) -> None:  # type: ignore[no-untyped-def]
    assert "guide.pdf#p=2\n" in paged("search", "--exact", "forty barrels").stdout
    found = paged("--json", "search", "--exact", "forty barrels").last["documents"][0]
    assert (found["address"], found["lines"][0]["at"]) == ("guide.pdf#p=2", "p=2")
    assert paged("fetch", found["address"]).stdout.startswith("The cellar")
