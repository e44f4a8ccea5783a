"""Hangul words of a query that no searched passage holds, as terms of the index that sound like them: 옵시디언 as obsidian.

People write a foreign name in Hangul and keep notes that have it in Latin letters. Called by `LexicalSearch`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kebab_core import DocumentSet, LexicalIndex, LexicalQuery, Term, TermKind
from kebab_text import latin_initials, sound_likenesses

from kebab_search.surface_lookup import SurfaceWord, find_surface_words

_LEAST_LIKENESS = 0.85
_MAX_TERMS = 3
"""Terms that a word may stand for."""


def replace_loanwords(
    query: str,
    terms: Sequence[Term],
    frequencies: Mapping[str, int],
    *,
    index: LexicalIndex,
    documents: DocumentSet | None,
) -> tuple[list[Term], Mapping[str, int]]:
    """Replace the terms of each Hangul word that no passage holds by those in Latin letters that sound most like it.

    Args:
        query: The text that was analysed.
        terms: Its terms, in order of their place.
        frequencies: Number of chunks with each.
        index: Where terms are looked for.
        documents: Those whose passages count; None is all.

    Returns:
        Terms, in order of their place, with their frequencies.
    """
    kept, counts = list(terms), dict(frequencies)
    for start, word in find_surface_words(query, terms):
        if _is_held(word, counts, index, documents):
            continue
        # The analyser takes particles off, even of a word that it reads wrongly.
        name = word.text[: max(term.end for term in word.terms)]
        found = _terms_like(name, index)
        if found:
            end = start + len(name)
            kept = [term for term in kept if not start <= term.start < start + len(word.text)]
            kept += [Term(text, start, end, TermKind.WORD) for text in found]
            counts |= found
    return sorted(kept, key=lambda term: term.start), counts


def _is_held(
    word: SurfaceWord, counts: Mapping[str, int], index: LexicalIndex, documents: DocumentSet | None
) -> bool:
    # A part says less than the word: 소켓 of 웹소켓 is another thing, and websocket is the same.
    terms = tuple(
        term.text for term in word.terms if term.kind is not TermKind.PART and counts.get(term.text)
    )
    if terms and (documents is None or index.search(LexicalQuery(terms=terms), limit=1, documents=documents)):
        return True
    return any(
        index.find_surface_words(form, limit=1, documents=documents).chunk_ids for form in word.forms()
    )


def _terms_like(name: str, index: LexicalIndex) -> dict[str, int]:
    """Find the terms most like a word, at most three, with their frequencies; none if no term is like it."""
    counts = index.list_terms(latin_initials(name))
    likenesses = sound_likenesses(name, counts)
    best = max(likenesses.values(), default=0.0)
    if best < _LEAST_LIKENESS:
        return {}
    closest = sorted(
        (text for text, likeness in likenesses.items() if likeness == best),
        key=lambda text: (-counts[text], text),
    )
    return {text: counts[text] for text in closest[:_MAX_TERMS]}
