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
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from kebab_app import App
from kebab_config import load_settings
from kebab_core import (
    ActiveModel,
    CanonicalDocument,
    Chunk,
    ChunkId,
    ChunkTerms,
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
    StoreStats,
    VectorRows,
)
from kebab_store_lake import (
    Committer,
    LakeDocumentStore,
    LakeLexicalIndex,
    LakeRevision,
    LakeVectorStore,
)
from kebab_testing.bucket_server import BUCKET, serve_bucket
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.vectors import identity_of

from bench.vectors import clustered, told

PER_DOCUMENT = 8
TERMS = 110
VOCABULARY = 200_000
DIMENSIONS = 384
QUERIES = 60
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
        self._vectors = clustered(np.random.default_rng(2), passages, DIMENSIONS).astype("<f2")
        self._numbers: dict[DocumentId, int] = {}
        self._frequencies: dict[str, int] = {}
        self._records = cache(self._make)
        self.documents = self.terms = self.embeddings = self.source_files = self

    def _make(self, number: int) -> DocumentRecord:
        texts = [" ".join(self._words.draw(TERMS)) for _ in range(PER_DOCUMENT)]
        for text in texts:
            for word in set(text.split()):
                self._frequencies[word] = self._frequencies.get(word, 0) + 1
        terms = [ChunkTerms(title="", heading="", body=text, surface=text) for text in texts]
        lang = "ko" if number % 3 else "en"
        return build_record(RecordSpec(path=f"notes/{number}.md", paragraphs=texts, terms=terms, lang=lang))

    def _record(self, doc_id: DocumentId) -> DocumentRecord:
        return self._records(self._numbers[doc_id])

    def list_states(self) -> Mapping[DocumentId, str]:
        """Draw all documents, and forget those that are not of the last batch."""
        for number in range(self._count):
            self._numbers[DocumentId(f"{number:032x}")] = number
        return dict.fromkeys(self._numbers, "1")

    def _renamed(self, doc_id: DocumentId) -> CanonicalDocument:
        return self._record(doc_id).document.model_copy(update={"doc_id": doc_id})

    def get_document(self, doc_id: DocumentId) -> CanonicalDocument:
        """Return a document."""
        return self._renamed(doc_id)

    def get_indexed_document(self, doc_id: DocumentId) -> IndexedDocument:
        """Return it without blocks."""
        record = self._record(doc_id)
        document, metadata = record.document, record.document.metadata
        return IndexedDocument(
            doc_id=doc_id,
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
                **{name: getattr(self.get_indexed_document(doc_id), name) for name in _SHARED},
                tags=(),
                byte_len=1,
                chunk_count=PER_DOCUMENT,
                created_at=self._record(doc_id).indexed_at,
                updated_at=self._record(doc_id).indexed_at,
                parser_version=self._record(doc_id).document.parser_version,
                chunker_version=self._record(doc_id).chunker_version,
            )
            for doc_id in criteria.doc_id
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

    def stats(self) -> StoreStats:
        """Return nothing of interest."""
        zero = dict.fromkeys(
            ("doc_count", "chunk_count", "asset_count", "failed_file_count", "pending_document_count"), 0
        )
        other = dict.fromkeys(
            ("held_document_count", "sqlite_bytes", "asset_bytes", "schema_version", "corpus_revision"), 0
        )
        return StoreStats(**zero, **other)

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

    def rows(self, _identity: EmbeddingIdentity) -> Iterable[VectorRows]:
        """Yield a row for each document."""
        for doc_id in self._numbers or self.list_states():
            yield VectorRows(doc_id, "", b"", bytes(16 * PER_DOCUMENT))

    def chunk_vectors(
        self, _identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId]
    ) -> dict[ChunkId, bytes]:
        """Return vectors by the numbers in the ids."""
        return {each: self._vectors[_number_of(each)].tobytes() for each in chunk_ids}

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
_SPREAD = 0x9E3779B97F4A7C15
"""Odd, so that numbers times it are all different in 64 bits, and spread as those of hashes."""


def _chunk_id(number: int) -> ChunkId:
    return ChunkId(f"{number * _SPREAD % 2**64:016x}{number:016x}")


def _number_of(chunk_id: ChunkId) -> int:
    return int(chunk_id[16:], 16)


