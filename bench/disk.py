"""Bytes of a data folder against those of its files: copies, database, and each table and index of the database.

By words only (`models.embedding.provider = "none"`), or with random vectors, which take the space of a model's; the log is
checkpointed by the command itself or not at all.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from ingest import Base, find_files
from process_tree import run_watched

MAX_RATIO, MAX_RATIO_WITH_VECTORS = 4, 6
"""Bytes of the data folder against those of the files."""
REPEATS = 5
DOCUMENTS = 200
"""Documents that are read for the figures of reading."""


def build(base: Base, files: Sequence[tuple[Path, Path]]) -> float:
    """Ingest files without vectors; return CPU milliseconds a file."""
    base.fill(files)
    command = [sys.executable, "-m", "kebab_cli", "ingest", "--config", str(base.config)]
    return run_watched(command).cpu_s * 1000 / len(files)


def add_vectors(base: Base) -> None:
    """Give every passage a random vector of 384 dimensions."""
    from growth import RandomEmbedder
    from kebab_app import App
    from kebab_config import load_settings

    overrides = {"models.embedding.provider": "bundled"}
    loaded = load_settings(config_path=base.config, environ={"HOME": str(base.folder)}, overrides=overrides)
    with App(loaded, embedder=RandomEmbedder()) as app:
        app.ingest()


def print_sizes(base: Base, bound: int = MAX_RATIO) -> None:
    """Print the size of each part of the data folder, and of each table with its indexes, over the source."""
    source, data = folder_bytes(base.root), base.folder / "data"
    total = folder_bytes(data)
    verdict = "ok" if total <= bound * source else "MISSED"
    print(f"folder    {total / 1e6:.2f} MB, {total / source:.2f} x, at most {bound}  {verdict}")
    for part in sorted(data.iterdir()):
        if size := folder_bytes(part):
            print(f"  {part.name:36} {size / 1e6:8.2f} MB  {size / source:5.2f} x")
    for name, size in table_bytes(data / "kebab.sqlite"):
        if size > source / 200:
            print(f"    {name:34} {size / 1e6:8.2f} MB  {size / source:5.2f} x")


def folder_bytes(place: Path) -> int:
    """Return the bytes of a file or of all files below a folder."""
    files = [place] if place.is_file() else place.rglob("*")
    return sum(path.stat().st_size for path in files if path.is_file())


def table_bytes(database: Path) -> list[tuple[str, int]]:
    """Return the bytes of the pages of each table and index, the largest first."""
    query = "SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC"
    with closing(sqlite3.connect(database)) as connection:
        free = connection.execute(
            "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size"
        )
        return [*connection.execute(query), ("unused pages", *free.fetchone())]


def print_reading(base: Base) -> None:
    """Print what reading documents and passages through the store costs, in CPU microseconds each."""
    from kebab_core import DocFilter
    from kebab_store_sqlite import SqliteDocumentStore, open_database
    from kebab_testing.fakes.clock import FixedClock

    with open_database(base.folder / "data", clock=FixedClock(), copy_threshold_bytes=0) as database:
        store = SqliteDocumentStore(database)
        documents = store.list_documents(DocFilter())
        sample = [each.doc_id for each in documents[:: max(1, len(documents) // DOCUMENTS)]]
        chunks = [chunk.chunk_id for doc_id in sample for chunk in store.list_chunks(doc_id)][:2000]
        pages = [chunks[start : start + 10] for start in range(0, len(chunks), 10)]
        figures: dict[str, tuple[int, Callable[[], object]]] = {
            "get_document": (len(sample), lambda: [store.get_document(each) for each in sample]),
            "list_chunks": (len(sample), lambda: [store.list_chunks(each) for each in sample]),
            "get_chunks of ten": (len(pages), lambda: [store.get_chunks(page) for page in pages]),
            "neighbours": (len(chunks), lambda: [store.neighbours(each, 1) for each in chunks]),
        }
        for name, (count, read) in figures.items():
            read()
            costs = [cpu_us(read) / count for _ in range(REPEATS)]
            print(f"{name:18} {statistics.median(costs):7.0f} µs ({min(costs):.0f} to {max(costs):.0f})")


def cpu_us(run: Callable[[], object]) -> float:
    started = time.process_time()
    run()
    return (time.process_time() - started) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--include", default="**/*", help="glob below each folder")
    parser.add_argument("--limit", type=int, help="the first N files by path of each folder")
    parser.add_argument("--vectors", action="store_true", help="add random vectors and measure again")
    parser.add_argument("--keep", type=Path, help="build the knowledge bases here, or measure those that are")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for folder in options.folders:
            base = Base((options.keep or Path(scratch)) / folder.name)
            print(f"== {folder.name}")
            if not base.config.exists():
                files = find_files([folder], pattern=options.include, limit=options.limit)
                print(f"ingest    {build(base, files):.1f} CPU ms a file, {len(files)} files")
            print_sizes(base)
            print_reading(base)
            if options.vectors:
                add_vectors(base)
                print_sizes(base, MAX_RATIO_WITH_VECTORS)


if __name__ == "__main__":
    main()
