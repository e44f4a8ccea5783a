"""A word of a query, and what of a text stands for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from kebab_core import Term, TermKind


@dataclass(frozen=True)
class WordForms:
    """A word of the query with what stands for it.

    Attributes:
        weight: That of its commonest whole form.
        wholes: The texts that stand for the whole word, at least one.
        pieces: The weight of each of its parts.
        length: Code points of the word as typed.
    """

    weight: float
    wholes: frozenset[str]
    pieces: Mapping[str, float]
    length: int

    def share(self, held: Collection[str]) -> float:
        """Return 1 where a text holds the word, else the share of its parts that it holds."""
        return 1.0 if not self.wholes.isdisjoint(held) else self.share_of_pieces(held)

    def share_of_pieces(self, held: Collection[str]) -> float:
        """Return the share of its parts that a text holds, by weight."""
        total = sum(self.pieces.values())
        return sum(weight for text, weight in self.pieces.items() if text in held) / total if total else 0.0


def forms_of(word: Sequence[Term], weights: Mapping[str, float]) -> WordForms:
    """Return the forms of a word.

    Args:
        word: Its terms, at least one; the first covers it.
        weights: Inverse frequency of each text.
    """
    start, end = word[0].start, word[0].end
    whole = [
        term for term in word if (term.start, term.end) == (start, end) and term.kind is not TermKind.PART
    ]
    wholes = frozenset(term.text for term in whole or word[:1])
    return WordForms(
        weight=min(weights[text] for text in wholes),
        wholes=wholes,
        pieces={term.text: weights[term.text] for term in word if term.text not in wholes},
        length=end - start,
    )
