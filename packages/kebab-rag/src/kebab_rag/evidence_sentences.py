"""Evidence as numbered sentences, of which a chat model names those that bear a claim. `prompts` renders it.

Numbers count from 1 over all passages. What a model names is a slice of a passage, so that a quote is verbatim whatever
the model wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kebab_core import CodeCitation, Passage
from kebab_text import SentenceKind, split_sentences

from kebab_rag.safe_text import BAR, clean_text, fence_field

_BLOCKS = frozenset({SentenceKind.ITEM, SentenceKind.ROW, SentenceKind.CODE})


class NumberedSentence(NamedTuple):
    """A sentence of the evidence: a slice of its passage in code points, half open."""

    number: int
    passage: Passage
    start: int
    end: int
    kind: SentenceKind

    @property
    def text(self) -> str:
        """Its text as it is stored."""
        return self.passage.text[self.start : self.end]


class SentenceRun(NamedTuple):
    """Consecutive sentences of one passage."""

    sentences: tuple[NumberedSentence, ...]

    @property
    def passage(self) -> Passage:
        """Their passage."""
        return self.sentences[0].passage

    @property
    def quote(self) -> str:
        """Their text with what stands between them, as it is stored."""
        return self.passage.text[self.sentences[0].start : self.sentences[-1].end]


class NumberedEvidence:
    """The sentences of all passages.

    Args:
        passages: In the order of the prompt.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.sentences = tuple(number_sentences(passages))
        """In the order of their numbers, which count from 1 without a gap."""

    def find(self, numbers: Iterable[int]) -> tuple[NumberedSentence, ...] | None:
        """Return the sentences with these numbers, each once, in the order of the evidence; None if one is unknown."""
        wanted = sorted(set(numbers))
        if not wanted or wanted[0] < 1 or wanted[-1] > len(self.sentences):
            return None
        return tuple(self.sentences[number - 1] for number in wanted)

    def context(self, sentence: NumberedSentence) -> str:
        """Return what a sentence is to be read with: title, headings, and the sentence before it.

        Of an item that is what leads into its list, of a row or line of code also the first one.
        """
        parts = [sentence.passage.title, *sentence.passage.heading_path]
        if sentence.kind is SentenceKind.ITEM:
            parts.append(self.opening(sentence))
        elif sentence.kind in _BLOCKS:
            parts.append(self.lead(sentence))
        elif (before := self.find([sentence.number - 1])) and before[
            0
        ].passage.marker == sentence.passage.marker:
            parts.append(before[0].text)
        return "\n".join(parts)

    def lead(self, sentence: NumberedSentence) -> str:
        """Return the first row, item or line of a sentence's block, and what leads into it with a colon; empty for prose."""
        if sentence.kind not in _BLOCKS:
            return ""
        first = self._first_of_block(sentence)
        return "\n".join(part for part in (self.opening(sentence), first.text) if part)

    def opening(self, sentence: NumberedSentence) -> str:
        """Return the sentence that leads into a block with a colon; empty for prose, and where there is none."""
        if sentence.kind not in _BLOCKS:
            return ""
        before = self.find([self._first_of_block(sentence).number - 1])
        if before is None or before[0].passage.marker != sentence.passage.marker:
            return ""
        text = before[0].text
        return text if text.rstrip("*_ ").endswith((":", "：")) else ""

    def _first_of_block(self, sentence: NumberedSentence) -> NumberedSentence:
        at = sentence.number - 1
        while at and self.sentences[at - 1].kind is sentence.kind:
            if self.sentences[at - 1].passage.marker != sentence.passage.marker:
                break
            at -= 1
        return self.sentences[at]


def number_sentences(passages: Iterable[Passage]) -> Iterator[NumberedSentence]:
    """Yield the sentences of passages that hold a letter or digit, numbered from 1."""
    number = 0
    for passage in passages:
        labels = (passage.title, *passage.heading_path)
        is_code = isinstance(passage.citation, CodeCitation)
        for start, end, kind in split_sentences(passage.text, labels=labels, is_code=is_code):
            if any(char.isalnum() for char in passage.text[start:end]):
                number += 1
                yield NumberedSentence(number, passage, start, end, kind)


def find_runs(sentences: Sequence[NumberedSentence]) -> tuple[SentenceRun, ...]:
    """Join sentences with consecutive numbers in one passage.

    Args:
        sentences: In the order of the evidence.
    """
    runs: list[list[NumberedSentence]] = []
    for each in sentences:
        last = runs[-1][-1] if runs else None
        if (
            last is not None
            and last.number + 1 == each.number
            and last.passage.marker == each.passage.marker
            and last.kind is each.kind
        ):
            runs[-1].append(each)
        else:
            runs.append([each])
    return tuple(SentenceRun(tuple(run)) for run in runs)


def render_sentences(passages: Sequence[Passage], *, label: str) -> str:
    """Return the evidence as text of a prompt: each passage below its title and headings, each sentence on a numbered line.

    Args:
        passages: The evidence.
        label: Word before a title.
    """
    lines: list[str] = []
    marker = None
    for each in number_sentences(passages):
        if each.passage.marker != marker:
            marker = each.passage.marker
            lines += [*([""] if lines else []), _render_header(each.passage, label)]
        lines.append(f"{each.number}{BAR} {' '.join(clean_text(each.text).split())}")
    return "\n".join(lines)


def _render_header(passage: Passage, label: str) -> str:
    names = dict.fromkeys(fence_field(each) for each in (passage.title, *passage.heading_path))
    return f"[{label}: {' > '.join(each for each in names if each)}]"