def measure(passages: int, folder: Path) -> None:
    """Publish synthetic passages and search them; what an index costs is in the debug log."""
    logging.basicConfig(format="%(message)s", stream=sys.stdout)
    logging.getLogger("kebab.lake").setLevel(logging.DEBUG)
    base = SyntheticBase(passages)
    started = cpu()
    head = Committer(folder, clock=FixedClock()).publish(base)  # type: ignore[arg-type]
    print(f"{head.passages:,} passages published, CPU s {cpu() - started:.0f} (drawing them included)")
    again = cpu_ms(lambda: Committer(folder, clock=FixedClock()).publish(base))  # type: ignore[arg-type]
    print(f"published again without a change: {again:.0f} ms")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    indexes = sum(path.stat().st_size for path in folder.rglob("_indices/**/*") if path.is_file())
    print(f"{size / 1e6:.0f} MB, of which indexes {indexes / 1e6:.0f} MB, all versions counted")
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
    every = base._vectors.astype(np.float32)  # noqa: SLF001 - of this file
    queries = clustered(np.random.default_rng(2), passages, DIMENSIONS)[:QUERIES]
    noisy = queries + 0.02 * np.random.default_rng(3).normal(size=queries.shape)
    noisy = (noisy / np.linalg.norm(noisy, axis=1, keepdims=True)).astype(np.float32)
    for query in noisy:
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
            committer.publish(base)  # type: ignore[arg-type]
            print(f"publication, {state}: {server.requests.total()} requests", flush=True)
        revision, words = LakeRevision(url), Words()
        index, vectors = LakeLexicalIndex(revision), LakeVectorStore(revision)
        documents, random = LakeDocumentStore(revision), np.random.default_rng(3)

        def search_words() -> None:
            index.search(LexicalQuery(terms=tuple(words.draw(6))), limit=40)

        def search_vectors() -> None:
            query = clustered(random, 1, DIMENSIONS).astype(np.float32)
            vectors.search(base.latest_model(), memoryview(query), limit=40)

        def search_both() -> None:
            hits = index.search(LexicalQuery(terms=tuple(words.draw(6))), limit=40)
            search_vectors()
            documents.get_chunks([hit.chunk_id for hit in hits])

        for name, search in (
            ("words", search_words),
            ("vectors", search_vectors),
            ("both, with 40 passages", search_both),
        ):
            counts = []
            for _ in range(20):
                server.requests.clear()
                search()
                counts.append(server.requests.total())
            print(
                f"{name}: {counts[0]} requests for the first, then {sorted(counts[1:])[9]}, at most {max(counts[1:])}"
            )


def compare(folder: Path, home: Path) -> None:
    """Search a judged set by words in a base and in its lake: nDCG@10 of both, and how often they agree."""
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
            f'data_dir = "{engine}"\n[models.embedding]\nprovider = "none"\n'
        )
        with App(load_settings(config_path=config, environ={"HOME": str(home)})) as app:
            if engine == "sqlite":
                app.ingest(None)
            results = [_search(app, row["text"]) for row in queries]
        found[engine] = [[names[hit.doc_path] for hit in hits] for hits in results]
        firsts[engine] = [hits[0].score if hits else 0.0 for hits in results]
        scores = [
            _ndcg(ranked, judged.get(row["_id"], {}))
            for ranked, row in zip(found[engine], queries, strict=True)
        ]
        print(f"{folder.name}, {engine}: nDCG@10 {sum(scores) / len(scores):.4f}")
    agree = [
        len(set(one) & set(other)) / max(1, len(one)) for one, other in zip(*found.values(), strict=True)
    ]
    print(f"share of the first ten that both have: {sum(agree) / len(agree):.3f}")
    apart = [abs(one - other) for one, other in zip(*firsts.values(), strict=True)]
    mean = {engine: sum(scores) / len(scores) for engine, scores in firsts.items()}
    print(
        f"score of the first hit, mean {mean}, apart {sum(apart) / len(apart):.4f}, at most {max(apart):.4f}"
    )


def _search(app: App, text: str) -> Sequence[SearchHit]:
    return app.search(SearchQuery(text=text, mode=SearchMode.LEXICAL, k=10)).hits


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
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        if options.set is not None:
            compare(options.set, Path(folder))
        elif options.bucket:
            count_requests(options.passages)
        else:
            measure(options.passages, Path(folder) / "lake")
        print(f"{time.monotonic() - started:.0f} s in all")


if __name__ == "__main__":
    main()
