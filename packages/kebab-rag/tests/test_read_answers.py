"""Answers of a reader: quotes of passages, with their citations and claims."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
from kebab_core import (
    AnswerFinal,
    AnswerReading,
    AnswerToken,
    ClaimVerdict,
    InvalidInputError,
    ModelRef,
    Passage,
    PassageQuote,
    RefusalReason,
    RetrievalDone,
)
from kebab_rag import AskRequest

QUESTION = "where are chunks cut and kept"
PAGES = {
    "guide/chunks.md": "Chunks are cut at headings.\nTables stay whole.\nChunks are kept in order.",
    "guide/index.md": "The index of chunks is kept in one file.",
}


class Quoting(NamedTuple):
    """Quotes the given texts, each of the first passage that holds it; texts of one quote are apart in it."""

    quotes: tuple[tuple[str, ...], ...]
    answers: bool = True

    def model_ref(self) -> ModelRef:
        return ModelRef(id="quoting", provider="quoting")

    def read(self, question: str, passages: Sequence[Passage]) -> AnswerReading:
        return AnswerReading(
            answers=self.answers, quotes=tuple(self._find(texts, passages) for texts in self.quotes)
        )

    def _find(self, texts: Sequence[str], passages: Sequence[Passage]) -> PassageQuote:
        passage = next(each for each in passages if all(text in each.text for text in texts))
        starts = [passage.text.index(text) for text in texts]
        ranges = tuple((start, start + len(text)) for start, text in zip(starts, texts, strict=True))
        return PassageQuote(marker=passage.marker, ranges=ranges)


def stream(bench: Any, *quotes: str | tuple[str, ...], answers: bool = True) -> list[Any]:
    texts = tuple(each if isinstance(each, tuple) else (each,) for each in quotes)
    return list(bench(Quoting(texts, answers), texts=PAGES).pipeline.stream(AskRequest(question=QUESTION)))


def ask(bench: Any, *quotes: str | tuple[str, ...], answers: bool = True) -> Any:
    return stream(bench, *quotes, answers=answers)[-1].answer


def places(answer: Any) -> list[tuple[str | None, str]]:
    return [(each.marker, each.citation.to_uri()) for each in answer.citations]


def test_each_quote_is_a_line_with_a_citation_of_its_own_lines(bench: Any) -> None:
    answer = ask(bench, "Chunks are kept in order.", "The index of chunks is kept in one file.")
    assert answer.answer == "Chunks are kept in order. [1]\nThe index of chunks is kept in one file. [2]"
    assert places(answer) == [("[1]", "guide/chunks.md#L3"), ("[2]", "guide/index.md#L1")]
    assert [answer.answer[each.start : each.end] for each in answer.markers] == ["[1]", "[2]"]
    assert (answer.grounded, answer.refusal_reason) == (True, None)


def test_quotes_of_one_place_share_a_number(bench: Any) -> None:
    answer = ask(bench, "Tables", "stay whole.")
    assert answer.answer == "Tables [1]\nstay whole. [1]"
    assert places(answer) == [("[1]", "guide/chunks.md#L2")]


def test_texts_of_one_quote_that_are_apart_are_lines_of_one_claim(bench: Any) -> None:
    answer = ask(bench, ("Chunks are cut at headings.", "Chunks are kept in order."))
    assert answer.answer == "Chunks are cut at headings.\nChunks are kept in order. [1]"
    (claim,) = answer.claims
    assert claim.verdict is ClaimVerdict.QUOTED
    assert [source.citation.to_uri() for source in claim.sources] == [
        "guide/chunks.md#L1",
        "guide/chunks.md#L3",
    ]


def test_text_like_a_marker_is_no_citation(bench: Any) -> None:
    pages = {"guide/chunks.md": "Chunks are cut [#2] and kept [1]."}
    parts = bench(Quoting((("Chunks are cut [#2] and kept [1].",),)), texts=pages)
    answer = parts.pipeline.ask(AskRequest(question=QUESTION))
    assert answer.answer == "Chunks are cut [#2] and kept [1]. [1]"
    assert [(each.number, each.start) for each in answer.markers] == [(1, 34)]


def test_tokens_of_the_stream_are_the_answer(bench: Any) -> None:
    first, *tokens, last = stream(bench, "Tables stay whole.", "Chunks are kept in order.")
    assert isinstance(first, RetrievalDone)
    assert all(isinstance(token, AnswerToken) for token in tokens)
    assert "".join(token.delta for token in tokens) == last.answer.answer
    assert [token.marker for token in tokens if token.marker] == [1, 2]


@pytest.mark.parametrize("question", [QUESTION, "Tables stay whole 는 어디에 있나요"])
def test_quotes_that_only_come_near_are_shown_as_no_answer_and_not_streamed(
    bench: Any, question: str
) -> None:
    parts = bench(Quoting((("Tables stay whole.",),), answers=False), texts=PAGES)
    events = list(parts.pipeline.stream(AskRequest(question=question)))
    assert [type(event) for event in events] == [RetrievalDone, AnswerFinal]
    answer = events[-1].answer
    assert (answer.grounded, answer.refusal_reason) == (False, RefusalReason.WEAK_SUPPORT)
    heading, _, quotes = answer.answer.partition("\n")
    assert quotes == "Tables stay whole. [1]"
    assert ("확실하지 않습니다" in heading) is (question != QUESTION)
    assert [claim.text for claim in answer.claims] == ["Tables stay whole."]
    assert places(answer) == [("[1]", "guide/chunks.md#L2")]


def test_a_reader_that_finds_nothing_is_a_refusal_with_the_nearest_passages(bench: Any) -> None:
    answer = ask(bench, answers=False)
    assert answer.refusal_reason is RefusalReason.LLM_SELF_JUDGE
    assert answer.claims == ()
    assert {each.marker for each in answer.citations} == {None}


def test_a_quote_whose_lines_are_gone_cites_the_whole_passage_with_its_stored_text(bench: Any) -> None:
    parts = bench(Quoting((("Tables stay whole.",),)), texts=PAGES)
    parts.lines = dict.fromkeys(parts.lines, "")
    answer = parts.pipeline.ask(AskRequest(question=QUESTION))
    assert places(answer) == [("[1]", "guide/chunks.md#L1-L3")]
    (claim,) = answer.claims
    assert [source.quote for source in claim.sources] == ["Tables stay whole."]


def test_a_reader_takes_no_question_apart(bench: Any) -> None:
    parts = bench(Quoting(()), texts=PAGES)
    with pytest.raises(InvalidInputError):
        parts.pipeline.stream(AskRequest(question=QUESTION, multi_hop=True))
