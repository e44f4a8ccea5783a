"""Selection of what is quoted: the spans that answer, or those that come nearest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kebab_text import Sentence, SentenceKind

from kebab_extractive.answer_types import AnswerType
from kebab_extractive.question import MIN_STRENGTH
from kebab_extractive.quotes import Quote, is_quotable, message_positions, quoted_range, section_ranges
from kebab_extractive.sentence_forms import leads_on, letters, refers_back

if TYPE_CHECKING:
    from kebab_extractive.passage import ReadPassage
    from kebab_extractive.question import Question
    from kebab_extractive.span_features import Span

ANSWERED = {True: 0.55, False: 0.45}
"""Least probability of an answer, and of each further span of one, by whether spans are compared by meaning.

Of 2,445 questions about folders of people that are left out of the fit in turn, with vectors .26 get the right answer and .05 a wrong one, and .21 of 896 near misses
an answer; .05 less makes that .30, .07 and .28, and .05 more .22, .04 and .17. By words alone they are .23, .07 and .21 (2026-11)."""
MAX_QUOTED = 3
"""Most spans that are quoted."""
_MAX_NEAR = 400
"""Most code points of what comes nearest; a first span that is longer is printed alone."""

_SAME_PASSAGE = 0.25
"""Factor of the probability of a further span of a passage that is quoted already: its best span is wrong mostly because another passage
answers. Of the questions of a set left out whose page answers, three spans hold the answer of .71 (own) and .93 (public) with it and
of .64 and .93 without (2026-11)."""
_LEAST_NEAR_SHARE = 0.05
"""Least probability of what comes nearest, as share of the greatest."""
_LEAST_SIDE_SHARE = 0.5
"""The same of a side added to a comparison. Of three sides it stops one, which is wrong (2026-11)."""
_LEAST_OTHER_SHARE = 0.25
"""The same of a span of another document that may give another value. Of 101 answers about a person's folder one gets a further quote by
it; of nine about made-up notes that differ, seven quote both, without it none (2026-11)."""


def choose_answer(question: Question, passages: Sequence[ReadPassage], spans: Sequence[Span]) -> list[Quote]:
    """Return the quotes that answer, the most probable first, but dated ones newest first. None if no span answers.

    Spans of two documents that give different values are both quoted: each of them answers, or the less probable one is added.
    Of a comparison the side that no quote holds is added, from the same pages. Neighbours are one quote; no sentence is
    quoted twice.

    Args:
        question: The question.
        passages: The evidence.
        spans: With their probabilities, the most probable first.
    """
    chosen = _Chosen(question, passages)
    for span in spans:
        if span.probability < ANSWERED[span.is_compared] or len(chosen.spans) == MAX_QUOTED:
            break
        chosen.add(span)
    if chosen.spans:
        _add_others(question, passages, spans, chosen)
    if chosen.spans and AnswerType.COMPARISON in question.asked:
        _add_sides(question, passages, spans, chosen)
    return _newest_first(chosen.quotes(), passages)


def _newest_first(quotes: list[Quote], passages: Sequence[ReadPassage]) -> list[Quote]:
    """Return the quotes with the dated ones newest first; undated ones keep their places."""
    days = {read.passage.marker: read.day for read in passages}
    dated = [quote for quote in quotes if any(days[quote.passage.marker])]
    newest = iter(sorted(dated, key=lambda quote: days[quote.passage.marker], reverse=True))
    return [next(newest) if any(days[quote.passage.marker]) else quote for quote in quotes]


def choose_nearest(question: Question, passages: Sequence[ReadPassage], spans: Sequence[Span]) -> list[Quote]:
    """Return the quotes that come nearest to a question, the most probable first: three at most, 400 characters together.

    Each is a span alone; where there is room, with what it is printed with in an answer. They are of several passages rather
    than of one.
    """
    chosen = _Chosen(question, passages)
    left = [span for span in spans if span.probability >= _LEAST_NEAR_SHARE * spans[0].probability]
    while left and len(chosen.spans) < MAX_QUOTED:
        quoted = Counter(span.rank for span in chosen.spans)
        values = [span.probability * _SAME_PASSAGE ** quoted[span.rank] for span in left]
        best = max(range(len(left)), key=values.__getitem__)
        chosen.add(left.pop(best), room=_MAX_NEAR)
    chosen.widen(_MAX_NEAR)
    return chosen.quotes()


class _Chosen:
    """The spans that were chosen so far, with what is printed for each.

    Args:
        question: The question.
        passages: The evidence.
    """

    def __init__(self, question: Question, passages: Sequence[ReadPassage]) -> None:
        self._question = question
        self._passages = passages
        self._printed: dict[int, dict[int, float]] = {}
        """Positions that are printed, with the probability of their span, by rank."""
        self._texts: set[str] = set()
        self.spans: list[Span] = []

    def add(self, span: Span, *, room: int | None = None) -> None:
        """Add a span, unless it is printed already, or its text is, or another passage of the same text is quoted.

        Args:
            span: The span.
            room: Most code points of all that is printed. With a limit a span is printed alone, and left out if it is too
                long, unless it is the first. With None it is printed with its block or section.
        """
        read = self._passages[span.rank]
        text = letters(read.text(span.position))
        is_printed = span.position in self._printed.get(span.rank, {})
        if is_printed or text in self._texts or self._is_copy(span) or self._is_lesser_neighbour(span):
            return
        alone = set(message_positions(read, span.position) or {span.position})
        if room is not None and self.spans and self._length() + _length_of(read, alone) > room:
            return
        self._texts.add(text)
        self.spans.append(span)
        self._print(span, alone if room is not None else self._positions(span))

    def widen(self, room: int) -> None:
        """Print each span with its block or section where all that is printed stays within some code points."""
        for span in self.spans:
            read, printed = self._passages[span.rank], self._printed[span.rank]
            added = self._positions(span) - printed.keys()
            if self._length() + _length_of(read, added) <= room:
                self._print(span, added)

    def _is_copy(self, span: Span) -> bool:
        """Return True for a span of a passage whose whole text another document has too, which is quoted."""
        text = self._passages[span.rank].passage.text
        quoted = {each.rank for each in self.spans} - {span.rank}
        return any(self._passages[rank].passage.text == text for rank in quoted)

    def _is_lesser_neighbour(self, span: Span) -> bool:
        """Return True for a span beside a chosen message of a chat that holds all its words of the question, and more of them."""
        read = self._passages[span.rank]
        own = _message_words(self._question, read, span.position)
        messages = (
            each.position
            for each in self.spans
            if each.rank == span.rank and read.find_message(each.position) is not None
        )
        return any(own < _message_words(self._question, read, message) for message in messages)

    def _positions(self, span: Span) -> set[int]:
        return set(printed_positions(self._question, self._passages[span.rank], span.position))

    def _print(self, span: Span, positions: set[int]) -> None:
        printed = self._printed.setdefault(span.rank, {})
        for position in positions:
            printed[position] = max(span.probability, printed.get(position, 0.0))

    def terms(self) -> frozenset[str]:
        """Return the terms of all that is printed."""
        held = (self._passages[rank].terms[at] for rank, printed in self._printed.items() for at in printed)
        return frozenset[str]().union(*held)

    def pages(self) -> set[str]:
        """Return the addresses of the documents of the chosen spans."""
        return {self._passages[each.rank].document for each in self.spans}

    def quotes(self) -> list[Quote]:
        """Return the quotes, the most probable first. The names of the columns of a table alone are none."""
        found = [
            quote
            for rank, printed in self._printed.items()
            if not (len(printed) == 1 and self._passages[rank].names_columns(*printed))
            for quote in _quotes(self._passages[rank], printed)
        ]
        return sorted(found, key=lambda quote: -(quote.probability or 0.0))

    def _length(self) -> int:
        return sum(_length_of(self._passages[rank], printed) for rank, printed in self._printed.items())


def _length_of(read: ReadPassage, positions: set[int] | dict[int, float]) -> int:
    return sum(read.sentences[at].end - read.sentences[at].start for at in positions)


def printed_positions(question: Question, read: ReadPassage, position: int) -> Iterator[int]:
    """Yield the positions of the sentences that an answer prints for a span: its block or section, and the line that leads to it.

    In no order; a position may come twice.
    """
    message = message_positions(read, position)
    if message is not None:
        yield from message
        return
    ranges = section_ranges(question, read, quoted_range(question, read, position))
    for first, last in ranges:
        yield from range(first, last + 1)
    if ranges[0][0] != position:
        return
    if position and refers_back(read.text(position)) and _may_precede(read, position - 1):
        yield position - 1
    lead = read.leads[position]
    if lead is None or read.label_fields.get(lead) != read.label_fields.get(position):
        return
    is_header = read.sentences[lead].kind is SentenceKind.ROW
    if (is_header or leads_on(read.text(lead))) and is_quotable(read.text(lead)):
        yield lead


def _may_precede(read: ReadPassage, position: int) -> bool:
    return (
        read.sentences[position].kind is SentenceKind.PROSE
        and position not in read.label_fields
        and is_quotable(read.text(position))
        and not read.has_spoofed_marker(position)
    )


def _add_others(
    question: Question, passages: Sequence[ReadPassage], spans: Sequence[Span], chosen: _Chosen
) -> None:
    """Add the most probable spans of other documents that hold every word of the question that the best span holds.

    They may give another value of the same, and one that is newer. Predicates need not be held.
    """
    best = chosen.spans[0]
    words = _held_words(question, passages[best.rank], best.position)
    for span in spans if words else ():
        if len(chosen.spans) == MAX_QUOTED or span.probability < _LEAST_OTHER_SHARE * best.probability:
            break
        read = passages[span.rank]
        if read.document not in chosen.pages() and words <= _held_words(question, read, span.position):
            chosen.add(span)


def _held_words(question: Question, read: ReadPassage, position: int) -> set[int]:
    """Return the indices of the words of a question, without predicates, that a span, its lead, title or headings hold."""
    return _words_in(question, read.terms[position] | read.terms_before(position) | read.context)


def _message_words(question: Question, read: ReadPassage, position: int) -> set[int]:
    """Return the same for the message of a chat around a span, or a span outside of messages, by its own words alone."""
    first, last = read.find_message(position) or (position, position)
    return _words_in(question, frozenset[str]().union(*read.terms[first : last + 1]))


def _words_in(question: Question, terms: frozenset[str]) -> set[int]:
    return {
        number
        for number, word in enumerate(question.query_terms)
        if not word.is_predicate and word.strength(terms) >= MIN_STRENGTH
    }


def _add_sides(
    question: Question, passages: Sequence[ReadPassage], spans: Sequence[Span], chosen: _Chosen
) -> None:
    """Add the most probable span of the chosen documents for each thing of a comparison that no chosen span contains.

    Its probability may be below `ANSWERED`, not below `_LEAST_SIDE_SHARE` of the greatest, and more than `MAX_QUOTED` spans may result.
    """
    pages, held = chosen.pages(), chosen.terms()
    lacking = [
        word for word in question.query_terms if not word.is_predicate and word.strength(held) < MIN_STRENGTH
    ]
    for span in spans:
        read = passages[span.rank]
        rest = [word for word in lacking if word.strength(read.terms[span.position]) < MIN_STRENGTH]
        if span.probability < _LEAST_SIDE_SHARE * spans[0].probability:
            break
        if len(rest) < len(lacking) and read.document in pages:
            chosen.add(span)
            lacking = rest


def _quotes(read: ReadPassage, printed: dict[int, float]) -> Iterator[Quote]:
    """Yield the printed sentences of a passage as quotes: neighbours, and rows of one table, as one."""
    stretches: list[list[Sentence]] = []
    probability, before = 0.0, -1
    for position in sorted(printed):
        is_next = bool(stretches) and position == before + 1
        if stretches and not is_next and not _is_same_table(read, before, position):
            yield Quote(read.passage, tuple(map(tuple, stretches)), probability)
            stretches, probability = [], 0.0
        sentence = read.sentences[position]
        if is_next:
            stretches[-1].append(sentence)
        else:
            stretches.append([sentence])
        probability, before = max(probability, printed[position]), position
    if stretches:
        yield Quote(read.passage, tuple(map(tuple, stretches)), probability)


def _is_same_table(read: ReadPassage, before: int, position: int) -> bool:
    """Return True if two rows are of one table."""
    head = read.leads[position]
    is_row = read.sentences[position].kind is SentenceKind.ROW
    return is_row and head is not None and head in {before, read.leads[before]}
