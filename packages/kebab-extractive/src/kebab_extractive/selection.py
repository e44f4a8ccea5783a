"""Selection of the quotes of an answer among the scored sentences. `model` calls `choose_quotes`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kebab_text import Sentence, SentenceKind

from kebab_extractive.answer_patterns import AnswerType
from kebab_extractive.query_terms import MIN_STRENGTH
from kebab_extractive.question import MIN_COVERAGE, Question
from kebab_extractive.quotes import Quote, is_quotable, led_end, list_end, quoted_range, section_ranges
from kebab_extractive.scoring import Candidate, is_contrasted
from kebab_extractive.sentence_forms import (
    ends_as_sentence,
    has_directive,
    has_words,
    is_question,
    leads_on,
    letters,
    refers_back,
)

if TYPE_CHECKING:
    from kebab_extractive.passage import ReadPassage

MAX_QUOTED = 3


class SupportLine(NamedTuple):
    """Coefficients of a logistic curve for "what is quoted for a sentence answers".

    Not applied where coverage alone decides (`Question.is_by_coverage`). `docs/quality.md` has the figures.
    """

    least: float
    """Least probability of an answer; its log-odds are subtracted in the intercept."""
    intercept: float
    evidence: float
    """Weight of the log-odds of the passage's evidence score."""
    cosine: float = 0.0
    coverage: float = 0.0
    smallness: float = 0.0
    """Weight of the smallness of the index; evidence scores are low in a small one."""


_BY_MEANING = SupportLine(least=0.6, intercept=-19.7, evidence=0.34, cosine=21.3, coverage=1.2, smallness=0.6)
_BY_WORDS = SupportLine(least=0.65, intercept=-1.53, evidence=0.45, coverage=1.7)
"""Where no cosine is known."""
MAX_NEAR = 2
_NEAR_SHARE = 0.5
_RANGES, _RANGES_BY_WORDS = (1.5, 1.25), (0.3, 0.18)
"""Largest score difference of the second and third sentence to the best one, with cosines and without.

With cosines 1.3 sentences are quoted on average for Korean questions that copy the text, 2 for questions over vaults (2026-11).
"""


_SPOOFED_MARKER_PENALTY = 0.2
"""Penalty of a spoofed marker, if a sentence without one has the same coverage."""
_MIN_COVERAGE_SHARE = 0.75
"""Least coverage of further sentences, as share of the best one's, where no cosine is known."""
_NO_CANDIDATE = Candidate(0, 0, 0.0, 0.0)


def choose_quotes(
    question: Question,
    passages: Sequence[ReadPassage],
    candidates: Iterable[Candidate],
) -> list[Quote]:
    """Return the quotes that answer, by rank and position; none if the best sentence is not supported.

    At most three sentences, the second and third only if their scores are close to the best. An item, row or block of
    code comes with its lead line if there is room. Neighbours are one quote. No sentence is quoted twice, even if
    several passages hold it. Equal scores keep the order of the evidence.
    """
    chosen: dict[tuple[int, int], int] = {}
    quoted: set[str] = set()
    usable = list(_usable(question, passages, candidates))
    names = [word for word in question.query_terms if word.is_name and not word.is_number]
    is_comparison = AnswerType.COMPARISON in question.answer_types
    left = [
        each
        for each in usable
        if each.is_sufficient
        and (is_comparison or not question.is_by_coverage or not is_contrasted(question, passages, each[:2]))
        and passages[each.rank].is_about(names)
    ]
    best = left[0] if left else _NO_CANDIDATE
    ranges = _RANGES_BY_WORDS if best.cosine is None else _RANGES
    for candidate in left:
        if len(chosen) == MAX_QUOTED:
            break
        read = passages[candidate.rank]
        text = letters(read.text(candidate.position))
        if chosen and best.score - candidate.score > ranges[len(chosen) > 1]:
            break
        probability = _probability(question, candidate, read)
        if not chosen and probability is not None and probability < _line(candidate).least:
            break
        if chosen and best.cosine is None and candidate.coverage < _MIN_COVERAGE_SHARE * best.coverage:
            continue
        if text in quoted or (chosen and read.has_spoofed_marker(candidate.position)):
            continue
        quoted.add(text)
        is_taken = any(
            rank == candidate.rank and first <= candidate.position <= last
            for (rank, first), last in chosen.items()
        )
        if not is_taken:
            _take(question, read, candidate, chosen)
    if chosen and is_comparison:
        _add_sides(question, passages, usable, chosen)
    return list(_quotes(question, passages, chosen, usable))


