"""Multi-hop answers: the question is taken apart, its parts are searched, and the answer is checked as any other is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from kebab_core import (
    Answer,
    AnswerFinal,
    GenerateRequest,
    RagSettings,
    SearchFilters,
)
from kebab_rag import AskRequest
from kebab_testing.fakes.language_model import ReplyingModel, claims_reply, number_of

MANAGER = "The manager of Ana is Bo Lind."
LIVES = "Bo Lind lives in Riga."
NOTES = {
    "people/ana.md": f"{MANAGER} Ana joined in spring.",
    "people/bo.md": f"{LIVES} Bo Lind likes chess.",
    "other/garden.md": "The garden is watered at noon.",
}
QUESTION = "Where does the manager of Ana lives?"
WHO = "Who is the manager of Ana?"
WHERE = "Where lives Bo Lind?"


def questions(*texts: str) -> str:
    return json.dumps({"questions": list(texts)}, ensure_ascii=False)


def is_planning(request: GenerateRequest) -> bool:
    return '"questions"' in request.messages[0].text


def scripted(
    *plans: str, answer: Callable[[GenerateRequest], str] | str = "", **options: Any
) -> ReplyingModel:
    """A model with a reply for each request of sub-questions, the last for all further ones, and one for the answer."""
    left = list(plans)

    def reply(request: GenerateRequest) -> str:
        if is_planning(request):
            return left.pop(0) if len(left) > 1 else left[0]
        return answer if isinstance(answer, str) else answer(request)

    return ReplyingModel(reply, **options)


def bridge(request: GenerateRequest) -> str:
    return claims_reply((MANAGER, [number_of(request, MANAGER)]), (LIVES, [number_of(request, LIVES)]))


def start(
    bench: Any, model: ReplyingModel, question: str = QUESTION, **options: Any
) -> tuple[Any, Iterator[Any]]:
    texts, filters = options.pop("texts", NOTES), options.pop("filters", SearchFilters())
    given_settings = {"score_gate": 0, "prompt_template_version": "rag-v4-json", **options}
    parts = bench(model, texts=texts, settings=RagSettings(**given_settings))
    return parts, parts.pipeline.stream(AskRequest(question=question, multi_hop=True, filters=filters))


def run(bench: Any, model: ReplyingModel, question: str = QUESTION, **options: Any) -> Answer:
    parts, events = start(bench, model, question, **options)
    *_, final = events
    assert isinstance(final, AnswerFinal)
    (row,) = parts.answers.rows.values() if hasattr(parts.answers, "rows") else (None,)
    assert row is None or row.answer == final.answer
    return final.answer


def test_a_bridge_question_is_answered_from_two_notes(bench: Any) -> None:
    model = scripted(questions(WHO), questions(WHERE), questions(), answer=bridge)
    answer = run(bench, model)
    assert answer.grounded, answer.review
    assert answer.answer == f"{MANAGER} [1]\n{LIVES} [2]"
    assert [each.citation.path for each in answer.citations] == ["people/ana.md", "people/bo.md"]
    assert answer.hops is not None
    kinds = [(hop.iter, hop.kind, hop.sub_queries, hop.forced_stop) for hop in answer.hops]
    assert kinds == [
        (0, "decompose", (WHO,), False),
        (1, "decide", (WHERE,), False),
        (2, "decide", (), False),
        (3, "synthesize", (), False),
    ]
    assert answer.usage.prompt_tokens == 40
