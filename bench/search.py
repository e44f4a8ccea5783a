"""Warm lexical queries over a knowledge base: latency, its ratio to bare FTS5, and what leaving out chunks changes."""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from kebab_app import App
from kebab_config import load_settings, read_environment
from kebab_core import SearchMode, SearchQuery, SearchResponse
from kebab_store_sqlite import SqliteDatabase, fulltext_query, open_database
from kebab_testing.fakes.clock import FixedClock

RAW = """
    SELECT rowid, bm25(chunks_fts, 1.0, 1.5, 2.5) AS score FROM chunks_fts
    WHERE chunks_fts MATCH ? ORDER BY score LIMIT 10
"""
TEMPLATES = ("{}", "{}", "{}는 무엇인가요?", "{}을 어떻게 사용하나요?", "What is {} and how do I use it?")
EVERYTHING = 1 << 62


def read_queries(files: Sequence[Path], *, limit: int) -> list[str]:
    """Return so many texts of `queries.jsonl` files, some made into questions, the same ones in every run."""
    chosen = random.Random(0)  # noqa: S311 - the same sample in every run
    texts = [json.loads(line)["text"] for file in files for line in file.read_text("utf-8").splitlines()]
    sample = chosen.sample(texts, min(limit, len(texts)))
    return [TEMPLATES[number % len(TEMPLATES)].format(text) for number, text in enumerate(sample)]


def cpu_ms(run: Callable[[], object]) -> float:
    started = time.process_time()
    run()
    return (time.process_time() - started) * 1000


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def find(app: App, text: str, *, trace: bool = False) -> SearchResponse:
    return app.search(SearchQuery(text=text, mode=SearchMode.LEXICAL, k=10, trace=trace))


def match_expression(app: App, text: str) -> str:
    trace = find(app, text, trace=True).trace
    asked = [term.text.replace('"', '""') for term in trace.terms if term.searched] if trace else []
    return " OR ".join(f'"{term}"' for term in asked)


def run_raw(database: SqliteDatabase, expression: str) -> None:
    if expression:
        with database.reading() as connection:
            connection.execute(RAW, (expression,)).fetchall()


def measure(app: App, database: SqliteDatabase, queries: Sequence[str]) -> None:
    """Print CPU milliseconds, so that a busy machine changes little, of both in turn."""
    ours, raw = [], []
    for text in queries:
        expression = match_expression(app, text)
        ours.append(cpu_ms(lambda text=text: find(app, text)))
        raw.append(cpu_ms(lambda expression=expression: run_raw(database, expression)))
    for name, values in (("kebab", ours), ("FTS5", raw)):
        print(f"{name:6} p50 {percentile(values, 0.5):5.1f} ms, p95 {percentile(values, 0.95):5.1f} ms")
    p50, p95 = (percentile(ours, share) / percentile(raw, share) for share in (0.5, 0.95))
    print(f"ratio  {sum(ours) / sum(raw):.2f} of all, p50 {p50:.2f}, p95 {p95:.2f}, {len(queries)} queries")


def check_pruning(app: App, queries: Sequence[str]) -> None:
    """Compare the first ten hits and their scores with those of looking at every chunk, for several limits."""
    few = fulltext_query._FEW_CHUNKS  # noqa: SLF001 - the constant under test
    found = {}
    for limit in (EVERYTHING, few, 100, 0):
        fulltext_query._FEW_CHUNKS = limit  # noqa: SLF001
        found[limit] = [[(hit.chunk_id, hit.score) for hit in find(app, text).hits] for text in queries]
        different = sum(one != other for one, other in zip(found[limit], found[EVERYTHING], strict=True))
        print(f"limit  {limit}: {different} of {len(queries)} queries have another top ten")
    fulltext_query._FEW_CHUNKS = few  # noqa: SLF001


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path, help="`kebab.toml` of a knowledge base that has been ingested")
    parser.add_argument("queries", type=Path, nargs="+", help="files of lines with a `text`")
    parser.add_argument("--limit", type=int, default=200, help="how many queries")
    options = parser.parse_args()
    loaded = load_settings(config_path=options.config, environ=read_environment())
    queries = read_queries(options.queries, limit=options.limit)
    with App(loaded) as app:
        for text in queries:
            find(app, text)
        data_dir = app.base.data_dir
        with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=0, readonly=True) as database:
            measure(app, database, queries)
        check_pruning(app, queries)


if __name__ == "__main__":
    main()
