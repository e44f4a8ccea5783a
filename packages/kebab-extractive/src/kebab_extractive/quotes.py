"""Quotes: what is quoted for chosen sentences, the sentences that may be quoted, and their context sentences.

Context sentences are quoted with a chosen one: the list after a lead-in, the code that shows how, the steps around a
step, the reason after a statement.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import CodeCitation, Passage, PassageQuote
from kebab_text import ITEM_MARKER, Sentence, SentenceKind

from kebab_extractive.answer_types import FACTS, AnswerType, holds_type
from kebab_extractive.question import MIN_STRENGTH
from kebab_extractive.sentence_forms import (
    ends_as_sentence,
    has_directive,
    is_numbered,
    is_question,
    item_marker,
    leads_on,
)
from kebab_extractive.spoofed_markers import find_spoofed_markers, needs_spoofed_marker, runs_between

if TYPE_CHECKING:
    from kebab_extractive.passage import ReadPassage
    from kebab_extractive.question import Question


_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_HARMLESS_CHARACTERS = frozenset("\n\t\r\u200c\u200d\u00ad\u200b\ufeff")
"""Characters of hidden categories that change nothing on a screen."""


class Quote(NamedTuple):
    """Sentences of a passage that are quoted together, word for word."""

    passage: Passage
    stretches: tuple[tuple[Sentence, ...], ...]
    """Neighbouring sentences. Several stretches are rows of one table."""
    probability: float | None = None
    """Probability that they answer; None where it is not known."""

    def passage_quotes(self) -> Iterator[PassageQuote]:
        """Yield the quote as ranges of the passage: one quote, or several around spoofed markers.

        Rows of a table that are not neighbours are a range each.
        """
        ranges: list[tuple[int, int]] = []
        for sentences in self.stretches:
            within = (self._start(sentences), sentences[-1].end)
            cuts = find_spoofed_markers(self.passage.text, within)
            for number, found in enumerate(runs_between(self.passage.text, within, cuts)):
                if number:
                    yield self._passage_quote(ranges)
                    ranges = []
                ranges.append(found)
        yield self._passage_quote(ranges)

    def _passage_quote(self, ranges: Sequence[tuple[int, int]]) -> PassageQuote:
        return PassageQuote(marker=self.passage.marker, ranges=tuple(ranges), probability=self.probability)

    def _start(self, sentences: Sequence[Sentence]) -> int:
        """Return the offset at which neighbours begin. A single item of a list is printed without its bullet."""
        first = sentences[0]
        text = self.passage.text[first.start : first.end]
        if len(sentences) > 1 or first.kind is not SentenceKind.ITEM or is_numbered(text):
            return first.start
        return first.start + len(item_marker(text))


def is_quotable(text: str) -> bool:
    """Return True if a text can be quoted word for word without its spoofed markers.

    False if it holds control or bidirectional characters, which could change how the rest is shown; also if nothing is
    left without the spoofed markers, or if the statement needs one.
    """
    if any(
        unicodedata.category(char) in _HIDDEN_CATEGORIES and char not in _HARMLESS_CHARACTERS for char in text
    ):
        return False
    whole = (0, len(text))
    is_left = any(True for _ in runs_between(text, whole, find_spoofed_markers(text)))
    return is_left and not needs_spoofed_marker(text)


_LISTED = frozenset({SentenceKind.ITEM, SentenceKind.ROW, SentenceKind.CODE})
_MAX_BLOCK = 600
"""Most code points of a paragraph, list, table or block of code that is quoted whole for one of its sentences.

Of 120 questions over three vaults, blocks answer 7 in a hundred more than sentences do; 1,200 answers no more (2026-11).
"""
_MAX_LIST = 1200
"""Most code points of what a line leads into, and of a list that is asked for."""
_WHOLE = frozenset({AnswerType.LIST, AnswerType.MANNER, AnswerType.COMPARISON})
"""Types of questions that a whole list answers, not one item of it."""
_EXPLAINED = frozenset({AnswerType.MANNER, AnswerType.REASON})
"""Types of questions that are answered by a section: its nearest sentence often states the problem, the next ones the solution."""
_MAX_SECTION = 800
"""Most code points of a section that is quoted for a way or a reason.

