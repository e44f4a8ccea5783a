"""A lake: synthetic passages published and searched, or a judged set searched in a base and in its lake.

Times are CPU milliseconds or seconds of this process, so that a busy machine changes little.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from functools import cache
from pathlib import Path
from threading import Thread

import numpy as np
from kebab_app import App
from kebab_config import load_settings, quiet_libraries
from kebab_core import (
    ActiveModel,
    CanonicalDocument,
    Chunk,
    ChunkId,
    ChunkTerms,
    Coverage,
    DocFilter,
    DocSummary,
    DocumentId,
    DocumentRecord,
    EmbeddingIdentity,
    IndexedDocument,
    LexicalQuery,
    RawAsset,
    SearchFilters,
    SearchHit,
    SearchMode,
    SearchQuery,
)
from kebab_store_lake import (
    Committer,
    LakeDocumentStore,
    LakeLexicalIndex,
    LakeRevision,
    LakeVectorStore,
    StoredPassage,
    VectorSums,
    read_newest_head,
)
from kebab_testing.bucket_server import BUCKET, serve_bucket
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.vectors import identity_of
from numpy.typing import NDArray

from bench.slow_bucket import SlowBucket
from bench.vectors import clustered, told

PER_DOCUMENT = 8
TERMS = 110
VOCABULARY = 200_000
DIMENSIONS = 384
QUERIES = 60
SEARCHES = 11
"""In a bucket, of each kind."""
CANDIDATES = 40
"""As many as searches of a first page look at by words, and by vectors of each language."""
ROWS_AT_ONCE = 1000
"""Documents."""
KEPT_RECORDS = 2000
"""More than a batch of the committer."""


READER = """
import resource, sys
from pathlib import Path
def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return (used.ru_utime + used.ru_stime) * 1000
started = cpu()
import numpy as np
from kebab_core import LexicalQuery
from kebab_store_lake import LakeDocumentStore, LakeLexicalIndex, LakeRevision, LakeVectorStore
revision = LakeRevision(Path(sys.argv[1]))
index, vectors, documents = LakeLexicalIndex(revision), LakeVectorStore(revision), LakeDocumentStore(revision)
def find(*words):
    hits = index.search(LexicalQuery(terms=words), limit=40)
    documents.get_chunks([hit.chunk_id for hit in hits])
find("w3", "w40")
print(f"reader of its own: first search {cpu() - started:.0f} ms with imports", end="")
model, random = revision.head.model, np.random.default_rng(4)
for number in range(40):
    find(*(f"w{rank}" for rank in random.zipf(1.1, size=6) % 200_000))
    query = random.normal(size=(1, model.dimensions))
    query = (query / np.linalg.norm(query)).astype(np.float32)
    vectors.search(model, memoryview(query), limit=40)
vectors.cosine_distributions(model, memoryview(query))
# the peak of `getrusage` is that of the parent, too
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(f"; after 40 of words and of vectors {int(peak.split()[1]) / 1024:.0f} MB")
"""


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def cpu_ms(run: Callable[[], object]) -> float:
    started = cpu()
    run()
    return (cpu() - started) * 1000


def peak_mb() -> float:
    """Return the most memory that this process has had; that of `getrusage` is of its parent, too."""
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


class Words:
    """Words whose frequencies fall as those of a language do."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(1)

    def draw(self, count: int) -> list[str]:
        """Draw some words."""
        ranks = self._random.zipf(1.1, size=count * 3) - 1
        return [f"w{rank}" for rank in ranks[ranks < VOCABULARY][:count]]


