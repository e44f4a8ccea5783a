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
    TYPE_EXPRESSIONS,
    AnswerType,
)
from kebab_extractive.passage import ReadPassage
from kebab_extractive.question import Question
from kebab_extractive.sentence_forms import (
    has_directive,
    is_dangling,
    is_numbered,
    is_question,
    item_marker,
    leads_on,
    refers_back,
)
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


_LISTED = frozenset({SentenceKind.ITEM, SentenceKind.ROW, SentenceKind.CODE})
_MAX_LIST = 1200
"""Most code points of a list, a table or a block of code that is quoted whole."""
_MAX_FOLLOWING = 2
"""Most sentences that are quoted with the one before them."""
_WHOLE = frozenset({AnswerType.LIST, AnswerType.MANNER, AnswerType.COMPARISON})
"""Types of questions that a whole list answers, not one item of it."""


def quoted_range(
    question: Question, read: ReadPassage, position: int, stop: Sequence[str]
) -> tuple[int, int]:
    """Return the first and last position of what is quoted for a chosen sentence: itself and what belongs to it.

    - A line that leads into a list, a table or code brings it.
    - An item, a row or code that is one of several things asked for brings the others, and the line that leads to them.
    - A sentence brings the next one if that holds what is asked for and it does not, or if that continues it ("so", "it").
    """
    kind, text = read.sentences[position].kind, read.text(position)
    wants_all = not _WHOLE.isdisjoint(question.answer_types)
    if kind in _LISTED:
        return _list_range(read, position, stop) if wants_all else (position, position)
    lacking = _lacking(question, text)
    last = position
    while (following := last + 1) < len(read.sentences) and last < position + _MAX_FOLLOWING:
        if leads_on(read.text(last)) or read.leads[following] == last:
            return position, list_end(read, last, stop)
        after = read.text(following)
        is_given = any(holds_type(type_, after, question=question.text) for type_ in lacking)
        if not (is_given or _goes_on(read, following)) or not _may_follow(after, stop=stop):
            break
        last, lacking = following, [] if is_given else lacking
    return position, last


def _goes_on(read: ReadPassage, position: int) -> bool:
    """Return True if a sentence begins with a word that continues the one before it, in the same paragraph."""
    before, sentence = read.sentences[position - 1], read.sentences[position]
    is_own_paragraph = read.passage.text.count("\n", before.end, sentence.start) > 1
    is_prose = before.kind is sentence.kind is SentenceKind.PROSE and not is_own_paragraph
    text = read.text(position)
    return is_prose and not is_question(text) and (is_dangling(text) or refers_back(text))


def _lacking(question: Question, text: str) -> list[AnswerType]:
    """Return the types of thing that a question asks for and a sentence does not hold."""
    types = [type_ for type_ in question.answer_types if type_ in TYPE_EXPRESSIONS]
    return [type_ for type_ in types if not holds_type(type_, text, question=question.text)]


def _list_range(read: ReadPassage, position: int, stop: Sequence[str]) -> tuple[int, int]:
    """Return the range of the list, table or code around a position, with the line that leads to it."""
    first = position
    while first and read.sentences[first - 1].kind in _LISTED and _is_near(read, first - 1, position, stop):
        first -= 1
    if first and read.leads[first] == first - 1 and not is_question(read.text(first - 1)):
        first -= _is_near(read, first - 1, position, stop)
    return first, list_end(read, position, stop, first=first)


def _is_near(read: ReadPassage, position: int, other: int, stop: Sequence[str]) -> bool:
    low, high = sorted((position, other))
    is_short = read.sentences[high].end - read.sentences[low].start <= _MAX_LIST
    return is_short and not read.has_spoofed_marker(position) and _may_follow(read.text(position), stop=stop)


def list_end(read: ReadPassage, position: int, stop: Sequence[str], *, first: int | None = None) -> int:
    """Return the position of the last sentence of the list that is quoted with its lead-in, or with its first item."""
    last = position
    for following in range(position + 1, len(read.sentences)):
        is_listed = read.sentences[following].kind in _LISTED
        if not is_listed or not _is_near(read, following, position if first is None else first, stop):
            break
        last = following
    return last


def _may_follow(text: str, *, stop: Sequence[str]) -> bool:
    return is_quotable(text, stop=stop) and not has_directive(text)
