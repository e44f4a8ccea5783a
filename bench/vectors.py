"""Vectors with the structure of real ones, in a database and searched: writes, reads, size and recall.

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
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import numpy as np
from kebab_core import PendingEmbedding
from kebab_store_sqlite import SqliteDatabase, SqliteDocumentStore, SqliteEmbeddingRepo, open_database
from kebab_store_vector import LanceVectorStore, MatrixVectorStore
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.vectors import identity_of
from numpy.typing import NDArray

CHUNKS_OF_DOCUMENT = 8
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
from kebab_core import EmbeddingIdentity, VectorHit, VectorRow
core = cpu()
import numpy
arrays = cpu()
from kebab_store_sqlite import SqliteEmbeddingRepo, open_database
from kebab_store_vector import LanceVectorStore
from kebab_testing.fakes.clock import FixedClock
query = memoryview(array("f", {query!r})).cast("B").cast("f", shape=[1, {dimensions}])
identity = EmbeddingIdentity(model_id="model", model_version="v1+000000000000", dimensions={dimensions})
with open_database(Path({folder!r}), clock=FixedClock(), copy_threshold_bytes=0, readonly=True) as database:
    store = LanceVectorStore(Path({folder!r}, "vectors"), SqliteEmbeddingRepo(database), readonly=True)
    hits = store.search(identity, query, limit=50)
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


def write_passages(database: SqliteDatabase, count: int) -> None:
    """Store documents of `CHUNKS_OF_DOCUMENT` short passages, two of three Korean."""
    documents = SqliteDocumentStore(database)
    for number in range(count // CHUNKS_OF_DOCUMENT):
        texts = tuple(f"passage {place} of document {number}" for place in range(CHUNKS_OF_DOCUMENT))
        lang = "ko" if number % 3 else "en"
        documents.replace_document(
            build_record(RecordSpec(path=f"notes/{number}.md", paragraphs=texts, lang=lang))
        )


def cpu_ms(run: Callable[[], object]) -> float:
    started = time.process_time()
    run()
    return (time.process_time() - started) * 1000


def told(name: str, values: Sequence[float], *, note: str = "") -> None:
    p50, p95 = (sorted(values)[min(len(values) - 1, int(share * len(values)))] for share in (0.5, 0.95))
    print(f"{name:32} p50 {p50:7.1f} ms, p95 {p95:7.1f} ms  {note}")


def write(
    repo: SqliteEmbeddingRepo, store: MatrixVectorStore, vectors: NDArray[np.float32], *, batch: int
) -> list[PendingEmbedding]:
    """Give all passages their vectors, batch by batch as the embedding pass does, and make the files for searches.

    Returns:
        The passages in the order of their vectors.
    """
    identity = identity_of(vectors.shape[1])
    repo.request(identity)
    halves = vectors.astype("<f2")
    done: list[PendingEmbedding] = []
    spent: dict[str, list[float]] = {name: [] for name in ("list pending", "store batch", "update between")}

    def list_pending() -> None:
        done.extend(repo.pending(identity, limit=batch))

    while (first := len(done)) < len(vectors):
        spent["list pending"].append(cpu_ms(list_pending))
        some = {each.text_hash: halves[row].tobytes() for row, each in enumerate(done[first:], first)}
        spent["store batch"].append(cpu_ms(partial(repo.put, identity, some)))
        spent["update between"].append(cpu_ms(partial(store.update, identity, complete=False)))
    for name, values in spent.items():
        told(f"{name} ({batch})", values, note=f"{sum(values) / 1000:.1f} s of {len(done)} vectors")
    told("update", [cpu_ms(lambda: store.update(identity))])
    told("update without news", [cpu_ms(lambda: store.update(identity))])
    return done


def read(
    store: MatrixVectorStore, passages: list[PendingEmbedding], asked: list[memoryview], *, dimensions: int
) -> None:
    """Ask what a hybrid search asks, the first questions apart."""
    identity = identity_of(dimensions)
    find = partial(store.search, identity, limit=100)
    for name, query in zip(("first search", "second", "third"), asked, strict=False):
        told(name, [cpu_ms(partial(find, query))])
    for query in asked[3:20]:
        find(query)
    ids = [passage.chunk_id for passage in passages[:: len(passages) // 100]]
    steps: dict[str, Step] = {
        "search": find,
        "similarities of 100": lambda query: store.similarities(identity, query, ids),
        "cosine_distributions": lambda query: store.cosine_distributions(identity, query),
    }
    later = asked[20:]
    times = {name: [cpu_ms(partial(step, query)) for query in later] for name, step in steps.items()}
    for name, values in times.items():
        told(name, values, note=f"{100 * sum(values) / sum(map(sum, times.values())):.0f} % of the three")
    told("all three for one query", [cpu_ms(partial(run_all, steps.values(), query)) for query in later])
    for share in (0.5, 0.1, 0.01, 0.001):
        documents = frozenset(passage.doc_id for passage in passages[: int(len(passages) * share)])
        values = [cpu_ms(partial(find, query, documents=documents)) for query in asked[3:40]]
        told(f"search of {share:.1%} of the documents", values, note=f"{len(documents)} documents")
    told("search in one language", [cpu_ms(partial(find, query, lang="en")) for query in asked[3:40]])


def run_all(steps: Iterable[Step], query: memoryview) -> None:
    for step in steps:
        step(query)


def recall(
    store: MatrixVectorStore,
    passages: list[PendingEmbedding],
    vectors: NDArray[np.float32],
    *,
    asked: list[memoryview],
) -> None:
    found = []
    for query in asked:
        exact = np.argsort(-(vectors @ np.asarray(query)[0]))[:10]
        hits = store.search(identity_of(vectors.shape[1]), query, limit=10)
        found.append(len({passages[row].chunk_id for row in exact} & {hit.chunk_id for hit in hits}) / 10)
    print(f"recall@10 of unseen queries      {np.mean(found):.3f} (worst {min(found):.1f})")


def cold(folder: Path, query: NDArray[np.float32]) -> None:
    script = COLD.format(path=sys.path, query=query.tolist(), dimensions=len(query), folder=str(folder))
    runs = []
    for _ in range(7):
        done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
        if done.stderr:
            sys.exit(done.stderr)
        runs.append([float(part) for part in done.stdout.split()])
    for name, values in zip(
        ("kebab_core", "numpy", "stores and search"), zip(*runs, strict=True), strict=True
    ):
        told(f"cold: {name}", values)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", "import lancedb"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"cold: `import lancedb` alone     {spent * 1000:.0f} ms")


def _database_bytes(database: SqliteDatabase) -> int:
    with database.reading() as connection:
        return int(
            connection.execute(
                "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            ).fetchone()[0]
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--index", action="store_true", help="build and use the approximate index")
    options = parser.parse_args()
    random = np.random.default_rng(0)
    count = options.rows // CHUNKS_OF_DOCUMENT * CHUNKS_OF_DOCUMENT
    everything = clustered(random, count + 200, options.dimensions)
    vectors, queries = everything[:-200], everything[-200:]
    exact_rows = count // 2 if options.index else count
    asked = [memoryview(query[None, :]) for query in queries]
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        folder = Path(scratch)
        database = stack.enter_context(open_database(folder, clock=FixedClock(), copy_threshold_bytes=0))
        write_passages(database, count)
        repo = SqliteEmbeddingRepo(database)
        lean = _database_bytes(database)
        store = LanceVectorStore(folder / "vectors", repo, exact_rows=exact_rows)
        passages = write(repo, store, vectors, batch=options.batch)
        sizes = {
            "database": _database_bytes(database) - lean,
            "files": store.size_bytes(identity_of(options.dimensions)),
        }
        for name, size in sizes.items():
            print(f"{name:8} {size / count:8.0f} bytes a vector, {size / 1e6:.0f} MB")
        print(f"index    {store.find_index(identity_of(options.dimensions))}")
        reader = LanceVectorStore(folder / "vectors", repo, readonly=True, exact_rows=exact_rows)
        read(reader, passages, asked, dimensions=options.dimensions)
        bare = MatrixVectorStore(folder / "none", repo, readonly=True)
        first = cpu_ms(partial(bare.search, identity_of(options.dimensions), asked[0], limit=100))
        told("first search without files", [first])
        recall(store, passages, vectors, asked=asked)
        if not options.index:
            cold(folder, queries[0])
    print(
        f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB, {os.cpu_count()} cores"
    )


if __name__ == "__main__":
    main()
