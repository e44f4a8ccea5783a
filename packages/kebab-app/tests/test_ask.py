"""Asking through the facade."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from kebab_app import AskRequest
from kebab_app.wiring import LANGUAGE_MODELS
from kebab_core import (
    AnswerFinal,
    AnswerToken,
    EmbeddingIdentity,
    LineCitation,
    Message,
    ModelUnreachableError,
    RefusalReason,
    Remedy,
    RetrievalDone,
    SearchMode,
)
from kebab_testing.fakes.language_model import ScriptedModel

if TYPE_CHECKING:
    from conftest import Base, Embedding

QUESTION = AskRequest(question="색인은 언제 다시 만들어지나요?", mode=SearchMode.LEXICAL)
NOTE = "# 색인\n\n색인은 파일이 바뀌면 다시 만들어진다.\n"


def test_an_answer_is_that_of_the_last_event_and_is_kept(base: Base) -> None:
    base.write("색인.md", NOTE)
    base.ingest()

    first, *tokens, last = base.app.ask_stream(QUESTION)

    assert isinstance(first, RetrievalDone)
    assert all(isinstance(token, AnswerToken) for token in tokens)
    assert isinstance(last, AnswerFinal)
    assert last.answer.grounded
    assert base.app.list_answers() == [(QUESTION.question, last.answer)]
    assert base.app.show_answer(last.answer.retrieval.trace_id) == (QUESTION.question, last.answer)
    assert base.app.ask(QUESTION).answer == last.answer.answer


def test_nothing_below_the_gate_is_read(base: Base) -> None:
    base.write("색인.md", NOTE)
    base.config["rag"] = {"score_gate": 1.0}
    base.ingest()

    answer = base.app.ask(QUESTION)

    assert (answer.grounded, answer.refusal_reason) == (False, RefusalReason.SCORE_GATE)
    assert 0 < answer.retrieval.top_score < answer.retrieval.score_gate
    assert answer.retrieval.chunks_used == 0
    assert [cited.citation.path for cited in answer.citations] == ["색인.md"]


@pytest.mark.parametrize(
    ("note", "question", "answer"),
    [
        ("주차장 비밀번호 4821\n", "주차장 비밀번호가 뭐야?", "주차장 비밀번호 4821"),
        (
            "Passport: M1234567\nissued in Seoul\n",
            "What is the passport number?",
            "Passport: M1234567\nissued in Seoul",
        ),
    ],
    ids=["a note of one line", "a field that is the first line"],
)
def test_the_line_that_is_also_the_title_of_a_note_answers(
    base: Base, note: str, question: str, answer: str
) -> None:
    base.write("색인.md", NOTE)
    base.write("메모.txt", note)
    base.ingest()

    asked = base.app.ask(AskRequest(question=question, mode=SearchMode.LEXICAL))

    assert (asked.claims[0].text, str(asked.citations[0].citation.path)) == (answer, "메모.txt")


def test_code_whose_last_line_ends_in_a_question_mark_answers(base: Base) -> None:
    base.write(
        "ledger.yaml",
        "service:\n  name: ledger\n  port: 8443\n  query: SELECT total FROM entries WHERE id = ?\n",
    )
    base.ingest()

    asked = base.app.ask(
        AskRequest(question="Which port does the ledger service use?", mode=SearchMode.LEXICAL)
    )

    assert "port: 8443" in asked.claims[0].text


def test_a_stream_that_is_closed_is_kept_as_broken_off(base: Base) -> None:
    base.write("색인.md", NOTE)
    base.ingest()

    events = base.app.ask_stream(QUESTION)
    next(events)
    next(events)
    events.close()

    ((_, kept),) = base.app.list_answers()
    assert (kept.grounded, kept.refusal_reason) == (False, RefusalReason.LLM_STREAM_ABORTED)
    assert [claim.text for claim in kept.claims] == ["색인은 파일이 바뀌면 다시 만들어진다."]


def test_many_threads_get_the_same_answer_and_every_one_is_kept(base: Base) -> None:
    base.write("색인.md", NOTE)
    base.ingest()
    app = base.app
    expected = app.ask(QUESTION)

    with ThreadPoolExecutor(max_workers=4) as pool:
        answers = list(pool.map(lambda _: app.ask(QUESTION), range(12)))

    assert {(answer.answer, answer.citations) for answer in answers} == {
        (expected.answer, expected.citations)
    }
    assert len(app.list_answers(limit=100)) == len({
        answer.retrieval.trace_id for answer in [expected, *answers]
    })


SCRIPTED = ScriptedModel(["색인은 파일이 바뀌면 다시 만들어진다. [#1]"])


def build_scripted(*_arguments: object) -> ScriptedModel:
    return SCRIPTED


def write_by_script(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LANGUAGE_MODELS, "ollama", f"{__name__}:build_scripted")
    base.configure("models.llm", provider="ollama", model="scripted")
    base.configure("rag", prompt_template_version="rag-v3")


def test_what_a_request_leaves_open_is_that_of_the_settings(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_by_script(base, monkeypatch)
    base.configure("models.llm", temperature=0.7, seed=11)
    base.write("색인.md", NOTE)
    base.ingest()

    assert base.app.ask(QUESTION).grounded
    base.app.ask(QUESTION.model_copy(update={"temperature": 0.0, "seed": 3}))

    assert [(each.temperature, each.seed) for each in SCRIPTED.requests] == [(0.7, 11), (0.0, 3)]


def test_a_model_that_nobody_serves_leaves_an_answer_by_words_and_is_told(
    base: Base, embedding: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.write("색인.md", NOTE)
    base.ingest()

    def refuse(_: object) -> EmbeddingIdentity:
        raise ModelUnreachableError(
            "nobody answers", remedy=Remedy(advice=Message("start {name}", name="the server"))
        )

    monkeypatch.setattr(type(embedding.embedder), "identity", property(refuse))
    base.close()
    first, *_, last = base.app.ask_stream(QUESTION.model_copy(update={"mode": SearchMode.HYBRID}))
    assert isinstance(first, RetrievalDone)
    assert first.coverage.missing_legs == (SearchMode.VECTOR,)
    assert first.coverage.leg_failure is not None
    assert first.coverage.leg_failure.code == "model_unreachable"
    assert isinstance(last, AnswerFinal)
    assert (last.answer.grounded, last.answer.embedding) == (True, None)
    with pytest.raises(ModelUnreachableError):
        base.app.ask(QUESTION.model_copy(update={"mode": SearchMode.VECTOR}))


def test_a_quote_is_cited_by_lines_of_the_file_which_end_at_line_ends_only(base: Base) -> None:
    base.write(
        "색인.md",
        "# 색인\n\n머리말\u2028이어지는 말\f또 하나\x85끝.\n\n색인은 파일이 바뀌면 다시 만들어진다.\n",
    )
    base.ingest()

    found, *_, last = base.app.ask_stream(QUESTION)

    assert isinstance(found, RetrievalDone)
    assert isinstance(last, AnswerFinal)
    (source,) = last.answer.claims[0].sources
    assert isinstance(source.citation, LineCitation)
    assert (source.citation.start, source.citation.end) == (5, 5)
    assert source.quote == "색인은 파일이 바뀌면 다시 만들어진다."


def test_a_quote_of_a_repeated_table_header_is_cited_by_the_lines_it_comes_from(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel(["이름 | 값\n품목150 | 15000 [#1]"])
    write_by_script(base, monkeypatch)
    monkeypatch.setattr(f"{__name__}.SCRIPTED", model)
    rows = "".join(f"| 품목{number} | {number * 100} |\n" for number in range(200))
    base.write("가격.md", f"# 가격\n\n| 이름 | 값 |\n|---|---|\n{rows}")
    base.ingest()

    found, *_, last = base.app.ask_stream(AskRequest(question="품목150", mode=SearchMode.LEXICAL))

    assert isinstance(found, RetrievalDone)
    assert isinstance(last, AnswerFinal)
    (claim,) = last.answer.claims
    places = [(source.citation.start, source.quote) for source in claim.sources]
    assert places == [(3, "| 이름 | 값 |"), (155, "| 품목150 | 15000 |")]


def test_no_answers_are_listed_where_nothing_was_ever_set_up(base: Base) -> None:
    assert base.app.list_answers() == []
    assert not base.data_dir.exists()
