"""Search for symbols of source code by their names.

A query names a symbol if all of it is the end of the symbol, or if it holds an identifier that is: `Group.invoke`,
`group invoke` and `what does Group.invoke() return` all name `click.core.Group.invoke`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    CodeRole,
    CodeSymbol,
    DocumentId,
    IndexedChunk,
    StoredSymbol,
    ends_of_symbol,
    fold_name,
    split_name,
    split_symbol,
)
from kebab_text import find_identifiers

from kebab_search.ranking import Candidate

if TYPE_CHECKING:
    from kebab_core import DocumentStore, LexicalIndex, Selection


SYMBOLS = "symbols@1"
"""Version of the order of symbols. Change it with the order, so that older cursors become stale."""
_BETWEEN_WORDS = re.compile(r"[\s.:/#>()-]")
_OTHER_SPELLING = 0.8
"""What a name counts that has the same letters in another style; with 0.9 `validateStruct` is the first hit of
`ValidateStruct` in gin (2026-11)."""
_MAX_WORDS = 6
"""Words of the longest query that may be a symbol as a whole."""
_MAX_IDENTIFIERS = 16
MAX_NAMED = 20
"""Definitions of what a query names that are candidates however deep they are."""
_MAX_BEGINNING = 1000
_ROLES = {role: place for place, role in enumerate(CodeRole)}
_LIKE = 0.75
"""Ratio of `difflib` from which on a name is taken for a misspelt other."""
_NEAR = 0.5
"""Ratio from which on a name is told where there is no hit."""
_MIN_LETTERS = 3
"""Fewer letters occur in this order in too many names."""


class SymbolNames(NamedTuple):
    """The names that a query may have for symbols."""

    shares: Mapping[str, float] = MappingProxyType({})
    """Ends of symbols, as `ends_of_symbol` gives them, with the share of the letters of the query that each is."""
    last_parts: frozenset[str] = frozenset()
    """The last parts that these symbols can have, folded."""
    spelt: frozenset[str] = frozenset()
    """The last parts as they are written in the query."""
    identifier: str = ""
    """The query, folded, where it is one identifier that no word of prose is; else empty."""

    def match(self, symbol: str) -> float:
        """Compute how much of the query names this symbol, in [0, 1]; a little less where it is spelt otherwise."""
        share = max((self.shares.get(end, 0.0) for end in ends_of_symbol(symbol)), default=0.0)
        return share if not share or split_symbol(symbol)[-1] in self.spelt else _OTHER_SPELLING * share


def read_symbol_names(text: str) -> SymbolNames:
    """Return the names that a query may have for symbols: all of it, and its identifiers."""
    letters = max(1, len(fold_name(text)))
    shares: dict[str, float] = {}
    last_parts: set[str] = set()
    spelt: set[str] = set()
    identifiers = find_identifiers(text)[:_MAX_IDENTIFIERS]
    for parts in filter(None, map(split_name, identifiers)):
        name = fold_name("".join(parts))
        shares[name] = min(1.0, len(name) / letters)
        last_parts.add(fold_name(parts[-1]))
        spelt.add(parts[-1])
    identifier = ""
    words = [word for word in _BETWEEN_WORDS.split(text) if fold_name(word)]
    if 0 < len(words) <= _MAX_WORDS:
        shares[fold_name("".join(words))] = 1.0
        last_parts |= {fold_name("".join(words[at:])) for at in range(len(words))}
        is_identifier = len(words) == 1 and fold_name(text) in map(fold_name, identifiers)
        identifier = fold_name(text) if is_identifier else ""
        spelt.add(words[-1])
    return SymbolNames(shares, frozenset(last_parts), frozenset(spelt), identifier)


class SymbolSearch:
    """Finds symbols by name. Thread-safe where its parts are.

    Args:
        index: The symbols.
        documents: The documents that define them.
    """

    version = SYMBOLS

    def __init__(self, *, index: LexicalIndex, documents: DocumentStore) -> None:
        self._index = index
        self._documents = documents

    def correct(self, names: SymbolNames) -> SymbolNames:
        """Return the names with the nearest to a misspelt identifier, which no symbol has."""
        if not names.identifier or self._index.find_symbols(names.last_parts):
            return names
        from difflib import SequenceMatcher, get_close_matches

        like = {
            each: SequenceMatcher(None, names.identifier, each, autojunk=False).ratio()
            for each in get_close_matches(names.identifier, self._index.list_symbol_names(), cutoff=_LIKE)
        }
        # A farther one, too, would come first wherever it is more similar otherwise.
        best = max(like.values(), default=0.0)
        nearest = {each: ratio for each, ratio in like.items() if ratio == best}
        return names._replace(
            shares={**names.shares, **nearest}, last_parts=names.last_parts | nearest.keys()
        )

    def find_named(self, names: SymbolNames, documents: Selection | None) -> list[IndexedChunk]:
        """List the passages that define what a query names, definitions first, at most `MAX_NAMED`."""
        found = self._index.find_symbols(names.last_parts, documents=documents)
        named = [each for each in found if names.match(each.symbol)]
        named.sort(key=lambda each: (-names.match(each.symbol), *_order(each)))
        chunk_ids = dict.fromkeys(each.chunk_id for each in named)
        return self._documents.get_chunks(list(chunk_ids)[:MAX_NAMED])

    def find(self, name: str, documents: Selection | None, *, limit: int) -> list[Candidate]:
        """List the symbols of a name, then those that begin so; where there is neither, those with a name like it.

        Args:
            name: All of a symbol or its last parts, in any case and style.
            documents: Only symbols of these; None is all of them.
            limit: Maximum number of symbols.

        Returns:
            The passages that define them: 1 is the score of the name itself, less that of one that begins so or is alike. At most one
            symbol for each passage, and of a line that is in several passages one. Of equal ones definitions come first, then those
            spelt as the name is.
        """
        parts = split_name(name)
        if not parts:
            return []
        exact = self._ending(name, parts, documents, score=1.0)
        known = {(each.chunk_id, each.place) for each, _ in exact}
        beginning = [
            pair
            for pair in self._beginning(parts, documents)
            if (pair[0].chunk_id, pair[0].place) not in known
        ]
        scored = [*exact, *beginning] or self._like(fold_name(parts[-1]), documents, least=_LIKE)
        return self._read(scored, limit)

    def find_near(self, name: str, documents: Selection | None, *, limit: int) -> list[Candidate]:
        """List symbols whose names are near to one that none has."""
        parts = split_name(name)
        return self._read(self._like(fold_name(parts[-1]), documents, least=_NEAR), limit) if parts else []

    def _ending(
        self, name: str, parts: Sequence[str], documents: Selection | None, *, score: float
    ) -> list[tuple[StoredSymbol, float]]:
        names = read_symbol_names(name)
        wanted = fold_name("".join(parts))
        found = self._index.find_symbols({fold_name(parts[-1]), *names.last_parts}, documents=documents)
        ending = [each for each in found if wanted in ends_of_symbol(each.symbol)]
        ending.sort(key=lambda each: (not each.symbol.endswith(name), *_order(each)))
        return [(each, score) for each in ending]

    def _beginning(
        self, parts: Sequence[str], documents: Selection | None
    ) -> list[tuple[StoredSymbol, float]]:
        *outer, last = (fold_name(part) for part in parts)
        found = self._index.find_symbols_beginning(last, limit=_MAX_BEGINNING, documents=documents)
        before = "".join(outer)
        kept = [
            each
            for each in found
            if not before or before in ends_of_symbol(each.symbol[: -len(split_symbol(each.symbol)[-1])])
        ]
        return [(each, _share(last, each)) for each in kept]

    def _like(
        self, name: str, documents: Selection | None, *, least: float
    ) -> list[tuple[StoredSymbol, float]]:
        from difflib import get_close_matches

        every = self._index.list_symbol_names()
        like = dict.fromkeys(get_close_matches(name, every, n=MAX_NAMED, cutoff=least))
        like |= dict.fromkeys(each for each in every if _has_letters(name, each))
        found = self._index.find_symbols(like, documents=documents)
        return [(each, _share(name, each)) for each in found]

    def _read(self, scored: Sequence[tuple[StoredSymbol, float]], limit: int) -> list[Candidate]:
        ordered = sorted(scored, key=lambda pair: -pair[1])
        first: dict[str, tuple[StoredSymbol, float]] = {}
        for pair in ordered:
            first.setdefault(pair[0].chunk_id, pair)
        left = list(first.values())
        found: dict[tuple[DocumentId, CodeSymbol], Candidate] = {}
        while left and len(found) < limit:
            some, left = left[:limit], left[limit:]
            passages = {
                each.chunk.chunk_id: each
                for each in self._documents.get_chunks([stored.chunk_id for stored, _ in some])
            }
            for stored, score in some:
                passage = passages.get(stored.chunk_id)
                if passage is not None and stored.place < len(passage.chunk.symbols):
                    symbol = passage.chunk.symbols[stored.place]
                    candidate = Candidate(passage, 0.0, len(found) + 1, score, symbol=symbol)
                    found.setdefault((passage.chunk.doc_id, symbol), candidate)
        return list(found.values())[:limit]


def _order(each: StoredSymbol) -> tuple[int, int]:
    """Definitions before tests; what a passage is about before what it holds. Sorting keeps the order of equal ones."""
    return (len(_ROLES) if each.role is None else _ROLES[each.role], each.place)


def _share(name: str, each: StoredSymbol) -> float:
    """Return how alike a name and the last part of a symbol are, below 1."""
    from difflib import SequenceMatcher

    last = fold_name(split_symbol(each.symbol)[-1])
    return min(0.99, SequenceMatcher(None, name, last, autojunk=False).ratio())


def _has_letters(name: str, other: str) -> bool:
    """Whether another name has the first letter of a name first, and the rest in this order."""
    if len(name) < _MIN_LETTERS or other[:1] != name[:1]:
        return False
    letters = iter(other)
    return all(letter in letters for letter in name)