def _add_sides(
    question: Question,
    passages: Sequence[ReadPassage],
    candidates: Iterable[Candidate],
    chosen: dict[tuple[int, int], int],
) -> None:
    """Add, for each thing of a comparison that is in no quote, the best sentence of the quoted pages that holds it."""
    held = frozenset[str]().union(
        *(passages[rank].terms[n] for (rank, first), last in chosen.items() for n in range(first, last + 1))
    )
    pages = {passages[rank].passage.citation.path for rank, _ in chosen}
    lacking = [
        word for word in question.query_terms if not word.is_predicate and word.strength(held) < MIN_STRENGTH
    ]
    for candidate in candidates:
        read = passages[candidate.rank]
        own = read.terms[candidate.position]
        rest = [word for word in lacking if word.strength(own) < MIN_STRENGTH]
        if len(rest) < len(lacking) and read.passage.citation.path in pages:
            first, last = quoted_range(question, read, candidate.position)
            chosen[candidate.rank, first] = max(last, chosen.get((candidate.rank, first), last))
            lacking = rest


def choose_nearest(
    question: Question,
    passages: Sequence[ReadPassage],
    candidates: Iterable[Candidate],
) -> list[Quote]:
    """Return the sentences that come nearest to the question although none answers it, at most two.

    They hold at least half of the query terms that an answer has to hold. None has a spoofed marker. What a sentence leads
    into comes with it.
    """
    least = _NEAR_SHARE * question.needed_coverage
    near = [
        each
        for each in _usable(question, passages, candidates)
        if each.coverage >= least and not _is_spoofed(passages, each)
    ]
    chosen = {
        (each.rank, each.position): led_end(passages[each.rank], each.position) for each in near[:MAX_NEAR]
    }
    return list(_quotes(question, passages, chosen, near))


def _line(candidate: Candidate) -> SupportLine:
    return _BY_WORDS if candidate.cosine is None else _BY_MEANING


def _probability(question: Question, candidate: Candidate, read: ReadPassage) -> float | None:
    """Return the probability that what is quoted for a sentence answers; None where coverage alone decides."""
    if question.is_by_coverage:
        return None
    line = _line(candidate)
    odds = (
        line.intercept
        + line.evidence * read.evidence
        + line.cosine * (candidate.cosine or 0.0)
        + line.coverage * candidate.coverage
        + line.smallness * question.smallness
    )
    return 1 / (1 + math.exp(-odds) * (1 - line.least) / line.least)


def _usable(
    question: Question,
    passages: Sequence[ReadPassage],
    candidates: Iterable[Candidate],
) -> Iterator[Candidate]:
    """Yield the sentences that can be quoted, best first.

    If a sufficient sentence cannot be printed, sentences of its passage with less coverage do not replace it.
    """
    unquotable: dict[int, float] = {}
    ranked = list(candidates)
    plain = max((each.coverage for each in ranked if not _is_spoofed(passages, each)), default=0.0)

    def worth(candidate: Candidate) -> float:
        has_equal = _is_spoofed(passages, candidate) and candidate.coverage <= plain
        return candidate.score - _SPOOFED_MARKER_PENALTY * has_equal

    for each in sorted(ranked, key=lambda each: -worth(each)):
        read = passages[each.rank]
        if each.coverage < unquotable.get(each.rank, 0.0):
            continue
        if _answers(question, read, each):
            yield each
        elif each.is_sufficient and not is_quotable(read.text(each.position)):
            unquotable[each.rank] = max(each.coverage, unquotable.get(each.rank, 0.0))


def _is_spoofed(passages: Sequence[ReadPassage], candidate: Candidate) -> bool:
    return passages[candidate.rank].has_spoofed_marker(candidate.position)


