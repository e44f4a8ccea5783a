"""What may be quoted, and how it is printed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from kebab_core import Passage

from kebab_extractive.forged import forged_markers, runs_between, says_markers
from kebab_extractive.sentences import Sentence, SentenceKind

_BULLET = re.compile(r"[-*+•‣◦▪·][ \t]+(?=\S)")
_WRITTEN = re.compile(r"\w+")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_HARMLESS = frozenset("\n\t\r\u200c\u200d\u00ad\u200b\ufeff")


class Quote(NamedTuple):
    """A stretch of a passage that is printed as it stands, with its sentences."""

    passage: Passage
    stretches: tuple[tuple[Sentence, ...], ...]
    """Neighbours together; several stretches are rows of one table."""

    def runs(self) -> Iterator[list[str]]:
        """Yield what is printed of it, sentence by sentence: one run, or several around what reads like a marker.

        The pieces of a run joined are one slice of the passage and its marker. Rows of a table that are no neighbours
        are a slice each, with a line end between two and one marker behind the last.
        """
        run: list[str] = []
        for sentences in self.stretches:
            for number, pieces in enumerate(self._slices(sentences)):
                if number:
                    yield self._marked(run)
                    run = []
                run += ["\n" + pieces[0], *pieces[1:]] if run else pieces
        yield self._marked(run)

    def _slices(self, sentences: Sequence[Sentence]) -> Iterator[list[str]]:
        """Yield the text of neighbours, sentence by sentence, once for each slice around what reads like a marker."""
        text, within = self.passage.text, (self._start(sentences), sentences[-1].end)
        ends = [sentence.end for sentence in sentences]
        for start, end in runs_between(text, within, forged_markers(text, within)):
            stops = [start, *(stop for stop in ends if start < stop < end), end]
            yield [text[low:high] for low, high in pairwise(stops)]

    def _marked(self, run: Sequence[str]) -> list[str]:
        return [*run[:-1], f"{run[-1]} [#{self.passage.marker}]"]

    def _start(self, sentences: Sequence[Sentence]) -> int:
        """Return where neighbours begin: a single item of a list goes without its bullet."""
        first = sentences[0]
        bullet = _BULLET.match(self.passage.text, first.start, first.end)
        alone = len(sentences) == 1 and first.kind is SentenceKind.ITEM
        return bullet.end() if alone and bullet else first.start


def is_quotable(text: str, *, stop: Sequence[str] = ()) -> bool:
    """Return whether printing a text word for word says nothing but the text, what reads like a marker left out.

    Not so where it holds control or bidirectional characters, which could change how the rest is shown, or a stop
    sequence; nor where nothing is left of it, or what is left out is what it says.
    """
    if any(unicodedata.category(char) in _HIDDEN and char not in _HARMLESS for char in text):
        return False
    whole = (0, len(text))
    is_left = any(True for _ in runs_between(text, whole, forged_markers(text)))
    return is_left and not says_markers(text) and not any(s and s in text for s in stop)


def is_question(text: str) -> bool:
    """Return whether a sentence asks."""
    return text.rstrip("\"'”’»)]」』*_` ").endswith(("?", "？"))


def letters(text: str) -> str:
    """Return the letters and digits of a text, folded: what is compared where punctuation does not matter."""
    return "".join(_WRITTEN.findall(unicodedata.normalize("NFKC", text).casefold()))
