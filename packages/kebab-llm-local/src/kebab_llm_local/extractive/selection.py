"""Which sentences are printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kebab_llm_local.extractive.printable import ends_as_sentence, has_directive, has_words
from kebab_llm_local.extractive.quoting import Quote, is_question, is_quotable, letters
from kebab_llm_local.extractive.reading import MAX_BLOCK, ReadPassage
from kebab_llm_local.extractive.scoring import Candidate, Question
from kebab_llm_local.extractive.sentences import SentenceKind
from kebab_llm_local.extractive.sufficiency import LEAST_COVERAGE

MAX_QUOTED = 3
_SECOND, _THIRD = 0.3, 0.18
"""How far the second and the third sentence may be behind the best: 1.3 quotes on average on Korean questions that
copy the text, 1.5 on others. With 0.375 and 0.25 four more in a hundred answers to the latter hold what was asked for
(2026-11), and a second sentence beside the point is seen far more often than that."""
_LEAD_IN_ENDS = (":", "：")
_LISTED = frozenset({SentenceKind.ITEM, SentenceKind.ROW, SentenceKind.CODE})


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
    best: float | None = None
    ranked = sorted(candidates, key=lambda each: -each.score)
    if not _is_enough(question, passages, ranked, stop=stop):
        return []
    for candidate in ranked:
        read = passages[candidate.rank]
        text = read.text(candidate.position)
        if best is not None and (
            len(chosen) >= MAX_QUOTED or best - candidate.score > (_SECOND, _THIRD)[len(chosen) > 1]
        ):
            break
        if not _answers(question, read, candidate, stop=stop) or letters(text) in seen:
            continue
        best = candidate.score if best is None else best
        seen.add(letters(text))
        place = (candidate.rank, candidate.position)
        if place not in chosen:
            _take(read, candidate, chosen, stop=stop)
    return list(_quotes(passages, chosen))


def _is_enough(
    question: Question,
    passages: Sequence[ReadPassage],
    candidates: Iterable[Candidate],
    *,
    stop: Sequence[str],
) -> bool:
    """Return whether some sentence that can be quoted holds as much of the question as it needs."""
    return any(
        each.coverage >= question.needed and _answers(question, passages[each.rank], each, stop=stop)
        for each in candidates
    )


def _answers(question: Question, read: ReadPassage, candidate: Candidate, *, stop: Sequence[str]) -> bool:
    text = read.text(candidate.position)
    return (
        candidate.coverage >= LEAST_COVERAGE
        and is_quotable(text, stop=stop)
        and not has_directive(text)
        and (question.asks_for_code or question.asks_for_link or has_words(text))
        and not is_question(text)
        and not _is_echo(question, read, candidate.position)
        and (
            not text.endswith(_LEAD_IN_ENDS) or _list_end(read, candidate.position, stop) > candidate.position
        )
    )


def _is_echo(question: Question, read: ReadPassage, position: int) -> bool:
    """Return whether a sentence only says the question again: the same letters, or a label of the same words."""
    text = read.text(position)
    if letters(text) in letters(question.text):
        return True
    is_label = not ends_as_sentence(text) and read.sentences[position].kind is SentenceKind.PROSE
    return is_label and read.terms[position] <= question.terms | read.context


def _take(
    read: ReadPassage, candidate: Candidate, chosen: dict[tuple[int, int], int], *, stop: Sequence[str]
) -> None:
    """Add a sentence with what belongs to it: the list after a lead-in, or the lead-in of an item."""
    rank, position = candidate.rank, candidate.position
    chosen[rank, position] = (
        _list_end(read, position, stop) if read.text(position).endswith(_LEAD_IN_ENDS) else position
    )
    lead = read.leads[position]
    if lead is None or len(chosen) >= MAX_QUOTED or (rank, lead) in chosen:
        return
    is_header = read.sentences[lead].kind is SentenceKind.ROW
    text = read.text(lead)
    if (is_header or text.endswith(_LEAD_IN_ENDS)) and is_quotable(text, stop=stop):
        chosen[rank, lead] = lead


def _list_end(read: ReadPassage, position: int, stop: Sequence[str]) -> int:
    """Return the position of the last sentence of the list after a lead-in that is still quoted with it."""
    last = position
    for following in range(position + 1, len(read.sentences)):
        sentence = read.sentences[following]
        is_near = sentence.end - read.sentences[position].start <= MAX_BLOCK
        if sentence.kind not in _LISTED or not is_near or not _may_follow(read.text(following), stop=stop):
            break
        last = following
    return last


def _may_follow(text: str, *, stop: Sequence[str]) -> bool:
    return is_quotable(text, stop=stop) and not has_directive(text)


def _quotes(passages: Sequence[ReadPassage], chosen: dict[tuple[int, int], int]) -> Iterator[Quote]:
    for rank, read in enumerate(passages):
        picked = {n for (at, low), high in chosen.items() if at == rank for n in range(low, high + 1)}
        run: list[int] = []
        for position in sorted(picked):
            if run and position > run[-1] + 1:
                yield _quote(read, run)
                run = []
            run.append(position)
        if run:
            yield _quote(read, run)


def _quote(read: ReadPassage, run: Sequence[int]) -> Quote:
    return Quote(read.passage, tuple(read.sentences[position] for position in run))
