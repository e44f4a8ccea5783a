"""Text of office files: clean lines, and paragraphs with their links."""

from __future__ import annotations

from dataclasses import dataclass, field

from kebab_core import Inline, LinkInline, TextInline, show_link
from kebab_parse import mark_power, normalize_text, split_lines


def clean_text(text: str) -> str:
    """Return a text in NFC without control characters, blank lines, and blanks at its ends and at those of its lines."""
    return "\n".join(split_lines(text)).strip()


def join_line(text: str) -> str:
    """Return a text on one line, clean as `clean_text` makes it."""
    if text.isascii() and text.isprintable():  # most cells of most sheets
        return " ".join(text.split()) if " " in text else text
    return " ".join((normalize_text(text) if text.isprintable() else clean_text(text)).split())


@dataclass(slots=True)
class RichText:
    """Words of a paragraph with its links, as they are read one after the other."""

    _pieces: list[tuple[str, str]] = field(default_factory=list)
    """Text and address of a link; an empty address for all else."""

    def add(self, text: str, href: str = "") -> None:
        """Append words; those of a link with its address."""
        if self._pieces and self._pieces[-1][1] == href:
            self._pieces[-1] = (self._pieces[-1][0] + text, href)
        else:
            self._pieces.append((text, href))

    def add_raised(self, text: str, href: str = "") -> None:
        """Append words that stand above the line."""
        before = next((piece for piece, _ in reversed(self._pieces) if piece), "")
        self.add(mark_power(before, text), href)

    def put_first(self, text: str) -> None:
        """Put words before all others."""
        self._pieces.insert(0, (text, ""))

    def extend(self, other: RichText) -> None:
        """Append another text."""
        for text, href in other._pieces:
            self.add(text, href)

    @property
    def text(self) -> str:
        """The words, clean, each link followed by its address where it does not say it."""
        return clean_text("".join(show_link(text, href) if href else text for text, href in self._pieces))

    @property
    def inlines(self) -> tuple[Inline, ...]:
        """Text and links in order; empty where there is no link."""
        if not any(href for _, href in self._pieces):
            return ()
        pieces = ((normalize_text(text), href) for text, href in self._pieces if text)
        return tuple(
            LinkInline(text=text, href=href) if href else TextInline(text=text) for text, href in pieces
        )


def plain_words(text: str) -> RichText:
    """Return words without links."""
    words = RichText()
    words.add(text)
    return words


def comment_lead(author: str) -> str:
    """Return what stands before the text of a comment: `Comment (author): `, without the author where none is known."""
    return f"Comment ({author}): " if author else "Comment: "
