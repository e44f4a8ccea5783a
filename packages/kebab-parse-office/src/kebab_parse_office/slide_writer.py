"""The text of a presentation, slide by slide, and its blocks with the characters that they take on their slide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kebab_core import (
    Block,
    DocumentId,
    ExtractedText,
    HeadingBlock,
    ListBlock,
    ListItem,
    ParagraphBlock,
    QuoteBlock,
    SlideSpan,
    TableBlock,
    TextPart,
)
from kebab_parse import BlockBuilder

from kebab_parse_office.rich_text import RichText, join_line, plain_words

_GAP = "\n\n"


class Bullet(NamedTuple):
    """A paragraph of a list on a slide."""

    level: int
    """Depth from 0."""
    label: str
    """Its number with its signs; empty for a bullet."""
    words: RichText


class SlideWriter:
    """Writes the blocks of slides, one slide after the other; those that say nothing are left out.

    Args:
        doc_id: The document.
    """

    def __init__(self, doc_id: DocumentId) -> None:
        self.blocks: list[Block] = []
        """The blocks so far."""
        self._places = BlockBuilder(doc_id)
        self._slides: list[tuple[int, str]] = []
        self._number, self._text = 0, ""

    def start_slide(self, number: int) -> None:
        """End the slide before and begin another, by its number from 1."""
        self._end_slide()
        self._number = number
        self._places.open_section(1, "")

    def finish(self) -> ExtractedText:
        """Return the text of all slides, with a part for each that has text."""
        self._end_slide()
        parts: list[TextPart] = []
        start = 0
        for number, text in self._slides:
            parts.append(TextPart(start=start, end=start + len(text), source_span=SlideSpan(slide=number)))
            start += len(text) + len(_GAP)
        return ExtractedText(text=_GAP.join(text for _, text in self._slides), parts=tuple(parts))

    def heading(self, text: str) -> None:
        """Write the title of the slide."""
        if shown := join_line(text):
            self._places.open_section(1, shown)
            place = self._places.place("heading", self._write(shown))
            self.blocks.append(HeadingBlock(**place, level=1, text=shown))

    def paragraph(self, words: RichText) -> None:
        """Write a paragraph, which may have several lines."""
        if text := words.text:
            place = self._places.place("paragraph", self._write(text))
            self.blocks.append(ParagraphBlock(**place, text=text, inlines=words.inlines))

    def quote(self, words: RichText) -> None:
        """Write a remark: notes of the speaker, or a comment."""
        if text := words.text:
            place = self._places.place("quote", self._write(text))
            self.blocks.append(QuoteBlock(**place, text=text, inlines=words.inlines))

    def notes(self, text: str) -> None:
        """Write the notes of the speaker, unless they say no more than the number of the slide."""
        if (said := text.strip()) and said not in {str(self._number), "‹#›", "<number>"}:
            self.quote(plain_words(f"Notes: {said}"))

    def bullets(self, bullets: Sequence[Bullet]) -> None:
        """Write one list, as passages show it; a single bullet without a number is a paragraph."""
        kept = [bullet for bullet in bullets if bullet.words.text]
        if len(kept) <= 1 and not any(bullet.label for bullet in kept):
            for bullet in kept:
                self.paragraph(bullet.words)
            return
        ordered = bool(kept[0].label)
        texts = [_bullet_text(bullet, ordered=ordered) for bullet in kept]
        shown = texts if ordered else ["- " + text.replace("\n", "\n  ") for text in texts]
        span = self._write("\n".join(shown))
        start, items = span.char_start or 0, list[ListItem]()
        for bullet, text, line in zip(kept, texts, shown, strict=True):
            own = SlideSpan(slide=self._number, char_start=start, char_end=start + len(line))
            items.append(ListItem(text=text, inlines=bullet.words.inlines, source_span=own))
            start += len(line) + 1
        self.blocks.append(ListBlock(**self._places.place("list", span), ordered=ordered, items=tuple(items)))

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """Write a table whose first row is the header."""
        lines = [list(map(join_line, row)) for row in rows]
        width = max((number for row in lines for number, text in enumerate(row, 1) if text), default=0)
        cells = [tuple([*row, *[""] * width][:width]) for row in lines if any(row)]
        if cells:
            place = self._places.place("table", self._write("\n".join(" | ".join(row) for row in cells)))
            self.blocks.append(TableBlock(**place, headers=cells[0], rows=tuple(cells[1:])))

    def _write(self, text: str) -> SlideSpan:
        start = len(self._text) + len(_GAP) if self._text else 0
        self._text = f"{self._text}{_GAP}{text}" if self._text else text
        return SlideSpan(slide=self._number, char_start=start, char_end=len(self._text))

    def _end_slide(self) -> None:
        if self._text:
            self._slides.append((self._number, self._text))
        self._text = ""


def _bullet_text(bullet: Bullet, *, ordered: bool) -> str:
    """Return an item as a list holds it: the list adds the bullets of an unordered one."""
    label = bullet.label or ("-" if ordered else "")
    return "  " * bullet.level * ordered + f"{label} {bullet.words.text}".lstrip()
