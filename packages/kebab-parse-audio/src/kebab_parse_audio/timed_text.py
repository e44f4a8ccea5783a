"""Lines with times, as paragraphs of 20 to 60 seconds below the chapters that they are said in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kebab_core import Block, DocumentId, ExtractedText, HeadingBlock, ParagraphBlock, TextPart, TimeSpan
from kebab_parse import PARAGRAPH_BREAK, BlockBuilder

LEAST_MS, MOST_MS = 20_000, 60_000
"""Length of a paragraph; the last of a chapter, and one before a pause, may be shorter."""
_PAUSE_MS = 10_000
"""Silence that ends a paragraph of any length."""
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)\]]*$|[다요죠까네]$")


class TimedLine(NamedTuple):
    """What is said or shown in a stretch of time."""

    start_ms: int
    end_ms: int
    text: str


class Chapter(NamedTuple):
    """A named part of a recording."""

    start_ms: int
    end_ms: int
    title: str


def write_timed_text(
    doc_id: DocumentId, lines: Sequence[TimedLine], chapters: Sequence[Chapter] = ()
) -> tuple[list[Block], ExtractedText]:
    """Return the blocks of a document and its text, of which each line is a part with its own time.

    A paragraph goes on to the end of a sentence after 20 seconds, and never over 60, a chapter or ten seconds of silence.

    Args:
        doc_id: The document.
        lines: In order of time.
        chapters: In order of time; each is a heading. What is said before the first stands below none.
    """
    writer = _TimedWriter(doc_id)
    rest = list(lines)
    for chapter in chapters:
        before = [line for line in rest if line.start_ms < chapter.start_ms]
        writer.paragraphs(before)
        rest = rest[len(before) :]
        writer.heading(chapter, rest)
    writer.paragraphs(rest)
    return writer.blocks, ExtractedText(text="".join(writer.texts), parts=tuple(writer.parts))


class _TimedWriter:
    def __init__(self, doc_id: DocumentId) -> None:
        self.blocks: list[Block] = []
        self.texts: list[str] = []
        self.parts: list[TextPart] = []
        self._places = BlockBuilder(doc_id)
        self._length = 0

    def heading(self, chapter: Chapter, following: Sequence[TimedLine]) -> None:
        """Write a heading. Its time is that of the paragraph below it, so that it is cited with it; else its beginning."""
        own = next(_group(line for line in following if line.start_ms < chapter.end_ms), None)
        span = _cover(own) if own else TimeSpan(start_ms=chapter.start_ms, end_ms=chapter.start_ms)
        self._add(f"# {chapter.title}")
        self._places.open_section(1, chapter.title)
        self.blocks.append(HeadingBlock(**self._places.place("heading", span), level=1, text=chapter.title))

    def paragraphs(self, lines: Sequence[TimedLine]) -> None:
        for group in _group(iter(lines)):
            self._add("")
            for number, line in enumerate(group, 1):
                text = line.text + ("\n" if number < len(group) else "")
                span = TimeSpan(start_ms=line.start_ms, end_ms=line.end_ms)
                end = self._length + len(text)
                self.parts.append(TextPart(start=self._length, end=end, source_span=span))
                self.texts.append(text)
                self._length = end
            place = self._places.place("paragraph", _cover(group))
            self.blocks.append(ParagraphBlock(**place, text="\n".join(line.text for line in group)))

    def _add(self, text: str) -> None:
        shown = (PARAGRAPH_BREAK if self.texts else "") + text
        self.texts.append(shown)
        self._length += len(shown)


def _cover(lines: Sequence[TimedLine]) -> TimeSpan:
    return TimeSpan(start_ms=lines[0].start_ms, end_ms=max(line.end_ms for line in lines))


def _group(lines: Iterator[TimedLine]) -> Iterator[list[TimedLine]]:
    group: list[TimedLine] = []
    for line in lines:
        if group and _ends_before(group, line):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _ends_before(group: Sequence[TimedLine], line: TimedLine) -> bool:
    last, start = group[-1], group[0].start_ms
    if line.start_ms - last.end_ms >= _PAUSE_MS or line.end_ms - start > MOST_MS:
        return True
    return last.end_ms - start >= LEAST_MS and ends_sentence(last.text)


def ends_sentence(text: str) -> bool:
    """Return True if a text ends as sentences do."""
    return _SENTENCE_END.search(text) is not None
