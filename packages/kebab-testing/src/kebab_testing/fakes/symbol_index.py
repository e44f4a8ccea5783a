"""The symbols of a document store in memory."""

from __future__ import annotations

from collections.abc import Collection

from kebab_core import Selection, StoredSymbol, fold_name, split_symbol

from kebab_testing.fakes.document_store import InMemoryDocumentStore

_Place = tuple[str, int, int, str]


class InMemorySymbols:
    """The part of a lexical index in memory that finds symbols, by looking at every chunk of the store."""

    def __init__(self, store: InMemoryDocumentStore) -> None:
        self._store = store

    def find_symbols(
        self, names: Collection[str], *, documents: Selection | None = None
    ) -> list[StoredSymbol]:
        """Return the symbols with one of these folded names."""
        return [
            each for name, _, each in sorted(self._symbol_rows(documents), key=_place_of) if name in names
        ]

    def find_symbols_beginning(
        self, beginning: str, *, limit: int, documents: Selection | None = None
    ) -> list[StoredSymbol]:
        """Return the first symbols with a name that begins so."""
        rows = sorted(self._symbol_rows(documents), key=lambda row: (row[0], _place_of(row)))
        return [each for name, _, each in rows if beginning and name.startswith(beginning)][:limit]

    def list_symbol_names(self) -> list[str]:
        """Return the folded names of all symbols."""
        return sorted({name for name, _, _ in self._symbol_rows(None)})

    def _symbol_rows(self, documents: Selection | None) -> list[tuple[str, _Place, StoredSymbol]]:
        return [
            (
                fold_name(split_symbol(each.symbol)[-1]),
                (document.workspace_path, chunk.ordinal, place, document.source_id),
                StoredSymbol(chunk.chunk_id, place, each.symbol, chunk.role),
            )
            for record in self._store.records.values()
            for document in [record.document]
            if documents is None or document.doc_id in documents
            for chunk in record.chunks
            for place, each in enumerate(chunk.symbols)
        ]


def _place_of(row: tuple[str, _Place, StoredSymbol]) -> _Place:
    return row[1]
