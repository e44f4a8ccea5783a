"""Quotes: the text that is printed for chosen sentences, the sentences that may be quoted, and their context sentences.

Context sentences are quoted with a chosen one: the list after a lead-in, the code that shows how, the steps around a
step, the reason after a statement.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from kebab_core import Passage
from kebab_text import Sentence, SentenceKind

from kebab_extractive.answer_constraints import holds_type
from kebab_extractive.answer_patterns import (
    HARMLESS_CHARACTERS,
    HIDDEN_CATEGORIES,
    AnswerType,
)
from kebab_extractive.passage import MAX_BLOCK, ReadPassage
from kebab_extractive.question import Question
from kebab_extractive.sentence_forms import has_directive, is_numbered, is_question, item_marker, leads_on
from kebab_extractive.spoofed_markers import find_spoofed_markers, needs_spoofed_marker, runs_between


class Quote(NamedTuple):
    """Sentences of a passage that are printed together, word for word."""

    passage: Passage
    stretches: tuple[tuple[Sentence, ...], ...]
    """Neighbouring sentences. Several stretches are rows of one table."""

    def runs(self) -> Iterator[list[str]]:
        """Yield the printed runs, each as a list of its sentences: one run, or several around spoofed markers.

        The joined pieces of a run are one slice of the passage, followed by its marker. Rows of a table that are not
        neighbours are a slice each, with a line end between two, and one marker after the last.
        """
        run: list[str] = []
        for sentences in self.stretches:
            for number, pieces in enumerate(self._slices(sentences)):
                if number:
                    yield self._marked(run)
                    run = []
                run += ["\n" + pieces[0], *pieces[1:]] if run else pieces
        yield self._marked(run)

    def _slices(self, sentences: Sequence[Sentence]) -> Iterator[list[str]]:
        """Yield the slices of neighbouring sentences around spoofed markers, each as a list of its sentences."""
        text, within = self.passage.text, (self._start(sentences), sentences[-1].end)
        ends = [sentence.end for sentence in sentences]
        for start, end in runs_between(text, within, find_spoofed_markers(text, within)):
            stops = [start, *(stop for stop in ends if start < stop < end), end]
            yield [text[low:high] for low, high in pairwise(stops)]

    def _marked(self, run: Sequence[str]) -> list[str]:
        return [*run[:-1], f"{run[-1]} [#{self.passage.marker}]"]

    def _start(self, sentences: Sequence[Sentence]) -> int:
        """Return the offset at which neighbours begin. A single item of a list is printed without its bullet."""
        first = sentences[0]
        text = self.passage.text[first.start : first.end]
        if len(sentences) > 1 or first.kind is not SentenceKind.ITEM or is_numbered(text):
            return first.start
        return first.start + len(item_marker(text))


def is_quotable(text: str, *, stop: Sequence[str] = ()) -> bool:
    """Return True if a text can be printed word for word without its spoofed markers.

    False if it holds control or bidirectional characters, which could change how the rest is shown, or a stop sequence;
    also if nothing is left without the spoofed markers, or if the statement needs one.
    """
    if any(
        unicodedata.category(char) in HIDDEN_CATEGORIES and char not in HARMLESS_CHARACTERS for char in text
    ):
        return False
    whole = (0, len(text))
    is_left = any(True for _ in runs_between(text, whole, find_spoofed_markers(text)))
    return is_left and not needs_spoofed_marker(text) and not any(s and s in text for s in stop)


_STEPS = 3
_LISTED = frozenset({SentenceKind.ITEM, SentenceKind.ROW, SentenceKind.CODE})


def last_context_sentence(question: Question, read: ReadPassage, position: int, stop: Sequence[str]) -> int:
    """Return the position of the last sentence that is quoted with a chosen one; its own position if none is.

    That is the end of the list after a lead-in. If the question asks how, it is the code after the sentence. If it asks
    why, it is the next sentence, if that gives the reason.
    """
    text, following = read.text(position), position + 1
    shows = AnswerType.MANNER in question.answer_types and read.is_followed_by_code(position)
    if leads_on(text) or shows:
        return list_end(read, position, stop)
    if AnswerType.REASON not in question.answer_types or following == len(read.sentences):
        return position
    after = read.text(following)
    gives_reason = (
        read.sentences[following].kind is read.sentences[position].kind
        and holds_type(AnswerType.REASON, after, question=question.text)
        and not holds_type(AnswerType.REASON, text, question=question.text)
    )
    return (
        following if gives_reason and _may_follow(after, stop=stop) and not is_question(after) else position
    )


def step_range(
    question: Question, read: ReadPassage, position: int, stop: Sequence[str]
) -> tuple[int, int] | None:
    """Return the first and last of up to three steps to quote for a chosen one; None if it is no numbered step.

    Only for questions that ask how. The steps begin with the first of the list, or end with the chosen one.
    """
    if AnswerType.MANNER not in question.answer_types or not _is_step(read, position):
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
    return is_item and is_numbered(read.text(position)) and not read.has_spoofed_marker(position)


def list_end(read: ReadPassage, position: int, stop: Sequence[str]) -> int:
    """Return the position of the last sentence of the list that is quoted with its lead-in."""
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
