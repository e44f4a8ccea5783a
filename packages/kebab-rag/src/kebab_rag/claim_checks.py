"""The checks of a claim before it is shown, and its verdict.

A claim must be readable, name sentences that were given, be about the question and in its language; `claim_verdict` compares
what it says with what it cites. `claim_writing` calls `ClaimChecker.check` for each claim as it comes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

from kebab_core import (
    Analyzer,
    ClaimCheck,
    ClaimVerdict,
    Embedder,
    EmbeddingKind,
    ExternalError,
    NliVerifier,
)
from kebab_text import SentenceKind, has_hangul

from kebab_rag.claim_features import Features, read_features
from kebab_rag.claim_verdict import VerdictReader
from kebab_rag.claim_words import WordReader
from kebab_rag.markers import strip_markers
from kebab_rag.request import AnswerLanguage, answer_language
from kebab_rag.safe_text import make_showable
from kebab_rag.verdict import find_quoted, fold, occurs, says_not_in_evidence

if TYPE_CHECKING:
    from kebab_core import Passage

    from kebab_rag.claim_reply import WrittenClaim
    from kebab_rag.evidence_sentences import NumberedEvidence, NumberedSentence

_LEAST_ASKED = 0.2
"""Least share of the question's words in a sentence that is about it, with its title, headings and lead; `bench/claims.py`, 2026-11."""
_LEAST_LINKED_SHARE = 0.4
"""The same, of the whole question where its parts were searched, too: these may come from a document."""
_MOST_FEWER = 3
"""A cited sentence is left out if another one shares more than so many times as many words with the claim."""
_LEAST_LINKED = 2
"""Words that a cited sentence shares with another one that is about the question, or with a claim that is, to be about it, too."""
_NEAR_BEST = 0.05
"""Most that such a sentence may lie behind the one of all the evidence that is most like the question."""
_LINK = re.compile(r"!?\[([^\[\]]{0,300}+)\]\(\s{0,9}+<?([^)\s>]{0,1000}+)>?[^)\n]{0,300}+\)")
_ADDRESS = re.compile(
    r"\b(?:https?|ftp|file|data|javascript|mailto|vscode|obsidian):[^\s<>()\[\]\"']{1,500}+|\bwww\.[^\s<>()\[\]\"']{1,500}+",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"<(?=/?(?:a|img|iframe|script|style|link|object|embed|video|audio|source|svg|form|input|button|meta|base|body|html|div|span)\b)",
    re.IGNORECASE,
)
_ASKS_OPENLY = re.compile(
    r"누구|누가|무엇|뭐|뭘|어디|언제|왜|어떻게|어떤|어떡|어느|몇|며칠|얼마|무슨|\b(?:what|who|whom|whose|where|when|why|how|which)\b"
    r"|^(?!(?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|had)\b)[^?]*(?<!나요)(?<!까)(?<!까요)(?<![니냐죠])(?<![아어해돼되지]요)$",
    re.IGNORECASE,
)
"""Of a question to which its own words with a yes or no are no answer: one with an interrogative, or keywords."""


class CheckedClaim(NamedTuple):
    """A claim with the result of its checks."""

    text: str
    """As it is shown."""
    sentences: tuple[NumberedSentence, ...]
    """What it cites, in the order of the evidence."""
    verdict: ClaimVerdict = ClaimVerdict.NOT_PROVEN
    """Of one that is shown."""
    failed: ClaimCheck | None = None
    """The first check that it failed; None where it is shown."""
    detail: str = ""
    """The part that failed."""
    entailment: float | None = None
    """Probability that what it cites entails it; None without a model for that."""


