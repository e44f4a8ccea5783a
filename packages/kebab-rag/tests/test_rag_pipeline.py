from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from kebab_core import (
    AnswerFinal,
    AnswerToken,
    FinishReason,
    InvalidInputError,
    LineCitation,
    RagSettings,
    RefusalReason,
    RetrievalDone,
    SearchFilters,
)
from kebab_rag import AskRequest
from kebab_testing.fakes.language_model import ScriptedModel

QUESTION = "chunks are cut where"
"""Three of its four words stand in the first document, one in the second."""


def ask(question: str = QUESTION, **options: Any) -> AskRequest:
    return AskRequest(question=question, **options)


def test_valid_marker_makes_a_grounded_answer_that_cites_its_passage(bench: Any) -> None:
    answer = bench(ScriptedModel(["At head", "ings [#", "1]."])).pipeline.ask(ask())
    assert answer.grounded
    assert answer.refusal_reason is None
    assert answer.answer == "At headings [1]."
    (cited,) = answer.citations
    assert cited.marker == "[1]"
    assert cited.citation == LineCitation(path="guide/chunks.md", start=1, end=1, section="Title")


def test_only_cited_passages_are_cited_in_order_of_their_numbers(bench: Any) -> None:
    answer = bench(ScriptedModel(["In a file [#2], at headings [#1] [#2]."])).pipeline.ask(ask())
    assert [cited.marker for cited in answer.citations] == ["[1]", "[2]"]
    assert answer.retrieval.chunks_used == 2


def test_empty_index_refuses_without_asking_the_model(bench: Any) -> None:
    model = ScriptedModel(["x [#1]"])
    answer = bench(model, texts={}).pipeline.ask(ask())
    assert answer.refusal_reason is RefusalReason.NO_INDEX
    assert answer.retrieval.top_score == 0
    assert not model.requests


def test_question_that_meets_nothing_refuses_without_asking_the_model(bench: Any) -> None:
    model = ScriptedModel(["x [#1]"])
    answer = bench(model).pipeline.ask(ask("zebra crossing"))
    assert answer.refusal_reason is RefusalReason.NO_CHUNKS
    assert answer.citations == ()
    assert not model.requests


def test_question_filtered_empty_names_the_filters(bench: Any) -> None:
    filters = SearchFilters(path_glob=("nowhere/**",))
    answer = bench(ScriptedModel()).pipeline.ask(ask(filters=filters))
    assert answer.refusal_reason is RefusalReason.NO_CHUNKS
    assert "filters" in answer.answer


def test_evidence_below_the_gate_refuses_with_candidates_and_without_the_model(bench: Any) -> None:
    model = ScriptedModel(["x [#1]"])
    answer = bench(model, settings=RagSettings(score_gate=0.3)).pipeline.ask(
        ask("where do zebras drink water near the river at night, chunks")
    )
    assert answer.refusal_reason is RefusalReason.SCORE_GATE
    assert answer.retrieval.top_score < answer.retrieval.score_gate == 0.30
    assert answer.retrieval.chunks_used == 0
    assert not model.requests
    assert [cited.marker for cited in answer.citations] == [None, None]
    assert "guide/chunks.md#L1 (score 0." in answer.answer
    assert "[" not in answer.answer


def test_without_a_gate_all_that_search_finds_is_read(bench: Any) -> None:
    model = ScriptedModel(["x [#1]"])
    answer = bench(model, settings=RagSettings(prompt_template_version="rag-v3")).pipeline.ask(
        ask(" ".join(["chunks", *(f"zebra{number}" for number in range(30))]))
    )
    assert answer.grounded
    assert answer.retrieval.top_score < 0.05


