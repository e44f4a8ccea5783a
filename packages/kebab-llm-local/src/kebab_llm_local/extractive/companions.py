"""Which sentences after one are quoted with it."""

from __future__ import annotations

from collections.abc import Sequence

from kebab_llm_local.extractive.arrangement import MAX_BLOCK
from kebab_llm_local.extractive.printable import has_directive, leads_on
from kebab_llm_local.extractive.questions import Question
from kebab_llm_local.extractive.quoting import is_question, is_quotable
from kebab_llm_local.extractive.reading import ReadPassage
from kebab_llm_local.extractive.sentences import SentenceKind
from kebab_llm_local.extractive.shapes import AnswerShape, looks_like

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
