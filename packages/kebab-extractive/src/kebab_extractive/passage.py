"""A passage taken apart: its sentences, and the terms each of them holds."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from kebab_core import Analyzer, CodeCitation, Passage

from kebab_extractive.layout import ITEM_MARKER
from kebab_extractive.sentence_forms import ends_as_sentence, is_command, is_title, leads_on
from kebab_extractive.sentences import Sentence, SentenceKind, split_sentences
from kebab_extractive.spoofed_markers import (
    blank_spoofed_markers,
    find_spoofed_markers,
    is_followed_by_marker,
)

_LED = frozenset({SentenceKind.ITEM, SentenceKind.ROW, SentenceKind.CODE})


@dataclass(frozen=True)
class ReadPassage:
    """One passage of the evidence.

    Attributes:
        passage: The passage.
        sentences: What may be quoted of it, in order; a short block of code is one.
        terms: The terms of each sentence.
        context: Terms of title and headings, which a sentence need not repeat.
        leads: For each sentence the position of the line that leads to it (the line before a list, the first row of
            a table), None for running text.
    """

    passage: Passage
    sentences: tuple[Sentence, ...]
    terms: tuple[frozenset[str], ...]
    context: frozenset[str]
    leads: tuple[int | None, ...]

    def text(self, position: int) -> str:
        """Return a sentence as it stands in the passage."""
        sentence = self.sentences[position]
        return self.passage.text[sentence.start : sentence.end]

    def unmarked(self, position: int) -> str:
        """Return a sentence with blanks for what reads like a marker in it."""
        return blank_spoofed_markers(self.text(position))

    def has_spoofed_marker(self, position: int) -> bool:
        """Return whether a sentence holds something that reads like a marker, or has it behind its end."""
        end = self.sentences[position].end
        return bool(find_spoofed_markers(self.text(position))) or is_followed_by_marker(
            self.passage.text, end
        )

    def is_followed_by_code(self, position: int) -> bool:
        """Return whether code follows a sentence."""
        after = self.sentences[position + 1 : position + 2]
        return bool(after) and after[0].kind is SentenceKind.CODE

    def holds_number(self, number: str) -> bool:
        """Return whether the passage, its title or headings hold a number as it stands, not as part of a longer one."""
        held = "\n".join((self.passage.title, *self.passage.heading_path, self.passage.text)).casefold()
        return re.search(rf"(?<![\d.]){re.escape(number)}(?!\d|[.,]\d)", held) is not None

    def surface(self, position: int) -> str:
        """Return a sentence in NFD between blanks, each white space as one."""
        return f" {' '.join(unicodedata.normalize('NFD', self.text(position)).split())} "

    def has_lead(self, position: int) -> bool:
        """Return whether a sentence stands below a line that says what it is about."""
        is_headed = position > 0 and self.sentences[position - 1].kind is SentenceKind.HEADING
        return is_headed or self.leads[position] is not None

    def terms_before(self, position: int) -> frozenset[str]:
        """Return the terms of what a sentence goes on from.

        That is the sentence before it; for an item, a row or code the line that leads to it, since what stands beside
        it says something else.
        """
        lead = self.leads[position]
        if lead is None and position:
            lead = self.antecedent(position)
        return frozenset[str]() if lead is None else self.terms[lead]

    def antecedent(self, position: int) -> int:
        """Return the position of the sentence before, for one behind a list, a table or code that of what led to it."""
        lead = self.leads[position - 1]
        return position - 1 if lead is None else lead


def read_passage(passage: Passage, analyzer: Analyzer) -> ReadPassage:
    """Return a passage with its sentences and their terms; the text is analysed once, whole."""
    labels = (passage.title, *passage.heading_path)
    is_code = isinstance(passage.citation, CodeCitation)
    split = split_sentences(passage.text, labels=labels, is_code=is_code)
    sentences = tuple(refine_kinds(passage.text, split))
    starts = [sentence.start for sentence in sentences]
    terms: list[set[str]] = [set() for _ in sentences]
    for term in analyzer.analyze(passage.text):
        position = bisect_right(starts, term.start) - 1
        if position >= 0:
            terms[position].add(term.text)
    return ReadPassage(
        passage=passage,
        sentences=sentences,
        terms=tuple(frozenset(held) for held in terms),
        context=frozenset(term.text for term in analyzer.analyze("\n".join(labels))),
        leads=tuple(_leads(passage.text, sentences)),
    )


def _leads(text: str, sentences: tuple[Sentence, ...]) -> Iterator[int | None]:
    lead: int | None = None
    before: SentenceKind | None = None
    for position, sentence in enumerate(sentences):
        if sentence.kind not in _LED:
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


MAX_BLOCK = 400
"""Code points up to which a block of code, or a list after its lead-in, is quoted whole."""


def refine_kinds(text: str, sentences: list[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences of a passage in order, told by their places, the lines of a short block of code made one.

    Args:
        text: The passage.
        sentences: What it was cut into.
    """
    yield from _join_code(text, list(_told_by_place(text, sentences)))


def _told_by_place(text: str, sentences: list[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences; a paragraph of a few words is a heading of what follows it, or what a lead-in leads to.

    Chunks hold headings of plain text and single commands as lines like any other.
    """
    for position, sentence in enumerate(sentences):
        before = sentences[position - 1] if position else None
        after = sentences[position + 1] if position + 1 < len(sentences) else None
        written = text[sentence.start : sentence.end]
        is_line = (
            sentence.kind is SentenceKind.PROSE
            and (before is None or _is_parted(text, before, sentence))
            and (after is None or _is_parted(text, sentence, after))
            and not ends_as_sentence(written)
        )
        is_announced = before is not None and _announces(text[before.start : before.end])
        if is_line and (is_announced or is_command(written)):
            yield sentence._replace(kind=SentenceKind.CODE)
        elif is_line and after and is_title(written):
            yield sentence._replace(kind=SentenceKind.HEADING)
        else:
            yield sentence


def _announces(text: str) -> bool:
    return leads_on(text) or text.endswith(("?", "？"))


def _join_code(text: str, sentences: list[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences with the lines of each short block of code made one."""
    block: list[Sentence] = []
    for sentence in sentences:
        if block and (sentence.kind is not SentenceKind.CODE or _is_parted(text, block[-1], sentence)):
            yield from _whole_or_lines(block)
            block = []
        if sentence.kind is SentenceKind.CODE:
            block.append(sentence)
        else:
            yield sentence
    yield from _whole_or_lines(block)


def _is_parted(text: str, before: Sentence, sentence: Sentence) -> bool:
    return text.count("\n", before.end, sentence.start) > 1


def _whole_or_lines(block: list[Sentence]) -> list[Sentence]:
    if not block or block[-1].end - block[0].start > MAX_BLOCK:
        return block
    return [Sentence(block[0].start, block[-1].end, SentenceKind.CODE)]