Of 91 questions for one over six folders 49 are answered right by sentences and their blocks, 56 by 600 code points of the
section, 60 by 800, 63 by 1,200 (2026-11).
"""


def quoted_range(question: Question, read: ReadPassage, position: int) -> tuple[int, int]:
    """Return the first and last position of what is quoted for a chosen sentence.

    - A sentence that holds the time, number or person that is asked for is quoted alone, one of a list with its item.
    - Any other sentence is quoted with its block: the list, table or code around it and the line that leads to it, or the
      sentences of its paragraph around it that hold a word of the question or continue each other. Of a longer block only
      the sentence is quoted, and of a list that is asked for the beginning where a line leads into it or it is short.
    - A line that leads into a list, a table or code brings it.
    """
    text = read.text(position)
    is_all = any(holds_type(each, text, question=question.text) for each in FACTS & question.asked)
    first, last = _item_range(read, position) if is_all else _block_range(question, read, position)
    if _length(read, first, last) > _MAX_BLOCK:
        is_asked_list = read.sentences[position].kind in _LISTED and not _WHOLE.isdisjoint(question.asked)
        if not is_asked_list or _is_collection(read, first):
            first = last = position
    return first, led_end(read, last, first=first)


def message_positions(read: ReadPassage, position: int) -> list[int] | None:
    """Return the positions of all that is quoted for a sentence of a chat, in order; None where it is of none.

    That is its message, of a long one the beginning, which says who and when, and the sentence.
    """
    message = read.find_message(position)
    if message is None:
        return None
    first, last = message
    if _length(read, first, last) > _MAX_BLOCK:
        return sorted({first, position})
    return [at for at in range(first, last + 1) if at == position or _may_stand(read, at)]


def _is_collection(read: ReadPassage, first: int) -> bool:
    """Return True if a quote begins with an item of a list that is longer than a quote, without the line that leads into it.

    Such a list is a collection of unlike things, so that its items answer one by one.
    """
    if read.sentences[first].kind not in _LISTED:
        return False
    start = end = first
    while start and read.sentences[start - 1].kind in _LISTED:
        start -= 1
    while end + 1 < len(read.sentences) and read.sentences[end + 1].kind in _LISTED:
        end += 1
    return _length(read, start, end) > _MAX_LIST


def section_ranges(question: Question, read: ReadPassage, quoted: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the first and last positions of all that is quoted for a way or a reason: the section around a quote.

    Of a long section, the part from the quote on; of what stands before it, text back to a list, a table or code. What cannot
    be printed splits it into several ranges. For a question after anything else, of records, which say nothing about each
    other (rows of a table, source code, data), and of a long list that no line leads into, the quote alone.

    Args:
        question: The question.
        read: The passage.
        quoted: First and last position of the quote, as `quoted_range` gives it.
    """
    low, high = quoted
    is_record = read.sentences[high].kind is SentenceKind.ROW or isinstance(
        read.passage.citation, CodeCitation
    )
    if _EXPLAINED.isdisjoint(question.asked) or is_record or _is_collection(read, low):
        return [quoted]
    while _is_in_section(read, high + 1) and _length(read, low, high + 1) <= _MAX_SECTION:
        high += 1
    while (
        _is_in_section(read, low - 1)
        and read.sentences[low - 1].kind is SentenceKind.PROSE
        and _length(read, low - 1, high) <= _MAX_SECTION
    ):
        low -= 1
    while high > quoted[1] and leads_on(read.text(high)):
        high -= 1  # announces what is not quoted
    ranges: list[tuple[int, int]] = []
    for position in range(low, high + 1):
        if not quoted[0] <= position <= quoted[1] and not _may_stand(read, position):
            continue
        is_next = bool(ranges) and ranges[-1][1] == position - 1
        ranges[-1:] = [(ranges[-1][0], position)] if is_next else [*ranges[-1:], (position, position)]
    return ranges


def _is_in_section(read: ReadPassage, position: int) -> bool:
    return (
        0 <= position < len(read.sentences)
        and read.sentences[position].kind is not SentenceKind.HEADING
        and position not in read.label_fields
    )


def _length(read: ReadPassage, first: int, last: int) -> int:
    return read.sentences[last].end - read.sentences[first].start


