"""Verdict on a claim by the sentences that it cites: supported, not proven, or contradicted.

Contradicted is what a hard fact speaks against (a figure, date, unit or name that is in none of them, another polarity, a name or value
that belongs to another statement), if it is improbable too or says nothing else that they do not hold. Supported is what they say in the same words and order, clause by clause, and
what is probable enough by its features and has no such fact against it. `claim_checks` calls `VerdictReader.judge`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import takewhile
from math import log
from typing import NamedTuple

from kebab_core import ClaimCheck, ClaimVerdict
from kebab_text import SentenceKind, fold, has_hangul

from kebab_rag.claim_features import (
    LEAST_AGAINST_FACTS,
    LEAST_SUPPORTED,
    Compared,
    Features,
    estimate_probability,
    read_features,
)
from kebab_rag.claim_words import LATIN_NAME, NEGATION, Word, WordReader, find_nearest, renders
from kebab_rag.evidence_sentences import NumberedEvidence, NumberedSentence
from kebab_rag.facts import Fact, FactBook, read_facts

_LEAST_BEARING = 2
"""Words of a clause that a sentence holds before another sentence's figure or name in that clause counts as exchanged."""
_MOST_COMPARED = 8
"""Clauses of the cited sentences that one of the claim is compared with in full: those that share most words with it."""
_YES_OR_NO = re.compile(r"^(?:(?:yes|no|네|예|아니요|아니오|아뇨)(?![\w가-힣])[,.:\s]*)+", re.IGNORECASE)
_CLAUSE_END = re.compile(
    r"[,;:](?=\s)|\s[–—-]\s|(?<=[.!?])\s|\n"
    r"|\s(?:but|while|whereas|because|since|so|although|though|and)(?=\s)"
    r"|(?<=[가-힣][고며서])\s|(?<=지만)\s|(?<=[으는]나)\s|(?<=[는은인]데)\s|(?<=때문에)\s",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"^\s*(?:and|but)\s|[,\s](?:and|but|while|whereas|because|since|so|although|though)\s*$", re.IGNORECASE
)
"""What joins a clause to another one."""
_LATIN_WORD = re.compile(r"[A-Za-z]{3}")


class Part(NamedTuple):
    """One clause, of the claim or of what it cites."""

    statement: int
    """Number of its item, or of its line of a sentence; 0 for the claim."""
    words: tuple[Word, ...]
    """Without those that negate; not empty."""
    keys: frozenset[object]
    """Of its words."""
    context: frozenset[object]
    """Of title, headings and lead."""
    denied: frozenset[object]
    """Keys of the words that it negates."""
    is_negative: bool
    """Whether it negates anything."""


class Judgement(NamedTuple):
    """What is said of a claim."""

    verdict: ClaimVerdict | None
    """None for a claim that is contradicted."""
    failed: ClaimCheck | None = None
    detail: str = ""
    features: Features | None = None
    """Of a claim that was compared."""


class VerdictReader:
    """Judges claims over one set of evidence.

    Args:
        evidence: All that a model was given.
        words: Reads words.
    """

    def __init__(self, evidence: NumberedEvidence, words: WordReader) -> None:
        self.evidence = evidence
        self.words = words

    @cached_property
    def _counts(self) -> Counter[object]:
        return Counter(key for each in self.evidence.sentences for key in self.words.keys(each.text))

    def rarity(self, word: Word) -> float:
        """Return the weight of a word by the sentences of the evidence that have it."""
        count = max((self._counts[key] for key in word.keys), default=0)
        return log((len(self.evidence.sentences) + 1) / (count + 1))

    def judge(self, claim: str, cited: Sequence[NumberedSentence], question: str) -> Judgement:
        """Return the verdict on a claim.

        Args:
            claim: Its text.
            cited: The sentences that it cites, at least one.
            question: A name of it may stand beside what is cited; what a claim adds to it is the answer.
        """
        if not _YES_OR_NO.sub("", claim).strip():
            return Judgement(ClaimVerdict.NOT_PROVEN)
        return _Comparison(claim, cited, question, self).judge()


