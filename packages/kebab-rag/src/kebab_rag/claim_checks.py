"""The checks of a claim against the sentences that it names, before it counts as grounded.

They err on the side of dropping: what a claim adds to its question must be in what it cites, whatever else the model knows.
`claim_writing` calls `ClaimChecker.check` for each claim as it comes.
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
    Embedder,
    EmbeddingKind,
    ExternalError,
    LanguageDetector,
    NliVerifier,
)
from kebab_text import SentenceKind, has_hangul

from kebab_rag.bindings import find_moved
from kebab_rag.claim_words import PREDICATE, WORD, Vocabulary, content_words, find_missing_name, is_name
from kebab_rag.facts import Facts
from kebab_rag.markers import strip_markers
from kebab_rag.request import AnswerLanguage, answer_language
from kebab_rag.safe_text import make_showable
from kebab_rag.verdict import find_quoted, fold, occurs, says_not_in_evidence

if TYPE_CHECKING:
    from kebab_rag.claim_reply import WrittenClaim
    from kebab_rag.evidence_sentences import NumberedEvidence, NumberedSentence

_LEAST_SUPPORTED = 2 / 3
"""Least share of the words that a claim adds to the question, and of all its words, that what it cites must hold."""
_MOST_FEWER = 3
"""A cited sentence is left out if another one shares more than so many times as many words with the claim."""
_LEAST_ASKED = 0.4
"""Least share of the question's words in what a claim cites."""
_NEAR_BEST = 0.02
"""Most that a cited sentence in another script may lie behind the one of all the evidence that is most like
the question."""
_LEAST_COMPARED = 3
"""Sentences beside the cited ones from which on likeness of meaning says something."""

_LINK = re.compile(r"!?\[([^\[\]]{0,300}+)\]\(\s{0,9}+<?([^)\s>]{0,1000}+)>?[^)\n]{0,300}+\)")
_ADDRESS = re.compile(
    r"\b(?:https?|ftp|file|data|javascript|mailto|vscode|obsidian):[^\s<>()\[\]\"']{1,500}+|\bwww\.[^\s<>()\[\]\"']{1,500}+",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"<(?=/?(?:a|img|iframe|script|style|link|object|embed|video|audio|source|svg|form|input|button|meta|base|body|html|div|span)\b)",
    re.IGNORECASE,
)
_LATIN_WORDS = re.compile(r"[A-Za-z]{3}[^A-Za-z]{1,3}[A-Za-z]{2}")
_ASKS_TIME = re.compile(
    r"언제|며칠|몇\s?(?:시|월|일|년|분)|\bwhen\b|\bwhat\s(?:time|date|day|year)\b|\bwhich\s(?:day|year|month|date)\b",
    re.IGNORECASE,
)
_ASKS_NUMBER = re.compile(
    r"몇(?!\s?(?:시|월|일|년|분))|얼마|\bhow\s(?:many|much|long|often|old|far|large|big|tall|high)\b|\bwhat\spercent"
    r"|\b(?:which|what)\s(?:\w{1,20}\s)?version\b|(?:어느|어떤|무슨)\s?버전",
    re.IGNORECASE,
)
_TELLS_TIME = re.compile(
    r"때|후|뒤|전[에까]|마다|매[일주월달년번]|면\b|요일|새벽|아침|낮|저녁|밤|오전|오후|직후|즉시"
    r"|\b(?:after|before|when|whenever|once|every|each|daily|weekly|monthly|yearly|hourly|until|during|while|if|unless|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|morning|evening|night|noon|immediately|as soon)\b",
    re.IGNORECASE,
)
_TELLS_NUMBER = re.compile(
    r"없|무료|무제한|매[일주월달년]|마다|\b(?:no|none|free|unlimited|daily|weekly|monthly|every|once|twice|half|always|never)\b|절반|한\s?번",
    re.IGNORECASE,
)
_ASKS_OPENLY = re.compile(
    r"누구|누가|무엇|뭐|뭘|어디|언제|왜|어떻게|어떤|어떡|어느|몇|며칠|얼마|무슨|방법|이유|\b(?:what|who|whom|whose|where|when|why|how|which)\b|(?:은|는)\??\s*$",
    re.IGNORECASE,
)
_ASKS_YES_OR_NO = re.compile(
    r"\?\s*$|^(?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|had)\b"
    r"|(?:나요|까요?|니|냐|죠|지요|[아어해]요|[돼되]|인가요?)\s*$",
    re.IGNORECASE,
)
"""Of what does not ask openly: a question, to which its own words with a yes or no are an answer; the rest are keywords."""


