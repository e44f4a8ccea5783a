"""Hangul words of a query as they are typed: looked up in the index where its terms find no passage that holds them.

The analyser may read a word alone and in a sentence differently: `조지아` is a country or a name with a particle. A word
that stands letter for letter in a passage must be found all the same. Used by `LexicalSearch` and by the hits.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import ChunkId, FoundTerms, IndexedChunk, Term
from kebab_text import fold, fold_text, inverse_document_frequency, lower_case

if TYPE_CHECKING:
    from kebab_core import LexicalIndex, Selection

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
_MAX_CHUNKS = 40
"""Chunks looked up for a word: as many as are boosted for a first page."""


class SurfaceWord(NamedTuple):
    """A Hangul word of a query as typed.

    Attributes:
        text: Its syllables.
        stem: The word without the particle at its end; None if it has none or too little before it.
        terms: Its terms, at least one, offsets within the word.
    """

    text: str
    stem: str | None
    terms: tuple[Term, ...]

    def forms(self) -> Iterator[str]:
        """Yield the forms that a word of a passage may begin with, the closest first."""
        yield self.text
        if self.stem is not None:
            yield self.stem

    def stands_in(self, text: str) -> bool:
        """True if a word of a folded text begins with this one, or equals it without its particle."""
        if self.text in text and _begun(self.text).search(text):
            return True
        return self.stem is not None and self.stem in text and bool(_whole(self.stem).search(text))

    def terms_in(self, text: str, *, form: str | None = None) -> Iterator[Term]:
        """Yield the word's terms at each place where it stands in a text, whatever the analyser reads there.

        Args:
            text: A folded text.
            form: Beginning of the words of the text that count; None: whole words only.
        """
        for found in (form,) if form else self.forms():
            if found not in text:
                continue
            for match in (_begun(found) if form else _whole(found)).finditer(text):
                for term in self.terms:
                    end = min(term.end, len(found))
                    if term.start < end:
                        yield term._replace(start=match.start() + term.start, end=match.start() + end)


class SurfaceMatches(NamedTuple):
    """Chunks that hold surface words of a query.

    Attributes:
        weights: The weight that each chunk gets for its words, in the order of the words and of the index.
        forms: The form under which a word was looked up, by word.
    """

    weights: Mapping[ChunkId, float]
    forms: Mapping[str, str]


def find_surface_words(query: str, terms: Iterable[Term]) -> list[tuple[int, SurfaceWord]]:
    """Find the Hangul words of at least two syllables that carry content, in order, each once, with their places in the query.

    Args:
        query: The text that was analysed.
        terms: Terms of the query, without words that only ask.
    """
    content = sorted(terms, key=lambda term: term.start)
    starts = [term.start for term in content]
    words: dict[str, tuple[int, SurfaceWord]] = {}
    for run in _RUN.finditer(query):
        start, end = run.span()
        if end - start < _LEAST_SYLLABLES or run[0] in words:
            continue
        if len(words) == _MAX_WORDS:
            break
        inside = tuple(
            term._replace(start=term.start - start, end=term.end - start)
            for term in content[bisect_left(starts, start) : bisect_right(starts, end)]
            if term.end <= end
        )
        if inside:
            words[run[0]] = (start, SurfaceWord(run[0], _without_particle(run[0]), inside))
    return list(words.values())


def look_up_surface_words(
    words: Sequence[SurfaceWord],
    first: Iterable[IndexedChunk],
    *,
    weights: Mapping[str, float],
    corpus_size: int,
    index: LexicalIndex,
    documents: Selection | None,
) -> SurfaceMatches:
    """Look up the words of a query that stand in none of the first chunks.

    Args:
        words: Of the query.
        first: The first chunks that the index gave; always the same however many hits are asked for.
        weights: Of the terms of the query.
        corpus_size: Chunks in the index.
        index: Where words are looked up.
        documents: Only chunks of these; None is all of them.

    Returns:
        For each word the first chunks that hold it as typed, else without its particle.
    """
    found: dict[ChunkId, float] = {}
    forms: dict[str, str] = {}
    for word in _missing_words(words, first):
        for form in word.forms():
            matches = index.find_surface_words(form, limit=_MAX_CHUNKS, documents=documents)
            if not matches.chunk_ids:
                continue
            forms[word.text] = form
            # Never more than its terms weigh, which the index may know better.
            of_terms = max(weights[term.text] for term in word.terms)
            weight = min(of_terms, inverse_document_frequency(matches.total, corpus_size))
            for chunk_id in matches.chunk_ids:
                found[chunk_id] = found.get(chunk_id, 0.0) + weight
            break
    return SurfaceMatches(found, forms)


def add_surface_terms(
    text: str, found: FoundTerms, *, words: Iterable[SurfaceWord], forms: Mapping[str, str]
) -> FoundTerms:
    """Add to the terms of the query that a passage has those of the query's words that stand in it but were read differently.

    Args:
        text: The passage.
        found: The terms of the query in it, in order of their place.
        words: Of the query.
        forms: The form under which a word was looked up, by word.
    """
    known = {term.text for term in found.terms}
    unread = [word for word in words if not known.issuperset(term.text for term in word.terms)]
    if not unread:
        return found
    folded = fold_text(text)
    added = [
        Term(term.text, *folded.source_range(term.start, term.end), term.kind)
        for word in unread
        for term in word.terms_in(lower_case(folded.text), form=forms.get(word.text))
        if term.text not in known
    ]
    if not added:
        return found
    return FoundTerms(sorted((*found.terms, *added), key=lambda term: term.start), found.total + len(added))


def _begun(beginning: str) -> re.Pattern[str]:
    return re.compile(f"(?<![가-힣]){re.escape(beginning)}")


def _whole(word: str) -> re.Pattern[str]:
    return re.compile(f"(?<![가-힣]){re.escape(word)}{_AFTER}")


def _without_particle(word: str) -> str | None:
    particle = next((particle for particle in _PARTICLES if word.endswith(particle)), "")
    stem = word.removesuffix(particle) if particle else ""
    return stem if len(stem) >= _LEAST_SYLLABLES else None


def _missing_words(words: Sequence[SurfaceWord], chunks: Iterable[IndexedChunk]) -> list[SurfaceWord]:
    missing = list(words)
    for item in chunks:
        if not missing:
            break
        text = fold("\n".join((item.document.title, *item.chunk.heading_path, item.chunk.text)))
        missing = [word for word in missing if not word.stands_in(text)]
    return missing