class SyntheticBase:
    """The stores of a `PublishedBase` as far as a committer asks, with documents that are drawn when they are asked for."""

    def __init__(self, passages: int) -> None:
        self._count = passages // PER_DOCUMENT
        self._words = Words()
        self._model = identity_of(DIMENSIONS)
        self.vectors = clustered(np.random.default_rng(2), passages, DIMENSIONS).astype("<f2")
        self._numbers: dict[DocumentId, int] = {}
        self._frequencies: dict[str, int] = {}
        self._records = cache(self._make)
        self._publication = ""
        self.drawing_s = 0.0
        """CPU seconds that drawing documents took."""
        self.changed: dict[DocumentId, str] = {}
        """Documents to be written again."""
        self.documents = self.terms = self.embeddings = self.source_files = self.log = self

    def _make(self, number: int) -> DocumentRecord:
        started = time.thread_time()
        texts = [" ".join(self._words.draw(TERMS)) for _ in range(PER_DOCUMENT)]
        for text in texts:
            for word in set(text.split()):
                self._frequencies[word] = self._frequencies.get(word, 0) + 1
        terms = [ChunkTerms(title="", heading="", body=text, surface=text) for text in texts]
        lang = "ko" if number % 3 else "en"
        spec = RecordSpec(path=f"notes/{number}.md", paragraphs=texts, terms=terms, lang=lang)
        record = build_record(spec)
        self.drawing_s += time.thread_time() - started
        return record

    def _record(self, doc_id: DocumentId) -> DocumentRecord:
        return self._records(self._numbers[doc_id])

    def one_state(self) -> AbstractContextManager[None]:
        """Return a context."""
        return nullcontext()

    def list_changes(self, publication: str) -> Mapping[DocumentId, str] | None:
        """Return the documents that were changed since a publication, each with a mark; None if that is not the last one."""
        return self.changed if self._publication in (publication, ANY) else None

    def note_publication(self, publication: str, _changes: Mapping[DocumentId, str]) -> None:
        """Keep the name of the last publication."""
        self._publication = publication

    def list_states(
        self, _model: EmbeddingIdentity | None, *, among: Collection[DocumentId] | None = None
    ) -> Mapping[DocumentId, str]:
        """Number all documents, or those asked for."""
        if among is None and not self._numbers:
            for number in range(self._count):
                self._numbers[DocumentId(f"{number:032x}")] = number
        return {each: self.changed.get(each, "1") for each in (self._numbers if among is None else among)}

    def count_by_source(self) -> Mapping[str, int]:
        """Return the number of documents."""
        return {"default": self._count}

    def coverage(self, *, now: datetime, stale_threshold_days: int) -> Coverage:
        """Return the numbers of documents."""
        del now, stale_threshold_days
        return Coverage(
            documents_indexed=self._count, documents_pending=0, documents_failed=0, documents_stale=0
        )

    def _renamed(self, doc_id: DocumentId) -> CanonicalDocument:
        return self._record(doc_id).document.model_copy(update={"doc_id": doc_id})

    def get_document(self, doc_id: DocumentId) -> CanonicalDocument:
        """Return a document."""
        return self._renamed(doc_id)

    def get_indexed_document(self, doc_id: DocumentId) -> IndexedDocument:
        """Return it without blocks."""
        return self.describe(self._record(doc_id)).model_copy(update={"doc_id": doc_id})

    @staticmethod
    def describe(record: DocumentRecord) -> IndexedDocument:
        """Return the document of a record with an id of zeros."""
        document, metadata = record.document, record.document.metadata
        return IndexedDocument(
            doc_id=DocumentId("0" * 32),
            doc_path=document.workspace_path,
            title=document.title,
            lang=document.lang,
            media="markdown",
            source_type=metadata.source_type,
            trust_level=metadata.trust_level,
            indexed_at=record.indexed_at,
        )

    def get_asset(self, doc_id: DocumentId) -> RawAsset:
        """Return its file."""
        return self._record(doc_id).asset

    def list_documents(self, criteria: DocFilter) -> list[DocSummary]:
        """Return summaries."""
        return [
            DocSummary(
                **{name: getattr(indexed, name) for name in _SHARED},
                tags=(),
                byte_len=1,
                chunk_count=PER_DOCUMENT,
                created_at=self._record(doc_id).indexed_at,
                updated_at=self._record(doc_id).indexed_at,
                parser_version=self._record(doc_id).document.parser_version,
                chunker_version=self._record(doc_id).chunker_version,
            )
            for doc_id in criteria.doc_id
            for indexed in [self.get_indexed_document(doc_id)]
        ]

    def list_chunks(self, doc_id: DocumentId) -> list[Chunk]:
        """Return its chunks, with ids of their numbers."""
        number = self._numbers[doc_id]
        return [
            chunk.model_copy(update={"doc_id": doc_id, "chunk_id": _chunk_id(number * PER_DOCUMENT + at)})
            for at, chunk in enumerate(self._record(doc_id).chunks)
        ]

    def read_terms(self, doc_id: DocumentId) -> Sequence[ChunkTerms]:
        """Return its terms; its record is not needed any more."""
        terms = self._record(doc_id).terms
        if self._records.cache_info().currsize > KEPT_RECORDS:
            self._records.cache_clear()
        return terms

    def tracked_file(self, *_place: str) -> None:
        """Return None."""

    def document_frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """Return the number of drawn passages with each term."""
        return {term: self._frequencies.get(term, 0) for term in terms}

    def analyzer_version(self) -> str:
        """Return a label."""
        return "words@1"

    def latest_model(self) -> EmbeddingIdentity:
        """Return the model."""
        return self._model

    def active_model(self) -> ActiveModel:
        """Return the model."""
        return ActiveModel(self._model, "{}")

    def chunk_vectors(
        self, _identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId]
    ) -> dict[ChunkId, bytes]:
        """Return vectors by the numbers in the ids."""
        return {each: self.vectors[_number_of(each)].tobytes() for each in chunk_ids}

    def content_version(self) -> str:
        """Return a label."""
        return "1"

    def query_centroids(self, _identity: EmbeddingIdentity) -> None:
        """Return None."""

    query_centroids_version = query_centroids

    def list_failures(self) -> list[object]:
        """Return none."""
        return []

    list_scans = list_repositories = list_failures


