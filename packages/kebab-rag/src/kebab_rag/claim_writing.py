"""Writing an answer claim by claim: what a chat model writes is read, checked, and shown only then.

Nothing that is shown is taken back. If no claim stands, the model is asked once more and told why. `pipeline` calls
`write_claims`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kebab_core import (
    AnswerToken,
    ClaimCheck,
    ClaimReview,
    DroppedClaim,
    FinishReason,
    GenerateRequest,
    GenerationDone,
    LanguageModel,
    TokenUsage,
)

from kebab_rag.answer_draft import add_usage
from kebab_rag.citations import ShownClaims
from kebab_rag.claim_reply import ClaimReader, WrittenClaim
from kebab_rag.streaming import read_stream
from kebab_rag.verdict import fold

if TYPE_CHECKING:
    from kebab_rag.answer_draft import AnswerDraft
    from kebab_rag.claim_checks import CheckedClaim, ClaimChecker
    from kebab_rag.prompts import PromptBuilder
    from kebab_rag.request import AnswerLanguage

_MAX_NAMED = 3
"""Most dropped claims that a second request names."""
_REASONS: Mapping[AnswerLanguage, Mapping[ClaimCheck, str]] = {
    "ko": {
        ClaimCheck.MALFORMED: "정해진 꼴이 아니다",
        ClaimCheck.NO_SENTENCE: "문장 번호가 없다",
        ClaimCheck.UNKNOWN_SENTENCE: "그런 번호의 문장은 없다",
        ClaimCheck.LANGUAGE: "한국어가 아니다",
        ClaimCheck.NO_ANSWER: "질문의 답이 아니다",
    },
    "en": {
        ClaimCheck.MALFORMED: "not in the form asked for",
        ClaimCheck.NO_SENTENCE: "no sentence number",
        ClaimCheck.UNKNOWN_SENTENCE: "there is no sentence with that number",
        ClaimCheck.LANGUAGE: "not in English",
        ClaimCheck.NO_ANSWER: "does not answer the question",
    },
}
_OTHER_REASON: Mapping[AnswerLanguage, str] = {
    "ko": "그 번호의 문장이 그렇게 말하지 않는다",
    "en": "the sentences with these numbers do not say so",
}


@dataclass(kw_only=True)
class ClaimWriting:
    """The claims of one answer while a model writes them.

    Attributes:
        draft: The draft of the answer.
        checker: Checks each claim.
        model: Writes them.
        prompting: Writes the request for a second reply where nothing of the first stands.
        shown: Those that stand.
        written: Number of claims of all replies.
        dropped: Those that failed a check.
        other_language: Those that only failed for their language.
        entailments: Of those that stand.
    """

    draft: AnswerDraft
    checker: ClaimChecker
    model: LanguageModel
    prompting: PromptBuilder
    shown: ShownClaims = field(default_factory=ShownClaims)
    written: int = 0
    dropped: list[DroppedClaim] = field(default_factory=list)
    other_language: list[CheckedClaim] = field(default_factory=list)
    entailments: list[float] = field(default_factory=list)
    _said: set[str] = field(default_factory=set)
    _waiting: list[CheckedClaim] = field(default_factory=list)
    """Claims that stand, as long as they do not answer the question."""
    _stood: list[CheckedClaim] = field(default_factory=list)
    """Claims that are shown."""
    _has_given_up: bool = False
    """True once the model said that the evidence is not enough."""

    def write(self, request: GenerateRequest) -> Iterator[AnswerToken]:
        """Yield the claims that stand, each when it has passed its checks.

        Args:
            request: The request for the claims.

        Raises:
            ModelUnreachableError: The model ended with an error.
        """
        reply = yield from self._write_once(request)
        failures = self._list_failures()
        again = None
        if failures and self._may_ask_again():
            again = self.prompting.write_again(self.draft, request, reply, failures)
        if again is not None:
            yield from self._write_once(again)
        answer = [] if self.shown.claims else self.checker.find_answer(self.other_language)
        for claim in answer:
            yield from self._show(claim)
        dropped = [*self.dropped, *(_drop(each) for each in self.other_language if each not in answer)]
        self.draft.review = ClaimReview(
            written=self.written,
            dropped=tuple(dropped),
            repaired=again is not None,
            other_language=bool(answer),
        )

    def _may_ask_again(self) -> bool:
        done = self.draft.generation
        is_whole = done is not None and done.finish_reason is FinishReason.STOP
        return is_whole and not self.shown.claims and not self._has_given_up

    def _list_failures(self) -> list[str]:
        lang = self.draft.lang
        failed = [*self.dropped, *map(_drop, self.other_language)]
        return [
            f'- "{each.text}": {_REASONS[lang].get(each.check, _OTHER_REASON[lang])}'
            for each in failed[:_MAX_NAMED]
        ]

    def _write_once(self, request: GenerateRequest) -> Generator[AnswerToken, None, str]:
        """Yield the claims of one reply that stand; return all of it."""
        reader, reply, before = ClaimReader(), "", self.draft.generation
        self.draft.generation = None
        for text in read_stream(self.draft, self.model.generate_stream(request)):
            reply += text
            yield from self._take(reader.feed(text))
            if self._has_given_up:
                self.draft.generation = GenerationDone(finish_reason=FinishReason.STOP, usage=TokenUsage())
                break
        done = self.draft.generation
        if done is not None:
            yield from self._take(reader.close(is_cut=done.finish_reason is not FinishReason.STOP))
            usage = add_usage(before.usage, done.usage) if before else done.usage
            self.draft.generation = done.model_copy(update={"usage": usage})
        for claim in self._waiting:
            self.dropped.append(_drop(claim._replace(failed=ClaimCheck.NO_ANSWER)))
        self._waiting.clear()
        return reply

    def _take(self, claims: Sequence[WrittenClaim]) -> Iterator[AnswerToken]:
        for written in claims:
            if self._has_given_up:
                return
            self.written += 1
            claim = self.checker.check(written)
            if fold(claim.text) in self._said:
                continue
            self._said.add(fold(claim.text))
            if claim.failed is ClaimCheck.LANGUAGE:
                self.other_language.append(claim)
            elif claim.failed is not None:
                self.dropped.append(_drop(claim))
                self._has_given_up = claim.failed is ClaimCheck.NOT_IN_EVIDENCE
            else:
                self._waiting.append(claim)
                yield from self._show_answer()

    def _show_answer(self) -> Iterator[AnswerToken]:
        """Yield the claims that answer the question with those that are shown; the others are kept waiting."""
        for claim in self.checker.find_answer([*self._stood, *self._waiting])[len(self._stood) :]:
            self._waiting.remove(claim)
            self._stood.append(claim)
            yield from self._show(claim)

    def _show(self, claim: CheckedClaim) -> Iterator[AnswerToken]:
        if claim.entailment is not None:
            self.entailments.append(claim.entailment)
        for piece in self.shown.add(claim):
            verdict = None if piece.number is None else claim.verdict
            now = self.draft.clock.now()
            yield AnswerToken(ts=now, delta=piece.text, marker=piece.number, verdict=verdict)


def _drop(claim: CheckedClaim) -> DroppedClaim:
    return DroppedClaim(text=claim.text, check=claim.failed or ClaimCheck.LANGUAGE, detail=claim.detail)