def _may_stand(read: ReadPassage, position: int) -> bool:
    return not read.has_spoofed_marker(position) and _may_follow(read.text(position))


def _item_range(read: ReadPassage, position: int) -> tuple[int, int]:
    """Return the range of the item of a list around a position, which may be several sentences; the position alone elsewhere."""
    first = last = position
    while first and not _begins_item(read, first) and _is_near(read, first - 1, position):
        first -= 1
    end = len(read.sentences)
    while (after := last + 1) < end and not _begins_item(read, after) and _is_near(read, after, first):
        last = after
    return first, last


def _begins_item(read: ReadPassage, position: int) -> bool:
    sentence = read.sentences[position]
    return sentence.kind is not SentenceKind.ITEM or bool(
        ITEM_MARKER.match(read.passage.text, sentence.start)
    )


def _block_range(question: Question, read: ReadPassage, position: int) -> tuple[int, int]:
    """Return the range of the block around a position, with the line that leads to it."""
    first = last = position
    while first and _is_joined(question, read, first - 1, first) and _is_near(read, first - 1, position):
        first -= 1
    end = len(read.sentences)
    while (
        (after := last + 1) < end and _is_joined(question, read, after, last) and _is_near(read, after, first)
    ):
        last = after
    is_led = first > 0 and read.leads[first] == first - 1 and _leads(question, read, first - 1)
    return first - (is_led and _is_near(read, first - 1, position)), last


def _leads(question: Question, read: ReadPassage, position: int) -> bool:
    """Return True if a line above a list, table or code announces it, or holds a word of the question."""
    text = read.text(position)
    is_about = any(word.strength(read.terms[position]) >= MIN_STRENGTH for word in question.query_terms)
    return leads_on(text) or (is_about and not is_question(text))


def _is_joined(question: Question, read: ReadPassage, position: int, neighbour: int) -> bool:
    """Return True if a sentence belongs to a neighbour that is quoted: in one list, or in one paragraph where it adds something."""
    kinds = {read.sentences[position].kind, read.sentences[neighbour].kind}
    if kinds <= _LISTED:
        return True
    low, high = sorted((position, neighbour))
    is_apart = read.passage.text.count("\n", read.sentences[low].end, read.sentences[high].start) > 1
    if is_apart or SentenceKind.HEADING in kinds:
        return False
    terms, surface = read.terms[position], read.surface(position)
    is_about = any(word.strength(terms, surface) >= MIN_STRENGTH for word in question.query_terms)
    if position == high and _is_callout_head(read, low):
        return True
    return (is_about and position == high) or read.continues(high)


def _is_callout_head(read: ReadPassage, position: int) -> bool:
    """Return True if a line is no sentence and the text below it is one: the head of a callout says little alone."""
    is_sentence, is_next = (ends_as_sentence(read.text(at)) for at in (position, position + 1))
    is_text = read.sentences[position].kind is SentenceKind.PROSE and not read.is_entry(position)
    return is_text and is_next and not is_sentence


def _is_near(read: ReadPassage, position: int, other: int) -> bool:
    if read.label_fields.get(position) != read.label_fields.get(other):
        return False
    low, high = sorted((position, other))
    return _length(read, low, high) <= _MAX_LIST and _may_stand(read, position)


def led_end(read: ReadPassage, position: int, *, first: int | None = None) -> int:
    """Return the position of the last sentence of the list, table or code that a sentence leads into, else its own.

    A whole sentence leads into what stands below it only if it announces that; a line without an end always does.
    """
    text = read.text(position)
    leads = leads_on(text) or (position + 1 in read.list_starts and not ends_as_sentence(text))
    return list_end(read, position, first=first) if leads else position


def list_end(read: ReadPassage, position: int, *, first: int | None = None) -> int:
    """Return the position of the last sentence of the list that is quoted with its lead-in, or with its first item."""
    last = position
    for following in range(position + 1, len(read.sentences)):
        is_listed = read.sentences[following].kind in _LISTED
        if not is_listed or not _is_near(read, following, position if first is None else first):
            break
        last = following
    return last


def _may_follow(text: str) -> bool:
    return is_quotable(text) and not has_directive(text)