def test_passages_below_the_gate_are_not_read(bench: Any) -> None:
    settings = RagSettings(score_gate=0.5, prompt_template_version="rag-v3")
    model = ScriptedModel(["x [#1]"])
    answer = bench(model, settings=settings).pipeline.ask(ask())
    assert answer.grounded
    assert (answer.retrieval.chunks_returned, answer.retrieval.chunks_used) == (2, 1)
    (request,) = model.requests
    assert "[#1 " in request.messages[-1].text
    assert "[#2 " not in request.messages[-1].text


@pytest.mark.parametrize(
    "said",
    [
        "Somewhere [#7].",
        "At headings [1].",
        "Use vec![1] and that is it.",
        "At headings.",
        "At headings [#1] and elsewhere [#9].",
        "At headings [ #1 ].",
        "At headings [#1a] [foo] [#] [#0] [#1000] [#01].",
        "At headings [#１].",
        "근거가 부족합니다",
        "근거가 부족합니다 [#1].",
        "The evidence is not enough [#1].",
        'It says "at the margins" [#1].',
        "",
    ],
)
def test_text_that_does_not_stand_is_refused_in_our_words(bench: Any, said: str) -> None:
    answer = bench(ScriptedModel([said])).pipeline.ask(ask())
    assert answer.refusal_reason is RefusalReason.LLM_SELF_JUDGE
    assert not answer.grounded
    assert answer.answer.startswith("Not enough evidence")
    assert "[" not in answer.answer
    assert {cited.marker for cited in answer.citations} == {None}


def test_refusal_is_in_the_language_of_the_question(bench: Any) -> None:
    korean = bench(ScriptedModel(["no"])).pipeline.ask(ask("청킹 규칙 은 chunks"))
    english = bench(ScriptedModel(["no"])).pipeline.ask(ask("chunks are kept"))
    assert korean.answer.startswith("근거 부족")
    assert english.answer.startswith("Not enough")


def test_stream_is_retrieval_then_tokens_then_the_final_answer(bench: Any) -> None:
    first, *tokens, last = bench(ScriptedModel(["At ", "head[", "#1] [", "x]"])).pipeline.stream(ask())
    assert isinstance(first, RetrievalDone)
    assert [hit.doc_path for hit in first.hits] == ["guide/chunks.md", "guide/index.md"]
    assert isinstance(last, AnswerFinal)
    assert all(isinstance(token, AnswerToken) and token.delta for token in tokens)
    assert "".join(token.delta for token in tokens) == last.answer.answer == "At head[1] [x]"


@pytest.mark.parametrize("sentence", ["근거가 부족하다.", "The evidence is not enough."])
def test_agreed_refusal_of_the_model_is_not_passed_on(bench: Any, sentence: str) -> None:
    events = list(bench(ScriptedModel([sentence[:7], sentence[7:], "\n"])).pipeline.stream(ask()))
    assert [type(event) for event in events] == [RetrievalDone, AnswerFinal]
    assert events[-1].answer.refusal_reason is RefusalReason.LLM_SELF_JUDGE


@pytest.mark.parametrize("end", ["", " is dull [#1].", "[#1]"])
def test_text_that_begins_like_the_agreed_refusal_is_passed_on_whole(bench: Any, end: str) -> None:
    events = list(bench(ScriptedModel(["The evi", "dence", end])).pipeline.stream(ask()))
    said = "".join(event.delta for event in events if isinstance(event, AnswerToken))
    assert said == (f"The evidence{end}".replace("#", "") if end else "")


def test_markers_are_where_the_model_put_them_and_nowhere_else(bench: Any) -> None:
    said = [" \nUse vec![1]", "\x1b or [1] [#", "1], else [2] 🦀 [#2]."]
    *events, final = bench(ScriptedModel(said)).pipeline.stream(ask())
    answer = final.answer
    assert [(each.number, answer.answer[each.start : each.end]) for each in answer.markers] == [
        (1, "[1]"),
        (2, "[2]"),
    ]
    assert answer.answer == "Use vec![1] or [1] [1], else [2] 🦀 [2]."
    assert answer.answer[: answer.markers[0].start] == "Use vec![1] or [1] "
    tokens = [event for event in events if isinstance(event, AnswerToken)]
    assert [(token.delta, token.marker) for token in tokens if token.marker] == [("[1]", 1), ("[2]", 2)]


