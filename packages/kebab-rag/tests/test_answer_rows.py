from collections.abc import Iterator
from typing import Any

import pytest
from kebab_core import (
    AnswerToken,
    ContextOverflowError,
    FinishReason,
    GenerateRequest,
    InvalidInputError,
    ModelUnreachableError,
    NotIndexedError,
    OperationTimeoutError,
    RagSettings,
    RefusalReason,
    SearchQuery,
    SearchResponse,
    StorageError,
    TokenChunk,
    TokenDelta,
)
from kebab_rag import AskRequest
from kebab_testing.fakes.language_model import ScriptedModel

QUESTION = "chunks are cut where"


class FailingModel(ScriptedModel):
    """Says something, then fails as a server that went away does."""

    def generate_stream(self, request: GenerateRequest) -> Iterator[TokenChunk]:
        yield TokenDelta(text="Half an ans")
        raise OperationTimeoutError("the server says nothing")


@pytest.mark.parametrize(
    ("question", "said", "reason"),
    [
        (QUESTION, "At headings [#1].", None),
        (QUESTION, "At headings.", RefusalReason.LLM_SELF_JUDGE),
        ("where do zebras drink water near the river, chunks", "x", RefusalReason.SCORE_GATE),
        ("zebra crossing", "x", RefusalReason.NO_CHUNKS),
    ],
)
def test_every_answer_is_stored_as_it_is_given(
    bench: Any, question: str, said: str, reason: RefusalReason | None
) -> None:
    settings = RagSettings(score_gate=0.3, prompt_template_version="rag-v3")
    parts = bench(ScriptedModel([said]), settings=settings)
    answer = parts.pipeline.ask(AskRequest(question=question))
    assert answer.refusal_reason is reason
    assert parts.answers.recent() == [(question, answer)]
    assert parts.packed == [None]


def test_explained_answer_keeps_what_the_model_was_given(bench: Any) -> None:
    parts = bench(ScriptedModel(["At headings [#1]."]))
    parts.pipeline.ask(AskRequest(question=QUESTION, explain=True))
    (packed,) = parts.packed
    assert [(each["marker"], each["cited"]) for each in packed] == [(1, True), (2, False)]
    assert packed[0]["text"] == "Chunks are cut at headings. Tables stay whole."
    assert 0 <= packed[1]["score"] <= packed[0]["score"] <= 1


def test_pipeline_without_a_repository_answers_all_the_same(bench: Any) -> None:
    parts = bench(ScriptedModel(["At headings [#1]."]), stored=False)
    assert parts.pipeline.ask(AskRequest(question=QUESTION)).grounded
    assert parts.answers.recent() == []


def test_closed_stream_stops_the_model_and_stores_the_partial_answer(bench: Any) -> None:
    model = ScriptedModel(["At ", "headings [#1]", " and ", "more"])
    parts = bench(model)
    events = parts.pipeline.stream(AskRequest(question=QUESTION))
    said = [event.delta for _, event in zip(range(4), events, strict=False) if isinstance(event, AnswerToken)]
    events.close()
    assert said == ["At ", "headings ", "[1]"]
    assert model.closed_early == 1
    ((_, answer),) = parts.answers.recent()
    assert answer.refusal_reason is RefusalReason.LLM_STREAM_ABORTED
    assert answer.answer == "At headings"
    assert answer.citations == ()


def test_stream_closed_before_the_model_is_asked_is_stored_too(bench: Any) -> None:
    model = ScriptedModel(["At headings [#1]."])
    parts = bench(model)
    events = parts.pipeline.stream(AskRequest(question=QUESTION))
    next(events)
    events.close()
    ((_, answer),) = parts.answers.recent()
    assert answer.refusal_reason is RefusalReason.LLM_STREAM_ABORTED
    assert not model.requests


def test_stream_closed_after_its_last_event_stores_one_row(bench: Any) -> None:
    parts = bench(ScriptedModel(["At headings [#1]."]))
    events = parts.pipeline.stream(AskRequest(question=QUESTION))
    *_, final = events
    events.close()
    assert parts.answers.recent() == [(QUESTION, final.answer)]


def test_interrupt_stores_the_partial_answer(bench: Any) -> None:
    model = ScriptedModel(["At ", "headings [#1]"])
    parts = bench(model)
    events = parts.pipeline.stream(AskRequest(question=QUESTION))
    next(events)
    next(events)
    with pytest.raises(KeyboardInterrupt):
        events.throw(KeyboardInterrupt())
    assert model.closed_early == 1
    assert parts.answers.recent()[0][1].answer == "At"


