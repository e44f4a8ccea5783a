"""Names of symbols in conditions on documents."""

from __future__ import annotations

from collections.abc import Iterable

from kebab_core import ends_of_symbol, fold_name, split_name

from kebab_store_sqlite.column_formats import json_text

DEFINES_SYMBOL = """
    d.doc_id IN (SELECT c.doc_id FROM json_each(?) CROSS JOIN code_symbols s CROSS JOIN chunks c USING (chunk_no)
      WHERE s.name = value ->> 0 AND symbol_ends_with(s.symbol, value ->> 1))
"""
"""Condition on a row `d` of `documents` that it defines a symbol; its parameter is made by `symbol_names`."""


def symbol_names(names: Iterable[str]) -> str:
    """Return names of symbols as they are compared: a list of pairs, the last part and the whole name, both folded."""
    parts = [split_name(name) for name in names]
    return json_text([[fold_name(each[-1]), fold_name("".join(each))] for each in parts if each])


def symbol_ends_with(symbol: str, name: str) -> bool:
    """Return whether the last parts of a symbol, or all, make up a folded name."""
    return name in ends_of_symbol(symbol)
