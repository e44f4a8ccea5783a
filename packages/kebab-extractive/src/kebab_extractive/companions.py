"""Which sentences after one are quoted with it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kebab_extractive.arrangement import MAX_BLOCK
from kebab_extractive.printable import has_directive, leads_on
from kebab_extractive.questions import Question
from kebab_extractive.quoting import is_question, is_quotable
from kebab_extractive.reading import ReadPassage
from kebab_extractive.sentences import SentenceKind
from kebab_extractive.shapes import AnswerShape, looks_like

_STEPS = 3
_NUMBERED = re.compile(r"\(?\d{1,3}[.)]\s|[①-⑳]")
_LISTED = frozenset({SentenceKind.ITEM, SentenceKind.ROW, SentenceKind.CODE})


def last_companion(question: Question, read: ReadPassage, position: int, stop: Sequence[str]) -> int:
    """Return the position of the last sentence that goes with one.

    That is the end of the list after a lead-in, the code after a sentence where a question asks how, and the sentence
    after it where that gives the reason that is asked for.
    """
    text, following = read.text(position), position + 1
    shows = AnswerShape.MANNER in question.shapes and read.is_shown(position)
    if leads_on(text) or shows:
        return list_end(read, position, stop)
    if AnswerShape.REASON not in question.shapes or following == len(read.sentences):
        return position
    after = read.text(following)
    gives_reason = (
        read.sentences[following].kind is read.sentences[position].kind
        and looks_like(AnswerShape.REASON, after, question=question.text)
        and not looks_like(AnswerShape.REASON, text, question=question.text)
    )
    return (
        following if gives_reason and _may_follow(after, stop=stop) and not is_question(after) else position
    )


def step_range(
    question: Question, read: ReadPassage, position: int, stop: Sequence[str]
) -> tuple[int, int] | None:
    """Return the first and last of up to three steps to quote for one of them, where a question asks how.

    They begin with the first of the list, or end with the one that was chosen; None where it is no numbered step.
    """
    if AnswerShape.MANNER not in question.shapes or not _is_step(read, position):
        return None
    first = last = position
    while first > 0 and _is_step(read, first - 1) and _may_follow(read.text(first - 1), stop=stop):
        first -= 1
    while (
        last + 1 < len(read.sentences)
        and _is_step(read, last + 1)
        and _may_follow(read.text(last + 1), stop=stop)
    ):
        last += 1
    first = max(first, position - _STEPS + 1)
    return first, min(last, first + _STEPS - 1)


def _is_step(read: ReadPassage, position: int) -> bool:
    is_item = read.sentences[position].kind is SentenceKind.ITEM
    return is_item and _NUMBERED.match(read.text(position)) is not None and not read.is_forged(position)


def list_end(read: ReadPassage, position: int, stop: Sequence[str]) -> int:
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
