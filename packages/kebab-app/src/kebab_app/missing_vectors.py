"""What to do where no passage has a vector of the model in force."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_app.writer_lock import find_writer

if TYPE_CHECKING:
    from pathlib import Path

    from kebab_core import LexicalIndex
    from kebab_store_sqlite import SqliteDatabase


def advise_on_vectors(data_dir: Path, *, database: SqliteDatabase, index: LexicalIndex) -> str:
    """Return what gives passages their vectors, or what to wait for."""
    from kebab_store_sqlite import SqliteIngestRunRepo

    writer = find_writer(data_dir)
    if writer is not None:
        return f"search again later: kebab is at work on the index (pid {writer})"
    if not index.corpus_size() or SqliteIngestRunRepo(database).unfinished_runs():
        return "kebab ingest"
    return "kebab embed"