class _Comparison:
    """A claim beside what it cites."""

    def __init__(
        self, claim: str, cited: Sequence[NumberedSentence], question: str, reader: VerdictReader
    ) -> None:
        said = _YES_OR_NO.sub("", claim)
        self._said, self._cited, self._question = said, cited, question
        self._answer = claim.removesuffix(said).strip(" ,.:").casefold()
        evidence, words = reader.evidence, reader.words
        self._evidence, self._words = evidence, words
        self._parts = list(self._read_parts())
        leads = [evidence.lead(each) for each in cited]
        self._context = "\n".join(dict.fromkeys([*(each.text for each in cited), *_labels(cited), *leads]))
        self._held = words.keys(self._context)
        self._spelt = fold(self._context).casefold()
        self._rarity = reader.rarity
        self._facts = FactBook(self._context)
        self._near = words.keys(*(each.text for each in cited for each in _neighbours(each, evidence)))
        self._clauses = list(_read_clauses(said, words))

    def judge(self) -> Judgement:
        if not self._parts:
            return Judgement(None, ClaimCheck.SUPPORT)
        facts = {
            "lacking": self._find_lack(),
            "strange_name": self._find_strange_name(),
            "exchange": self._find_exchange(),
            "other_cell": self._find_cell(),
            "turned": self._find_turned(),
        }
        against = next(filter(None, facts.values()), None)
        features = self._read_features() | {name: float(found is not None) for name, found in facts.items()}
        likely = estimate_probability(features)
        if against is not None and (likely < LEAST_AGAINST_FACTS or not features["missing"]):
            return Judgement(None, *against, features)
        added, known = self._find_added(), self._held | self._near
        said = [
            bool(word.keys & known)
            for word in added or (word for each in self._clauses for word in each.words)
        ]
        holds_added = any(said) if added else all(said)
        if not holds_added and not self._is_other_script:
            return Judgement(None, ClaimCheck.SUPPORT, added[0].text if added else "", features)
        is_supported = against is None and (likely >= LEAST_SUPPORTED or self._is_borne())
        return Judgement(
            ClaimVerdict.SUPPORTED if is_supported else ClaimVerdict.NOT_PROVEN, features=features
        )

    def _read_features(self) -> Features:
        passages = {each.passage.marker: each.passage.text for each in self._cited}
        words = [word for clause in self._clauses for word in clause.words]
        compared = Compared(
            said=self._said,
            cited=self._context,
            words=words,
            held=[self._holds(word) for word in words],
            cited_words=[word for each in self._cited for word in self._words.read(each.text)],
            beside=self._near,
            asked=self._words.keys(self._question),
            passage=self._words.keys(*passages.values()),
            facts=self._facts,
            rarity=self._rarity,
        )
        is_yes = self._answer in {"yes", "네", "예"}
        return read_features(compared) | {
            "yes": float(is_yes),
            "no": float(bool(self._answer) and not is_yes),
        }

    def _holds(self, word: Word) -> bool:
        if word.is_fact:
            return all(self._facts.find_lack(fact) is None for fact in read_facts(word.text))
        return bool(word.keys & self._held) or fold(word.text).casefold() in self._spelt

    def _find_added(self) -> list[Word]:
        """Return the words that the claim adds to the question: its answer."""
        asked = self._words.keys(self._question)
        return [word for clause in self._clauses for word in clause.words if not word.keys & asked]

    def _read_parts(self) -> Iterator[Part]:
        statement, before = 0, None
        for each in self._cited:
            is_new = before is None or not _goes_on(before, each)
            opening = self._evidence.opening(each) if each.kind is SentenceKind.ITEM else ""
            context = self._words.keys(self._evidence.lead(each), *_labels([each]))
            for line in each.text.splitlines():
                statement += is_new
                for part in _read_clauses(f"{opening} {line}", self._words):
                    yield part._replace(statement=statement, context=context)
            before = each

    def _find_lack(self) -> tuple[ClaimCheck, str] | None:
        """Find a figure, date or unit that what is cited does not hold, nor gives by adding or subtracting."""
        for fact in read_facts(self._said):
            lack = self._facts.find_lack(fact)
            if lack is not None and not self._may_be_counted(fact):
                return lack, self._said[fact.start : fact.end]
        return None

    def _may_be_counted(self, fact: Fact) -> bool:
        """Return True for what can be derived, and for a small number in words: a claim may count."""
        is_word = self._said[fact.start : fact.end].replace(" ", "").isalpha()
        return (
            fact.value == 1 or self._facts.can_derive(fact) or (is_word and not fact.unit and fact.is_small)
        )

    def _find_strange_name(self) -> tuple[ClaimCheck, str] | None:
        """Find a name that is not in what is cited; one of the question may be beside it."""
        held = fold(self._context)
        is_spelt = self._is_other_script or not _LATIN_WORD.search(held)
        asked = self._words.keys(self._question) & self._near
        for word in (word for clause in self._clauses for word in clause.words if word.kind == "name"):
            name = fold(word.text)
            may_be_spelt = is_spelt and LATIN_NAME.search(word.text) is None
            if not word.keys & (self._held | asked) and name not in held and not may_be_spelt:
                return ClaimCheck.NAME, word.text
        return None

    def _find_unborne(self, clause: Part) -> tuple[Part, list[Word]]:
        """Return the clause of the sentences that bears most of one of the claim, and the words that it does not bear."""
        held = frozenset(key for part in self._parts for key in part.keys)
        said = [word for word in clause.words if word.keys & held]
        shared = [sum(bool(word.keys & part.keys) for word in said) for part in self._parts]
        places = sorted(range(len(shared)), key=lambda at: -shared[at])[:_MOST_COMPARED]
        left = {at: self._leave_over(at, said) for at in places}
        best = min(places, key=lambda at: len(left[at]) if shared[at] else len(said) + 1)
        return self._parts[best], left[best]

    def _leave_over(self, at: int, said: Sequence[Word]) -> list[Word]:
        """Return the words that a clause of the sentences does not bear, alone or by what is carried over to it.

        Carried over are the first words of an earlier clause, and in one sentence its other words that are no figures, to
        a clause whose own first word is said; the words of a later one to a clause whose last word is said; and the words of a clause
        that is said in full.
        """
        part = self._parts[at]
        keys = frozenset(key for word in said for key in word.keys)
        first, inside, last, full = set[object](), set[object](), set[object](), set[object]()
        for place, other in enumerate(self._parts):
            is_same = other.statement == part.statement
            if is_same and all(word.keys & keys for word in other.words):
                full |= other.keys
            if place < at and part.words[0].keys & keys:
                first.update(
                    key for word in takewhile(lambda each: each.keys & keys, other.words) for key in word.keys
                )
                if is_same:
                    inside.update(key for word in other.words if not word.is_fact for key in word.keys)
            if place > at and is_same and part.words[-1].keys & keys:
                last |= other.keys
        places = [place for place, word in enumerate(said) if word.keys & part.keys] or [0]
        return [
            word
            for place, word in enumerate(said)
            if not word.keys & (part.keys | part.context | full)
            and not word.keys & (first if place < places[0] else inside if place < places[-1] else last)
        ]

    def _find_exchange(self) -> tuple[ClaimCheck, str] | None:
        """Find a figure, name or subject in place of the one of the clause that bears all else."""
        for clause in self._clauses:
            part, missing = self._find_unborne(clause)
            bearing = sum(bool(word.keys & part.keys) for word in clause.words)
            for word in missing if bearing >= _LEAST_BEARING else ():
                has_rival = any(_is_rival(each, word) and not each.keys & clause.keys for each in part.words)
                if has_rival or (word is clause.words[0] and bearing > _LEAST_BEARING):
                    return (ClaimCheck.FIGURE if word.kind == "figure" else ClaimCheck.SUPPORT), word.text
        return None

    def _find_cell(self) -> tuple[ClaimCheck, str] | None:
        """Find a figure of a table under another column than the one that its clause names."""
        for row in self._cited:
            header = self._evidence.header(row)
            heads, cells = ([self._words.keys(cell) for cell in _cells(text)] for text in (header, row.text))
            if row.kind is not SentenceKind.ROW or len(heads) != len(cells):
                continue
            for clause in self._clauses:
                named = {
                    at
                    for at, head in enumerate(heads)
                    for word in clause.words
                    if word.keys & (head - cells[0])
                }
                for word in clause.words:
                    own = {at for at, cell in enumerate(cells) if word.keys & cell}
                    is_other = word.kind == "figure" and own and named and not own & named
                    if is_other and any(_has_fact(cells[at]) for at in named):
                        return ClaimCheck.FIGURE, word.text
        return None

    def _find_turned(self) -> tuple[ClaimCheck, str] | None:
        """Find a word that the claim negates and nothing cited does, or the other way round."""
        for clause in self._clauses:
            nearest, _ = self._find_unborne(clause)
            for word in clause.words:
                among = [nearest] if word.keys & nearest.keys else self._parts
                found = [each for each in among if word.keys & each.keys]
                is_denied = word.keys & clause.denied and not any(each.is_negative for each in found)
                is_asserted = not clause.is_negative and all(word.keys & each.denied for each in found)
                if found and (is_denied or is_asserted):
                    return ClaimCheck.NEGATION, word.text
        return None

    def _is_borne(self) -> bool:
        """Return True if every clause is a statement of one sentence, with its labels and lead, in its words and their order."""
        if self._is_other_script or any(self._find_unborne(each)[1] for each in self._clauses):
            return False
        if any(self._facts.find_lack(fact) for fact in read_facts(self._said) if fact.value != 1):
            return False
        sources = [self._words.read_all(text) for each in self._cited for text in self._read_statements(each)]
        clauses = [self._words.read_all(_JOINT.sub("", each)) for each in _split(self._said, self._words)]
        return all(
            any(renders(clause, source) for source in find_nearest(clause, sources)) for clause in clauses
        )

    def _read_statements(self, cited: NumberedSentence) -> Iterator[str]:
        labels = "".join(f"{label}\n" for label in _labels([cited]))
        opening = self._evidence.opening(cited).rstrip(" :：*_")
        for line in cited.text.splitlines():
            if cited.kind is SentenceKind.ITEM:
                yield f"{labels}{opening} {line}"
                yield f"{labels}{line} {opening}"
            else:
                yield f"{labels}{self._evidence.lead(cited)}\n{line}"
        heads, cells = _cells(self._evidence.header(cited)), _cells(cited.text)
        if cited.kind is SentenceKind.ROW and len(heads) == len(cells):
            yield from (f"{cells[0]} {head} {cell}" for head, cell in zip(heads, cells, strict=True))

    @property
    def _is_other_script(self) -> bool:
        """Whether claim and sentences are written in two scripts, so that words do not tell."""
        text = "".join(each.text for each in self._cited)
        hangul = sum(map(has_hangul, text))
        is_korean = hangul * 4 >= sum(map(str.isalpha, text))
        return has_hangul(self._said) is not is_korean