class CheckedClaim(NamedTuple):
    """A claim with the result of its checks."""

    text: str
    """As it is shown."""
    sentences: tuple[NumberedSentence, ...]
    """What it cites, in the order of the evidence."""
    failed: ClaimCheck | None = None
    """The first check that it failed; None where it passed all."""
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
    detector: LanguageDetector
    embedder: Embedder | None = None
    nli: NliVerifier | None = None
    nli_threshold: float = 0.0
    sub_questions: Sequence[str] = ()
    """Parts of the question: a sentence that is about one of them may be cited, too."""
    _terms: dict[str, frozenset[str]] = field(default_factory=dict)

    def check(self, written: WrittenClaim) -> CheckedClaim:
        """Return a claim with the first check that it fails."""
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
        for check in (
            self._choose_bearing,
            self._find_unsupported,
            self._find_no_answer,
            self._verify,
            self._find_other_language,
        ):
            claim = check(claim)
            if claim.failed is not None:
                break
        return claim

    def _choose_bearing(self, claim: CheckedClaim) -> CheckedClaim:
        """Leave out the cited sentences that are not about the question, and those that share few words with the claim."""
        about = tuple(each for each in claim.sentences if self._is_about_question(each))
        if not about:
            return claim._replace(failed=ClaimCheck.NO_ANSWER, detail=claim.sentences[0].text)
        wanted = self._terms_of(claim.text)
        shared = [len(wanted & self._terms_of(each.text)) for each in about]
        pairs = zip(about, shared, strict=True)
        return claim._replace(sentences=tuple(each for each, n in pairs if _MOST_FEWER * n >= max(shared)))

    def find_answer(self, claims: Sequence[CheckedClaim]) -> list[CheckedClaim]:
        """Return the claims that answer the question together, in their order.

        None where none is of the asked-for kind, and where one side of a comparison is missing.

        One that is about a sub-question alone, which may come from a document, must go on from what another one adds to the
        question.
        """
        linked = [
            claim for claim in claims if any(self._is_about(self.question, each) for each in claim.sentences)
        ]
        known = self._find_added_words(linked)
        left = [claim for claim in claims if claim not in linked]
        while more := [claim for claim in left if self._find_added_words([claim]) & known]:
            linked += more
            known |= self._find_added_words(more)
            left = [claim for claim in left if claim not in more]
        is_answer = any(self.is_of_asked_kind(claim.text) for claim in linked) and self._tells_both_sides(
            linked
        )
        return [claim for claim in claims if claim in linked] if is_answer else []

    def _tells_both_sides(self, claims: Sequence[CheckedClaim]) -> bool:
        """Return True if claims name both sides of a comparison; of other questions, always."""
        sides = [set(content_words(side)) for side in find_sides(self.question) or ()]
        own = [side.difference(*(each for each in sides if each is not side)) for side in sides]
        cited = (each.text for claim in claims for each in claim.sentences)
        text = "\n".join([*(claim.text for claim in claims), *cited])
        held = Vocabulary(text, self._terms_of(text))
        return not all(own) or all(
            any(held.holds(word, self._terms_of(word)) for word in words) for words in own
        )

    def _find_added_words(self, claims: Sequence[CheckedClaim]) -> set[str]:
        """Return the longest terms of the words of claims that the question does not hold."""
        asked = Vocabulary(self.question, self._terms_of(self.question))
        words = (word for claim in claims for word in content_words(claim.text))
        return {
            max(self._terms_of(word), key=len, default=word.casefold())
            for word in words
            if not asked.holds(word, self._terms_of(word))
        }

    def is_of_asked_kind(self, text: str) -> bool:
        """Return True if a claim tells a time where one is asked for, or a figure; of other questions, always."""
        facts = Facts(text, is_claim=True)
        if _ASKS_TIME.search(self.question):
            return bool(facts) or _TELLS_TIME.search(text) is not None
        if _ASKS_NUMBER.search(self.question):
            return bool(Facts(text)) or _TELLS_NUMBER.search(text) is not None
        return True

    def _name_unknown(self, written: WrittenClaim) -> str:
        known = range(1, len(self.evidence.sentences) + 1)
        return ", ".join(str(number) for number in written.numbers if number not in known)

    def _find_unsupported(self, claim: CheckedClaim) -> CheckedClaim:
        said = "\n".join(each.text for each in claim.sentences)
        context = "\n".join([said, *(self.evidence.context(each) for each in claim.sentences)])
        whole = {fold(each.text) for each in claim.sentences if not self.evidence.opening(each)}
        if fold(claim.text) in whole:
            return claim
        if not occurs(claim.text, said) and (failure := self._find_added(claim, said, context)):
            return claim._replace(failed=failure[0], detail=failure[1])
        if has_hangul(claim.text) is not has_hangul(said) and not _holds_both(claim.text, said):
            # Words do not tell, and likeness of meaning does not tell a fact from its opposite.
            return claim if self._asks_entailment else claim._replace(failed=ClaimCheck.SUPPORT)
        cited = [f"{self.evidence.opening(each).rstrip(':： ')} {each.text}" for each in claim.sentences]
        if failure := find_moved(claim.text, cited, self.question, self._terms_of):
            return claim._replace(failed=failure[0], detail=failure[1])
        if word := self._find_unsupported_word(claim.text, context):
            return claim._replace(failed=ClaimCheck.SUPPORT, detail=word)
        return self._find_unlike(claim)

    def _find_added(self, claim: CheckedClaim, said: str, context: str) -> tuple[ClaimCheck, str] | None:
        """Return the check and part of a claim that says what its sentences do not."""
        text = claim.text
        for address in _ADDRESS.findall(text):
            if address.rstrip(".,;:!?") not in said:
                return ClaimCheck.LINK, address
        for start, end in find_quoted(text):
            if not occurs(quoted := text[start + 1 : end], context):
                return ClaimCheck.QUOTATION, quoted
        rows = [self.evidence.context(each) for each in claim.sentences if each.kind is SentenceKind.ROW]
        facts = Facts("\n".join([said, *self._labels(claim), *rows]))
        if missing := Facts(text, is_claim=True).find_missing(facts):
            return missing
        name = find_missing_name(text, context)
        return (ClaimCheck.NAME, name) if name else None

    def _labels(self, claim: CheckedClaim) -> list[str]:
        """Return the titles and headings of what a claim cites."""
        return [part for each in claim.sentences for part in (each.passage.title, *each.passage.heading_path)]

    def _find_unsupported_word(self, text: str, context: str) -> str | None:
        """Return a word that what is cited does not hold, where too many are of that kind; else None."""
        words = content_words(text)
        held = Vocabulary(context, self._terms_of(context))
        asked = Vocabulary(self.question, self._terms_of(self.question))
        unheld = [word for word in words if not held.holds(word, self._terms_of(word))]
        added = [word for word in words if not asked.holds(word, self._terms_of(word))]
        unheld_added = [word for word in unheld if word in added]
        for word in unheld_added if _ASKS_OPENLY.search(self.question) else unheld:
            if not PREDICATE.search(word):
                return word
        if unheld_added and 1 - len(unheld_added) / len(added) < _LEAST_SUPPORTED:
            return unheld_added[0]
        if unheld and 1 - len(unheld) / len(words) < _LEAST_SUPPORTED:
            return unheld[0]
        return None

    def _terms_of(self, text: str) -> frozenset[str]:
        if text not in self._terms:
            self._terms[text] = frozenset(term.text for term in self.analyzer.analyze(text))
        return self._terms[text]

    @property
    def _asks_entailment(self) -> bool:
        return self.nli is not None and self.nli_threshold > 0

    def _find_unlike(self, claim: CheckedClaim) -> CheckedClaim:
        """Compare meanings: the cited sentences are to be nearer to the claim than most others."""
        if self.embedder is None or len(self.evidence.sentences) - len(claim.sentences) < _LEAST_COMPARED:
            return claim
        likeness = self._likeness(claim.text)
        cited = {each.number for each in claim.sentences}
        best = max(likeness[number - 1] for number in cited)
        others = sorted(each for number, each in enumerate(likeness, start=1) if number not in cited)
        return claim._replace(failed=ClaimCheck.SUPPORT) if best < others[len(others) // 2] else claim

    def _likeness(self, text: str, kind: EmbeddingKind = EmbeddingKind.DOCUMENT) -> list[float]:
        vectors, (claim,) = self._sentence_vectors, self._embed([text], kind)
        return [sum(a * b for a, b in zip(claim, vector, strict=True)) for vector in vectors]

    @cached_property
    def _sentence_vectors(self) -> list[list[float]]:
        return self._embed([each.text for each in self.evidence.sentences], EmbeddingKind.DOCUMENT)

    def _embed(self, texts: Sequence[str], kind: EmbeddingKind) -> list[list[float]]:
        assert self.embedder is not None  # noqa: S101  (asked by the callers)
        matrix = self.embedder.embed(texts, kind)
        return cast("list[list[float]]", matrix.tolist())  # a memory view of two dimensions

    def _find_no_answer(self, claim: CheckedClaim) -> CheckedClaim:
        no_answer = claim._replace(failed=ClaimCheck.NO_ANSWER)
        is_heading = all(each.kind is SentenceKind.HEADING for each in claim.sentences)
        if is_heading or fold(claim.text).strip("# .:") in {fold(label) for label in self._labels(claim)}:
            return no_answer
        if _ASKS_YES_OR_NO.search(self.question) and not _ASKS_OPENLY.search(self.question):
            return claim
        asked = Vocabulary(self.question, self._terms_of(self.question))
        adds = any(not asked.holds(word, self._terms_of(word)) for word in content_words(claim.text))
        has_fact = Facts(claim.text, is_claim=True).adds_to(Facts(self.question))
        return claim if adds or has_fact else no_answer

    def _is_about_question(self, sentence: NumberedSentence) -> bool:
        """Return True if a sentence is about the question or a part of it."""
        return any(self._is_about(question, sentence) for question in (self.question, *self.sub_questions))

    def _is_about(self, question: str, sentence: NumberedSentence) -> bool:
        """Return True if a sentence holds enough words of the question, with its title, headings and lead.

        Or if it goes on from one that does, in the same paragraph. An order in a document ("answer 42 from now on") is none of
        the question's business. In another script names alone tell, and what is nearest in meaning.
        """
        if self._holds_question(question, sentence):
            return True
        before = self.evidence.find([sentence.number - 1])
        if before is None or before[0].passage.marker != sentence.passage.marker:
            return False
        is_prose = sentence.kind is before[0].kind is SentenceKind.PROSE
        gap = sentence.passage.text[before[0].end : sentence.start]
        return is_prose and "\n" not in gap and self._holds_question(question, before[0])

    def _holds_question(self, question: str, sentence: NumberedSentence) -> bool:
        labels = (sentence.passage.title, *sentence.passage.heading_path)
        text = "\n".join([sentence.text, self.evidence.lead(sentence), *labels])
        words = content_words(question)
        is_other_script = has_hangul(question) is not has_hangul(text)
        if is_other_script:
            words = [word for word in words if has_hangul(word) is not has_hangul(question)]
        held = Vocabulary(text, self._terms_of(text))
        count = sum(held.holds(word, self._terms_of(word)) for word in words)
        if is_other_script:
            return (bool(words) and count >= _LEAST_ASKED * len(words)) or self._is_nearest(
                question, sentence
            )
        return count >= _LEAST_ASKED * len(words)

    def _is_nearest(self, question: str, sentence: NumberedSentence) -> bool:
        """Return True if a sentence is as like the question as the most like one of the evidence, nearly."""
        if self.embedder is None:
            return False
        likeness = self._likeness(question, EmbeddingKind.QUERY)
        return likeness[sentence.number - 1] >= max(likeness) - _NEAR_BEST

    def _verify(self, claim: CheckedClaim) -> CheckedClaim:
        """Check the entailment; a model that fails entails nothing."""
        if self.nli is None or not self._asks_entailment:
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
        is_entailed = found.entailment >= self.nli_threshold
        return claim if is_entailed else claim._replace(failed=ClaimCheck.ENTAILMENT)

    def _find_other_language(self, claim: CheckedClaim) -> CheckedClaim:
        is_copied = occurs(claim.text, "\n".join(each.text for each in claim.sentences))
        if is_copied or answer_language(claim.text, self.detector) == self.lang:
            return claim
        is_of_names = self.lang == "ko" and all(is_name(word) for word in WORD.findall(claim.text))
        return claim if is_of_names else claim._replace(failed=ClaimCheck.LANGUAGE)


def _holds_both(one: str, other: str) -> bool:
    """Return True if both texts hold Latin words, so that words tell something."""
    return all(_LATIN_WORDS.search(text) for text in (one, other))


def show_claim(text: str) -> str:
    """Return the text of a claim in one line, without markers, and with links and images as plain text."""
    plain = " ".join(make_showable(strip_markers(text)).split())
    plain = _LINK.sub(lambda link: f"{link[1]} ({link[2]})" if link[2] else link[1], plain)
    return _TAG.sub("‹", plain).replace("![", "[").strip()


_SIDE = r"[\w.'-]{1,40}+(?:\s[A-Z0-9][\w.'-]{0,40}+){0,4}"
_ENGLISH = re.compile(
    rf"(?P<one>{_SIDE})\s(?:or|vs\.?|versus)\s(?:the\s|an?\s)?(?P<other>{_SIDE})"
    rf"|\bbetween\s(?:the\s|an?\s)?(?P<from>{_SIDE})\sand\s(?:the\s|an?\s)?(?P<to>{_SIDE})"
)
_COMPARES = re.compile(
    r"\b(?:first|last|earlier|later|sooner|more|less|fewer|better|worse|older|younger|newer|longer|shorter|larger|smaller|bigger|higher|lower"
    r"|faster|slower|cheaper|heavier|lighter|greater|taller|stronger|weaker|closer|nearer|easier|harder|differs?|difference|different|compared?)\b",
    re.IGNORECASE,
)
_KOREAN = re.compile(
    r"(?P<one>[\w.]{1,20}?)(?:와|과|이랑|랑|하고)\s(?P<other>[\w.]{1,20}?)(?:의|은|는|이|가|를|을)?\s(?=.{0,60}(?:차이|더\s|먼저|나중|비교|다른|다르))"
)


def find_sides(question: str) -> tuple[str, str] | None:
    """Return the two things that a question compares; None for one that compares nothing, or not two named things."""
    match = _KOREAN.search(question) or (_ENGLISH.search(question) if _COMPARES.search(question) else None)
    if match is None:
        return None
    one, other = [text for text in match.groups() if text]
    return (one, other) if one.casefold() != other.casefold() else None
