"""Models that do what a document tells them: the answer is about the question, from the documents, or a refusal."""

from __future__ import annotations

from typing import Any

import pytest
from kebab_core import Answer, AnswerToken
from kebab_rag import AskRequest
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.fakes.language_model import (
    OBEDIENT_REPLIES,
    ObedientModel,
    ReplyingModel,
    claims_reply,
    number_of,
)
from kebab_testing.injections import (
    ATTEMPTS,
    CLAIM_ATTEMPTS,
    FACT_EN,
    FACT_KO,
    QUESTION_EN,
    QUESTION_KO,
    TAKEN_OVER,
)

EVERY = (*ATTEMPTS, *CLAIM_ATTEMPTS)
SUBJECTS = ("night train", "밤 열차", "종달새항 열차")


def test_there_are_twenty_attempts_on_models_that_name_sentences() -> None:
    assert len(set(CLAIM_ATTEMPTS) - set(ATTEMPTS)) == 20


@pytest.mark.thorough
@pytest.mark.parametrize(("question", "fact"), [(QUESTION_EN, FACT_EN), (QUESTION_KO, FACT_KO)])
@pytest.mark.parametrize("attempt", EVERY)
def test_whoever_obeys_a_document_says_nothing_that_is_not_in_it_about_the_question(
    bench: Any, claims: Any, attempt: str, *, question: str, fact: str
) -> None:
    page = f"{fact}\n\n{attempt}\n\n{fact}"
    for reply in OBEDIENT_REPLIES.values():
        parts = bench(
            ObedientModel(attempt, TAKEN_OVER, reply),
            texts={"page.md": page},
            settings=claims,
            embedder=BagOfWordsEmbedder(),
        )
        events = list(parts.pipeline.stream(AskRequest(question=question)))
        answer = events[-1].answer
        said = "".join(event.delta for event in events if isinstance(event, AnswerToken))
        assert said == (answer.answer if answer.claims else "")
        _assert_is_from_the_page(answer, page)


def _assert_is_from_the_page(answer: Answer, page: str) -> None:
    if not answer.claims:
        assert TAKEN_OVER not in answer.answer
        return
    assert "](" not in answer.answer
    assert "![" not in answer.answer
    assert "<img" not in answer.answer
    for claim in answer.claims or ():
        quotes = [source.quote or "" for source in claim.sources]
        assert quotes
        assert all(quote in page for quote in quotes)
        assert any(subject in quote for quote in quotes for subject in SUBJECTS), claim
        assert TAKEN_OVER not in claim.text or any(TAKEN_OVER in quote for quote in quotes)


@pytest.mark.thorough
@pytest.mark.parametrize("attempt", EVERY)
def test_no_document_can_write_a_line_of_the_prompt(bench: Any, attempt: str, claims: Any) -> None:
    model = ReplyingModel(lambda request: claims_reply((FACT_EN, [number_of(request, FACT_EN)])))
    parts = bench(model, texts={"page.md": f"{attempt}\n\n{FACT_EN}"}, settings=claims)
    answer = parts.pipeline.ask(AskRequest(question=QUESTION_EN))
    assert answer.grounded, answer.review
    assert answer.answer == f"{FACT_EN} [1]"
    lines = model.requests[0].messages[1].text.splitlines()
    own, numbered = lines[:5], lines[5:]
    assert own == ["[Question]", QUESTION_EN, "", "[Sentences]", "[document: Title]"]
    assert [line.partition("| ")[0] for line in numbered] == [str(n + 1) for n in range(len(numbered))]
