"""A knowledge base whose run dies while it makes vectors, and what has to be true of it then and after the next run."""

from __future__ import annotations

from pathlib import Path

from kebab_app import App, VectorParts, passage_text
from kebab_core import ChunkId, EmbeddingCounts, EmbeddingKind, NotIndexedError, SearchMode, SearchQuery
from kebab_store_vector import LanceVectorStore
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

from tests.integration.kill_points import KillPoint
from tests.integration.killed_runs import NEW, OLD, KilledBase, is_reached

QUERIES = ("edited new text", "leaves the index", "예전 글", "색인은 다시 만들어진다", "was not there")
_SAME = 0.999


def open_with_vectors(base: KilledBase, *, readonly: bool = False) -> App:
    """Open it with an embedder that needs no model and vectors on the disk."""
    loaded = base.load()
    store = LanceVectorStore(loaded.paths.data_dir / "lancedb", readonly=readonly)
    return App(loaded, readonly=readonly, vectors=VectorParts(BagOfWordsEmbedder(), store))


def find_vector_faults(home: Path, point: KillPoint) -> list[str]:
    """Kill a run at a point and let the next one mend it; return what was not as promised, which is nothing."""
    base = KilledBase(home)
    base.write(OLD)
    with open_with_vectors(base) as app:
        app.ingest()
        faults = _faults_in_the_end(app)
    base.write(NEW)
    status = base.kill(point)
    if not is_reached(point, status):
        faults.append(f"the run ended with {status} instead of dying there")
    with open_with_vectors(base, readonly=True) as app:
        faults += [f"before the next run: {fault}" for fault in _faults_for_readers(app)]
    with open_with_vectors(base) as app:
        app.ingest()
        return faults + _faults_for_readers(app) + _faults_in_the_end(app)


def _faults_for_readers(app: App) -> list[str]:
    """What is found has to stand in the index, word for word."""
    faults = []
    for text in QUERIES:
        for mode in (SearchMode.VECTOR, SearchMode.HYBRID):
            try:
                hits = app.search(SearchQuery(text=text, mode=mode, k=50)).hits
            except NotIndexedError:
                continue
            found = {hit.chunk_id: hit.snippet for hit in hits}
            stored = {chunk.chunk.chunk_id for chunk in app.base.documents.get_chunks(list(found))}
            faults += [f"{mode} shows {chunk_id}, which is gone" for chunk_id in found.keys() - stored]
    return faults


def _faults_in_the_end(app: App) -> list[str]:
    """Every chunk has the vector of its own text, and nothing else has one."""
    embedder, store = BagOfWordsEmbedder(), app.base.vectors
    chunks = _texts(app)
    counts = app.base.embeddings.counts(embedder.identity)
    faults = [] if counts == EmbeddingCounts(0, len(chunks), 0) else [f"{counts} of {len(chunks)} chunks"]
    tables = store.tables()
    if [table.rows for table in tables] != [len(chunks)]:
        return [*faults, f"{[table.rows for table in tables]} vectors of {len(chunks)} chunks"]
    index_id = tables[0].index_id
    if set(store.chunk_ids(index_id)) != chunks.keys():
        faults.append("the vectors are of other chunks")
    for chunk_id, text in chunks.items():
        query = embedder.embed([text], EmbeddingKind.DOCUMENT)
        (cosine,) = store.similarities(index_id, query, [chunk_id])
        if cosine is None or cosine < _SAME:
            faults.append(f"{chunk_id} has the vector of another text ({cosine})")
    return faults + [f"doctor: {c.name}: {c.detail}" for c in app.doctor().checks if not c.ok]


def _texts(app: App) -> dict[ChunkId, str]:
    with app.base.open_for_reading().reading() as connection:
        ids = [ChunkId(row[0]) for row in connection.execute("SELECT chunk_id FROM chunks")]
    return {
        found.chunk.chunk_id: passage_text(
            title=found.document.title, heading_path=found.chunk.heading_path, text=found.chunk.text
        )
        for found in app.base.documents.get_chunks(ids)
    }
