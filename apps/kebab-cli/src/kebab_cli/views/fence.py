"""Text of documents and models behind a bar, citation markers outside of it.

A document can contain `[1]`, a rule, or a line like the footer. Behind the bar these are quoted text; kebab's own
markers stand below it, or in the middle of a line where a model writes on after one.

    ▎ Rolling back takes one command. See [1].
    └ [1]

A header row names the columns of a table and answers nothing; a rule follows it:

    ▎ Branch | Opens
    ├────────────────
    ▎ Hythe | 08:30
    └ [2]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kebab_core import Answer, ClaimVerdict

from kebab_cli.render import Console, columns_of, safe

_BAR = "▎ "
_FOOT = "└ "
_RULE = "├─"
_TOKEN = re.compile(r"\n|[^\S\n]+|\S+")


class FencedText:
    """A text behind a bar, fed in pieces of any size.

    Args:
        console: Says whether there are colours, and how wide a terminal is.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._width = console.width - len(_BAR) if console.terminal else None
        self._column: int | None = None
        """Column that the line behind the bar has reached; None where no bar is open."""
        self._blank = ""
        """White space that shows only if more follows."""
        self._markers: list[str] = []
        self._blank_before = ""
        """White space before the pending markers."""

    def feed(
        self,
        text: str,
        marker: int | None = None,
        verdict: ClaimVerdict | None = None,
        *,
        is_header: bool = False,
    ) -> str:
        """Text to print now.

        Args:
            text: Of a document or a model, safe or not.
            marker: Its number where the text is a marker.
            verdict: Of the marker's claim, where claims are checked.
            is_header: Whether the text is a whole header row; other text follows.
        """
        if is_header:
            return self.feed(text) + self._underline()
        if marker is None:
            return "".join(self._add(token) for token in _TOKEN.findall(safe(text)))
        if not self._markers:
            self._blank_before, self._blank = self._blank, ""
        mark = f"{show_verdict(self._console, verdict)} " if verdict is not None else ""
        self._markers.append(mark + self._console.style(text, bold=True))
        return ""

    def end(self) -> str:
        """Remaining text to print, with the end of the last line."""
        if self._markers:
            return self._close()
        is_open, self._column, self._blank = self._column is not None, None, ""
        return "\n" if is_open else ""

    def _underline(self) -> str:
        """End the line behind the bar with a rule as long as the line, so that what follows stands below it."""
        if not self._column:
            return ""
        rule = _RULE + "─" * self._column
        self._column, self._blank = None, ""
        return f"\n{self._console.style(rule, dim=True)}\n"

    def _add(self, token: str) -> str:
        if token.isspace():
            self._blank += token
            return ""
        before = self._settle_markers() if self._markers else ""
        blank, self._blank = self._blank, ""
        if self._column and "\n" not in blank and self._overflows(blank + token):
            self._column, blank = (
                self._width,
                "",
            )  # white space in front of a row's end would take a row itself
        return before + self._space(blank) + self._word(token)

    def _overflows(self, text: str) -> bool:
        """True if a text does not fit on the row that was begun."""
        if self._width is None:
            return False
        from rich.cells import cell_len

        return (self._column or 0) + cell_len(text) > self._width

    def _settle_markers(self) -> str:
        """Pending markers, now that more text follows them."""
        if "\n" in self._blank:
            closed = self._close() + "\n"
            self._blank = self._blank.rpartition("\n")[2]
            return closed
        shown = self._space(self._blank_before) + "".join(self._markers)
        self._markers = []
        return shown

    def _close(self) -> str:
        """Pending markers, below the text that they belong to."""
        foot = "\n" * (self._column is not None) + _FOOT + " ".join(dict.fromkeys(self._markers)) + "\n"
        self._markers, self._column, self._blank_before = [], None, ""
        return foot

    def _space(self, blank: str) -> str:
        """White space behind the bar; leading line ends are not part of the text."""
        *ends, last = blank.split("\n")
        shown = ""
        if self._column is None:
            shown, self._column = self._bar(), 0
        elif ends:
            shown, self._column = ("\n" + self._bar()) * len(ends), 0
        self._column += len(last)
        return shown + last

    def _word(self, word: str) -> str:
        """A word, on the next line where the terminal is too narrow."""
        column = self._column or 0
        if self._width is None:
            self._column = column + columns_of(word)
            return word
        from rich.cells import cell_len, chop_cells

        if column and column + cell_len(word) > self._width:
            column, lines = 0, ["", *chop_cells(word, self._width)]
        else:
            lines = chop_cells(word, self._width)
        self._column = cell_len(lines[-1]) + (column if len(lines) == 1 else 0)
        return ("\n" + self._bar()).join(lines)

    def _bar(self) -> str:
        return self._console.style(_BAR, dim=True)


class Piece(NamedTuple):
    """A piece of an answer's text."""

    text: str
    marker: int | None = None
    """Its number where it is a marker."""
    verdict: ClaimVerdict | None = None
    """Of a marker: the verdict on its claim, where claims are checked."""
    is_header: bool = False
    """True for the header row of a table."""


def answer_pieces(answer: Answer) -> Iterator[Piece]:
    """Yield the text of an answer in order, each marker and each header row apart."""
    verdicts = iter(_verdicts(answer))
    marks = [(each.start, each.end, each.number) for each in answer.markers or ()]
    marks += [(each.start, each.end, 0) for each in answer.header_rows]
    start = 0
    for low, high, number in sorted(marks):
        yield Piece(answer.answer[start:low])
        text = answer.answer[low:high]
        yield Piece(text, number, next(verdicts, None)) if number else Piece(text, is_header=True)
        start = high
    yield Piece(answer.answer[start:])


def claim_pieces(answer: Answer) -> Iterator[list[Piece]]:
    """Yield the text of each claim in pieces, header rows apart."""
    start = 0
    for claim in answer.claims:
        start = max(answer.answer.find(claim.text, start), start)
        end, pieces = start + len(claim.text), list[Piece]()
        for row in answer.header_rows:
            if start <= row.start and row.end <= end:
                pieces += [
                    Piece(answer.answer[start : row.start]),
                    Piece(answer.answer[row.start : row.end], is_header=True),
                ]
                start = row.end
        yield [*pieces, Piece(claim.text[len(claim.text) - (end - start) :])]
        start = end


def _verdicts(answer: Answer) -> Iterator[ClaimVerdict]:
    """Yield the verdict for each marker; none where no claims were checked."""
    for claim in answer.claims if answer.review is not None else ():
        is_proven = claim.verdict is not ClaimVerdict.NOT_PROVEN
        verdict = ClaimVerdict.SUPPORTED if is_proven else ClaimVerdict.NOT_PROVEN
        yield from [verdict] * len({source.marker for source in claim.sources})


def show_verdict(console: Console, verdict: ClaimVerdict) -> str:
    """Return the mark of a verdict."""
    is_proven = verdict is not ClaimVerdict.NOT_PROVEN
    return console.style("✓", fg="green") if is_proven else console.style("△", fg="yellow")


def fence(console: Console, pieces: Iterable[Piece]) -> str:
    """Fence a whole text and end its last line."""
    fenced = FencedText(console)
    return "".join(_feed(fenced, piece) for piece in pieces) + fenced.end()


def _feed(fenced: FencedText, piece: Piece) -> str:
    return fenced.feed(piece.text, piece.marker, piece.verdict, is_header=piece.is_header)
