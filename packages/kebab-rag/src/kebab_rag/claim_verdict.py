"""Verdict on a claim by the sentences that it cites: supported, not proven, or contradicted.

Supported is a statement of a cited sentence in its words and their order, and what is probable enough in other words and adds no
negation, figure, date or unit. Contradicted is what is too improbable, or says nothing that they hold. `claim_checks` calls `VerdictReader.judge`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kebab_core import ClaimCheck, ClaimVerdict
from kebab_text import SentenceKind, fold

from kebab_rag.claim_features import Compared, estimate_probability, read_features
from kebab_rag.claim_words import NEGATION, NOT, Word, WordReader
from kebab_rag.evidence_sentences import NumberedEvidence, NumberedSentence
from kebab_rag.facts import Fact, FactBook, read_facts

LEAST_SUPPORTED = 0.65
"""Probability of a claim in other words that is supported; `bench/claims.py`, 2026-12: by weights fitted without its folder .05 of the wrong ones."""
LEAST_SHOWN = 0.41
"""Probability of a claim that is shown; of the same .76 of the right and .45 of the wrong ones."""
LEAST_AGAINST_FACTS = 0.5
"""The same of one with a figure, date, unit or name that what it cites does not hold."""
_LEAST_WORDS = 8
"""Words of a claim that is supported by its probability: of a shorter one a single word that is changed weighs too little."""
_YES_OR_NO = re.compile(
    r"^(?:(?P<yes>yes(?=[,.:;!]|$)|[네예](?!\w))|(?:no(?=[,.:;!]|$)|(?:아니[요오]|아뇨)(?!\w)))[,.:;!\s]*",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?。])\s")


class Judgement(NamedTuple):
    """What is said of a claim."""

    verdict: ClaimVerdict | None
    """None for a claim that is contradicted."""
    failed: ClaimCheck | None = None
    detail: str = ""


class VerdictReader:
    """Judges claims over one set of evidence.

    Args:
        evidence: All that a model was given.
        words: Reads words.
    """

    def __init__(self, evidence: NumberedEvidence, words: WordReader) -> None:
        self._evidence = evidence
        self._words = words

    def judge(self, claim: str, cited: Sequence[NumberedSentence], question: str) -> Judgement:
        """Return the verdict on a claim.

        Args:
            claim: Its text.
            cited: The sentences that it cites, at least one.
            question: What a claim adds to it is the answer.
        """
        said = _YES_OR_NO.sub("", claim)
        if not said.strip():
            return Judgement(ClaimVerdict.NOT_PROVEN)
        compared = self.compare(claim, cited)
        if not compared.words:
            return Judgement(None, ClaimCheck.SUPPORT)
        if self._is_statement(said, cited, compared.facts):
            return Judgement(ClaimVerdict.SUPPORTED)
        features = read_features(compared)
        likely = estimate_probability(features)
        is_against = features["facts_lacking"] or features["name_missing"]
        is_likely = likely >= (LEAST_AGAINST_FACTS if is_against else LEAST_SHOWN)
        if not is_likely or not self._adds_held(compared, question):
            return Judgement(None, *_find_reason(compared))
        is_told = len(compared.words) >= _LEAST_WORDS and not compared.is_other_script
        adds_negation = _is_negated(compared.said) and not _is_negated(compared.cited)
        adds_fact = any(map(compared.facts.find_lack, read_facts(said)))
        is_supported = is_told and likely >= LEAST_SUPPORTED and not adds_negation and not adds_fact
        return Judgement(ClaimVerdict.SUPPORTED if is_supported else ClaimVerdict.NOT_PROVEN)

    def compare(self, claim: str, cited: Sequence[NumberedSentence]) -> Compared:
        """Return a claim beside the sentences that it cites."""
        answer = _YES_OR_NO.match(claim)
        said = _YES_OR_NO.sub("", claim)
        leads = [self._evidence.lead(each) for each in cited]
        text = "\n".join(dict.fromkeys([*(each.text for each in cited), *_labels(cited), *leads]))
        keys, spelt = self._words.keys(text), fold(text).casefold()
        words = self._words.read(said)
        return Compared(
            said=said,
            is_yes=bool(answer and answer["yes"]),
            cited=text,
            words=words,
            held=[
                bool(word.keys & keys) or (not word.is_fact and fold(word.text).casefold() in spelt)
                for word in words
            ],
            cited_words=[word for each in cited for word in self._words.read(each.text)],
            keys=keys,
            facts=FactBook(text),
        )

    def _adds_held(self, compared: Compared, question: str) -> bool:
        """Return True if what is cited holds something that a claim adds to the question, or all of one that adds nothing.

        Between two scripts it must hold something of the claim.
        """
        if compared.is_other_script:
            return any(compared.held)
        asked = self._words.keys(question)
        pairs = zip(compared.words, compared.held, strict=True)
        added = [is_held for word, is_held in pairs if not word.keys & asked]
        return any(added) if added else all(compared.held)

    def _is_statement(self, said: str, cited: Sequence[NumberedSentence], held: FactBook) -> bool:
        """Return True if each sentence of a claim is a run of the words of a cited one, with its negations and units."""
        if not _list_values(read_facts(said)) <= _list_values(held.facts):
            return False
        sources = [self._words.read_all(line) for each in cited for line in self._read_lines(each)]
        parts = [self._words.read_all(part) for part in _SENTENCE_END.split(said.strip())]
        return all(any(_is_run(part, source) for source in sources) for part in parts)

    def _read_lines(self, cited: NumberedSentence) -> Iterator[str]:
        """Yield the lines of a sentence; an item behind and before what leads into its list, none where that negates."""
        opening = self._evidence.opening(cited).rstrip(" :：*_") if cited.kind is SentenceKind.ITEM else ""
        for line in cited.text.splitlines():
            if not NEGATION.search(opening):
                yield f"{opening} {line}"
                yield f"{line} {opening}"


def _list_values(facts: Iterable[Fact]) -> set[tuple[object, str]]:
    return {(fact.value, fact.unit) for fact in facts}


def _is_run(words: Sequence[Word], source: Sequence[Word]) -> bool:
    """Return True if a text holds some words in a row, with no negation before or behind them."""
    size = len(words)
    return any(
        all(one.keys & other.keys for one, other in zip(words, source[at:], strict=False))
        and not any(
            NOT in word.keys for word in (*source[max(0, at - 1) : at], *source[at + size : at + size + 1])
        )
        for at in range(len(source) - size + 1)
    )


def _find_reason(compared: Compared) -> tuple[ClaimCheck, str]:
    """Return the check that a contradicted claim fails, and its part that does."""
    for fact in read_facts(compared.said):
        lack = compared.facts.find_lack(fact)
        if lack is not None and fact.value != 1 and not compared.facts.can_derive(fact):
            return lack, compared.said[fact.start : fact.end]
    missing = [word for word, is_held in zip(compared.words, compared.held, strict=True) if not is_held]
    for word in missing:
        if word.kind == "name":
            return ClaimCheck.NAME, word.text
    if _is_negated(compared.said) is not _is_negated(compared.cited):
        return ClaimCheck.NEGATION, ""
    return ClaimCheck.SUPPORT, missing[0].text if missing else ""


def _is_negated(text: str) -> bool:
    return NEGATION.search(text) is not None


def _labels(cited: Iterable[NumberedSentence]) -> list[str]:
    return [label for each in cited for label in (each.passage.title, *each.passage.heading_path)]
