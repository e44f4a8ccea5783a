"""The text of a long file, decoded and normalised a few lines at a time."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from kebab_parse_md.decode import decode_text, holds_only_text
from kebab_parse_md.lines import normalize_text
from kebab_parse_md.signatures import has_binary_signature

PIECE_BYTES = 1024 * 1024


@dataclass(frozen=True)
class TextPieces:
    """A file's text in pieces of whole lines, which joined are `normalize_text(decode_text(content).text)`.

    Intact UTF-8 is decoded anew whenever it is looked through; what is in another encoding is held as one text.

    Args:
        content: The file.
        piece_bytes: Least length of a piece but the last; a piece ends with its first line end from there on.

    Raises:
        UnsupportedMediaError: The content is not text.
    """

    content: bytes
    piece_bytes: int = PIECE_BYTES

    def __post_init__(self) -> None:
        if not self._is_intact:
            self._whole  # noqa: B018 - says that it is no text

    @property
    def warning(self) -> str | None:
        """What the user should know about the reading."""
        return None if self._is_intact else self._whole[1]

    def may_hold(self, sign: str) -> bool:
        """Return whether a sign of ASCII occurs anywhere."""
        return sign.encode() in self.content if self._is_intact else sign in self._whole[0]

    def __iter__(self) -> Iterator[str]:
        """Yield the text in order; every piece but the last ends with a line end."""
        if self._is_intact:
            yield from map(normalize_text, self._decoded())
        else:
            yield from self._cut_whole()

    @cached_property
    def _is_intact(self) -> bool:
        """Whether it is UTF-8 that needs no second look, so that `decode_text` would read it as it is."""
        if 0 in self.content or has_binary_signature(self.content):
            return False
        if self.content.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return False
        try:
            return holds_only_text(self._decoded())
        except UnicodeDecodeError:
            return False

    def _decoded(self) -> Iterator[str]:
        view, length = memoryview(self.content), len(self.content)
        start = len(codecs.BOM_UTF8) if self.content.startswith(codecs.BOM_UTF8) else 0
        while start < length:
            end = self.content.find(b"\n", start + self.piece_bytes - 1) + 1 or length
            yield str(view[start:end], "utf-8")
            start = end

    @cached_property
    def _whole(self) -> tuple[str, str | None]:
        decoded = decode_text(self.content)
        return normalize_text(decoded.text), decoded.warning

    def _cut_whole(self) -> Iterator[str]:
        text, start = self._whole[0], 0
        while start < len(text):
            end = text.find("\n", start + self.piece_bytes - 1) + 1 or len(text)
            yield text[start:end]
            start = end
