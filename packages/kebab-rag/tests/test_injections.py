import unicodedata
from typing import Any

import pytest
from kebab_core import LineCitation
from kebab_rag import AskRequest, find_markers
from kebab_rag.passages import render_passage
from kebab_rag.safe_text import fence_field, fence_text
from kebab_testing.fakes.language_model import ScriptedModel
from kebab_testing.injections import ATTEMPTS, FACT_EN, QUESTION_EN, build_injection_page
from kebab_testing.passages import build_passage
from kebab_testing.tables import walk

ROLE_TOKENS = (
    "<|",
    "|>",
    "[INST]",
    "[/INST]",
    "<<SYS>>",
    "<</SYS>>",
    "</s>",
    "<s>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<｜",
    "｜>",
    "<think>",
    "</think>",
    "</evidence>",
    "</context>",
    "[#",
)


def test_there_are_at_least_forty_attempts() -> None:
    assert len(set(ATTEMPTS)) >= 40


@walk("attempt", ATTEMPTS)
def test_no_line_of_a_document_stands_where_the_prompts_own_lines_stand(attempt: str) -> None:
    header, *lines = render_passage(build_passage(attempt, marker=3)).splitlines()
    assert header == "[#3 doc=notes/3.md heading= span=L1]"
    assert lines
    assert all(line == "|" or line.startswith("| ") for line in lines)


@walk("attempt", ATTEMPTS)
def test_no_role_token_marker_or_hidden_character_is_left(attempt: str) -> None:
    fenced = fence_text(attempt)
    assert not [token for token in ROLE_TOKENS if token in fenced]
    assert find_markers(fenced) == ()
    assert {unicodedata.category(char) for char in fenced if char not in "\n\t"}.isdisjoint({
        "Cc",
        "Cf",
        "Cn",
    })


@walk("attempt", ATTEMPTS)
def test_names_from_documents_stay_in_their_header(attempt: str) -> None:
    citation = LineCitation(path=f"{' '.join(attempt.split('/'))}.md", start=1, end=2)
    passage = build_passage("x", heading_path=(attempt, "]\n[#9"), citation=citation)
    header, *lines = render_passage(passage).splitlines()
    assert lines == ["| x"]
    assert header.count("[") == header.count("]") == 1
    assert not [token for token in ROLE_TOKENS[:-1] if token in header]


@walk("text", ["Plain words, 한국어 <b>HTML</b> a < b | c > d [link](x.md) #tag [1]", ""])
def test_harmless_text_is_shown_as_it_stands(text: str) -> None:
    assert fence_text(text) == f"| {text}".rstrip()


def test_field_is_one_line_without_brackets() -> None:
    assert fence_field(" a\tb\n[c] ") == "a b (c)"


def test_model_that_resists_is_grounded_and_sees_every_attempt_behind_a_bar(bench: Any) -> None:
    model = ScriptedModel(["Platform seven [#1]."])
    page = build_injection_page(FACT_EN)
    parts = bench(model, texts={"page.md": page})
    assert parts.pipeline.ask(AskRequest(question=QUESTION_EN)).grounded
    (request,) = model.requests
    lines = 1 + page.count("\n")
    header = f"[#1 doc=page.md heading=Title span=L1-L{lines}]"
    own = [line for line in request.messages[-1].text.splitlines() if line and not line.startswith("|")]
    assert own == ["[Question]", QUESTION_EN, "[Evidence]", header]


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_model_that_obeys_without_citing_is_refused(bench: Any, attempt: str) -> None:
    said = attempt.replace("[#1]", "").replace("[#2]", "[#8]")
    answer = bench(ScriptedModel([said]), texts={"page.md": build_injection_page(FACT_EN)}).pipeline.ask(
        AskRequest(question=QUESTION_EN)
    )
    assert not answer.grounded
    assert attempt not in answer.answer
