"""Hangul words of a query as they are typed, beside the terms that the analyser makes of them.

A word alone and the same word in a sentence may be read differently: `조지아` is a country or a name with a particle.
A word that stands letter for letter in a passage must be found all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kebab_core import Term

_RUN = re.compile(r"[가-힣]+")
_LEAST_SYLLABLES = 2
_MAX_WORDS = 16
"""Words of one query that are looked at."""
_PARTICLES = (
    *("에서는", "으로는", "이라는"),
    *("에서", "에게", "으로", "까지", "부터", "보다", "처럼", "에는", "에도", "로는", "라는", "이란"),
    *("은", "는", "이", "가", "을", "를", "의", "에", "로", "와", "과", "도", "만"),
)
"""Longest first. Without `이나` and `나`, which end more names than they follow words of two syllables."""
_AFTER = f"(?:{'|'.join(_PARTICLES)})?(?![가-힣])"
_WORD_END = re.compile(_AFTER)


class WrittenWord(NamedTuple):
    """A word as typed.

    Attributes:
        text: Its syllables.
        stem: They without a particle at the end, None where there is none or too little before it.
        terms: What the analyser made of it, at least one; places within the word.
    """

    text: str
    stem: str | None
    terms: tuple[Term, ...]

    def beginnings(self) -> Iterator[str]:
        """Yield what a passage's word may begin with, the closest first."""
        yield self.text
        if self.stem is not None:
            yield self.stem

    def stands_in(self, text: str) -> bool:
        """Return whether a word of a text begins so, or is this one without its particle."""
        if begins_in(self.text, text):
            return True
        return self.stem is not None and self.stem in text and bool(_whole(self.stem).search(text))

    def read_in(self, text: str, *, beginning: str | None = None) -> Iterator[Term]:
        """Yield the word's terms where it stands in a text, whatever the analyser reads there.

        Args:
            text: Any text.
            beginning: What words of the text need only begin with; None asks for the whole word.
        """
        for form in (beginning,) if beginning else self.beginnings():
            if form not in text:
                continue
            for match in (_begun(form) if beginning else _whole(form)).finditer(text):
                for term in self.terms:
                    end = min(term.end, len(form))
                    if term.start < end:
                        yield term._replace(start=match.start() + term.start, end=match.start() + end)


def written_words(query: str, terms: Iterable[Term]) -> tuple[WrittenWord, ...]:
    """Return the Hangul words of at least two syllables that carry content, in order, each once.

    Args:
        query: What was analysed.
        terms: Of the query, without those that only ask.
    """
    content = tuple(terms)
    words: dict[str, WrittenWord] = {}
    for run in _RUN.finditer(query):
        start, end = run.span()
        inside = tuple(
            term._replace(start=term.start - start, end=term.end - start)
            for term in content
            if start <= term.start and term.end <= end
        )
        if end - start >= _LEAST_SYLLABLES and inside and len(words) < _MAX_WORDS:
            words.setdefault(run[0], WrittenWord(run[0], _without_particle(run[0]), inside))
    return tuple(words.values())


def ends_word(text: str, at: int) -> bool:
    """Return whether a Korean word of the text may end at a place: nothing but a particle goes on there."""
    return _WORD_END.match(text, at) is not None


def begins_in(beginning: str, text: str) -> bool:
    """Return whether a Hangul word of the text begins so."""
    return beginning in text and _begun(beginning).search(text) is not None


def read_again(
    text: str, terms: Sequence[Term], *, words: Iterable[WrittenWord], looked_up: Mapping[str, str]
) -> list[Term]:
    """Return the terms of a passage with those of the query's words that stand in it but were read differently.

    Args:
        text: The passage.
        terms: Its terms, in order of their place.
        words: Of the query.
        looked_up: With what words of the index had to begin that were looked up for some of them, by word.
    """
    known = {term.text for term in terms}
    added = [
        term
        for word in words
        if not known.issuperset(term.text for term in word.terms)
        for term in word.read_in(text, beginning=looked_up.get(word.text))
        if term.text not in known
    ]
    return sorted((*terms, *added), key=lambda term: term.start) if added else list(terms)


def _begun(beginning: str) -> re.Pattern[str]:
    return re.compile(f"(?<![가-힣]){re.escape(beginning)}")


def _whole(word: str) -> re.Pattern[str]:
    return re.compile(f"(?<![가-힣]){re.escape(word)}{_AFTER}")


def _without_particle(word: str) -> str | None:
    particle = next((particle for particle in _PARTICLES if word.endswith(particle)), "")
    stem = word.removesuffix(particle) if particle else ""
    return stem if len(stem) >= _LEAST_SYLLABLES else None
