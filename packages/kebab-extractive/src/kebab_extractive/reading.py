"""A passage taken apart: its sentences, and the terms each of them holds."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from kebab_core import Analyzer, CodeCitation, Passage

from kebab_extractive.arrangement import arrange
from kebab_extractive.forged import forged_markers, is_followed_by_marker, without_markers
from kebab_extractive.layout import ITEM_MARKER
from kebab_extractive.sentences import Sentence, SentenceKind, split_sentences

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

    def said(self, position: int) -> str:
        """Return a sentence with blanks for what reads like a marker in it."""
        return without_markers(self.text(position))

    def is_forged(self, position: int) -> bool:
        """Return whether a sentence holds something that reads like a marker, or has it behind its end."""
        end = self.sentences[position].end
        return bool(forged_markers(self.text(position))) or is_followed_by_marker(self.passage.text, end)

    def is_shown(self, position: int) -> bool:
        """Return whether code follows a sentence."""
        after = self.sentences[position + 1 : position + 2]
        return bool(after) and after[0].kind is SentenceKind.CODE

    def names(self, number: str) -> bool:
        """Return whether the passage, its title or headings hold a number as it stands, not as part of a longer one."""
        held = "\n".join((self.passage.title, *self.passage.heading_path, self.passage.text)).casefold()
        return re.search(rf"(?<![\d.]){re.escape(number)}(?!\d|[.,]\d)", held) is not None

    def written(self, position: int) -> str:
        """Return a sentence in NFD between blanks, each white space as one."""
        return f" {' '.join(unicodedata.normalize('NFD', self.text(position)).split())} "

    def is_led(self, position: int) -> bool:
        """Return whether a sentence stands below a line that says what it is about."""
        is_headed = position > 0 and self.sentences[position - 1].kind is SentenceKind.HEADING
        return is_headed or self.leads[position] is not None

    def before(self, position: int) -> frozenset[str]:
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
    sentences = tuple(arrange(passage.text, split))
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
