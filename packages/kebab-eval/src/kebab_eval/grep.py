"""The grep baseline: a ranking by the words of the query as substrings.

Documents are ranked by how many distinct words of the query they contain as substrings, case folded; ties by document
id. A word is a run of letters, digits and underscores.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    asking: dict[str, list[int]] = {}
    for number, query in enumerate(queries):
        for word in set(_words(query.text)):
            asking.setdefault(word, []).append(number)
    found_within = _part_finder(frozenset(asking))
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


def _part_finder(wanted: frozenset[str]) -> Callable[[str], frozenset[str]]:
    """Build a function that finds the wanted words within a token of a text; a word has no gaps, so it lies in one."""
    lengths = sorted({len(word) for word in wanted})

    @lru_cache(maxsize=_CACHED_WORDS)
    def find(token: str) -> frozenset[str]:
        return wanted & {
            token[start : start + length] for length in lengths for start in range(len(token) - length + 1)
        }

    return find
