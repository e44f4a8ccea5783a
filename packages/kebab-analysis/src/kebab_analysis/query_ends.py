"""How the last word of a query reads in the middle of a sentence.

A tagger tells a word by its neighbours, and the last word of a query lacks one: `함수의` alone falls apart, where
before a noun it is `함수` with a particle. A word that reads differently there is asked for as both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kebab_core import Term, TermKind

_NEUTRAL_NOUN = " 것"
"""What a query is read before."""
_LEAST_OTHER = 2
"""Code points of what the less likely reading gives; a single syllable of it finds too much."""


def read_open_end(text: str, read: Callable[[str], list[Term]]) -> list[Term]:
    """Return the terms of a query, those of its last word by both readings, if that word could have gone on.

    The less likely reading gives parts of the words of the other, so that none of them counts twice. Nothing else
    of the query is read in another way.

    Args:
        text: The query, in NFC.
        read: Gives the terms of a text.
    """
    alone = read(text)
    bare = text.rstrip()
    if not alone or not "가" <= bare[-1] <= "힣":
        return alone
    start = len(bare) - len(bare.split()[-1])
    last = [term for term in alone if term.start >= start]
    followed = [term for term in read(bare + _NEUTRAL_NOUN) if start <= term.start and term.end <= len(bare)]
    return [*alone[: len(alone) - len(last)], *_both(last, followed, length=len(bare) - start)]


def _both(alone: Sequence[Term], followed: Sequence[Term], *, length: int) -> Sequence[Term]:
    if not alone or not followed:
        return alone or followed
    one_word = len(alone) == 1 and alone[0].end - alone[0].start == length
    likely, other = (alone, followed) if one_word else (followed, alone)
    known = {term.text for term in likely}
    parts = (term for term in other if term.text not in known and len(term.text) >= _LEAST_OTHER)
    return sorted([*likely, *_within(likely, parts)], key=lambda term: (term.start, -term.end))


def _within(words: Sequence[Term], parts: Iterator[Term]) -> Iterator[Term]:
    """Yield the terms as parts of the words where they start."""
    for text, start, end, _ in parts:
        word = next((word for word in words if word.start <= start < word.end), words[0])
        inside = max(start, word.start), min(end, word.end)
        yield Term(text, *(inside if inside[0] < inside[1] else (word.start, word.end)), TermKind.PART)