def test_usage_is_that_of_the_model_and_latency_that_of_the_clock(bench: Any) -> None:
    answer = bench(ScriptedModel(["a", "b", " [#1]"])).pipeline.ask(ask())
    assert answer.usage.completion_tokens == 3
    assert answer.usage.latency_ms == 0


def test_explicit_k_wins_over_the_configured_one(bench: Any) -> None:
    few = bench(ScriptedModel(["a [#1]"]), default_k=2)
    assert few.pipeline.ask(ask(k=1)).retrieval.chunks_returned == 1
    assert few.pipeline.ask(ask()).retrieval.k == 2


def test_request_carries_the_evidence_the_roles_and_the_limits(bench: Any) -> None:
    model = ScriptedModel(["a [#1]"], context_tokens=2000)
    bench(model).pipeline.ask(ask(temperature=0.5, seed=7))
    (request,) = model.requests
    assert request.question == QUESTION
    assert [(each.marker, each.citation.path) for each in request.evidence] == [
        (1, "guide/chunks.md"),
        (2, "guide/index.md"),
    ]
    assert request.temperature == 0.5
    assert request.seed == 7
    assert request.stop == ("\n\n[Question]",)
    assert 1 <= request.max_tokens <= 1024
    system, user = request.messages
    assert (system.role, user.role) == ("system", "user")
    assert QUESTION in user.text
    assert QUESTION not in system.text


def test_equal_questions_get_equal_answers(bench: Any) -> None:
    answers = [bench(ScriptedModel(["At headings [#1]."])).pipeline.ask(ask()) for _ in range(2)]
    assert answers[0] == answers[1]


def test_trace_id_is_ret_and_sixteen_hex_digits(bench: Any) -> None:
    trace_id = bench(ScriptedModel()).pipeline.ask(ask()).retrieval.trace_id
    assert trace_id.startswith("ret_")
    assert len(trace_id) == 20
    int(trace_id[4:], 16)


def test_one_pipeline_answers_many_threads(bench: Any) -> None:
    pipeline = bench(ScriptedModel(["At headings [#1]."])).pipeline
    questions = [QUESTION, "index of chunks in one file", "청킹 규칙 은 제목"] * 10
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda question: pipeline.ask(ask(question)), questions))
    expected = [pipeline.ask(ask(question)) for question in questions]
    assert answers == expected
    assert len({answer.citations for answer in answers}) == 3


@pytest.mark.parametrize("question", ["", " \n\t"])
def test_empty_question_is_an_error(bench: Any, question: str) -> None:
    with pytest.raises(InvalidInputError):
        bench(ScriptedModel()).pipeline.ask(ask(question))


def test_aborting_model_leaves_a_partial_answer_without_markers(bench: Any) -> None:
    model = ScriptedModel(["At headings [#1] and"], finish_reason=FinishReason.ABORTED)
    answer = bench(model).pipeline.ask(ask())
    assert answer.refusal_reason is RefusalReason.LLM_STREAM_ABORTED
    assert answer.answer == "At headings and"
    assert answer.citations == ()


def test_what_a_model_repeats_cannot_act_on_a_screen(bench: Any) -> None:
    said = ["At\x1b[2J head", "ings\u202e\r\n\u2028[\u202e#2] ", "[#1]\U000e0041."]
    *_, last = events = list(bench(ScriptedModel(said)).pipeline.stream(ask()))
    assert last.answer.answer == "At[2J headings\n\n[#2] [1]."
    assert [cited.marker for cited in last.answer.citations] == ["[1]"]
    assert "".join(event.delta for event in events if isinstance(event, AnswerToken)) == last.answer.answer