def _labels(cited: Iterable[NumberedSentence]) -> list[str]:
    return [label for each in cited for label in (each.passage.title, *each.passage.heading_path)]


def _neighbours(sentence: NumberedSentence, evidence: NumberedEvidence) -> Iterator[NumberedSentence]:
    """Yield the sentences before and behind one in its paragraph."""
    for number in (sentence.number - 1, sentence.number + 1):
        for each in evidence.find([number]) or ():
            first, last = sorted((sentence, each), key=lambda one: one.number)
            is_same = each.passage.marker == sentence.passage.marker
            if is_same and "\n\n" not in each.passage.text[first.end : last.start]:
                yield each


def _goes_on(one: NumberedSentence, other: NumberedSentence) -> bool:
    """Return True for two sentences of one item."""
    is_next = one.number + 1 == other.number and one.passage.marker == other.passage.marker
    is_item = one.kind is other.kind is SentenceKind.ITEM
    return is_next and is_item and "\n" not in one.passage.text[one.end : other.start]


def _split(text: str, words: WordReader) -> list[str]:
    """Split a text into clauses; one with a single word belongs to the one before it."""
    parts: list[str] = []
    start = 0
    for end in [*(match.end() for match in _CLAUSE_END.finditer(text)), len(text)]:
        part, start = text[start:end], end
        if parts and (len(words.read(part)) <= 1 or len(words.read(parts[-1])) <= 1):
            parts[-1] += part
        else:
            parts.append(part)
    return parts


def _read_clauses(text: str, words: WordReader) -> Iterator[Part]:
    for clause in _split(text, words):
        said = tuple(word for word in words.read(clause) if not NEGATION.fullmatch(word.text))
        denied = set[object]()
        for match in NEGATION.finditer(clause):
            after = [word for word in said if word.start >= match.end()][:1]
            before = [word for word in said if word.start < match.start()][-1:]
            for word in (after or before) if match["before"] else before:
                denied |= word.keys
        if said:
            keys = frozenset(key for word in said for key in word.keys)
            is_negative = NEGATION.search(clause) is not None
            yield Part(0, said, keys, frozenset(), frozenset(denied), is_negative)


def _is_rival(word: Word, displaced: Word) -> bool:
    """Return True for a word that may stand in the place of another one."""
    if displaced.kind == "name":
        return word.kind == "name" or word.text[:1].isupper()
    return displaced.kind in {"figure", "date"} and word.kind == displaced.kind


def _cells(row: str) -> list[str]:
    return row.strip("| \n").split("|")


def _has_fact(keys: frozenset[object]) -> bool:
    return any(not isinstance(key, str) for key in keys)
