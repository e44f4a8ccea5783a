"""What may be quoted, and how it is printed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from kebab_core import Passage

from kebab_llm_local.extractive.sentences import Sentence, SentenceKind

_MARKER = re.compile(r"\[\s*#\s*\d+\s*\]")
_BULLET = re.compile(r"[-*+•‣◦▪·][ \t]+(?=\S)")
_WRITTEN = re.compile(r"\w+")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_HARMLESS = frozenset("\n\t\r\u200c\u200d\u00ad\u200b\ufeff")


class Quote(NamedTuple):
    """A stretch of a passage that is printed as it stands, with its sentences."""

    passage: Passage
    sentences: tuple[Sentence, ...]

    def pieces(self) -> list[str]:
        """Return the text sentence by sentence; joined, it is one slice of the passage and its marker."""
        text = self.passage.text
        start = self._start()
        ends = [sentence.end for sentence in self.sentences]
        pieces = [text[low:high] for low, high in zip([start, *ends], ends, strict=False)]
        return [*pieces[:-1], f"{pieces[-1]} [#{self.passage.marker}]"]

    def _start(self) -> int:
        """Return where the quote begins: a single item of a list goes without its bullet."""
        first = self.sentences[0]
        bullet = _BULLET.match(self.passage.text, first.start, first.end)
        alone = len(self.sentences) == 1 and first.kind is SentenceKind.ITEM
        return bullet.end() if alone and bullet else first.start


def is_quotable(text: str, *, stop: Sequence[str] = ()) -> bool:
    """Return whether printing a text word for word says nothing but the text.

    Not so where it holds something like a marker, which would cite a passage it does not come from; control or
    bidirectional characters, which could change how the rest is shown; or a stop sequence.
    """
    if any(unicodedata.category(char) in _HIDDEN and char not in _HARMLESS for char in text):
        return False
    shown = "".join(char for char in text if char not in "\u200b\u200c\u200d\u00ad\ufeff")
    return not _MARKER.search(unicodedata.normalize("NFKC", shown)) and not any(s and s in text for s in stop)


def is_question(text: str) -> bool:
    """Return whether a sentence asks."""
    return text.rstrip("\"'”’»)]」』*_` ").endswith(("?", "？"))


def letters(text: str) -> str:
    """Return the letters and digits of a text, folded: what is compared where punctuation does not matter."""
    return "".join(_WRITTEN.findall(unicodedata.normalize("NFKC", text).casefold()))
