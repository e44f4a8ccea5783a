"""What is related to source code by names: callers, callees in its file, definitions of the same name, tests.

Names are compared, nothing is resolved: a call of another function with the same name is a call, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_core import (
    CodeRole,
    CodeSymbol,
    DocumentEntry,
    StoredSymbol,
    SymbolKind,
    fold_name,
    split_symbol,
)

from kebab_documents.code_calls import called_names, describe_symbol, last_name, list_code
from kebab_documents.relations import RelatedDocument, Relation

if TYPE_CHECKING:
    from kebab_core import CanonicalDocument, DocumentStore, LexicalIndex

    from kebab_documents.address_lookup import FoundAddress
    from kebab_documents.code_calls import CallFinder, CallSearch

_UNTESTED = frozenset({SymbolKind.CONSTANT, SymbolKind.FIELD, SymbolKind.MEMBER})
"""Kinds whose names alone tell no test of a file: half of all programs have a `path`."""
_TEST_LETTERS = 4
"""Letters of the shortest name of which tests are found that go on behind it: `test_get_all` is none of `get`."""
_MOST_TESTS = 200


@dataclass(frozen=True, kw_only=True)
class CodeRelations:
    """Finds what is related to source code."""

    documents: DocumentStore
    index: LexicalIndex
    calls: CallFinder
    """Finds calls in other files."""
    entries: Sequence[DocumentEntry]
    """All documents."""

    def find(
        self, found: FoundAddress, document: CanonicalDocument, *, limit: int
    ) -> tuple[list[RelatedDocument], CallSearch | None]:
        """Find what is related to the definitions in some lines, or to a file by its definitions and their tests.

        Args:
            found: What an address names.
            document: The same, with its blocks.
            limit: Maximum number of each relation.

        Returns:
            What calls it, in its file and then in other files of the source, and what it calls in its file, both only where
            lines are given, then definitions of the same name, then tests in the same source, each in the order of path
            and line; and what was looked at for calls in other files, None where none was, as for lines
            without a definition.
        """
        blocks = list_code(document)
        every = [symbol for block in blocks for symbol in block.symbols or ()]
        own = _symbols_at(every, found.lines)
        own_entry = next(each for each in self.entries if each.doc_id == document.doc_id)
        groups: list[tuple[Relation, Iterator[tuple[DocumentEntry, CodeSymbol]]]] = []
        if found.lines is not None:
            calls = {symbol: called_names(blocks, symbol) for symbol in every}
            names = {last_name(symbol) for symbol in own}
            called = {name for symbol in own for name in calls[symbol]}
            groups += [
                (
                    Relation.CALLED_BY,
                    (
                        (own_entry, each)
                        for each in _innermost([each for each in every if names & calls[each]], own)
                    ),
                ),
                (
                    Relation.CALLS,
                    ((own_entry, each) for each in every if last_name(each) in called - names),
                ),
                (Relation.SAME_NAME, self._same_name(own, own_entry)),
            ]
        elsewhere, looked_at = self._find_calls(own, own_entry, found, limit)
        tested = own if found.lines is not None else [each for each in own if each.kind not in _UNTESTED]
        groups.append((Relation.TESTED_BY, self._tests(tested, own_entry)))
        related = [
            one
            for relation, symbols in groups
            for one in [
                *dict.fromkeys(describe_symbol(entry, symbol, relation) for entry, symbol in symbols),
                *(elsewhere if relation is Relation.CALLED_BY else ()),
            ][:limit]
        ]
        return related, looked_at

    def _find_calls(
        self, own: Sequence[CodeSymbol], own_entry: DocumentEntry, found: FoundAddress, limit: int
    ) -> tuple[list[RelatedDocument], CallSearch | None]:
        if found.lines is None or not own:
            return [], None
        names = [*dict.fromkeys(map(last_name, own))]
        return self.calls.find(names, own_entry, limit=limit)

    def _same_name(
        self, own: Sequence[CodeSymbol], own_entry: DocumentEntry
    ) -> Iterator[tuple[DocumentEntry, CodeSymbol]]:
        names = {last_name(symbol) for symbol in own}
        for entry, symbol in self._read(self.index.find_symbols([*map(fold_name, names)])):
            if last_name(symbol) in names and (entry != own_entry or symbol not in own):
                yield entry, symbol

    def _tests(
        self, own: Sequence[CodeSymbol], own_entry: DocumentEntry
    ) -> Iterator[tuple[DocumentEntry, CodeSymbol]]:
        """Yield `test_name`, `test_name_of_case`, `TestName` and `NameTest`."""
        for name in dict.fromkeys(fold_name(last_name(symbol)) for symbol in own):
            found = self.index.find_symbols([f"test{name}", f"{name}test", f"{name}tests"])
            if len(name) >= _TEST_LETTERS:
                longer = self.index.find_symbols_beginning(f"test{name}", limit=_MOST_TESTS)
                found += [each for each in longer if _ends_word(split_symbol(each.symbol)[-1], f"test{name}")]
            tests = [each for each in dict.fromkeys(found) if each.role is CodeRole.TEST]
            for entry, symbol in self._read(tests):
                if entry.source_id == own_entry.source_id and (entry != own_entry or symbol not in own):
                    yield entry, symbol

    def _read(self, stored: Sequence[StoredSymbol]) -> Iterator[tuple[DocumentEntry, CodeSymbol]]:
        entries = {each.doc_id: each for each in self.entries}
        chunks = {
            each.chunk.chunk_id: each.chunk
            for each in self.documents.get_chunks(list(dict.fromkeys(one.chunk_id for one in stored)))
        }
        for each in stored:
            chunk = chunks.get(each.chunk_id)
            if chunk is not None and chunk.doc_id in entries:
                yield entries[chunk.doc_id], chunk.symbols[each.place]


def _symbols_at(every: Sequence[CodeSymbol], lines: tuple[int, int] | None) -> list[CodeSymbol]:
    """List the symbols that begin in some lines, else the innermost one around them; without lines all."""
    if lines is None:
        return list(every)
    first, last = lines
    inside = [each for each in every if first <= each.line_start <= last]
    around = [each for each in every if each.line_start <= first and each.line_end >= last]
    outermost = [each for each in inside if not any(_holds(other, each) for other in inside)]
    return outermost or sorted(around, key=lambda each: each.line_end - each.line_start)[:1]


def _innermost(callers: Sequence[CodeSymbol], own: Sequence[CodeSymbol]) -> list[CodeSymbol]:
    """Leave out what is asked about, and what calls only where another one in it does."""
    return [
        each
        for each in callers
        if each not in own and not any(_holds(each, other) for other in (*callers, *own))
    ]


def _holds(one: CodeSymbol, other: CodeSymbol) -> bool:
    return one is not other and one.line_start <= other.line_start and other.line_end <= one.line_end


def _ends_word(name: str, beginning: str) -> bool:
    """Whether a word of a name ends where its folded beginning does: in `test_get_all` one of `testget`, not in `test_getter`."""
    end = next(
        (at for at in range(len(beginning), len(name) + 1) if fold_name(name[:at]) == beginning), len(name)
    )
    return not name[end : end + 1].islower()
