"""The sentence in another language that comes nearest to a question by meaning. It is quoted as near, never as an answer.

Such sentences share no words with the question, so they are chosen by cosine. Cosines across languages lie close together
and tell a page, hardly a sentence in it: of the two nearest one is the answer in half of the cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from kebab_text import SentenceKind, is_korean

from kebab_extractive.quotes import Quote, is_quotable
from kebab_extractive.semantic_rerank import cosines, fit_budget
from kebab_extractive.sentence_forms import has_directive, has_words, is_fragment, is_question, leads_on

if TYPE_CHECKING:
    from kebab_core import Embedder

    from kebab_extractive.passage import ReadPassage
    from kebab_extractive.question import Question

_PASSAGES = 2
"""Most passages that are read. A passage that ranks behind one in the question's language is not read."""
_MIN_EXCESS = 0.008
"""Least excess: cosine of a sentence minus the mean of the others of its passage."""
_EXCESS_WEIGHT = 0.5
"""Weight of the excess. Short plain sentences have a lower cosine than long ones, and a larger excess."""
_MIN_SCORE = 0.815
"""Least cosine plus weighted excess. Chosen on half of 90 questions translated into the other language (2026-11)."""
_MIN_COSINE_ALONE = 0.80
"""Least cosine of a sentence without others to compare."""
_KOREAN = "ko"

Place = tuple[int, int]
"""Rank of a passage and position in it."""


def choose_cross_lingual(
    question: Question, passages: Sequence[ReadPassage], embedder: Embedder
) -> list[Quote]:
    """Return the sentence in another language that is nearest to the question; nothing if none is near.

    Only the first passages are read, and of their sentences as many as the embedding budget allows. It must meet the
    constraints of the question.
    """
    possible = list(_answering(question, passages))
    if not possible:
        return []
    texts = fit_budget(
        (place, _text_at(passages, place)) for place in (*possible, *_rest(passages, possible))
    )
    near = cosines(embedder, question.text, list(texts.values()))
    if not near:
        return []
    cosine_by_place = dict(zip(texts, near, strict=True))
    compared = [place for place in possible if place in cosine_by_place]
    nearest = max(compared, key=cosine_by_place.__getitem__, default=None)
    if nearest is None or not _is_near(cosine_by_place, nearest):
        return []
    rank, position = nearest
    return [Quote(passages[rank].passage, ((passages[rank].sentences[position],),))]


def _is_near(cosine_by_place: Mapping[Place, float], place: Place) -> bool:
    """Return True if the cosine of a sentence is high, by itself and beside the others of its passage."""
    beside = [cosine for other, cosine in cosine_by_place.items() if other[0] == place[0] and other != place]
    others = beside or [cosine for other, cosine in cosine_by_place.items() if other != place]
    cosine = cosine_by_place[place]
    if not others:
        return cosine >= _MIN_COSINE_ALONE
    excess = cosine - sum(others) / len(others)
    return cosine + _EXCESS_WEIGHT * excess >= _MIN_SCORE and excess >= _MIN_EXCESS


def _answering(question: Question, passages: Sequence[ReadPassage]) -> Iterator[Place]:
    """Yield the sentences that could answer: in another language, quotable, and meeting the constraints."""
    own = is_korean(question.text)
    cross_script = takewhile(lambda read: (read.passage.lang == _KOREAN) is not own, passages[:_PASSAGES])
    for rank, read in enumerate(cross_script):
        for position in range(len(read.sentences)):
            if _may_answer(question, read, position):
                yield rank, position


def _may_answer(question: Question, read: ReadPassage, position: int) -> bool:
    text = read.text(position)
    return (
        read.sentences[position].kind is not SentenceKind.HEADING
        and not read.is_unasked_label(position, question.text)
        and is_quotable(text)
        and not read.has_spoofed_marker(position)
        and not has_directive(text)
        and has_words(text)
        and not (is_question(text) or leads_on(text) or is_fragment(text))
        and question.constraints.are_met(read.unmarked(position), lead=read.lead_text(position))
    )


def _rest(passages: Sequence[ReadPassage], possible: Sequence[Place]) -> Iterator[Place]:
    """Yield the other sentences of the same passages, for comparison."""
    for rank in dict.fromkeys(rank for rank, _ in possible):
        for position, sentence in enumerate(passages[rank].sentences):
            if sentence.kind is not SentenceKind.HEADING and (rank, position) not in possible:
                yield rank, position


def _text_at(passages: Sequence[ReadPassage], place: Place) -> str:
    rank, position = place
    return passages[rank].unmarked(position)