_SHARED = (
    "doc_id",
    "source_id",
    "doc_path",
    "title",
    "lang",
    "media",
    "trust_level",
    "source_type",
    "indexed_at",
)
ANY = "*"
"""In place of a publication: the lake was not published from the base, but has all of it."""
_SPREAD = 0x9E3779B97F4A7C15
"""Odd, so that numbers times it are all different in 64 bits, and spread as those of hashes."""


def _chunk_id(number: int) -> ChunkId:
    return ChunkId(f"{number * _SPREAD % 2**64:016x}{number:016x}")


def _number_of(chunk_id: ChunkId) -> int:
    return int(chunk_id[16:], 16)


def write_rows(base: SyntheticBase, passages: int, folder: Path) -> None:
    """Add rows of synthetic passages to a lake of few, and build its indexes: a fifth of the time of a publication."""
    import lance
    import pyarrow as pa

    random, committer = np.random.default_rng(1), Committer(folder, clock=FixedClock())
    head = committer.publish(SyntheticBase(PER_DOCUMENT))  # type: ignore[arg-type]  # has what a publication reads
    tables = {
        name: lance.dataset(str(folder / f"{name}.lance"))
        for name in ("passages", "documents", "terms", "vector_sums")
    }
    for table in tables.values():
        table.delete("true")

    def add(name: str, rows: list[dict[str, object]]) -> None:
        tables[name].insert(pa.Table.from_pylist(rows, schema=tables[name].schema))

    shares = np.cumsum(np.arange(1.0, VOCABULARY + 1) ** -1.1)
    words = np.array([f"w{rank}" for rank in range(VOCABULARY)], dtype=object)
    held, sums = np.zeros(VOCABULARY, np.int64), VectorSums(DIMENSIONS)
    record = build_record(RecordSpec(path="notes/PATH.md", paragraphs=["TEXT"], lang="LANG"))
    chunk = record.chunks[0].model_copy(
        update={"doc_id": DocumentId("0" * 32), "chunk_id": ChunkId("1" * 32)}
    )
    indexed, content = base.describe(record).model_dump_json(), chunk.model_dump_json(exclude_none=True)
    shared = {
        **dict.fromkeys(("source_id", "media", "source_type"), "markdown"),
        **dict.fromkeys(("trust_rank", "updated_us", "indexed_us", "mtime_ns"), 0),
        "tags": [],
    }
    for first in range(0, passages // PER_DOCUMENT, ROWS_AT_ONCE):
        last = min(passages // PER_DOCUMENT, first + ROWS_AT_ONCE)
        count = (last - first) * PER_DOCUMENT
        ranks = np.searchsorted(shares, random.random((count, TERMS)) * shares[-1]).clip(max=VOCABULARY - 1)
        drawn = np.unique(ranks + np.arange(count)[:, None] * VOCABULARY) % VOCABULARY
        held += np.bincount(drawn, minlength=VOCABULARY)
        rows, documents = [], []
        for number in range(first, last):
            doc_id, lang, path = f"{number:032x}", "ko" if number % 3 else "en", f"notes/{number}.md"
            row = {**shared, "doc_id": doc_id, "lang": lang, "path": path}
            described = indexed.replace("0" * 32, doc_id).replace("LANG", lang).replace("PATH", str(number))
            documents.append({
                **row,
                **dict.fromkeys(("chunk_count", "vector_count"), PER_DOCUMENT),
                "indexed": described,
                "asset_id": doc_id,
                "state": "",
            })
            for ordinal in range(PER_DOCUMENT):
                at = number * PER_DOCUMENT + ordinal
                text, chunk_id = " ".join(words[ranks[at - first * PER_DOCUMENT]]), str(_chunk_id(at))
                filled = content.replace("TEXT", text).replace("0" * 32, doc_id).replace("1" * 32, chunk_id)
                rows.append({
                    **row,
                    "chunk_id": chunk_id,
                    "ordinal": ordinal,
                    "ranked": text,
                    "surface": text,
                    "content": StoredPassage(
                        chunk_id,
                        lang,
                        ordinal,
                        "markdown",
                        path,
                        base.vectors[at].tobytes(),
                        zlib.compress(filled.encode(), 6),
                    ).write(),
                    "text_hash": bytes.fromhex(chunk_id),
                    "sample": int(chunk_id[:4], 16),
                    "vector": base.vectors[at],
                })
        add("passages", rows)
        add("documents", documents)
        sums.add([row["lang"] for row in rows], base.vectors[first * PER_DOCUMENT : last * PER_DOCUMENT])
    frequencies = zip(words.tolist(), held.tolist(), strict=True)
    add("terms", [{"kind": "r", "term": word, "frequency": many} for word, many in frequencies if many])
    add("vector_sums", sums.rows())
    counts = {"documents": passages // PER_DOCUMENT, "passages": passages, "vectors": passages}
    versions = {**head.tables, **{name: table.version for name, table in tables.items()}}
    written = head.model_copy(update={**counts, "revision": head.revision + 1, "tables": versions})
    (folder / "head" / f"{written.revision:012}.json").write_text(written.model_dump_json(), "utf-8")
    committer.compact()


def log_indexes() -> None:
    """Have the CPU seconds of each index printed."""
    logging.basicConfig(format="%(message)s", stream=sys.stdout)
    logging.getLogger("kebab.lake").setLevel(logging.DEBUG)


def publish(base: SyntheticBase, folder: Path) -> None:
    """Publish synthetic passages."""
    started, before_mb = cpu(), peak_mb()
    head = Committer(folder, clock=FixedClock()).publish(base)  # type: ignore[arg-type]  # has what a publication reads
    print(
        f"{head.passages:,} passages published, CPU s {cpu() - started:.0f}, of which {base.drawing_s:.0f} drew them; "
        f"memory {peak_mb() - before_mb:.0f} MB more than the {before_mb:.0f} MB of vectors",
        flush=True,
    )
    again = cpu_ms(lambda: Committer(folder, clock=FixedClock()).publish(base))  # type: ignore[arg-type]  # has what a publication reads
    print(f"published again without a change: {again:.0f} ms")
    describe_size(folder)


def publish_changes(base: SyntheticBase, folder: Path) -> None:
    """Publish a few changed documents at a time to a lake that has all of a base."""
    committer = Committer(folder, clock=FixedClock())
    base.list_states(None)
    base.note_publication(ANY, {})
    for first in range(0, 96, 8):
        before = size_of(folder)
        base.changed |= {DocumentId(f"{number:032x}"): "2" for number in range(first, first + 8)}
        started = time.monotonic()
        spent = cpu_ms(lambda: committer.publish(base))  # type: ignore[arg-type]  # has what a publication reads
        print(
            f"published again with 8 more documents that changed: CPU {spent:.0f} ms, {time.monotonic() - started:.1f} s, "
            f"{(size_of(folder) - before) / 1e6:.1f} MB written",
            flush=True,
        )


def size_of(folder: Path, pattern: str = "*") -> int:
    """Return the bytes of a folder's files."""
    return sum(path.stat().st_size for path in folder.rglob(pattern) if path.is_file())


def describe_size(folder: Path) -> None:
    """Print the bytes of a lake."""
    size, indexes = size_of(folder), size_of(folder, "_indices/**/*")
    print(f"{size / 1e6:.0f} MB, of which indexes {indexes / 1e6:.0f} MB, all versions counted", flush=True)


def search_in(base: SyntheticBase, passages: int, folder: Path) -> None:
    """Search a lake of synthetic passages."""
    subprocess.run([sys.executable, "-c", READER, str(folder)], check=True)
    revision = LakeRevision(folder)
    index, vectors = LakeLexicalIndex(revision), LakeVectorStore(revision)
    documents, words = LakeDocumentStore(revision), Words()
    first = cpu_ms(lambda: index.search(LexicalQuery(terms=("w1", "w2")), limit=40))
    print(f"first search of words {first:.0f} ms", flush=True)
    for count in (6, 12):
        queries = [LexicalQuery(terms=tuple(words.draw(count))) for _ in range(QUERIES)]
        told(f"words, {count} terms", [cpu_ms(lambda q=q: index.search(q, limit=40)) for q in queries])
    korean = documents.resolve_filters(SearchFilters(lang=("ko",)))
    told("words, 6 terms, a filter", [
        cpu_ms(lambda q=q: index.search(q, limit=40, documents=korean))
        for q in [LexicalQuery(terms=tuple(words.draw(6))) for _ in range(QUERIES)]
    ])  # fmt: skip
    spent, recalls = [], []
    every = base.vectors.astype(np.float32)
    for query in queries_of(passages, QUERIES):
        found: list[ChunkId] = []

        def run(query: np.ndarray = query, found: list[ChunkId] = found) -> None:
            matrix = memoryview(query.reshape(1, -1))
            found += [hit.chunk_id for hit in vectors.search(base.latest_model(), matrix, limit=40)]

        spent.append(cpu_ms(run))
        best = set(np.argpartition(-(every @ query), 40)[:40].tolist())
        recalls.append(len(best & {_number_of(each) for each in found}) / 40)
    told("vectors, 40 nearest", spent, note=f"recall@40 {sum(recalls) / len(recalls):.3f}")
    hits = [index.search(LexicalQuery(terms=tuple(words.draw(4))), limit=40) for _ in range(QUERIES)]
    told("40 passages with documents", [
        cpu_ms(lambda h=h: documents.get_chunks([match.chunk_id for match in h])) for h in hits
    ])  # fmt: skip
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of writer and reader together {peak:.0f} MB")


def count_requests(passages: int) -> None:
    """Publish to a bucket on loopback, and count what is asked of it."""
    with serve_bucket() as server:
        os.environ.update(server.environ)  # noqa: TID251 - as a user would
        url, base = f"s3://{BUCKET}/lake", SyntheticBase(passages)
        committer = Committer(url, clock=FixedClock())
        for state in ("whole", "without a change"):
            server.requests.clear()
            committer.publish(base)  # type: ignore[arg-type]  # has what a publication reads
            print(f"publication, {state}: {server.requests.total()} requests", flush=True)
        search_bucket(url, server.requests.total)


def queries_of(passages: int, count: int) -> NDArray[np.float32]:
    """Return vectors near some of those that a lake of synthetic passages has."""
    some = clustered(np.random.default_rng(2), passages, DIMENSIONS)[:: max(1, passages // count)][:count]
    noisy = some + 0.02 * np.random.default_rng(3).normal(size=some.shape)
    return (noisy / np.linalg.norm(noisy, axis=1, keepdims=True)).astype(np.float32)


def search_bucket(url: str, requests: Callable[[], int], waited_ms: Callable[[], float] = float) -> None:
    """Search a lake in a bucket, and print how often it is asked, and how long it is waited for."""
    head = LakeRevision(url).head
    words, queries = Words(), queries_of(head.passages, SEARCHES)
    model = head.model or identity_of(DIMENSIONS)

    def search_words(revision: LakeRevision, _number: int) -> list[ChunkId]:
        index, terms = LakeLexicalIndex(revision), tuple(words.draw(6))
        index.document_frequencies(terms)
        hits = index.search(LexicalQuery(terms=terms), limit=CANDIDATES)
        return [hit.chunk_id for hit in hits]

    def search_vectors(revision: LakeRevision, number: int) -> list[ChunkId]:
        vectors, query = LakeVectorStore(revision), memoryview(queries[number : number + 1])
        spreads = vectors.cosine_distributions(model, query)
        hits = [vectors.search(model, query, limit=CANDIDATES, lang=each.lang) for each in spreads]
        both = sorted((hit for some in hits for hit in some), key=lambda hit: -hit.cosine)
        return [hit.chunk_id for hit in both[:CANDIDATES]]

    def search_both(revision: LakeRevision, number: int) -> None:
        documents = LakeDocumentStore(revision)
        found = documents.get_chunks(search_words(revision, number))
        found += documents.get_chunks(search_vectors(revision, number))
        ids = [each.chunk.chunk_id for each in found]
        LakeVectorStore(revision).similarities(model, memoryview(queries[number : number + 1]), ids)

    def measure(name: str, search: Callable[[LakeRevision, int], object], kept: LakeRevision | None) -> None:
        counts, waits, spent = [], [], []
        for number in range(SEARCHES):
            before, waited = requests(), waited_ms()
            spent.append(cpu_ms(lambda n=number: search(kept or LakeRevision(url), n)))
            counts.append(requests() - before)
            waits.append(waited_ms() - waited)
        print(
            f"{name}: {sorted(counts)[SEARCHES // 2]} requests, at most {max(counts)}; waited {sorted(waits)[SEARCHES // 2]:.0f} ms, "
            f"at most {max(waits):.0f}; CPU {sorted(spent)[SEARCHES // 2]:.0f} ms",
            flush=True,
        )

    for name, search in (("words", search_words), ("vectors", search_vectors), ("both", search_both)):
        measure(f"{name}, the first of a process", search, None)
        kept = LakeRevision(url)
        search(kept, 0)
        measure(f"{name}, later ones", search, kept)


def search_slow_bucket(folder: Path, delay_s: float) -> None:
    """Search a lake in a folder as one in a bucket."""
    with SlowBucket(folder.parent, delay_s) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        environ = {
            "AWS_ACCESS_KEY_ID": "someone",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        os.environ.update(environ)  # noqa: TID251 - as a user would
        search_bucket(f"s3://{BUCKET}/{folder.name}", lambda: server.count, server.waited_ms)
        server.shutdown()


def compare(folder: Path, home: Path, *, others: Sequence[str], mode: SearchMode) -> None:
    """Search a judged set in a base and in its lake: nDCG@10 of both, how often they agree, and how far scores are probabilities.

    Args:
        folder: The set.
        home: For the bases.
        others: Queries that it has no answer to.
        mode: Of the searches.
    """
    notes = home / "notes"
    notes.mkdir()
    names = {}
    for number, line in enumerate((folder / "corpus.jsonl").read_text("utf-8").splitlines()):
        row = json.loads(line)
        names[f"{number}.md"] = row["_id"]
        (notes / f"{number}.md").write_text(f"# {row.get('title') or number}\n\n{row['text']}\n", "utf-8")
    judged: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query_id, doc_id, grade = line.split("\t")
        judged.setdefault(query_id, {})[doc_id] = int(grade)
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    found: dict[str, list[list[str]]] = {}
    firsts: dict[str, list[float]] = {}
    for engine in ("sqlite", "lake"):
        config = home / f"{engine}.toml"
        config.write_text(
            f'schema_version = 1\n[workspace]\nroot = "notes"\n[storage]\nengine = "{engine}"\nlake = "lake"\n'
            f'data_dir = "{engine}"\n[models.embedding]\nprovider = "{"none" if mode is SearchMode.LEXICAL else "bundled"}"\n'
        )
        with App(load_settings(config_path=config, environ={"HOME": str(home)})) as app:
            if engine == "sqlite":
                app.ingest(None)
            results = [_search(app, row["text"], mode) for row in queries]
            answered = sum(bool(_search(app, text, mode)) for text in others)
        found[engine] = [[names[hit.doc_path] for hit in hits] for hits in results]
        firsts[engine] = [hits[0].score if hits else 0.0 for hits in results]
        scores = [
            _ndcg(ranked, judged.get(row["_id"], {}))
            for ranked, row in zip(found[engine], queries, strict=True)
        ]
        print(f"{folder.name}, {engine}: nDCG@10 {sum(scores) / len(scores):.4f}")
        print(
            _calibration(
                results,
                [
                    [judged.get(row["_id"], {}).get(names[hit.doc_path], 0) for hit in hits]
                    for row, hits in zip(queries, results, strict=True)
                ],
            )
        )
        print(
            f"queries without a hit: {sum(not hits for hits in results)}; of {len(others)} others with one: {answered}"
        )
    agree = [
        len(set(one) & set(other)) / max(1, len(one)) for one, other in zip(*found.values(), strict=True)
    ]
    print(f"share of the first ten that both have: {sum(agree) / len(agree):.3f}")
    apart = [abs(one - other) for one, other in zip(*firsts.values(), strict=True)]
    mean = {engine: sum(scores) / len(scores) for engine, scores in firsts.items()}
    print(
        f"score of the first hit, mean {mean}, apart {sum(apart) / len(apart):.4f}, at most {max(apart):.4f}"
    )


def _search(app: App, text: str, mode: SearchMode) -> Sequence[SearchHit]:
    return app.search(SearchQuery(text=text, mode=mode, k=10)).hits


def _calibration(results: Sequence[Sequence[SearchHit]], grades: Sequence[Sequence[int]]) -> str:
    """Compare the scores of hits with how many of them are right."""
    pairs = np.array([
        (hit.score, grade > 0)
        for hits, of_query in zip(results, grades, strict=True)
        for hit, grade in zip(hits, of_query, strict=True)
    ])  # fmt: skip
    scores, right = pairs.T
    parts = np.array_split(np.argsort(scores), 10)
    error = sum(len(part) * abs(scores[part].mean() - right[part].mean()) for part in parts) / len(scores)
    brier = ((scores - right) ** 2).mean()
    return f"scores of {len(scores)} hits: mean {scores.mean():.4f}, right {right.mean():.4f}, Brier {brier:.4f}, off by tenths {error:.4f}"


def _ndcg(ranked: Sequence[str], judged: Mapping[str, int]) -> float:
    gain = sum(judged.get(each, 0) / math.log2(rank + 2) for rank, each in enumerate(ranked))
    best = sum(
        grade / math.log2(rank + 2)
        for rank, grade in enumerate(sorted(judged.values(), reverse=True)[: len(ranked) or 10])
    )
    return gain / best if best else 0.0


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=200_000)
    parser.add_argument(
        "--bucket", action="store_true", help="count requests of a bucket on loopback instead"
    )
    parser.add_argument("--set", type=Path, help="a judged set in the layout of BEIR; nothing synthetic then")
    parser.add_argument(
        "--delay-ms", type=float, default=30, help="of a request to the bucket, with --lake and --bucket"
    )
    parser.add_argument("--other", type=Path, help="a set whose queries that one does not answer")
    parser.add_argument(
        "--mode", choices=["lexical", "hybrid"], default="lexical", help="of searches in a set"
    )
    parser.add_argument("--lake", type=Path, help="publish to this folder, or search what is there already")
    parser.add_argument("--rows", action="store_true", help="write rows of no base: search is measured alone")
    parser.add_argument("--changes", action="store_true", help="publish small changes afterwards")
    options = parser.parse_args()
    quiet_libraries()
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        if options.set is not None:
            others = [
                json.loads(line)["text"]
                for line in (options.other / "queries.jsonl").read_text("utf-8").splitlines()[:200]
            ] if options.other else []  # fmt: skip
            compare(options.set, Path(folder), others=others, mode=SearchMode(options.mode))
        elif options.bucket and options.lake:
            search_slow_bucket(options.lake, options.delay_ms / 1000)
        elif options.bucket:
            count_requests(options.passages)
        else:
            base, lake = SyntheticBase(options.passages), options.lake or Path(folder) / "lake"
            log_indexes()
            if read_newest_head(lake) is None and options.rows:
                started_cpu = cpu()
                write_rows(base, options.passages, lake)
                print(f"{options.passages:,} passages written, CPU s {cpu() - started_cpu:.0f}")
                describe_size(lake)
            elif read_newest_head(lake) is None:
                publish(base, lake)
            search_in(base, options.passages, lake)
            if options.changes:
                publish_changes(base, lake)
        print(f"{time.monotonic() - started:.0f} s in all")


if __name__ == "__main__":
    main()
