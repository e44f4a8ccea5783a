"""The vector store over synthetic vectors with the structure of real ones: reads, writes, size and recall.

Times are CPU milliseconds, so that a busy machine changes little.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from kebab_core import ChunkId, DocumentId, VectorKey
from kebab_store_vector import LanceVectorStore
from kebab_testing.vectors import hex_id, identity_of, index_id
from numpy.typing import NDArray

INDEX = index_id("bench")
CHUNKS_OF_DOCUMENT = 8
BULK = 5000
CLUSTERS = 500
INNER = 48
"""Dimensions in which clustered vectors differ; real embeddings lie near as few."""
Step = Callable[[memoryview], object]
COLD = """
import resource, sys
from pathlib import Path
from array import array
sys.path[:0] = {path!r}
def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return (used.ru_utime + used.ru_stime) * 1000
start = cpu()
from kebab_core import IndexId, VectorHit, VectorTable
core = cpu()
import numpy
arrays = cpu()
from kebab_store_vector import LanceVectorStore
query = memoryview(array("f", {query!r})).cast("B").cast("f", shape=[1, {dimensions}])
hits = LanceVectorStore(Path({folder!r})).search(IndexId({index!r}), query, limit=50)
end = cpu()
assert len(hits) == 50 and not {{"lancedb", "pyarrow"}} & set(sys.modules)
print(core - start, arrays - core, end - arrays)
"""


def clustered(random: np.random.Generator, rows: int, dimensions: int) -> NDArray[np.float32]:
    """Return unit vectors around `CLUSTERS` middles that share a direction, as those of e5 do."""
    spread = random.normal(size=(INNER, dimensions)) / np.sqrt(INNER)
    middles = random.normal(size=(CLUSTERS, INNER))
    inner = middles[random.integers(CLUSTERS, size=rows)] + 0.6 * random.normal(size=(rows, INNER))
    vectors = (
        inner @ spread + 2.0 * random.normal(size=dimensions) + 0.05 * random.normal(size=(rows, dimensions))
    )
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def keys_of(rows: int) -> list[VectorKey]:
    return [
        VectorKey(
            ChunkId(hex_id(f"chunk {row}")),
            DocumentId(hex_id(f"document {row // CHUNKS_OF_DOCUMENT}")),
            "ko" if row // CHUNKS_OF_DOCUMENT % 3 else "en",
        )
        for row in range(rows)
    ]


def cpu_ms(run: Callable[[], object]) -> float:
    started = time.process_time()
    run()
    return (time.process_time() - started) * 1000


def told(name: str, values: Sequence[float], *, note: str = "") -> None:
    p50, p95 = (sorted(values)[min(len(values) - 1, int(share * len(values)))] for share in (0.5, 0.95))
    print(f"{name:32} p50 {p50:7.1f} ms, p95 {p95:7.1f} ms  {note}")


def write(
    store: LanceVectorStore, keys: list[VectorKey], vectors: NDArray[np.float32], *, batch: int
) -> None:
    """Fill an index, most of it in bulk and the end in small batches, and maintain it."""

    def upsert(start: int, end: int) -> None:
        store.upsert(INDEX, keys[start:end], memoryview(np.ascontiguousarray(vectors[start:end])))

    store.ensure_table(INDEX, identity_of(vectors.shape[1]))
    bulk = max(0, len(keys) - 100 * batch) // BULK * BULK
    for size, starts in ((BULK, range(0, bulk, BULK)), (batch, range(bulk, len(keys), batch))):
        told(f"upsert of {size}", [cpu_ms(partial(upsert, start, start + size)) for start in starts])
    gone = [key.chunk_id for key in keys[:500]]
    told("delete of 500", [cpu_ms(lambda: store.delete(INDEX, gone))])
    upsert(0, 500)
    told("maintenance", [cpu_ms(lambda: store.maintain(INDEX))])
    told("maintenance without news", [cpu_ms(lambda: store.maintain(INDEX))])


def read(store: LanceVectorStore, keys: list[VectorKey], asked: list[memoryview]) -> None:
    """Ask what a hybrid search asks, the first questions apart."""
    find = partial(store.search, INDEX, limit=100)
    for name, query in zip(("first search", "second", "third"), asked, strict=False):
        told(name, [cpu_ms(partial(find, query))])
    for query in asked[3:20]:
        find(query)
    ids = [key.chunk_id for key in keys[:: len(keys) // 100]]
    steps: dict[str, Step] = {
        "search": find,
        "similarities of 100": lambda query: store.similarities(INDEX, query, ids),
        "cosine_distributions": lambda query: store.cosine_distributions(INDEX, query),
    }
    later = asked[20:]
    times = {name: [cpu_ms(partial(step, query)) for query in later] for name, step in steps.items()}
    for name, values in times.items():
        told(name, values, note=f"{100 * sum(values) / sum(map(sum, times.values())):.0f} % of the three")
    told("all three for one query", [cpu_ms(partial(run_all, steps.values(), query)) for query in later])
    for share in (0.5, 0.1, 0.01, 0.001):
        documents = frozenset(key.doc_id for key in keys[: int(len(keys) * share)])
        values = [cpu_ms(partial(find, query, documents=documents)) for query in asked[3:40]]
        told(f"search of {share:.1%} of the documents", values, note=f"{len(documents)} documents")
    told("search in one language", [cpu_ms(partial(find, query, lang="en")) for query in asked[3:40]])


def run_all(steps: Iterable[Step], query: memoryview) -> None:
    for step in steps:
        step(query)


def recall(
    store: LanceVectorStore,
    keys: list[VectorKey],
    vectors: NDArray[np.float32],
    *,
    asked: list[memoryview],
) -> None:
    found = []
    for query in asked:
        exact = np.argsort(-(vectors @ np.asarray(query)[0]))[:10]
        hits = store.search(INDEX, query, limit=10)
        found.append(len({keys[row].chunk_id for row in exact} & {hit.chunk_id for hit in hits}) / 10)
    print(f"recall@10 of unseen queries      {np.mean(found):.3f} (worst {min(found):.1f})")


def cold(folder: Path, query: NDArray[np.float32]) -> None:
    script = COLD.format(
        path=sys.path, query=query.tolist(), dimensions=len(query), folder=str(folder), index=str(INDEX)
    )
    runs = []
    for _ in range(7):
        done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
        if done.stderr:
            sys.exit(done.stderr)
        runs.append([float(part) for part in done.stdout.split()])
    for name, values in zip(
        ("kebab_core", "numpy", "store and search"), zip(*runs, strict=True), strict=True
    ):
        told(f"cold: {name}", values)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", "import lancedb"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"cold: `import lancedb` alone     {spent * 1000:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--index", action="store_true", help="build and use the approximate index")
    options = parser.parse_args()
    random = np.random.default_rng(0)
    everything = clustered(random, options.rows + 200, options.dimensions)
    vectors, queries = everything[:-200], everything[-200:]
    keys = keys_of(options.rows)
    exact_rows = options.rows // 2 if options.index else options.rows
    asked = [memoryview(query[None, :]) for query in queries]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "lancedb")
        store = LanceVectorStore(folder, exact_rows=exact_rows)
        write(store, keys, vectors, batch=options.batch)
        report = store.report(INDEX)
        print(report)
        for name, size in (("table", report.table_bytes), ("matrix", report.matrix_bytes)):
            print(f"{name:6} {size / options.rows:8.0f} bytes a vector, {size / 1e6:.0f} MB")
        read(LanceVectorStore(folder, readonly=True, exact_rows=exact_rows), keys, asked)
        recall(store, keys, vectors, asked=asked)
        if not options.index:
            cold(folder, queries[0])
    print(
        f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB, {os.cpu_count()} cores"
    )


if __name__ == "__main__":
    main()