def test_failing_model_is_its_error_and_a_row(bench: Any) -> None:
    parts = bench(FailingModel())
    with pytest.raises(OperationTimeoutError):
        parts.pipeline.ask(AskRequest(question=QUESTION))
    ((_, answer),) = parts.answers.recent()
    assert answer.refusal_reason is RefusalReason.LLM_STREAM_ABORTED
    assert answer.answer == "Half an ans"


def test_model_that_ends_with_an_error_is_an_error(bench: Any) -> None:
    model = ScriptedModel(["At headings [#1]."], finish_reason=FinishReason.ERROR, error="out of memory")
    parts = bench(model)
    with pytest.raises(ModelUnreachableError):
        parts.pipeline.ask(AskRequest(question=QUESTION))
    assert parts.answers.recent()[0][1].refusal_reason is RefusalReason.LLM_STREAM_ABORTED


def test_question_that_the_model_cannot_hold_overflows_and_is_never_cut(bench: Any) -> None:
    model = ScriptedModel(["At headings [#1]."], context_tokens=450)
    parts = bench(model)
    with pytest.raises(ContextOverflowError):
        parts.pipeline.ask(AskRequest(question=" ".join([QUESTION] * 40)))
    assert not model.requests
    assert len(parts.answers.recent()) == 1


class FailingRetriever:
    """Raises what it is told to raise, as a search does that is interrupted or breaks."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def search(self, query: SearchQuery) -> SearchResponse:
        raise self.error


def fill_disk(parts: Any) -> None:
    """Leave no room for another answer."""

    def record(**_row: Any) -> None:
        raise StorageError("no space left on device")

    parts.answers.record = record


@pytest.mark.parametrize("error", [KeyboardInterrupt(), StorageError("the database is gone")])
def test_search_that_does_not_end_leaves_a_row(bench: Any, error: BaseException) -> None:
    parts = bench(ScriptedModel(["x [#1]"]), retriever=FailingRetriever(error))
    with pytest.raises(type(error)):
        parts.pipeline.ask(AskRequest(question=QUESTION))
    ((question, answer),) = parts.answers.recent()
    assert (question, answer.refusal_reason) == (QUESTION, RefusalReason.LLM_STREAM_ABORTED)
    assert (answer.answer, answer.markers, answer.citations) == ("", (), ())


@pytest.mark.parametrize("error", [InvalidInputError("no words"), NotIndexedError("nothing there")])
def test_question_that_cannot_be_searched_is_an_error_without_a_row(bench: Any, error: BaseException) -> None:
    parts = bench(ScriptedModel(["x [#1]"]), retriever=FailingRetriever(error))
    with pytest.raises(type(error)):
        parts.pipeline.ask(AskRequest(question=QUESTION))
    assert parts.answers.recent() == []


def test_stream_closed_before_its_first_event_leaves_a_row(bench: Any) -> None:
    parts = bench(ScriptedModel(["At headings [#1]."]))
    parts.pipeline.stream(AskRequest(question=QUESTION)).close()
    ((_, answer),) = parts.answers.recent()
    assert answer.refusal_reason is RefusalReason.LLM_STREAM_ABORTED


def test_answer_that_cannot_be_stored_is_given_and_says_why(bench: Any) -> None:
    parts = bench(ScriptedModel(["At headings [#1]."]))
    fill_disk(parts)
    *_, final = parts.pipeline.stream(AskRequest(question=QUESTION))
    assert final.answer.grounded
    assert (final.persisted, final.unstored_reason) == (False, "no space left on device")


def test_failing_model_stays_the_error_where_nothing_can_be_stored(bench: Any) -> None:
    parts = bench(FailingModel())
    fill_disk(parts)
    with pytest.raises(OperationTimeoutError):
        parts.pipeline.ask(AskRequest(question=QUESTION))


def test_final_event_says_whether_the_answer_is_stored(bench: Any) -> None:
    for stored in (True, False):
        *_, final = bench(ScriptedModel(["x [#1]"]), stored=stored).pipeline.stream(
            AskRequest(question=QUESTION)
        )
        assert (final.persisted, final.unstored_reason) == (stored, None)
