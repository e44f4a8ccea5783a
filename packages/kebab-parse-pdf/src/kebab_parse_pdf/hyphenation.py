"""Words divided at the end of a line: whether both halves are one word, decided by the words of the document and of languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import log

from kebab_text import log_probability

from kebab_parse_pdf.segments import HYPHEN

_WORD = re.compile(r"\w+(?:-\w+)*")
_LAST_WORD = re.compile(r"(?<!\w)(\w++)\ufffe?$")
_PART_OF_WORD = re.compile(r"[-\d_/@:\\]\S*$|\w\.\w\S*$")
"""Signs in the last word of a line of which the hyphen is a part: those of compounds, identifiers and addresses."""
_NUMBER_END = re.compile(r"\d[-–]$")
"""The first number of a range, or a part of a date; PDFium marks hyphens behind letters only."""
_FIRST_WORD = re.compile(r"^\w+")
_FIRST_TOKEN = re.compile(r"^\S+")
_HANGUL_END = re.compile(r"(?<![가-힣])[가-힣]++$")
_HANGUL_START = re.compile(r"^[가-힣]+")
_DIVIDING_SHARE = 0.2
"""Share of line ends inside words from which on a document divides Korean words between any syllables, as TeX does.
Word processors do it at blanks only: line ends that the vocabulary decides are then 0 to 3 % inside words."""

_LEAST_DIVIDED = 3
"""Line ends inside words from which on they are no chance."""


class Vocabulary:
    """The words of a document that stand inside of lines, with their beginnings.

    Args:
        lines: All lines, in order.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._words: set[str] = set()
        inner = (words for line in lines for words in [_WORD.findall(line)[1:-1]])
        for words in inner:
            self._words.update(word.casefold() for word in words)
        self._starts = {
            word[:end] for word in self._words if _HANGUL_START.match(word) for end in range(1, len(word) + 1)
        }
        self.divides_hangul = False
        self._prior = 0.0

    def note_line_ends(self, paragraphs: Iterable[Sequence[str]]) -> None:
        """Find out whether the document divides words, Korean ones and with hyphens, by the lines of its paragraphs."""
        divided = kept = joined = compounds = 0
        for lines in paragraphs:
            for line, following in pairwise(lines):
                end, start = _HANGUL_END.search(line), _HANGUL_START.match(following)
                if end and start:
                    one, two = end[0] + start[0] in self._words, {end[0], start[0]} <= self._words
                    divided, kept = divided + (one and not two), kept + (two and not one)
                elif line.endswith(HYPHEN):
                    glue = self._find_known_glue(line, following)
                    joined, compounds = joined + (glue == ""), compounds + (glue == "-")
        self.divides_hangul = divided >= _LEAST_DIVIDED and divided > _DIVIDING_SHARE * (divided + kept)
        self._prior = log((joined + 1) / (compounds + 1))

    def join_lines(self, lines: Sequence[str]) -> list[str]:
        """Return the lines with divided words whole, at the end of the line that they begin in."""
        joined: list[str] = []
        for line in lines:
            if joined and (glue := self._find_glue(joined[-1], line)) is not None:
                rest = _FIRST_TOKEN.match(line)
                head = rest[0] if rest else ""
                joined[-1] = joined[-1].removesuffix(HYPHEN) + glue + head
                line = line[len(head) :].lstrip()
                if not line:
                    continue
            joined.append(line)
        return [line.replace(HYPHEN, "-") for line in joined]

    def _find_glue(self, line: str, following: str) -> str | None:
        """Return what stands between the last word of a line and the first of the next one; None for the line's end."""
        if line.endswith(HYPHEN):
            known = self._find_known_glue(line, following)
            return self._find_likely_glue(line, following) if known is None else known
        if _NUMBER_END.search(line) and following[:1].isdigit():
            return ""
        end, start = _HANGUL_END.search(line), _HANGUL_START.match(following)
        if not self.divides_hangul or end is None or start is None:
            return None
        return "" if self._is_one_word(end[0], start[0]) else None

    def _find_known_glue(self, line: str, following: str) -> str | None:
        """Return a hyphen or nothing where the form of the words or the document's own words tell which, else None."""
        end, start = _LAST_WORD.search(line), _FIRST_WORD.match(following)
        if end is None or start is None:
            return None
        one, other = end[1], start[0]
        is_name = other[0].isupper() and not one.isupper()
        if is_name or len(one) == 1 or not (one + other).isalpha() or _PART_OF_WORD.search(line[:-1]):
            return "-"
        one, other = one.casefold(), other.casefold()
        if one + other in self._words:
            return ""
        return "-" if f"{one}-{other}" in self._words or {one, other} <= self._words else None

    def _find_likely_glue(self, line: str, following: str) -> str | None:
        """Return a hyphen where two words are likelier than one, by how often the document divides words, else nothing."""
        end, start = _LAST_WORD.search(line), _FIRST_WORD.match(following)
        if end is None or start is None:
            return None
        one, other = end[1].casefold(), start[0].casefold()
        gain = log_probability(one + other) - log_probability(one) - log_probability(other)
        return "" if gain + self._prior >= 0 else "-"

    def _is_one_word(self, end: str, start: str) -> bool:
        if end + start in self._words:
            return True
        if {end, start} <= self._words:
            return False
        return end + start[0] in self._starts or not {end, start} & self._words
