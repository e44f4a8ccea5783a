"""Sentences in another language than the question's: they share no words with it, so that only meaning tells.

Cosines across languages lie close together and tell a passage better than a sentence in it. What makes up for it are the
gate before, and what the question constraints: a question for a date is answered by a sentence with a date.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from kebab_core import Embedder

from kebab_extractive.answer_constraints import holds_type
from kebab_extractive.passage import ReadPassage
from kebab_extractive.question import Question, is_korean
from kebab_extractive.quotes import Quote, is_quotable
from kebab_extractive.semantic_rerank import cosines, fit_budget
from kebab_extractive.sentence_forms import has_directive, has_words, is_fragment, is_question, leads_on
from kebab_extractive.sentences import SentenceKind

_PASSAGES = 2
"""How many passages are read. One that the search puts behind a passage in the question's language is not: what that
one does not say is not known from where less is expected."""
_FLOOR = 0.75
"""Below it nothing counts."""
_ABOVE_OTHERS = 0.008
"""How much nearer a sentence must be than the others of its passage are on the whole."""
_WORTH = 0.5
"""What standing out counts: short plain sentences are less near than long ones, and stand out the more."""
_ENOUGH = 0.815
"""What both must come to; chosen on half of 90 questions that were translated into the other language (2026-11)."""
_ENOUGH_ALONE = 0.80
"""For a sentence that there is nothing to compare with."""
_SHAPE = 0.01
"""What it is worth to hold the kind of thing that is asked for."""
_SECOND = 0.01
"""How far behind the best a second sentence may be."""
_KOREAN = "ko"

Place = tuple[int, int]
"""Rank of a passage and position in it."""


class CrossLingualCandidate(NamedTuple):
    """A sentence that may answer.

    Attributes:
        place: Where it stands.
        near: Its cosine with the question.
        score: The same with what its shape is worth.
        above: How much nearer it is than the others; None where there are none.
    """

    place: Place
    near: float
    score: float
    above: float | None

    @property
    def is_sufficient(self) -> bool:
        """Whether it is near enough, and stands out."""
        if self.above is None:
            return self.near >= _ENOUGH_ALONE
        is_near = self.near >= _FLOOR and self.near + _WORTH * self.above >= _ENOUGH
        return is_near and self.above >= _ABOVE_OTHERS


def choose_cross_lingual(
    question: Question, passages: Sequence[ReadPassage], embedder: Embedder, *, stop: Sequence[str] = ()
) -> list[Quote]:
    """Return the sentence of another language that answers, with a second one that is as near; nothing where none does.

    Only the first passages are looked at, and of each of their sentences what there is time for: those that hold what
    is asked for come first.
    """
    may = list(_answering(question, passages, stop=stop))
    if not may:
        return []
    texts = fit_budget((place, _said(passages, place)) for place in (*may, *_rest(passages, may)))
    near = cosines(embedder, question.text, list(texts.values()))
    if not near:
        return []
    found = dict(zip(texts, near, strict=True))
    rated = [_rate(question, passages, found, place) for place in may if place in found]
    best = sorted((each for each in rated if each.is_sufficient), key=lambda each: -each.score)[:2]
    taken = sorted(each.place for each in best if each.score >= best[0].score - _SECOND)
    return [
        Quote(passages[rank].passage, ((passages[rank].sentences[position],),)) for rank, position in taken
    ]


def _answering(
    question: Question, passages: Sequence[ReadPassage], *, stop: Sequence[str]
) -> Iterator[Place]:
    """Yield the sentences that could be answers: in another language, quotable, with what is demanded."""
    own = is_korean(question.text)
    foreign = takewhile(lambda read: (read.passage.lang == _KOREAN) is not own, passages[:_PASSAGES])
    for rank, read in enumerate(foreign):
        for position in range(len(read.sentences)):
            if _may_answer(question, read, position, stop=stop):
                yield rank, position


def _may_answer(question: Question, read: ReadPassage, position: int, *, stop: Sequence[str]) -> bool:
    text, lead = read.text(position), read.leads[position]
    return (
        read.sentences[position].kind is not SentenceKind.HEADING
        and is_quotable(text, stop=stop)
        and not read.has_spoofed_marker(position)
        and not has_directive(text)
        and has_words(text)
        and not (is_question(text) or leads_on(text) or is_fragment(text))
        and question.constraints.are_met(
            read.unmarked(position), lead="" if lead is None else read.unmarked(lead)
        )
    )


def _rest(passages: Sequence[ReadPassage], may: Sequence[Place]) -> Iterator[Place]:
    """Yield the other sentences of the same passages: what an answer has to stand out from."""
    for rank in dict.fromkeys(rank for rank, _ in may):
        for position, sentence in enumerate(passages[rank].sentences):
            if sentence.kind is not SentenceKind.HEADING and (rank, position) not in may:
                yield rank, position


def _rate(
    question: Question, passages: Sequence[ReadPassage], found: Mapping[Place, float], place: Place
) -> CrossLingualCandidate:
    beside = [cosine for other, cosine in found.items() if other[0] == place[0] and other != place]
    others = beside or [cosine for other, cosine in found.items() if other != place]
    near, text = found[place], _said(passages, place)
    holds = any(holds_type(shape, text, question=question.text) for shape in question.answer_types)
    above = near - sum(others) / len(others) if others else None
    return CrossLingualCandidate(place, near, near + _SHAPE * holds, above)


def _said(passages: Sequence[ReadPassage], place: Place) -> str:
    rank, position = place
    return passages[rank].unmarked(position)
