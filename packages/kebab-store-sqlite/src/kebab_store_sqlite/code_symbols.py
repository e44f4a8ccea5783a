"""The symbols of source code, by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from kebab_core import ChunkId, CodeRole, StoredSymbol, fold_name, split_name

from kebab_store_sqlite.column_formats import json_text
from kebab_store_sqlite.database import SqliteDatabase

if TYPE_CHECKING:
    from kebab_core import Selection

DEFINES_SYMBOL = """
    d.doc_no IN (SELECT c.doc_no FROM json_each(?) CROSS JOIN code_symbols s CROSS JOIN chunks c USING (chunk_no)
      WHERE s.name = value ->> 0 AND symbol_ends_with(s.symbol, value ->> 1))
"""
"""Condition on a row `d` of `documents` that it defines a symbol; its parameter is made by `symbol_names`."""
_SYMBOLS = """
    SELECT c.chunk_id, s.place, s.symbol, s.role FROM code_symbols s
    CROSS JOIN chunks c USING (chunk_no) CROSS JOIN documents d USING (doc_no) WHERE {condition} {narrowed}
    ORDER BY {first} d.workspace_path, c.ordinal, s.place, d.source_id LIMIT {limit}
"""
_WITH_NAMES = "s.name IN (SELECT value FROM json_each(?))"
_BEGINNING = "s.name >= ? AND s.name < ?"
_AFTER_ALL = "\U0010ffff"
"""After every text that begins alike."""
_IN_DOCUMENTS = "AND d.doc_id IN (SELECT value FROM json_each(?))"
_NAMES = "SELECT DISTINCT name FROM code_symbols ORDER BY name"
_EVERY = -1


def symbol_names(names: Iterable[str]) -> str:
    """Return names of symbols as they are compared: a list of pairs, the last part and the whole name, both folded."""
    parts = [split_name(name) for name in names]
    return json_text([[fold_name(each[-1]), fold_name("".join(each))] for each in parts if each])


class StoredSymbols:
    """The symbols that passages of source code define."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database

    def find_symbols(
        self, names: Collection[str], *, documents: Selection | None = None
    ) -> list[StoredSymbol]:
        """Return the symbols with one of these folded names."""
        if not names:
            return []
        query = _SYMBOLS.format(condition=_WITH_NAMES, narrowed=_narrowed(documents), first="", limit=_EVERY)
        return self._read(query, [json_text(list(names)), *_within(documents)])

    def find_symbols_beginning(
        self, beginning: str, *, limit: int, documents: Selection | None = None
    ) -> list[StoredSymbol]:
        """Return the first symbols with a name that begins so."""
        if not beginning:
            return []
        query = _SYMBOLS.format(
            condition=_BEGINNING, narrowed=_narrowed(documents), first="s.name,", limit=limit
        )
        return self._read(query, [beginning, beginning + _AFTER_ALL, *_within(documents)])

    def list_symbol_names(self) -> list[str]:
        """Return the folded names of all symbols."""
        with self._db.snapshot() as connection:
            return [name for (name,) in connection.execute(_NAMES)]

    def _read(self, query: str, parameters: Sequence[str]) -> list[StoredSymbol]:
        with self._db.snapshot() as connection:
            return [
                StoredSymbol(ChunkId(chunk_id), place, symbol, role and CodeRole(role))
                for chunk_id, place, symbol, role in connection.execute(query, parameters)
            ]


def _narrowed(documents: Selection | None) -> str:
    return "" if documents is None else _IN_DOCUMENTS


def _within(documents: Selection | None) -> list[str]:
    return [] if documents is None else [json_text(list(documents))]
