"""Citations are numbered as they appear, and name the lines of what is quoted."""

from itertools import pairwise
from typing import Any

from hypothesis import given, strategies as st
from kebab_core import AnswerFinal, RetrievalDone
from kebab_rag import AskRequest
from kebab_rag.citation_numbers import CitationNumbers, show_answer
from kebab_rag.streaming import MarkerStream
from kebab_testing.fakes.language_model import ScriptedModel
from kebab_testing.tables import walk

QUESTION = "where are chunks cut and kept"
PAGES = {
    "guide/chunks.md": "Chunks are cut at headings.\nTables stay whole.\nChunks are kept in order.",
    "guide/index.md": "The index of chunks is kept in one file.",
}


def ask(bench: Any, *said: str, **options: Any) -> Any:
    return bench(ScriptedModel(list(said)), texts=PAGES).pipeline.ask(
        AskRequest(question=QUESTION, **options)
    )


def places(answer: Any) -> list[tuple[str | None, str]]:
    return [(each.marker, each.citation.to_uri()) for each in answer.citations]


def test_numbers_count_in_order_of_appearance_whatever_the_rank_of_the_passage(bench: Any) -> None:
    answer = ask(bench, "In a file [#2], at headings [#1], a file [#2].")
    assert answer.answer == "In a file [1], at headings [2], a file [1]."
    assert places(answer) == [("[1]", "guide/index.md#L1"), ("[2]", "guide/chunks.md#L1")]


def test_each_place_of_a_passage_that_is_quoted_is_cited_by_its_own_lines(bench: Any) -> None:
    answer = ask(bench, "Chunks are kept in order. [#1]\nChunks are cut at headings. [#1]")
    assert answer.answer == "Chunks are kept in order. [1]\nChunks are cut at headings. [2]"
    assert places(answer) == [("[1]", "guide/chunks.md#L3"), ("[2]", "guide/chunks.md#L1")]
    assert {each.passage.to_uri() for each in answer.citations} == {"guide/chunks.md#L1-L3"}


def test_words_in_quotation_marks_are_cited_by_their_lines(bench: Any) -> None:
    answer = ask(bench, 'Tables "stay whole" when a page is cut [#1].')
    assert places(answer) == [("[1]", "guide/chunks.md#L2")]


def test_passage_whose_lines_are_gone_is_cited_whole(bench: Any) -> None:
    parts = bench(ScriptedModel(["Tables stay whole. [#1]"]), texts=PAGES)
    parts.lines = dict.fromkeys(parts.lines, "")
    answer = parts.pipeline.ask(AskRequest(question=QUESTION))
    assert places(answer) == [("[1]", "guide/chunks.md#L1-L3")]


def test_claims_of_an_answer_stand_on_the_lines_of_its_citations(bench: Any) -> None:
    parts = bench(ScriptedModel(["Tables stay whole. [#1]"]), texts=PAGES)
    found, *_, last = parts.pipeline.stream(AskRequest(question=QUESTION))
    assert isinstance(found, RetrievalDone)
    assert isinstance(last, AnswerFinal)
    (claim,) = last.answer.claims
    assert [(source.marker, source.citation) for source in claim.sources] == [
        (each.marker, each.citation) for each in last.answer.citations
    ]


said_texts = st.lists(
    st.sampled_from(["Tables stay whole.", "Rain.", " ", "\n", '"stay whole"', "[#1]", "[#2]", "[#3]", "[1]"])
).map("".join)


@given(said_texts, st.lists(st.integers(0, 80)))
def test_tokens_of_a_stream_have_the_numbers_of_the_final_answer(said: str, cuts: list[int]) -> None:
    passages = dict.fromkeys((1, 2, 3), "Rain.\nTables stay whole.")
    numbers, stream = CitationNumbers(passages), MarkerStream()
    places = sorted({0, *(cut for cut in cuts if cut < len(said)), len(said)})
    pieces = [said[low:high] for low, high in pairwise(places)]
    shown = [numbers.renumber(each) for piece in pieces for each in stream.feed(piece)]
    shown += [numbers.renumber(each) for each in stream.flush()]
    final = show_answer(said, passages)
    assert "".join(each.text for each in shown).strip() == final.text
    seen = list(dict.fromkeys(each.number for each in final.markers))
    assert seen == list(range(1, len(final.cited) + 1))
    assert numbers.cited == final.cited


STEPS = "To set it up:\n\n1. Get the file. It is large.\n2. Open it.\n3. Install it.\n   Wait for it.\n4. Restart.\n\nDone."
TABLE = "| Name | Port |\n| web | 80 |\n| mail | 25 |\n| ssh | 22 |"
TASKS = "To pack:\n\n- [ ] passport\n- [x] coat\n- [ ]\n- [x]"
CODE = "Run these:\n\n    import sys\n    import os\n    import re\n\n    import json"


@walk(
    ("passage", "quote", "count"),
    [
        (STEPS, "To set it up:\n\n1. Get the file. It is large.", 3),
        (STEPS, "1. Get the file. It is large.\n2. Open it.", 2),
        (STEPS, "2. Open it.\n3. Install it.\n   Wait for it.\n4. Restart.", None),
        (STEPS, "2. Open it.", None),
        (STEPS, "4. Restart.\n\nDone.", None),
        (TABLE, "| Name | Port |\n| web | 80 |", 2),
        (TABLE, "| mail | 25 |\n| ssh | 22 |", None),
        (TABLE, "| Name | Port |\n| ssh | 22 |", 2),
        (TABLE, "| Name | Port |\n| mail | 25 |", 2),
        (TABLE, "| web | 80 |\n| ssh | 22 |", 1),
        (STEPS, "To set it up:\n3. Install it.", 3),
        (STEPS, "1. Get the file. It is large.", None),
        (STEPS, "3. Install it.\n\nDone.", None),
        (
            f"{STEPS}\n\n{TABLE}",
            "To set it up:\n1. Get the file. It is large.\n| Name | Port |\n| ssh | 22 |",
            5,
        ),
        (TASKS, "To pack:\n\n- [ ] passport\n- [x] coat", None),
        (TASKS, "To pack:\n\n- [ ] passport", 1),
        (CODE, "Run these:\n\n    import sys\n    import os", 1),
        (STEPS, "Some own words.", None),
    ],
)
def test_a_quote_of_part_of_a_list_says_how_much_of_it_is_left_out(
    passage: str, quote: str, count: int | None
) -> None:
    (cited,) = show_answer(f"{quote} [#1]", {1: passage}).cited
    assert cited.items_left_out == count


def test_the_count_stands_at_the_citation(bench: Any) -> None:
    texts = {"guide/steps.md": "Chunks are cut and kept:\n\n- at headings\n- at tables\n- in order"}
    model = ScriptedModel(["Chunks are cut and kept:\n\n- at headings [#1]"])
    answer = bench(model, texts=texts).pipeline.ask(AskRequest(question=QUESTION))
    assert [each.items_left_out for each in answer.citations] == [2]
    assert "left" not in answer.answer