def _answers(question: Question, read: ReadPassage, candidate: Candidate) -> bool:
    text = read.text(candidate.position)
    return (
        candidate.coverage >= MIN_COVERAGE
        and is_quotable(text)
        and not has_directive(text)
        and has_words(text, with_links=question.asks_for_code or question.asks_for_link)
        and not is_question(text)
        and not _is_echo(question, read, candidate.position)
        and (not leads_on(text) or list_end(read, candidate.position) > candidate.position)
    )


def _is_echo(question: Question, read: ReadPassage, position: int) -> bool:
    """Return True if a sentence only repeats the question: the same letters, or a label of the same words.

    A line that leads into a list, a table or code brings what answers.
    """
    if position + 1 in read.list_starts:
        return False
    text = read.text(position)
    if letters(text) in letters(question.text):
        return True
    is_label = not ends_as_sentence(text) and read.sentences[position].kind is SentenceKind.PROSE
    return is_label and read.terms[position] <= question.terms | read.context


def _take(
    question: Question,
    read: ReadPassage,
    candidate: Candidate,
    chosen: dict[tuple[int, int], int],
) -> None:
    """Add a sentence with its context sentences: the list after a lead-in, or the lead line of an item."""
    rank, position = candidate.rank, candidate.position
    first, last = quoted_range(question, read, position)
    ranges = section_ranges(question, read, (first, last))
    chosen.update({(rank, low): high for low, high in ranges})
    if ranges != [(position, last)]:
        return
    if _needs_sentence_before(question, read, position) and (rank, position - 1) not in chosen:
        before = read.text(position - 1)
        if (
            len(chosen) < MAX_QUOTED
            and position - 1 not in read.label_fields
            and is_quotable(before)
            and not read.has_spoofed_marker(position - 1)
        ):
            chosen[rank, position - 1] = position - 1
    lead = read.leads[position]
    if lead is None or len(chosen) >= MAX_QUOTED or (rank, lead) in chosen:
        return
    if read.label_fields.get(lead) != read.label_fields.get(position):
        return
    is_header = read.sentences[lead].kind is SentenceKind.ROW
    text = read.text(lead)
    if (is_header or leads_on(text)) and is_quotable(text):
        chosen[rank, lead] = lead


def _needs_sentence_before(question: Question, read: ReadPassage, position: int) -> bool:
    """Return True if a sentence begins with "it" or the like, and only the one before holds a query term."""
    is_prose = position > 0 and read.sentences[position - 1].kind is SentenceKind.PROSE
    if not is_prose or not refers_back(read.text(position)):
        return False
    own, before = read.terms[position] | read.context, read.terms[position - 1]
    return any(word.strength(before) == 1.0 and not word.strength(own) for word in question.query_terms)


def _quotes(
    question: Question,
    passages: Sequence[ReadPassage],
    chosen: dict[tuple[int, int], int],
    candidates: Iterable[Candidate],
) -> Iterator[Quote]:
    """Yield the chosen ranges as quotes, neighbours as one, by rank and position."""
    likely = {
        (each.rank, passages[each.rank].sentences[each.position]): _probability(
            question, each, passages[each.rank]
        )
        for each in candidates
    }

    def build(rank: int, stretches: Sequence[Sequence[Sentence]]) -> Quote:
        known = [likely.get((rank, sentence)) for stretch in stretches for sentence in stretch]
        probability = max((each for each in known if each is not None), default=None)
        return Quote(passages[rank].passage, tuple(map(tuple, stretches)), probability)

    for rank, read in enumerate(passages):
        picked = {n for (at, low), high in chosen.items() if at == rank for n in range(low, high + 1)}
        stretches: list[list[Sentence]] = []
        before = -1
        for position in sorted(picked):
            sentence = read.sentences[position]
            if stretches and position == before + 1:
                stretches[-1].append(sentence)
            elif stretches and _is_same_table(read, before, position):
                stretches.append([sentence])
            else:
                if stretches:
                    yield build(rank, stretches)
                stretches = [[sentence]]
            before = position
        if stretches:
            yield build(rank, stretches)


def _is_same_table(read: ReadPassage, before: int, position: int) -> bool:
    """Return True if two rows are of one table."""
    head = read.leads[position]
    is_row = read.sentences[position].kind is SentenceKind.ROW
    return is_row and head is not None and head in {before, read.leads[before]}
