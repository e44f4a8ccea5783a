"""In how many chunks terms occur, remembered until the corpus changes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from kebab_store_sqlite.json_fields import json_text
from kebab_store_sqlite.store_report import read_corpus_revision

_FREQUENCIES = """
    SELECT j.key, (SELECT v.doc FROM chunks_vocab v WHERE v.term = j.value) FROM json_each(?) j
"""
_REMEMBERED = 50_000


class TermFrequencies:
    """Counts terms once for each revision of the corpus; usable from several threads.

    SQLite counts a term by reading all its places: 2 ms for one in 70,000 chunks, and the common terms of one
    question are those of the next (2026-11).
    """

    def __init__(self) -> None:
        self._known: tuple[int, dict[str, int]] = (-1, {})

    def read(self, connection: sqlite3.Connection, terms: Iterable[str]) -> Mapping[str, int]:
        """Return in how many chunks each term occurs, in any ranked column.

        Args:
            connection: In a transaction, so that counts and revision belong together.
            terms: Each gets an entry.
        """
        wanted = list(dict.fromkeys(terms))
        known = self._of_revision(read_corpus_revision(connection))
        counts = {term: known[term] for term in wanted if term in known}
        unknown = [term for term in wanted if term not in counts]
        if unknown:
            rows = connection.execute(_FREQUENCIES, (json_text(unknown),))
            found = {unknown[place]: count or 0 for place, count in rows}
            counts |= found
            if len(known) < _REMEMBERED:
                known.update(found)
        return counts

    def _of_revision(self, revision: int) -> dict[str, int]:
        if self._known[0] != revision:
            self._known = (revision, {})
        remembered, counts = self._known
        return counts if remembered == revision else {}
