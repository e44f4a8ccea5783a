"""Citations of the claims of an answer: numbered 1, 2, 3 in the order in which they appear, and narrowed to what is quoted.

A passage that is quoted at two places has two numbers, since each names lines of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import AnswerMarker, ClaimVerdict, HeaderRange
from kebab_text import ITEM_MARKER, Sentence, SentenceKind, split_sentences

from kebab_rag.claims import CitedPassage, CitedQuotes, narrow_citation
from kebab_rag.header_rows import QuotedPart, find_header_rows
from kebab_rag.quoted_words import find_places
from kebab_rag.safe_text import make_showable

if TYPE_CHECKING:
    from kebab_core import Citation, Passage, PassageQuote

    from kebab_rag.claim_checks import CheckedClaim

_LISTED = frozenset({SentenceKind.ITEM, SentenceKind.ROW, SentenceKind.CODE})
_BOX = re.compile(r"\A\[[ xX]\]")


QuotedLines = tuple[tuple[int, int] | None, ...]
"""First and last line of each quote in the text of its passage."""


def count_left_out(passage: str, quoted: QuotedLines) -> int:
    """Count the items, rows or lines of code of a quoted list, table or block that stand between quoted ones or behind them.

    Args:
        passage: Its text.
        quoted: First and last line of each quote in it. One item alone is no part of a list.
    """
    sizes = [len(line) for line in passage.splitlines(keepends=True)]
    ranges = [(sum(sizes[: each[0]]), sum(sizes[: each[1] + 1])) for each in quoted if each is not None]
    sentences = split_sentences(passage)
    is_quoted = [any(start <= each.start < end for start, end in ranges) for each in sentences]
    starts = [
        at for at, each in enumerate(sentences) if not at or not _goes_on(passage, sentences[at - 1], each)
    ]
    count = 0
    for start, end in pairwise([*starts, len(sentences)]):
        parts = [at for at in range(max(start - 1, 0), end) if _is_part(passage, sentences[at])]
        known = [at for at in parts if is_quoted[at]]  # with the line that leads into it
        if len(known) > 1 and sentences[start].kind in _LISTED:
            count += sum(at > known[0] and not is_quoted[at] for at in parts)
    return count


def _goes_on(passage: str, before: Sentence, after: Sentence) -> bool:
    """Return True if a list, table or block of code goes on from one sentence to the next."""
    is_block = SentenceKind.CODE not in {before.kind, after.kind}
    return before.kind is after.kind and (is_block or passage.count("\n", before.end, after.start) == 1)


def _is_part(passage: str, sentence: Sentence) -> bool:
    """Return True if a sentence counts: not as a further one of its item, nor as an item without words, such as an empty box."""
    if sentence.kind is not SentenceKind.ITEM:
        return True
    line = passage.rfind("\n", 0, sentence.start) + 1
    marker = ITEM_MARKER.match(passage, line)
    if marker is None or passage[line : sentence.start].strip():
        return False
    return any(map(str.isalnum, _BOX.sub("", passage[marker.end() : sentence.end])))


class ShownPiece(NamedTuple):
    """A piece of the text of a shown answer."""

    text: str
    number: int | None = None
    """Of the citation whose marker it is; None for any other text."""
    is_header: bool = False
    """Whether it is the header row of a table, which names the columns of the rows after it."""


class ShownAnswer(NamedTuple):
    """The text of an answer as readers see it."""

    text: str
    markers: tuple[AnswerMarker, ...]
    """The markers in it, in order."""
    cited: tuple[CitedQuotes, ...]
    """What each number stands for, from 1."""
    header_rows: tuple[HeaderRange, ...] = ()
    """The header rows in it, in order."""


class ShownClaim(NamedTuple):
    """A claim of a shown answer."""

    text: str
    numbers: tuple[int, ...]
    """Of its citations."""
    is_quote: bool = False
    """Whether it was chosen word for word from what it cites."""
    verdict: ClaimVerdict = ClaimVerdict.SUPPORTED
    pieces: tuple[ShownPiece, ...] = ()
    """The parts of the text, where some are header rows."""


class ShownClaims:
    """The claims of an answer that stand, as text with numbered citations.

    Args:
        heading: Line above the claims; empty for none.
    """

    def __init__(self, heading: str = "") -> None:
        self.claims: list[ShownClaim] = []
        self._text = heading
        self._markers: list[AnswerMarker] = []
        self._header_rows: list[HeaderRange] = []
        self._cited: dict[tuple[int, QuotedLines], CitedQuotes] = {}

    def add(self, claim: CheckedClaim) -> Iterator[ShownPiece]:
        """Add a claim that passed its checks.

        Yields:
            Its text, then each marker.
        """
        from kebab_rag.evidence_sentences import find_runs

        numbers = []
        for run in find_runs(claim.sentences):
            place = (run.sentences[0].start, run.sentences[-1].end)
            numbers.append(self._cite((place,), CitedQuotes(run.passage.marker, (run.quote,))))
        yield from self._show(ShownClaim(claim.text, tuple(numbers), verdict=claim.verdict))

    def add_quote(self, quote: PassageQuote, passage: Passage) -> Iterator[ShownPiece]:
        """Add what a reader chose of a passage, as a claim. Rows of a table come with its header row.

        Args:
            quote: Ranges of the passage.
            passage: The passage.

        Yields:
            Its text, in several pieces where header rows are in it, then its marker.
        """
        parts = find_header_rows(passage, quote.ranges)
        ranges = [each.within for each in parts if each.within is not None]
        texts = tuple(passage.text[start:end] for start, end in ranges)
        lines = tuple(_find_lines(passage.text, start, end) for start, end in ranges)
        left_out = count_left_out(passage.text, lines) or None
        headers = tuple(each.header for each in parts if each.header and each.within is None)
        number = self._cite(lines, CitedQuotes(quote.marker, texts, left_out, headers))
        pieces = tuple(_show_parts(passage, parts))
        text = "".join(each.text for each in pieces)
        yield from self._show(ShownClaim(text, (number,), is_quote=True, pieces=pieces))

    def _cite(self, place: QuotedLines, cited: CitedQuotes) -> int:
        """Return the number of a citation, a new one for a place that is not cited yet."""
        self._cited.setdefault((cited.marker, place), cited)
        return list(self._cited).index((cited.marker, place)) + 1

    def _show(self, claim: ShownClaim) -> Iterator[ShownPiece]:
        self.claims.append(claim)
        if self._text:
            yield self._write(ShownPiece("\n"))
        for piece in claim.pieces or (ShownPiece(claim.text),):
            if piece.is_header:
                start = len(self._text)
                self._header_rows.append(HeaderRange(start=start, end=start + len(piece.text)))
            yield self._write(piece)
        yield self._write(ShownPiece(" "))
        for number in claim.numbers:
            shown = f"[{number}]"
            start = len(self._text)
            self._markers.append(AnswerMarker(number=number, start=start, end=start + len(shown)))
            yield self._write(ShownPiece(shown, number))

    def _write(self, piece: ShownPiece) -> ShownPiece:
        self._text += piece.text
        return piece

    @property
    def are_proven(self) -> bool:
        """True if every claim is supported."""
        return all(claim.verdict is ClaimVerdict.SUPPORTED for claim in self.claims)

    def show(self) -> ShownAnswer:
        """Return the text, its markers and what they cite."""
        return ShownAnswer(
            self._text, tuple(self._markers), tuple(self._cited.values()), tuple(self._header_rows)
        )


def _show_parts(passage: Passage, parts: Sequence[QuotedPart]) -> Iterator[ShownPiece]:
    """Yield the text of parts, with a line end between those that are not neighbours."""
    for number, part in enumerate(parts):
        before = parts[number - 1].within if number else None
        if number and (before is None or part.within is None or before[1] != part.within[0]):
            yield ShownPiece("\n")
        text = part.header.text if part.header else ""
        if part.within is not None:
            text = passage.text[part.within[0] : part.within[1]]
        yield ShownPiece(make_showable(text), is_header=part.header is not None)


def _find_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the first and last line, from 0, of a range that is not empty."""
    return len(text[: start + 1].splitlines()) - 1, len(text[:end].splitlines()) - 1


def cite_quotes(citation: Citation, quotes: Iterable[str], passage: CitedPassage) -> Citation:
    """Return the citation of a passage, narrowed to the lines that hold all quotes.

    The whole passage is cited where nothing is quoted, or where a quote is not in its lines.

    Args:
        citation: Of the passage.
        quotes: Texts that the passage holds.
        passage: Its lines.
    """
    lead = passage.lead_text
    texts = [quote.removeprefix(lead).strip() if lead else quote for quote in quotes]
    lines = [line.text for line in passage.lines]
    places = [place for text in texts if text for place in find_places(text, lines)]
    found = [place for place in places if place is not None]
    if not found or len(found) < len(places):
        return citation
    first, last = min(low for low, _ in found), max(high for _, high in found)
    return narrow_citation(citation, passage.lines[first : last + 1])
