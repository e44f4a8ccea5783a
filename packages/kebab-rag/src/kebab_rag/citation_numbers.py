"""Citations of a text that a model wrote, with its markers as numbers.

A model marks passages by their rank, `[#4]`. Readers see `[1]`: the first citation of the text. A passage that is
quoted at two places has two numbers, since each names lines of its own.
"""

from __future__ import annotations

from collections.abc import Mapping

from kebab_core import AnswerMarker

from kebab_rag.citations import QuotedLines, ShownAnswer, count_left_out
from kebab_rag.claims import CitedQuotes
from kebab_rag.markers import Piece, split_markers
from kebab_rag.quoted_words import find_places
from kebab_rag.safe_text import make_showable
from kebab_rag.verdict import find_quoted

_AROUND_CLAIM = " \n\t.,;:!?…。、"


class CitationNumbers:
    """The numbers of the citations in one text, which is read from its beginning, in pieces of any size.

    Args:
        passages: The text of each packed passage by its marker.
    """

    def __init__(self, passages: Mapping[int, str]) -> None:
        self._passages = passages
        self._cited: dict[tuple[int, QuotedLines], CitedQuotes] = {}
        self._claim = ""
        self._is_cited = False

    @property
    def cited(self) -> tuple[CitedQuotes, ...]:
        """The citations so far; the first has the number 1."""
        return tuple(self._cited.values())

    def renumber(self, piece: Piece) -> Piece:
        """Return the next piece of the text, a marker with its number among the citations."""
        if piece.marker is None:
            if self._is_cited and piece.text.strip():
                self._claim, self._is_cited = "", False
            self._claim += piece.text
            return piece
        self._is_cited = True
        quotes, lines = self._find_quotes(self._passages.get(piece.marker, ""))
        left_out = count_left_out(self._passages.get(piece.marker, ""), lines)
        self._cited.setdefault((piece.marker, lines), CitedQuotes(piece.marker, quotes, left_out or None))
        number = list(self._cited).index((piece.marker, lines)) + 1
        return Piece(f"[{number}]", number)

    def _find_quotes(self, passage: str) -> tuple[tuple[str, ...], QuotedLines]:
        """Return the quotes of the claim, with their lines: the claim itself, or what it holds in quotation marks."""
        claim, lines = self._claim.strip(_AROUND_CLAIM), passage.splitlines()
        for quotes in ((claim,), tuple(claim[low + 1 : high] for low, high in find_quoted(claim))):
            places = tuple(place for quote in quotes for place in find_places(quote, lines))
            if places and None not in places:
                return quotes, places
        return (), ()


def show_answer(said: str, passages: Mapping[int, str]) -> ShownAnswer:
    """Return the text as it is shown, with its markers and citations.

    Args:
        said: All that the model wrote, with its markers as `[#n]`.
        passages: The text of each packed passage by its marker.
    """
    numbers = CitationNumbers(passages)
    text, markers = "", []
    for piece in map(numbers.renumber, split_markers(said.strip())):
        words = make_showable(piece.text)
        words = words if text else words.lstrip()
        if piece.marker is not None:
            markers.append(AnswerMarker(number=piece.marker, start=len(text), end=len(text) + len(words)))
        text += words
    return ShownAnswer(text.rstrip(), tuple(markers), numbers.cited)
