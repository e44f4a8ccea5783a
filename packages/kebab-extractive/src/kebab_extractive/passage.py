"""`ReadPassage`: a passage split into sentences, with the terms of each and the line that leads to it."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from kebab_core import CodeCitation, RegionCitation
from kebab_text import (
    ENTRY,
    ITEM_MARKER,
    MESSAGE,
    Sentence,
    SentenceKind,
    find_dates,
    find_label_fields,
    fold,
    fold_case,
    has_hangul,
    split_sentences,
)

from kebab_extractive.question import MIN_STRENGTH
from kebab_extractive.sentence_forms import (
    ends_as_sentence,
    is_dangling,
    is_title,
    leads_on,
    refers_back,
)
from kebab_extractive.spoofed_markers import (
    blank_spoofed_markers,
    find_spoofed_markers,
    is_followed_by_marker,
)

if TYPE_CHECKING:
    from kebab_core import Analyzer, Passage
    from kebab_text import (
        LabelField,
    )

    from kebab_extractive.question import QueryTerm

_LED_KINDS = frozenset({SentenceKind.ITEM, SentenceKind.ROW, SentenceKind.CODE})
_COMMAND_LINE = re.compile(r"(?:[$>] )?[a-z][\w.-]*(?: \S+)* (?:--?\w|[~./]|[|>] |\w+=)\S*")
"""Beginning of a command with options, paths or the like."""
_KOREAN_SUBJECT = re.compile(r"^(?:\S+\s+){0,2}\S*[가-힣](?:은|는|이|가)\s")
"""A Korean sentence with its topic or subject among the first three words."""
_MAIL_FIELD = re.compile(r"[A-Z][a-z]+:\s")
_NO_MESSAGE = re.compile(rf"{_MAIL_FIELD.pattern}|[-=]{{3}}")
"""Beginning of what is an entry and no message: a field of a mail, a line with the day of what follows."""
MAX_BLOCK = 400
"""Most code points of a block of code, or of a list after its lead-in, that is quoted whole."""


@dataclass(frozen=True)
class ReadPassage:
    """One passage of the evidence.

    Attributes:
        passage: The passage.
        sentences: Its sentences in order. A short block of code is one sentence.
        terms: The terms of each sentence.
        context: Terms of title and headings.
        leads: Position of the line that leads to each sentence: the line before a list, the first row of a table. None
            for running text.
        label_fields: The label field of each sentence that is part of one, by position.
    """

    passage: Passage
    sentences: tuple[Sentence, ...]
    terms: tuple[frozenset[str], ...]
    context: frozenset[str]
    leads: tuple[int | None, ...]
    label_fields: Mapping[int, LabelField]

    def text(self, position: int) -> str:
        """Return the text of a sentence as it stands in the passage."""
        sentence = self.sentences[position]
        return self.passage.text[sentence.start : sentence.end]

    def unmarked(self, position: int) -> str:
        """Return the text of a sentence with its spoofed markers replaced by blanks."""
        return blank_spoofed_markers(self.text(position))

    def lead_text(self, position: int) -> str:
        """Return the line that leads to a sentence, without spoofed markers; empty if there is none."""
        lead = self.leads[position]
        return "" if lead is None else self.unmarked(lead)

    def has_spoofed_marker(self, position: int) -> bool:
        """Return True if a spoofed marker stands in a sentence or right after it."""
        end = self.sentences[position].end
        return bool(find_spoofed_markers(self.text(position))) or is_followed_by_marker(
            self.passage.text, end
        )

    @property
    def document(self) -> str:
        """Source and path of its document."""
        return f"{self.passage.citation.source_id}/{self.passage.citation.path}"

    @cached_property
    def held_terms(self) -> frozenset[str]:
        """Terms of all sentences, of title and headings."""
        return self.context.union(*self.terms)

    def is_about(self, names: Iterable[QueryTerm]) -> bool:
        """Return True if passage, title, headings or path hold every one of some names."""
        place = fold(self.document)
        return all(
            name.strength(self.held_terms) >= MIN_STRENGTH or any(whole in place for whole in name.wholes)
            for name in names
        )

    @cached_property
    def day(self) -> tuple[str, str]:
        """Its age, later ones greater: the day that its document states, else `date`; then `date`. Empty texts if nothing names one."""
        stated = self.passage.stated_on
        return (stated.isoformat() if stated else self.date, self.date)

    @cached_property
    def date(self) -> str:
        """The latest day, as in ISO 8601, that its path, title or headings name with a year; empty if they name none."""
        labels = (str(self.passage.citation.path), self.passage.title, *self.passage.heading_path)
        dates = [each.canonical for label in labels for each in find_dates(fold(label)) if each.year]
        return max(dates, default="")

    def is_unasked_label(self, position: int, question: str) -> bool:
        """Return True if a sentence is part of a label field that a question does not name."""
        label_field = self.label_fields.get(position)
        return label_field is not None and not label_field.is_named_in(question)

    @property
    def list_starts(self) -> frozenset[int]:
        """Positions of the first item, row or line of code below a line of text."""
        return frozenset(n for n, lead in enumerate(self.leads) if lead is not None and lead == n - 1)

    def holds_number(self, number: str) -> bool:
        """Return True if passage, title or headings hold a number, not only as part of a longer one."""
        return re.search(rf"(?<![\d.]){re.escape(number)}(?!\d|[.,]\d)", self._folded) is not None

    @cached_property
    def _folded(self) -> str:
        return fold("\n".join((self.passage.title, *self.passage.heading_path, self.passage.text)))

    def surface(self, position: int) -> str:
        """Return a sentence in NFD, with single blanks between words and around it."""
        return f" {' '.join(unicodedata.normalize('NFD', fold_case(self.text(position))).split())} "

    def is_picture_name(self, position: int) -> bool:
        """Return True for what only names a picture: the passage of one in which nothing was read, and the name of a file."""
        citation = self.passage.citation
        if isinstance(citation, RegionCitation) and citation.char_end is None:
            return True
        text = self.text(position).rstrip(")")
        named = _picture_name().fullmatch(text) if text[-1:].isalnum() else None
        return named is not None and fold(named["alt"]).strip() in {"", fold(named["stem"]).strip()}

    def names_columns(self, position: int) -> bool:
        """Return True for the first row of a table with more rows, three columns or more, and no number in it."""
        text = self.text(position)
        is_first = position in self.leads and self.sentences[position].kind is SentenceKind.ROW
        return is_first and text.count("|") > 1 and not any(map(str.isdigit, text))

    def is_entry(self, position: int) -> bool:
        """Return True for a message of a chat, a line of a log or a field of a mail, with another one before or after it."""
        beside = (position - 1, position + 1)
        return self._begins_entry(position) and any(map(self._begins_entry, beside))

    def is_mail_field(self, position: int) -> bool:
        """Return True for a field in the head of a mail, such as its sender."""
        return self.is_entry(position) and _MAIL_FIELD.match(self.text(position)) is not None

    def find_message(self, position: int) -> tuple[int, int] | None:
        """Return the first and last position of the message of a chat that a sentence belongs to; None where it is of none."""
        after = bisect_right(self._messages, position)
        if not after or self.sentences[position].kind is SentenceKind.HEADING:
            return None
        first = last = self._messages[after - 1]
        stop = self._messages[after] if after < len(self._messages) else len(self.sentences)
        while last + 1 < stop and not self._ends_message(last + 1):
            last += 1
        return (first, last) if position <= last else None

    @cached_property
    def _messages(self) -> list[int]:
        """Positions at which messages of a chat begin."""
        text = self.passage.text
        return [
            position
            for position, sentence in enumerate(self.sentences)
            if self._begins_line(sentence.start) and MESSAGE.match(text, sentence.start)
        ]

    def _ends_message(self, position: int) -> bool:
        """Return True for what no message goes on with: a heading, and a line with a day or time of its own."""
        is_day = self._begins_entry(position) and _NO_MESSAGE.match(self.text(position)) is not None
        return is_day or self.sentences[position].kind is SentenceKind.HEADING

    def _begins_entry(self, position: int) -> bool:
        if not 0 <= position < len(self.sentences):
            return False
        start = self.sentences[position].start
        return self._begins_line(start) and ENTRY.match(self.passage.text, start) is not None

    def _begins_line(self, start: int) -> bool:
        text = self.passage.text
        return not text[text.rfind("\n", 0, start) + 1 : start].strip()

    def continues(self, position: int) -> bool:
        """Return True if a sentence takes its subject from the sentence before."""
        text = self.text(position)
        if refers_back(text) or is_dangling(text):
            return True
        return has_hangul(text) and not self.is_entry(position) and _KOREAN_SUBJECT.match(text) is None

    def terms_before(self, position: int) -> frozenset[str]:
        """Return the terms of the text that a sentence continues: its lead line, else the sentence before it.

        The neighbour of an item, a row or code says something else, so only the lead line counts there.
        """
        lead = self.leads[position]
        if lead is None and position:
            # After a list, a table or code the text goes on from their lead line.
            lead = self.leads[position - 1]
            lead = position - 1 if lead is None else lead
        return frozenset[str]() if lead is None else self.terms[lead]


def read_passage(passage: Passage, analyzer: Analyzer) -> ReadPassage:
    """Return a passage split into sentences with their terms. The text is analysed once.

    A label field has the terms of its names in both languages, so that a question for `태그` finds `tags: [운영]`.
    """
    labels = (passage.title, *passage.heading_path)
    is_code = isinstance(passage.citation, CodeCitation)
    split = split_sentences(passage.text, labels=labels, is_code=is_code)
    sentences = tuple(_join_code(passage.text, _kinds_by_position(passage.text, split)))
    starts = [sentence.start for sentence in sentences]
    terms: list[set[str]] = [set() for _ in sentences]
    for term in analyzer.analyze(passage.text):
        position = bisect_right(starts, term.start) - 1
        if position >= 0:
            terms[position].add(term.text)
    label_fields: dict[int, LabelField] = {}
    for label_field in find_label_fields(passage.text):
        names = {term.text for term in analyzer.analyze(" ".join(label_field.names))}
        for position in range(bisect_left(starts, label_field.start), bisect_left(starts, label_field.end)):
            label_fields[position] = label_field
            terms[position] |= names
    return ReadPassage(
        passage=passage,
        sentences=sentences,
        terms=tuple(frozenset(held) for held in terms),
        context=frozenset(term.text for term in analyzer.analyze("\n".join(labels))),
        leads=tuple(_lead_positions(passage.text, sentences)),
        label_fields=label_fields,
    )


def _lead_positions(text: str, sentences: tuple[Sentence, ...]) -> Iterator[int | None]:
    lead: int | None = None
    before: SentenceKind | None = None
    for position, sentence in enumerate(sentences):
        if sentence.kind not in _LED_KINDS:
            lead = position
            yield None
        elif sentence.kind is SentenceKind.ITEM and not ITEM_MARKER.match(text, sentence.start):
            yield None
        elif sentence.kind is SentenceKind.ROW and before is not SentenceKind.ROW:
            yield lead
            lead = position
        else:
            yield lead
        before = sentence.kind


def _kinds_by_position(text: str, sentences: list[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences, with paragraphs of a few words made headings, or code where a lead-in announces them.

    Chunks hold headings of plain text, and single commands, as ordinary lines.
    """
    for position, sentence in enumerate(sentences):
        before = sentences[position - 1] if position else None
        after = sentences[position + 1] if position + 1 < len(sentences) else None
        written = text[sentence.start : sentence.end]
        is_line = (
            sentence.kind is SentenceKind.PROSE
            and (before is None or _is_own_paragraph(text, before, sentence))
            and (after is None or _is_own_paragraph(text, sentence, after))
            and not ends_as_sentence(written)
        )
        opening = text[before.start : before.end] if before else ""
        is_announced = leads_on(opening) or opening.endswith(("?", "？"))
        if is_line and (is_announced or _COMMAND_LINE.match(written)):
            yield sentence._replace(kind=SentenceKind.CODE)
        elif is_line and after and is_title(written):
            yield sentence._replace(kind=SentenceKind.HEADING)
        else:
            yield sentence


