"""Which sentences are printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kebab_extractive.passage import ReadPassage
from kebab_extractive.question import LEAST_COVERAGE, Question
from kebab_extractive.quotes import Quote, is_quotable, last_context_sentence, list_end, step_range
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
from kebab_extractive.sentences import SentenceKind

MAX_QUOTED = 3
_SECOND, _THIRD = 0.3, 0.18
"""How far the second and the third sentence may be behind the best: 1.3 quotes on average on Korean questions that
copy the text, 1.5 on others. With 0.375 and 0.25 four more in a hundred answers to the latter hold what was asked for
(2026-11), and a second sentence beside the point is seen far more often than that."""


_SPOOFED = 0.2
"""What it costs to hold something that reads like a marker, where another holds as much of the question."""
_AS_MUCH = 0.75
"""Share of what the best sentence holds of the question that the others must hold."""
_NONE = Candidate(0, 0, 0.0, 0.0)
_NEIGHBOUR = 0.05
"""What it is worth to stand beside a sentence that is printed already: one quote reads better than two."""


def choose_quotes(
    question: Question,
    passages: Sequence[ReadPassage],
    candidates: Iterable[Candidate],
    *,
    stop: Sequence[str] = (),
) -> list[Quote]:
    """Return what answers, by rank and place; nothing where no sentence does.

    At most three sentences, the second and third only if they are nearly as good as the best; an item, row or block of
    code comes with the line that leads to it where that fits. Neighbours are one quote. No sentence is quoted twice,
    however many passages hold it. Equal scores keep the order of the evidence.
    """
    chosen: dict[tuple[int, int], int] = {}
    seen: set[str] = set()
    usable = _usable(question, passages, candidates, stop=stop)
    left = [each for each in usable if each.is_sufficient and not is_contrasted(question, passages, each)]
    left = [each for each in left if _names_subject(question, passages, each)] or left
    best = left[0] if left else _NONE
    while left and len(chosen) < MAX_QUOTED:
        candidate = (
            max(left, key=lambda each: each.score + _NEIGHBOUR * _touches(each, chosen))
            if chosen
            else left[0]
        )
        left.remove(candidate)
        read = passages[candidate.rank]
        text = letters(read.text(candidate.position))
        if chosen and best.score - candidate.score > (_SECOND, _THIRD)[len(chosen) > 1]:
            break
        if chosen and candidate.coverage < _AS_MUCH * best.coverage:
            continue
        if text in seen or (chosen and read.has_spoofed_marker(candidate.position)):
            continue
        seen.add(text)
        if not _is_taken(candidate, chosen):
            _take(question, read, candidate, chosen, stop=stop)
    return list(_quotes(passages, chosen))


def _names_subject(question: Question, passages: Sequence[ReadPassage], candidate: Candidate) -> bool:
    read = passages[candidate.rank]
    lead = read.leads[candidate.position]
    return question.constraints.names_subject(
        read.unmarked(candidate.position), lead="" if lead is None else read.unmarked(lead)
    )


def _is_taken(candidate: Candidate, chosen: dict[tuple[int, int], int]) -> bool:
    """Return whether a sentence is printed already, itself or with another."""
    rank, position, *_ = candidate
    return any(at == rank and first <= position <= last for (at, first), last in chosen.items())


def _touches(candidate: Candidate, chosen: dict[tuple[int, int], int]) -> bool:
    """Return whether a sentence stands beside one that is printed already."""
    return any(
        rank == candidate.rank and candidate.position in {first - 1, last + 1}
        for (rank, first), last in chosen.items()
    )


def _usable(
    question: Question,
    passages: Sequence[ReadPassage],
    candidates: Iterable[Candidate],
    *,
    stop: Sequence[str],
) -> Iterator[Candidate]:
    """Yield the sentences that can be quoted, best first.

    Where a better one of a passage cannot be, what holds less of the question than that does not stand in for it.
    """
    hidden: dict[int, float] = {}
    ranked = list(candidates)
    plain = max((each.coverage for each in ranked if not _is_spoofed(passages, each)), default=0.0)

    def worth(candidate: Candidate) -> float:
        has_equal = _is_spoofed(passages, candidate) and candidate.coverage <= plain
        return candidate.score - _SPOOFED * has_equal

    for each in sorted(ranked, key=lambda each: -worth(each)):
        read = passages[each.rank]
        if each.coverage < hidden.get(each.rank, 0.0):
            continue
        if _answers(question, read, each, stop=stop):
            yield each
        elif each.is_sufficient and not is_quotable(read.text(each.position), stop=stop):
            hidden[each.rank] = max(each.coverage, hidden.get(each.rank, 0.0))


def _is_spoofed(passages: Sequence[ReadPassage], candidate: Candidate) -> bool:
    return passages[candidate.rank].has_spoofed_marker(candidate.position)


def _answers(question: Question, read: ReadPassage, candidate: Candidate, *, stop: Sequence[str]) -> bool:
    text = read.text(candidate.position)
    return (
        candidate.coverage >= LEAST_COVERAGE
        and is_quotable(text, stop=stop)
        and not has_directive(text)
        and (question.asks_for_code or question.asks_for_link or has_words(text))
        and not is_question(text)
        and not _is_echo(question, read, candidate.position)
        and (not leads_on(text) or list_end(read, candidate.position, stop) > candidate.position)
    )


def _is_echo(question: Question, read: ReadPassage, position: int) -> bool:
    """Return whether a sentence only says the question again: the same letters, or a label of the same words."""
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
    *,
    stop: Sequence[str],
) -> None:
    """Add a sentence with what belongs to it: the list after a lead-in, or the lead-in of an item."""
    rank, position = candidate.rank, candidate.position
    chosen[rank, position] = last_context_sentence(question, read, position, stop)
    if steps := step_range(question, read, position, stop):
        del chosen[rank, position]
        chosen[rank, steps[0]] = steps[1]
    if _stands_for(question, read, position) and (rank, position - 1) not in chosen:
        before = read.text(position - 1)
        if (
            len(chosen) < MAX_QUOTED
            and is_quotable(before, stop=stop)
            and not read.has_spoofed_marker(position - 1)
        ):
            chosen[rank, position - 1] = position - 1
    lead = read.leads[position]
    if lead is None or len(chosen) >= MAX_QUOTED or (rank, lead) in chosen:
        return
    is_header = read.sentences[lead].kind is SentenceKind.ROW
    text = read.text(lead)
    if (is_header or leads_on(text)) and is_quotable(text, stop=stop):
        chosen[rank, lead] = lead


def _stands_for(question: Question, read: ReadPassage, position: int) -> bool:
    """Return whether a sentence begins with "it" or the like, and the one before names what is asked about."""
    is_prose = position > 0 and read.sentences[position - 1].kind is SentenceKind.PROSE
    if not is_prose or not refers_back(read.text(position)):
        return False
    own, before = read.terms[position] | read.context, read.terms[position - 1]
    return any(word.strength(before) == 1.0 and not word.strength(own) for word in question.query_terms)


def _quotes(passages: Sequence[ReadPassage], chosen: dict[tuple[int, int], int]) -> Iterator[Quote]:
    for rank, read in enumerate(passages):
        picked = {n for (at, low), high in chosen.items() if at == rank for n in range(low, high + 1)}
        quote: list[list[int]] = []
        for position in sorted(picked):
            if quote and position == quote[-1][-1] + 1:
                quote[-1].append(position)
            elif quote and _is_same_table(read, quote[-1][-1], position):
                quote.append([position])
            else:
                if quote:
                    yield _quote(read, quote)
                quote = [[position]]
        if quote:
            yield _quote(read, quote)


def _is_same_table(read: ReadPassage, before: int, position: int) -> bool:
    """Return whether two rows stand below the same first row, or one of them is it."""
    head = read.leads[position]
    is_row = read.sentences[position].kind is SentenceKind.ROW
    return is_row and head is not None and head in {before, read.leads[before]}


def _quote(read: ReadPassage, stretches: Sequence[Sequence[int]]) -> Quote:
    return Quote(
        read.passage, tuple(tuple(read.sentences[position] for position in run) for run in stretches)
    )