@dataclass(kw_only=True)
class ClaimChecker:
    """Checks the claims of one answer. Belongs to one thread."""

    question: str
    lang: AnswerLanguage
    evidence: NumberedEvidence
    analyzer: Analyzer
    embedder: Embedder | None = None
    nli: NliVerifier | None = None
    nli_threshold: float = 0.0
    sub_questions: Sequence[str] = ()
    """Parts of the question: a sentence that is about one of them may be cited, too."""
    _likeness: dict[str, list[float]] = field(default_factory=dict)
    """Cosines of a question with the sentences."""
    _about: dict[int, list[NumberedSentence]] = field(default_factory=dict)
    """Sentences about the question by the marker of their passage."""

    def check(self, written: WrittenClaim) -> CheckedClaim:
        """Return a claim with its verdict, or with the first check that it fails."""
        text = show_claim(written.text)
        cited = self.evidence.find(written.numbers)
        claim = CheckedClaim(text, cited or ())
        if not written.is_whole or not text:
            return claim._replace(failed=ClaimCheck.MALFORMED)
        if says_not_in_evidence(text, {each.number: each.text for each in claim.sentences}):
            return claim._replace(failed=ClaimCheck.NOT_IN_EVIDENCE)
        if not written.numbers:
            return claim._replace(failed=ClaimCheck.NO_SENTENCE)
        if cited is None:
            return claim._replace(failed=ClaimCheck.UNKNOWN_SENTENCE, detail=self._name_unknown(written))
        for check in (self._choose_about, self._find_added, self._judge, self._find_no_answer, self._verify):
            claim = check(claim)
            if claim.failed is not None:
                return claim
        return self._find_other_language(claim)

    def read_features(self, written: WrittenClaim) -> Features | None:
        """Return the features of a claim beside the sentences that it names; None where it has no words."""
        compared = self._verdicts.compare(show_claim(written.text), self.evidence.find(written.numbers) or ())
        return read_features(compared) if compared.words else None

    def find_answer(self, claims: Sequence[CheckedClaim]) -> list[CheckedClaim]:
        """Return the claims that answer the question, in their order.

        One that is about a sub-question alone, which may come from a document, must go on from what another one adds to the
        question.
        """
        if not self.sub_questions:
            return list(claims)
        linked = [
            claim
            for claim in claims
            if any(self._holds(self.question, each, _LEAST_LINKED_SHARE) for each in claim.sentences)
        ]
        known = self._find_added_words(linked)
        left = [claim for claim in claims if claim not in linked]
        while more := [claim for claim in left if self._find_added_words([claim]) & known]:
            linked += more
            known |= self._find_added_words(more)
            left = [claim for claim in left if claim not in more]
        return [claim for claim in claims if claim in linked]

    @cached_property
    def _words(self) -> WordReader:
        return WordReader(self.analyzer)

    @cached_property
    def _verdicts(self) -> VerdictReader:
        return VerdictReader(self.evidence, self._words)

    def _find_added_words(self, claims: Sequence[CheckedClaim]) -> frozenset[object]:
        """Return the keys of the words of claims that the question does not hold."""
        asked = self._words.keys(self.question)
        words = (word for claim in claims for word in self._words.read(claim.text))
        return frozenset(key for word in words if not word.keys & asked for key in word.keys)

    def _name_unknown(self, written: WrittenClaim) -> str:
        known = range(1, len(self.evidence.sentences) + 1)
        return ", ".join(str(number) for number in written.numbers if number not in known)

    def _choose_about(self, claim: CheckedClaim) -> CheckedClaim:
        """Leave out the cited sentences that are neither about the question nor linked to one of their passage that is.

        If there are none left, the claim itself must link them with the question.
        """
        kept = tuple(
            each
            for each in claim.sentences
            if self._is_about_question(each)
            or any(self._are_linked(each, other) for other in self._about_in(each.passage))
        )
        if not kept and not self._links_question(claim):
            return claim._replace(failed=ClaimCheck.NO_ANSWER, detail=claim.sentences[0].text)
        return claim._replace(sentences=kept or claim.sentences)

    def _links_question(self, claim: CheckedClaim) -> bool:
        """Return True for a claim in the other script, with a word of the question and enough words of what it cites."""
        cited = "\n".join(each.text for each in claim.sentences)
        if has_hangul(claim.text) is has_hangul(cited):
            return False
        held = self._words.keys(cited)
        words = self._words.read(claim.text)
        shared = sum(bool(word.keys & held) for word in words)
        return shared >= _LEAST_LINKED and any(word.keys & self._words.keys(self.question) for word in words)

    def _find_added(self, claim: CheckedClaim) -> CheckedClaim:
        """Find an address or quoted words that stand in nothing that is cited."""
        said = "\n".join(each.text for each in claim.sentences)
        for address in _ADDRESS.findall(claim.text):
            if address.rstrip(".,;:!?") not in said:
                return claim._replace(failed=ClaimCheck.LINK, detail=address)
        context = "\n".join([said, *(self.evidence.context(each) for each in claim.sentences)])
        for start, end in find_quoted(claim.text):
            if not occurs(quoted := claim.text[start + 1 : end], context):
                return claim._replace(failed=ClaimCheck.QUOTATION, detail=quoted)
        return claim

    def _judge(self, claim: CheckedClaim) -> CheckedClaim:
        whole = [each.text for each in claim.sentences if each.kind is not SentenceKind.ITEM]
        if any(fold(claim.text) == fold(text) for text in whole):
            return self._leave_out(claim._replace(verdict=ClaimVerdict.SUPPORTED))
        found = self._verdicts.judge(claim.text, claim.sentences, self.question)
        if found.verdict is None:
            return claim._replace(failed=found.failed, detail=found.detail)
        return self._leave_out(claim._replace(verdict=found.verdict))

    def _leave_out(self, claim: CheckedClaim) -> CheckedClaim:
        """Leave out the cited sentences that share few words with the claim beside the others."""
        said = self._words.keys(claim.text)
        shared = [len(said & self._words.keys(each.text)) for each in claim.sentences]
        pairs = zip(claim.sentences, shared, strict=True)
        return claim._replace(sentences=tuple(each for each, n in pairs if _MOST_FEWER * n >= max(shared)))

    def _find_no_answer(self, claim: CheckedClaim) -> CheckedClaim:
        """Find a claim that is a heading, or adds nothing to the question."""
        no_answer = claim._replace(failed=ClaimCheck.NO_ANSWER)
        labels = {
            fold(label)
            for each in claim.sentences
            for label in (each.passage.title, *each.passage.heading_path)
        }
        is_heading = all(each.kind is SentenceKind.HEADING for each in claim.sentences)
        if is_heading or fold(claim.text).strip("# .:") in labels:
            return no_answer
        adds = bool(self._find_added_words([claim])) or not _ASKS_OPENLY.search(self.question)
        return claim if adds else no_answer

    def _about_in(self, passage: Passage) -> list[NumberedSentence]:
        """Return the sentences of a passage that are about the question."""
        if passage.marker not in self._about:
            own = [each for each in self.evidence.sentences if each.passage.marker == passage.marker]
            self._about[passage.marker] = [each for each in own if self._is_about_question(each)]
        return self._about[passage.marker]

    def _is_about_question(self, sentence: NumberedSentence) -> bool:
        """Return True if a sentence is about the question or a part of it."""
        return any(self._is_about(question, sentence) for question in (self.question, *self.sub_questions))

    def _is_about(self, question: str, sentence: NumberedSentence) -> bool:
        """Return True if a sentence holds words of a question, goes on from one that does, or is nearly most like it.

        An order in a document ("answer 42 from now on") is none of the question's business.
        """
        if self._holds(question, sentence, _LEAST_ASKED) or self._is_nearest(question, sentence):
            return True
        before = self.evidence.find([sentence.number - 1])
        if before is None or before[0].passage.marker != sentence.passage.marker:
            return False
        gap = sentence.passage.text[before[0].end : sentence.start]
        return "\n" not in gap and self._holds(question, before[0], _LEAST_ASKED)

    def _holds(self, question: str, sentence: NumberedSentence, least: float) -> bool:
        """Return True if a sentence holds a name of a question, or with title, headings and lead enough of its words."""
        passage = sentence.passage
        labels = (str(passage.citation.path), passage.title, *passage.heading_path)
        text = "\n".join([sentence.text, self.evidence.lead(sentence), *labels])
        own, held = self._words.keys(sentence.text), self._words.keys(text)
        words = self._words.read(question)
        if least < _LEAST_LINKED_SHARE and any(word.kind == "name" and word.keys & own for word in words):
            return True
        count = sum(
            bool(word.keys & held) or (has_hangul(word.text) and len(word.text) > 1 and word.text in text)
            for word in words
        )
        return count >= least * len(words)

    def _are_linked(self, one: NumberedSentence, other: NumberedSentence) -> bool:
        """Return True for sentences of one passage that share words, or have no blank line between them."""
        if one.passage.marker != other.passage.marker:
            return False
        first, last = sorted((one, other), key=lambda each: each.start)
        shared = self._words.keys(one.text) & self._words.keys(other.text)
        gap = one.passage.text[first.end : last.start]
        return len(shared) >= _LEAST_LINKED or re.search(r"\n[^\S\n]*\n", gap) is None

    def _is_nearest(self, question: str, sentence: NumberedSentence) -> bool:
        if self.embedder is None:
            return False
        if question not in self._likeness:
            (asked,) = self._embed([question], EmbeddingKind.QUERY)
            self._likeness[question] = [
                sum(a * b for a, b in zip(asked, vector, strict=True)) for vector in self._sentence_vectors
            ]
        likeness = self._likeness[question]
        return likeness[sentence.number - 1] >= max(likeness) - _NEAR_BEST

    @cached_property
    def _sentence_vectors(self) -> list[list[float]]:
        return self._embed([each.text for each in self.evidence.sentences], EmbeddingKind.DOCUMENT)

    def _embed(self, texts: Sequence[str], kind: EmbeddingKind) -> list[list[float]]:
        assert self.embedder is not None  # noqa: S101  (asked by the caller)
        matrix = self.embedder.embed(texts, kind)
        return cast("list[list[float]]", matrix.tolist())  # a memory view of two dimensions

    def _verify(self, claim: CheckedClaim) -> CheckedClaim:
        """Ask whether what is cited entails the claim; a model that fails entails nothing."""
        if self.nli is None or self.nli_threshold <= 0:
            return claim
        premise = "\n".join(
            dict.fromkeys([
                *(self.evidence.context(each) for each in claim.sentences),
                *(each.text for each in claim.sentences),
            ])
        )
        try:
            (found,) = self.nli.verify([(premise, claim.text)])
        except ExternalError as error:
            return claim._replace(failed=ClaimCheck.ENTAILMENT, detail=str(error.message))
        claim = claim._replace(entailment=found.entailment)
        if found.entailment < self.nli_threshold:
            return claim._replace(failed=ClaimCheck.ENTAILMENT)
        return claim._replace(verdict=ClaimVerdict.SUPPORTED)

    def _find_other_language(self, claim: CheckedClaim) -> CheckedClaim:
        is_copied = occurs(claim.text, "\n".join(each.text for each in claim.sentences))
        if is_copied or answer_language(claim.text) == self.lang:
            return claim
        is_of_names = self.lang == "ko" and all(
            word.kind not in {"word", "stem"} for word in self._words.read(claim.text)
        )
        return claim if is_of_names else claim._replace(failed=ClaimCheck.LANGUAGE)


def show_claim(text: str) -> str:
    """Return the text of a claim in one line, without markers, and with links and images as plain text."""
    plain = " ".join(make_showable(strip_markers(text)).split())
    plain = _LINK.sub(lambda link: f"{link[1]} ({link[2]})" if link[2] else link[1], plain)
    return _TAG.sub("‹", plain).replace("![", "[").strip()
