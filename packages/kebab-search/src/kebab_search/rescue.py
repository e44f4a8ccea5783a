"""Looking up the words of a query that stand in nothing the index found by terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kebab_core import ChunkId, DocumentSet, IndexedChunk, LexicalIndex

from kebab_search.question import Question
from kebab_search.weighting import inverse_frequency
from kebab_search.written import WrittenWord

_MOST = 40
"""Chunks looked up for a word: as many as are boosted for a first page."""


class Rescued(NamedTuple):
    """What looking words up as written gave.

    Attributes:
        weights: What each chunk that was found by it gets for that, in the order of the words and of the index.
        looked_up: With what the words of those chunks begin, by the word of the query.
    """

    weights: Mapping[ChunkId, float]
    looked_up: Mapping[str, str]


def look_up_written(
    question: Question,
    found: Iterable[IndexedChunk],
    *,
    index: LexicalIndex,
    documents: DocumentSet | None,
) -> Rescued:
    """Look up the words of a question that stand in none of the first chunks.

    Args:
        question: Has no words to look up where it holds phrases or syntax, which say what must be found.
        found: The first chunks that the index gave; always the same however many are asked for.
        index: Where words are looked up.
        documents: Only chunks of these; None is all of them.

    Returns:
        For each word the first chunks that hold it as typed, else without its particle.
    """
    weights: dict[ChunkId, float] = {}
    looked_up: dict[str, str] = {}
    for word in _unseen(question.written, found):
        for beginning in word.beginnings():
            matches = index.find_written(beginning, limit=_MOST, documents=documents)
            if not matches.chunk_ids:
                continue
            looked_up[word.text] = beginning
            weight = _weight(question, word, held_by=matches.total)
            for chunk_id in matches.chunk_ids:
                weights[chunk_id] = weights.get(chunk_id, 0.0) + weight
            break
    return Rescued(weights, looked_up)


def _unseen(words: Sequence[WrittenWord], found: Iterable[IndexedChunk]) -> list[WrittenWord]:
    unseen = list(words)
    for item in found:
        if not unseen:
            break
        text = "\n".join((item.document.title, *item.chunk.heading_path, item.chunk.text))
        unseen = [word for word in unseen if not word.stands_in(text)]
    return unseen


def _weight(question: Question, word: WrittenWord, *, held_by: int) -> float:
    """Return what the word tells: no more than its terms do where the index knows them better."""
    terms = max(question.weighted.weights[term.text] for term in word.terms)
    return min(terms, inverse_frequency(held_by, question.corpus_size))
