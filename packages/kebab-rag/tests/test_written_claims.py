"""Answers claim by claim: what stands is shown and never taken back; what fails a check is dropped and counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings as hypothesis_settings, strategies as st
from kebab_core import (
    AnswerToken,
    ClaimCheck,
    ClaimVerdict,
    Entailment,
    FinishReason,
    GenerateRequest,
    LineCitation,
    ModelMissingError,
    ModelRef,
    Passage,
    RagSettings,
    RefusalReason,
)
from kebab_rag import AskRequest
from kebab_rag.claim_reply import ClaimReader, WrittenClaim
from kebab_rag.claim_verdict import VerdictReader
from kebab_rag.claim_words import WordReader
from kebab_rag.evidence_sentences import NumberedEvidence, find_runs
from kebab_testing.fakes.analyzer import StemmingAnalyzer
from kebab_testing.fakes.language_model import ReplyingModel, claims_reply, number_of
from kebab_testing.families import examples
from kebab_testing.passages import build_passage
from kebab_testing.tables import walk

NOTE = """\
The backup runs every night at 02:30. It keeps 14 copies on the server Juno.

Restoring needs the key of the backup. Without the key no restore works.

백업은 매일 밤에 돌고 사본 14개를 남긴다. 복원에는 열쇠가 필요하다."""
QUESTION = "When does the backup run?"
FIRST = "The backup runs every night at 02:30."


def run(bench: Any, model: ReplyingModel, question: str = QUESTION, **options: Any) -> Any:
    version = options.pop("version", "rag-v4-json")
    threshold = options.pop("nli_threshold", 0.0)
    settings = RagSettings(score_gate=0, prompt_template_version=version, nli_threshold=threshold)
    parts = bench(model, texts={"ops/backup.md": NOTE}, settings=settings, **options)
    events = list(parts.pipeline.stream(AskRequest(question=question)))
    said = "".join(event.delta for event in events if isinstance(event, AnswerToken))
    answer = events[-1].answer
    if said:
        assert answer.answer == said
    return answer


def says(text: str, words: str, *, as_lines: bool = False) -> ReplyingModel:
    return ReplyingModel(
        lambda request: claims_reply((text, [number_of(request, words)]), as_lines=as_lines), piece=3
    )


@pytest.mark.parametrize("version", ["rag-v4", "rag-v4-json"])
@pytest.mark.parametrize("as_lines", [True, False])
def test_a_claim_is_cited_by_the_lines_of_its_sentence(bench: Any, version: str, *, as_lines: bool) -> None:
    model = says("The backup runs every night at 2:30.", "02:30", as_lines=as_lines)
    answer = run(bench, model, version=version)
    assert answer.grounded, answer.review
    assert answer.answer == "The backup runs every night at 2:30. [1]"
    (claim,) = answer.claims
    assert (claim.verdict, claim.sources[0].quote) == ("supported", FIRST)
    assert claim.sources[0].citation == LineCitation(path="ops/backup.md", start=1, end=1, section="Title")
    assert (model.requests[0].json_schema is None) is (version == "rag-v4")


def test_prompt_has_every_sentence_once_with_its_number_below_the_title(bench: Any) -> None:
    model = says(FIRST, "02:30")
    run(bench, model)
    user = model.requests[0].messages[1].text
    assert user.startswith(
        f"[Question]\n{QUESTION}\n\n[Sentences]\n[document: Title]\n1| {FIRST}\n2| It keeps"
    )
    assert model.requests[0].evidence


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("The backup runs every night at 03:30.", ClaimCheck.DATE),
        ("The backup runs every night with 15 copies.", ClaimCheck.FIGURE),
        ("The backup runs every night on Zeus.", ClaimCheck.NAME),
        ("The backup runs.", ClaimCheck.NO_ANSWER),
        ('The backup runs "every full moon" at night.', ClaimCheck.QUOTATION),
        ("The backup runs at night, see https://evil.example/x.", ClaimCheck.LINK),
        ("The evidence is not enough.", ClaimCheck.NOT_IN_EVIDENCE),
        ("I do not know when the backup runs every night.", ClaimCheck.NOT_IN_EVIDENCE),
        ("", ClaimCheck.MALFORMED),
    ],
)
def test_a_claim_that_fails_is_dropped_and_counted_by_its_check(
    bench: Any, text: str, check: ClaimCheck
) -> None:
    answer = run(bench, says(text, "02:30"))
    assert answer.refusal_reason is RefusalReason.LLM_SELF_JUDGE
    assert {each.check for each in answer.review.dropped} == {check}
    assert "Passages found:" in answer.answer


@pytest.mark.parametrize(
    ("question", "is_answer"),
    [("backup runs", False), ("Does the backup run?", True), ("does the backup run every night", True)],
)
def test_a_claim_of_the_words_of_the_question_answers_only_yes_or_no(
    bench: Any, question: str, *, is_answer: bool
) -> None:
    assert run(bench, says("The backup runs.", "02:30"), question).grounded is is_answer


@pytest.mark.parametrize(
    ("numbers", "check"),
    [
        ([], ClaimCheck.NO_SENTENCE),
        ([99], ClaimCheck.UNKNOWN_SENTENCE),
        ([1, 0], ClaimCheck.UNKNOWN_SENTENCE),
    ],
)
def test_a_number_must_be_one_of_the_evidence(bench: Any, numbers: list[int], check: ClaimCheck) -> None:
    answer = run(bench, ReplyingModel(lambda _: claims_reply((FIRST, numbers))))
    assert not answer.grounded
    assert answer.review.dropped[0].check is check


def test_negation_is_kept_where_the_sentence_negates(bench: Any) -> None:
    question = "What does restore need?"
    good = run(bench, says("Without the key no restore works.", "Without"), question)
    assert good.grounded, good.review
    bad = run(
        bench, says("A restore works without problems if the key is there.", "Restoring needs"), question
    )
    assert not bad.grounded
    assert not run(bench, says("The restore works with the key.", "Without"), question).grounded


def test_what_stands_is_shown_and_what_does_not_is_left_out(bench: Any) -> None:
    claims = [
        (FIRST, [1]),
        ("The backup keeps 15 copies.", [2]),
        (FIRST, [1]),
        ("It keeps 14 copies on the server Juno.", [1, 2]),
    ]
    answer = run(bench, ReplyingModel(lambda _: claims_reply(*claims)), "When runs the backup?")
    assert answer.answer == f"{FIRST} [1]\nIt keeps 14 copies on the server Juno. [2]"
    assert [each.check for each in answer.review.dropped] == [ClaimCheck.FIGURE]
    assert (answer.review.written, answer.review.repaired) == (4, False)
    assert [cited.marker for cited in answer.citations] == ["[1]", "[2]"]


def test_a_claim_is_shown_before_the_next_one_is_written(bench: Any) -> None:
    reply = claims_reply((FIRST, [1]), ("It keeps 14 copies on the server Juno.", [2]))
    model = ReplyingModel(lambda _: reply, piece=1)
    parts = bench(model, texts={"a.md": NOTE}, settings=RagSettings(score_gate=0))
    for event in parts.pipeline.stream(AskRequest(question=QUESTION)):
        if isinstance(event, AnswerToken):
            assert model.pieces_taken <= reply.index("It keeps")
            break


def test_what_is_not_wholly_held_is_shown_as_not_proven_and_the_answer_is_not_grounded(bench: Any) -> None:
    added = "The backup runs every night through rsync tunnels."
    answer = run(bench, ReplyingModel(lambda _: claims_reply((FIRST, [1]), (added, [1]))))
    assert (answer.grounded, answer.refusal_reason) == (False, RefusalReason.NOT_PROVEN)
    assert answer.answer == f"{FIRST} [1]\n{added} [1]"
    assert [claim.verdict for claim in answer.claims] == [ClaimVerdict.QUOTED, ClaimVerdict.NOT_PROVEN]
    assert [claim.sources[0].quote for claim in answer.claims] == [FIRST, FIRST]


def test_each_marker_comes_with_the_verdict_on_its_claim(bench: Any) -> None:
    added = "The backup runs every night through rsync tunnels."
    parts = bench(
        ReplyingModel(lambda _: claims_reply((FIRST, [1]), (added, [1]))),
        texts={"a.md": NOTE},
        settings=RagSettings(score_gate=0),
    )
    events = parts.pipeline.stream(AskRequest(question=QUESTION))
    tokens = [event for event in events if isinstance(event, AnswerToken)]
    assert [token.verdict for token in tokens if token.marker] == [
        ClaimVerdict.SUPPORTED,
        ClaimVerdict.NOT_PROVEN,
    ]
    assert {token.verdict for token in tokens if token.marker is None} == {None}


def test_claims_that_are_contradicted_are_counted(bench: Any) -> None:
    reply = claims_reply((FIRST, [1]), ("The backup runs every night at 03:30.", [1]), ("", [1]))
    answer = run(bench, ReplyingModel(lambda _: reply))
    assert answer.grounded
    assert (len(answer.review.dropped), answer.review.contradicted) == (2, 1)


def test_a_second_reply_is_asked_for_once_and_told_why(bench: Any) -> None:
    def reply(request: GenerateRequest) -> str:
        is_second = len(request.messages) > 2
        return claims_reply((FIRST if is_second else "The backup runs at 9:00.", [1]))

    model = ReplyingModel(reply)
    answer = run(bench, model)
    assert answer.answer == f"{FIRST} [1]"
    assert answer.review.repaired
    assert [each.check for each in answer.review.dropped] == [ClaimCheck.DATE]
    first, second = model.requests
    assert second.messages[:2] == first.messages
    assert second.messages[2].text == claims_reply(("The backup runs at 9:00.", [1]))
    assert "The backup runs at 9:00." in second.messages[3].text
    assert answer.usage.prompt_tokens == 20
    stubborn = says("The backup runs at 9:00.", "02:30")
    assert not run(bench, stubborn).grounded
    assert len(stubborn.requests) == 2


def test_no_claims_is_a_refusal_without_a_second_request(bench: Any) -> None:
    for reply in (claims_reply(), "The evidence is not enough", "근거가 부족하다"):
        model = ReplyingModel(lambda _, reply=reply: reply)
        answer = run(bench, model)
        assert answer.refusal_reason is RefusalReason.LLM_SELF_JUDGE
        assert len(model.requests) == 1


def test_a_model_that_says_it_does_not_know_is_stopped(bench: Any) -> None:
    reply = claims_reply(("The documents do not say when.", [1]), (FIRST, [1]))
    answer = run(bench, ReplyingModel(lambda _: reply))
    assert not answer.grounded
    assert answer.review.written == 1


@pytest.mark.parametrize("reason", [FinishReason.LENGTH, FinishReason.ABORTED])
def test_a_reply_that_was_cut_is_no_grounded_answer(bench: Any, reason: FinishReason) -> None:
    whole = claims_reply((FIRST, [1]), ("It keeps 14 copies on the server Juno.", [2]))
    for end in (len(whole), len(whole) - 20):
        model = ReplyingModel(lambda _, end=end: whole[:end], finish_reason=reason)
        answer = run(bench, model)
        assert answer.refusal_reason is RefusalReason.LLM_STREAM_ABORTED
        assert answer.answer.startswith(f"{FIRST} [1]")
        assert len(model.requests) == 1
    nothing = ReplyingModel(lambda _: whole[:20], finish_reason=reason)
    assert not run(bench, nothing).grounded


def test_a_closed_stream_keeps_the_citations_of_what_was_shown(bench: Any) -> None:
    reply = claims_reply((FIRST, [1]), ("It keeps 14 copies on the server Juno.", [2]))
    parts = bench(ReplyingModel(lambda _: reply), texts={"a.md": NOTE}, settings=RagSettings(score_gate=0))
    stream = parts.pipeline.stream(AskRequest(question=QUESTION))
    while not (isinstance(event := next(stream), AnswerToken) and event.marker):
        pass
    stream.close()
    (_, stored), *_ = parts.answers.recent(limit=1)
    assert (stored.answer, stored.refusal_reason) == (f"{FIRST} [1]", RefusalReason.LLM_STREAM_ABORTED)
    assert [cited.marker for cited in stored.citations] == ["[1]"]


def test_another_language_is_asked_again_once_and_then_said(bench: Any) -> None:
    question = "backup 백업 은 매일 언제 돌고 있나요?"
    model = says("Every night the backup runs.", "02:30")
    answer = run(bench, model, question)
    assert len(model.requests) == 2
    assert answer.review.other_language

    def reply(request: GenerateRequest) -> str:
        is_second = len(request.messages) > 2
        return claims_reply(
            ("백업은 매일 밤에 돌고 사본 14개를 남긴다.", [5])
            if is_second
            else ("Every night the backup runs.", [1])
        )

    answer = run(bench, ReplyingModel(reply), question)
    assert answer.answer == "백업은 매일 밤에 돌고 사본 14개를 남긴다. [1]", answer.review
    assert not answer.review.other_language
    assert [each.check for each in answer.review.dropped] == [ClaimCheck.LANGUAGE]


class Verifier:
    """Implements `NliVerifier`."""

    def __init__(self, entailment: float | None) -> None:
        self.entailment = entailment
        self.pairs: list[tuple[str, str]] = []

    def model_ref(self) -> ModelRef:
        return ModelRef(id="nli", provider="testing")

    def verify(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Entailment]:
        self.pairs += pairs
        if self.entailment is None:
            raise ModelMissingError("no weights")
        return [Entailment(entailment=self.entailment, neutral=1 - self.entailment, contradiction=0)] * len(
            pairs
        )


def test_entailment_is_asked_where_there_is_a_model_and_fails_closed(bench: Any) -> None:
    claim = "The backup runs every night at 2:30."
    yes, no, gone, unused = Verifier(0.9), Verifier(0.2), Verifier(None), Verifier(0.2)
    answer = run(bench, says(claim, "02:30"), nli=yes, nli_threshold=0.5)
    assert answer.grounded
    assert (answer.verification.nli_score, answer.verification.nli_passed) == (0.9, True)
    assert FIRST in yes.pairs[0][0]
    assert yes.pairs[0][1] == claim
    refused = run(bench, says(claim, "02:30"), nli=no, nli_threshold=0.5)
    assert refused.refusal_reason is RefusalReason.NLI_VERIFICATION_FAILED
    assert not run(bench, says(claim, "02:30"), nli=gone, nli_threshold=0.5).grounded
    assert run(bench, says(claim, "02:30"), nli=unused).grounded
    assert not unused.pairs


PIECES = st.sampled_from(['{"claims": [', '{"sentences": [1], "text": "', FIRST, '"}', "]}", "[#1]", "[#2, 3]", "\n", "<think>", "</think>", "```json", "[99]", "\\", '"', "It keeps 14 copies", "근거가 부족하다", "\u202e", "\ud800"])  # fmt: skip


@pytest.mark.thorough
@given(pieces=st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=14), piece=st.integers(1, 9))
@hypothesis_settings(
    max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_no_text_of_a_model_makes_a_quote_that_is_not_in_the_document(
    bench: Any, pieces: list[str], piece: int
) -> None:
    answer = run(bench, ReplyingModel(lambda _: "".join(pieces), piece=piece))
    for claim in answer.claims:
        assert claim.sources
        for source in claim.sources:
            assert source.quote in NOTE
            assert 1 <= source.citation.start <= source.citation.end <= NOTE.count("\n") + 1
    for cited in answer.citations:
        assert cited.citation.path == "ops/backup.md"
    for marker in answer.markers or ():
        assert answer.answer[marker.start : marker.end] == f"[{marker.number}]"
        assert marker.number <= len(answer.citations)


@given(st.lists(st.text(max_size=80), max_size=4), st.sets(st.integers(-2, 40), max_size=6))
def test_numbers_count_over_all_passages_and_stand_for_slices_of_them(
    texts: list[str], wanted: set[int]
) -> None:
    passages: list[Passage] = [
        build_passage(text, marker=at) for at, text in enumerate(texts, start=1) if text
    ]
    evidence = NumberedEvidence(passages)
    assert [each.number for each in evidence.sentences] == [*range(1, len(evidence.sentences) + 1)]
    assert all(each.text.strip() and each.text in each.passage.text for each in evidence.sentences)
    found = evidence.find(wanted)
    known = set(range(1, len(evidence.sentences) + 1))
    assert (found is not None) is (bool(wanted) and wanted <= known)
    for run_ in find_runs(found or ()):
        assert run_.quote in run_.passage.text
        assert all(each.text in run_.quote for each in run_.sentences)


@given(
    claims=st.lists(st.tuples(st.text("abc 가나.", min_size=1, max_size=9).map(str.strip).filter(bool), st.lists(st.integers(1, 9), min_size=1, max_size=3, unique=True)), max_size=5),
    size=st.integers(1, 20),
)  # fmt: skip
def test_a_reply_is_read_the_same_however_it_is_cut(claims: list[tuple[str, list[int]]], size: int) -> None:
    reply = claims_reply(*claims)
    for text in (reply, f"```json\n{reply}\n```", f"<think>{reply}</think>\n{reply}"):
        reader, found = ClaimReader(), list[WrittenClaim]()
        for start in range(0, len(text), size):
            found += reader.feed(text[start : start + size])
        found += reader.close()
        assert found == [WrittenClaim(said, tuple(numbers)) for said, numbers in claims]


@walk(
    ("line", "claims"),
    [
        ("One. [#1]", [("One.", (1,))]),
        ("One [#1].", [("One", (1,))]),
        ("- One. [#1][#2, 3]", [("One.", (1, 2, 3))]),
        ("One. [1] Two. [2]", [("One.", (1,)), ("Two.", (2,))]),
        ("Use vec![1] and list[2]. [#3]", [("Use vec![1] and list[2].", (3,))]),
        ("No number.", [("No number.", ())]),
        ("1. One. [#4] and more", [("One.", (4,)), ("and more", ())]),
        ("", []),
    ],
)
def test_markers_are_read_at_the_end_of_a_claim(line: str, claims: list[tuple[str, tuple[int, ...]]]) -> None:
    reader = ClaimReader()
    found = [*reader.feed(f"{line}\n"), *reader.close()]
    assert [(each.text, each.numbers) for each in found] == claims


TABLE = """\
| host | cpu | ram |
|---|---|---|
| relay-1 | 16 | 64 |
| relay-2 | 8 | 32 |

