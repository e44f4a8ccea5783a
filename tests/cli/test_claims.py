"""Answers of a chat model in its own words, as people and programs meet them: claims, quotes, what was dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from kebab_core import (
    FinishReason,
    GenerateRequest,
    GenerationDone,
    LanguageModelServices,
    LlmSettings,
    TokenChunk,
    TokenDelta,
    TokenUsage,
)
from kebab_testing.fakes.language_model import ReplyingModel, claims_reply, number_of

from tests.cli.conftest import KnowledgeBase

EN = "how long does rolling back take?"
KO = "색인은 언제 다시 만들어지나요?"
SENTENCE = "Rolling back takes one command and five minutes."
Reply = Callable[[GenerateRequest], str]
_REPLY: list[Reply] = []


def build_scripted(_settings: LlmSettings, _services: LanguageModelServices) -> ReplyingModel:
    """Build the model that says what the test wants. Implements `LanguageModelFactory`."""
    return ReplyingModel(_REPLY[-1])


@pytest.fixture
def chat(quick: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Reply], KnowledgeBase]]:
    monkeypatch.setattr("kebab_app.wiring.LANGUAGE_MODELS", {"scripted": f"{__name__}:build_scripted"})
    quick.kebab.environ["KEBAB_MODELS_LLM_PROVIDER"] = "scripted"

    def start(reply: Reply) -> KnowledgeBase:
        _REPLY.append(reply)
        return quick

    yield start
    _REPLY.clear()


def say(text: str, words: str) -> Reply:
    return lambda request: claims_reply((text, [number_of(request, words)]))


class StoppedModel(ReplyingModel):
    """Is interrupted, or cut at its limit of tokens, when it has written its first claim."""

    is_interrupted = True

    def generate_stream(self, request: GenerateRequest) -> Iterator[TokenChunk]:
        said = _REPLY[-1](request)
        yield TokenDelta(text=said.removesuffix("]}"))
        if self.is_interrupted:
            raise KeyboardInterrupt
        yield GenerationDone(finish_reason=FinishReason.LENGTH, usage=TokenUsage())


def build_stopped(_settings: LlmSettings, _services: LanguageModelServices) -> ReplyingModel:
    """Build the model that is stopped. Implements `LanguageModelFactory`."""
    return StoppedModel(_REPLY[-1])


OWN_WORDS = "Rolling back takes one command and 5 minutes."


def test_a_claim_in_own_words_is_shown_with_the_sentence_that_it_rests_on(chat) -> None:  # type: ignore[no-untyped-def]
    done = chat(say(OWN_WORDS, "five minutes"))("ask", EN)
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith(f"▎ {OWN_WORDS}\n└ ✓ [1]\n")
    assert f"「{SENTENCE}」" in done.stdout
    assert "✓ from your documents" in done.stdout


def test_a_stream_shows_what_the_answer_holds_and_nothing_else(chat) -> None:  # type: ignore[no-untyped-def]
    kb = chat(say(OWN_WORDS, "five minutes"))
    *_, done = kb("ask", EN, "--stream", "--json").objects
    *events, final, answer = kb("ask", EN, "--stream", "--json").objects
    said = "".join(str(event["delta"]) for event in events if event["kind"] == "token")
    assert said == answer["answer"] == f"{OWN_WORDS} [1]"
    assert final["kind"] == "final"
    assert done["claims"] == answer["claims"]


def test_claims_are_on_the_wire_with_their_lines_quotes_and_verdict(chat) -> None:  # type: ignore[no-untyped-def]
    answer = chat(say(OWN_WORDS, "five minutes"))("ask", EN, "--json").last
    (claim,) = answer["claims"]
    (source,) = claim["sources"]
    assert (claim["text"], claim["verdict"]) == (OWN_WORDS, "supported")
    assert (source["marker"], source["quote"]) == ("[1]", SENTENCE)
    assert source["citation"]["uri"] == answer["citations"][0]["citation"]["uri"]
    assert answer["review"] == {
        "written": 1,
        "dropped_by_check": {},
        "contradicted": 0,
        "repaired": False,
        "other_language": False,
    }


def test_a_figure_that_no_sentence_holds_is_a_refusal_that_names_the_passages(chat) -> None:  # type: ignore[no-untyped-def]
    kb = chat(say("Rolling back takes 40 minutes.", "five minutes"))
    done = kb("ask", EN)
    assert done.code == 1
    assert done.stdout.startswith("Not enough evidence")
    assert "Passages found:" in done.stdout
    assert "40" not in done.stdout
    explained = kb("ask", EN, "--explain")
    assert "figure" in explained.stdout
    assert "Rolling back takes 40 minutes." in explained.stdout
    review = kb("ask", EN, "--explain", "--json").last["review"]
    assert review["dropped_by_check"] == {"figure": 1}
    assert review["dropped"][0] == {
        "text": "Rolling back takes 40 minutes.",
        "check": "figure",
        "detail": "40 minutes",
    }
    assert "dropped" not in kb("ask", EN, "--json").last["review"]


def test_a_claim_that_is_not_proven_is_no_failure_beside_one_that_is(chat) -> None:  # type: ignore[no-untyped-def]
    open_words = "Rolling back takes five commands and one minute."

    def reply(request: GenerateRequest) -> str:
        number = number_of(request, "five minutes")
        return claims_reply((OWN_WORDS, [number]), (open_words, [number]))

    done = chat(reply)("ask", EN)
    assert done.code == 0
    assert f"▎ {open_words}\n└ △ [1]\n" in done.stdout
    assert "△ not proven: read the quote" in done.stdout
    answer = chat(reply)("ask", EN, "--json")
    assert (answer.code, answer.last["grounded"], answer.last["refusal_reason"]) == (0, False, "not_proven")
    assert chat(say(open_words, "five minutes"))("ask", EN).code == 1


def test_an_answer_in_another_language_is_asked_for_again_and_then_said(chat) -> None:  # type: ignore[no-untyped-def]
    kb = chat(say("Rolling back takes one command and 5 minutes.", "five minutes"))
    done = kb("ask", "rollback 되돌리기 rolling back 시간은 얼마나 걸리나요?")
    assert "the model answered in another language" in done.stdout
    assert done.code == 0


def test_links_and_pictures_of_a_model_are_plain_text_or_gone(chat) -> None:  # type: ignore[no-untyped-def]
    kb = chat(say("Rolling back takes [five minutes](https://evil.example/?q=secret).", "five minutes"))
    done = kb("ask", EN)
    assert done.code == 1
    assert "evil.example" not in done.stdout
    chat(say("Rolling back takes ![one](x.png) command and five minutes.", "five minutes"))
    shown = kb("ask", EN).stdout
    assert "![" not in shown
    assert "](" not in shown


def test_what_a_chat_has_shown_can_be_opened_though_the_answer_was_stopped(chat, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    kb = chat(say(OWN_WORDS, "five minutes"))
    kb.kebab.environ["VISUAL"] = "cat"
    whole = kb("chat", "--session", "s", stdin=f"{EN}\n")
    assert "✓ from your documents" in whole.stdout
    monkeypatch.setattr("kebab_app.wiring.LANGUAGE_MODELS", {"scripted": f"{__name__}:build_stopped"})
    done = kb("chat", "--session", "s", stdin=f"{EN}\n/why\n/open 7\n")
    assert "「" in done.stdout
    assert SENTENCE in done.stdout
    assert "grounded" not in done.stdout
    for said in ("stopped", "error: the last answer was stopped", "error: the answer has no citation [7]"):
        assert said in done.stderr


def test_an_answer_that_was_cut_says_so(chat, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("kebab_app.wiring.LANGUAGE_MODELS", {"scripted": f"{__name__}:build_stopped"})
    monkeypatch.setattr(StoppedModel, "is_interrupted", False)
    kb = chat(say(OWN_WORDS, "five minutes"))
    for flags in ((), ("--stream",), ("--explain",)):
        done = kb("ask", EN, *flags)
        assert done.code == 1
        assert OWN_WORDS in done.stdout
        assert "note: the model was cut off" in done.stdout


def test_the_extractive_answer_has_claims_too(quick) -> None:  # type: ignore[no-untyped-def]
    answer = quick("ask", KO, "--json").last
    (claim,) = answer["claims"]
    assert claim["verdict"] == "quoted"
    assert claim["text"] in claim["sources"][0]["quote"]
    assert "review" not in answer


HOP = "How long does rolling back a release take?"


def plan(*replies: str, answer: Reply) -> Reply:
    """A reply for each request of sub-questions, the last for all further ones, and one for the answer."""
    left = list(replies)

    def reply(request: GenerateRequest) -> str:
        if '"questions"' in request.messages[0].text:
            return left.pop(0) if len(left) > 1 else left[0]
        return answer(request)

    return reply


def test_a_multi_hop_answer_shows_its_rounds_when_explained(chat) -> None:  # type: ignore[no-untyped-def]
    reply = plan(f'{{"questions": ["{HOP}"]}}', '{"questions": []}', answer=say(OWN_WORDS, "five minutes"))
    kb = chat(reply)
    done = kb("ask", EN, "--multi-hop", "--explain")
    assert done.code == 0
    assert "rounds\n  split" in done.stdout
    assert HOP in done.stdout
    reply = plan(f'{{"questions": ["{HOP}"]}}', '{"questions": []}', answer=say(OWN_WORDS, "five minutes"))
    answer = chat(reply)("ask", EN, "--multi-hop", "--json").last
    assert [hop["kind"] for hop in answer["hops"]] == ["decompose", "decide", "synthesize"]
    assert "hops" not in kb("ask", EN, "--json").last


def test_sub_questions_are_told_while_an_answer_streams(chat) -> None:  # type: ignore[no-untyped-def]
    plans = f'{{"questions": ["raw: rolling back", "{HOP}"]}}', '{"questions": []}'
    kb = chat(plan(*plans, answer=say(OWN_WORDS, "five minutes")))
    done = kb("ask", EN, "--multi-hop", "--stream")
    assert done.stderr == f"looked up: {HOP}\n"
    assert done.stdout.startswith(f"▎ {OWN_WORDS}")
    kb = chat(plan(*plans, answer=say(OWN_WORDS, "five minutes")))
    *events, _, _ = kb("ask", EN, "--multi-hop", "--stream", "--json").objects
    kinds = [event["kind"] for event in events]
    assert kinds[:3] == ["hop_done", "hop_done", "retrieval_done"]
    assert events[0]["hop"]["sub_queries"] == [HOP]


def test_a_question_that_no_model_could_take_apart_is_a_refusal(chat) -> None:  # type: ignore[no-untyped-def]
    kb = chat(lambda _request: "I would rather sing.")
    done = kb("ask", EN, "--multi-hop")
    assert done.code == 1
    assert done.stdout.startswith("The question could not be taken apart")
    answer = kb("ask", EN, "--multi-hop", "--json").last
    assert answer["refusal_reason"] == "multi_hop_decompose_failed"
    assert [hop["kind"] for hop in answer["hops"]] == ["decompose"]