def _join_code(text: str, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences, with the lines of each short block of code joined to one."""
    block: list[Sentence] = []
    for sentence in sentences:
        if block and (sentence.kind is not SentenceKind.CODE or _is_own_paragraph(text, block[-1], sentence)):
            yield from _join_block(block)
            block = []
        if sentence.kind is SentenceKind.CODE:
            block.append(sentence)
        else:
            yield sentence
    yield from _join_block(block)


def _is_own_paragraph(text: str, before: Sentence, sentence: Sentence) -> bool:
    return text.count("\n", before.end, sentence.start) > 1


def _join_block(block: list[Sentence]) -> list[Sentence]:
    if not block or block[-1].end - block[0].start > MAX_BLOCK:
        return block
    return [Sentence(block[0].start, block[-1].end, SentenceKind.CODE)]


@cache
def _picture_name() -> re.Pattern[str]:
    """Pattern of a link to a picture as parsers write it, alternative text before the name of the file in brackets, without the last bracket."""
    from kebab_core import PICTURE_SUFFIXES

    suffixes = "|".join(map(re.escape, PICTURE_SUFFIXES))
    return re.compile(rf"(?:[-*+] )?(?P<alt>[^\n]*?)\(?(?P<stem>[^()\n]+)(?:{suffixes})", re.IGNORECASE)