The contract costs 5,200 EUR and the test 1,300 EUR. Ana Silva pays the contract. Bo Lind pays the test."""


@pytest.mark.parametrize(
    ("claim", "lines", "verdict"),
    [
        ("relay-1 has a ram of 64.", "relay-1", ClaimVerdict.NOT_PROVEN),
        ("relay-1 has a ram of 32.", "relay-1", None),
        ("The contract costs 5,200 EUR.", "costs", ClaimVerdict.SUPPORTED),
        ("The test costs 1,300 EUR.", "costs", ClaimVerdict.NOT_PROVEN),
        ("Yes, the contract costs 5,200 EUR.", "costs", ClaimVerdict.SUPPORTED),
        ("Together they cost 6,500 EUR.", "costs", ClaimVerdict.NOT_PROVEN),
        ("Ana Silva pays the contract of relay-1.", "Ana", None),
        ("Carla Moss pays the contract.", "Ana", None),
        ("Bo Lind pays the contract.", "Ana|Bo", ClaimVerdict.NOT_PROVEN),
        ("Ana Silva does not pay the contract.", "Ana", ClaimVerdict.NOT_PROVEN),
    ],
)
def test_a_value_or_subject_that_is_not_held_contradicts_and_another_order_proves_nothing(
    bench: Any, claim: str, lines: str, *, verdict: ClaimVerdict | None
) -> None:
    evidence = NumberedEvidence([build_passage(TABLE, marker=1)])
    cited = [each for each in evidence.sentences if any(word in each.text for word in lines.split("|"))]
    reader = VerdictReader(evidence, WordReader(StemmingAnalyzer()))
    assert reader.judge(claim, cited, "Who pays what, and what does relay-1 have?").verdict is verdict


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Each backup keeps 14 copies of the database on 2 servers for 3 months.", ClaimVerdict.SUPPORTED),
        (
            "The backup does not keep 14 copies of the database on 2 servers for 3 months.",
            ClaimVerdict.NOT_PROVEN,
        ),
        ("Each backup keeps 16 copies of the database on 2 servers for 3 months.", ClaimVerdict.NOT_PROVEN),
        ("Each backup keeps 14 copies of the database on 1 server for 3 months.", ClaimVerdict.NOT_PROVEN),
        ("Each backup keeps 14 copies of the database on 2 servers for one month.", ClaimVerdict.NOT_PROVEN),
    ],
)
def test_a_claim_that_adds_a_negation_or_a_figure_is_never_supported(
    claim: str, verdict: ClaimVerdict
) -> None:
    text = "The backup keeps 14 copies of the database on 2 servers for 3 months after each release."
    evidence = NumberedEvidence([build_passage(text, marker=1)])
    reader = VerdictReader(evidence, WordReader(StemmingAnalyzer()))
    assert reader.judge(claim, evidence.sentences, "How does the backup work?").verdict is verdict


def test_a_time_is_compared_with_a_round_figure() -> None:
    text = "점검 중에는 로그인할 수 없지만 조회는 할 수 있다. 연차는 15개이고 병가는 10개이다."
    evidence = NumberedEvidence([build_passage(text, marker=1)])
    reader = VerdictReader(evidence, WordReader(StemmingAnalyzer()))
    assert reader.judge("병가는 10번이다. 10시다.", evidence.sentences, "병가는?").verdict is None


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [("Yes.", ClaimVerdict.NOT_PROVEN), ("No.", ClaimVerdict.NOT_PROVEN), ("It works.", None)],
)
def test_a_bare_yes_or_no_is_not_proven_and_a_sentence_without_words_supports_nothing(
    claim: str, verdict: ClaimVerdict | None
) -> None:
    evidence = NumberedEvidence([build_passage("No.", marker=1)])
    reader = VerdictReader(evidence, WordReader(StemmingAnalyzer()))
    assert reader.judge(claim, evidence.sentences, "Does it work?").verdict is verdict


def test_a_claim_that_cites_very_much_is_judged_in_time() -> None:
    text = "\n".join(f"The server {at} has a memory of {at} GB and a disk of {at} TB." for at in range(1_000))
    evidence = NumberedEvidence([build_passage(text, marker=1)])
    reader = VerdictReader(evidence, WordReader(StemmingAnalyzer()))
    claim = "The server 7 has a memory of 7 GB."
    assert reader.judge(claim, evidence.sentences, "How large is it?").verdict is ClaimVerdict.SUPPORTED


def test_a_claim_that_was_left_unfinished_is_no_answer(bench: Any) -> None:
    answer = run(bench, says("The backup means", "02:30"), "What is the backup?")
    assert not answer.grounded


def test_a_claim_of_very_many_words_that_are_not_cited_is_judged() -> None:
    many = " ".join(
        f"w{chr(97 + at % 26)}{chr(97 + at // 26 % 26)}{chr(97 + at // 676)}x" for at in range(6_000)
    )
    evidence = NumberedEvidence([build_passage(f"The server is new.\n\n{many}", marker=1)])
    reader = VerdictReader(evidence, WordReader(StemmingAnalyzer()))
    judged = reader.judge(f"The server is new {many}", evidence.sentences[:1], "What is new?")
    assert judged.verdict is not ClaimVerdict.SUPPORTED
