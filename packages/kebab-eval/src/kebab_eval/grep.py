"""The grep baseline: a ranking by the words of the query as substrings.

Documents are ranked by how many distinct words of the query they contain as substrings, case folded; ties by document
id. A word is a run of letters, digits and underscores.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import insort
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from kebab_eval.queries import JudgedQuery

_WORD = re.compile(r"\w+")
_CACHED_WORDS = 200_000
"""Size of the cache of words: texts repeat their words, and memory must not grow with them."""


def rank_by_substrings(
    queries: Sequence[JudgedQuery], documents: Iterable[tuple[str, str]], *, depth: int
) -> dict[str, tuple[str, ...]]:
    """Rank documents for all queries in one pass over them.

    Args:
        queries: The queries.
        documents: Id and text of each; read once, one at a time.
        depth: Number of documents to keep for each query, at least 1.

    Returns:
        Query id to document ids, best first. Documents without any of the words are left out.
    """
    wanted = [_fold_words(query.text) for query in queries]
    asking = _invert(wanted)
    found_within = _PartFinder(frozenset(asking))
    best: list[list[tuple[int, str]]] = [[] for _ in queries]
    for doc_id, text in documents:
        counts: Counter[int] = Counter()
        for word in {part for token in set(_words(text)) for part in found_within(token)}:
            counts.update(asking[word])
        for number, count in counts.items():
            if doc_id != queries[number].excluded:
                _keep(best[number], (-count, doc_id), depth)
    return {
        query.query_id: tuple(doc_id for _, doc_id in kept) for query, kept in zip(queries, best, strict=True)
    }


def _keep(kept: list[tuple[int, str]], candidate: tuple[int, str], depth: int) -> None:
    if candidate in kept:
        return  # the set has the document twice
    if len(kept) < depth:
        insort(kept, candidate)
    elif candidate < kept[-1]:
        kept.pop()
        insort(kept, candidate)


def _words(text: str) -> Iterator[str]:
    return (match[0] for match in _WORD.finditer(unicodedata.normalize("NFC", text).casefold()))


def _fold_words(text: str) -> frozenset[str]:
    return frozenset(_words(text))


def _invert(wanted: Sequence[frozenset[str]]) -> Mapping[str, Sequence[int]]:
    asking: dict[str, list[int]] = {}
    for number, words in enumerate(wanted):
        for word in words:
            asking.setdefault(word, []).append(number)
    return asking


class _PartFinder:
    """Finds the wanted words within a token: a word has no gaps, so it lies within one token of the text.

    Args:
        wanted: The words, case folded.
    """

    def __init__(self, wanted: frozenset[str]) -> None:
        self._wanted = wanted
        self._lengths = sorted({len(word) for word in wanted})
        self._find = lru_cache(maxsize=_CACHED_WORDS)(self._look)

    def __call__(self, token: str) -> frozenset[str]:
        return self._find(token)

    def _look(self, token: str) -> frozenset[str]:
        parts = {
            token[start : start + length]
            for length in self._lengths
            if length <= len(token)
            for start in range(len(token) - length + 1)
        }
        return self._wanted & parts
