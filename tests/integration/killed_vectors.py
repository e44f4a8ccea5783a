"""A knowledge base whose run dies while it makes vectors, and what has to be true of it then and after the next run."""

from __future__ import annotations

from pathlib import Path

from kebab_app import App, passage_text
from kebab_config import LoadedSettings
from kebab_core import (
    ChunkId,
    EmbeddingKind,
    NotIndexedError,
    SearchMode,
    SearchQuery,
    vector_index_of,
)
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

from tests.integration.kill_points import KillPoint
from tests.integration.killed_runs import NEW, OLD, KilledBase, is_reached

QUERIES = ("edited new text", "leaves the index", "예전 글")
_SAME = 0.999
_PLACES = 6
"""Decimal places of scores that are compared: sums over the vectors depend on the order of their rows beyond that."""
_Hits = dict[tuple[str, SearchMode], dict[ChunkId, float]]


def open_with_vectors(loaded: LoadedSettings, *, readonly: bool = False) -> App:
    """Open it with an embedder that needs no model."""
    return App(loaded, readonly=readonly, embedder=BagOfWordsEmbedder())


def find_vector_faults(home: Path, point: KillPoint, *, vector_index: str = "lancedb") -> list[str]:
    """Kill a run at a point and let the next one mend it; return what was not as promised, which is nothing."""
    base = KilledBase(home, vector_index=vector_index)
    base.write(OLD)
    with open_with_vectors(base.load()) as app:
        app.ingest()
        faults = _faults_in_the_end(app)
    base.write(NEW)
    with open_with_vectors(base.load("fresh")) as app:
        app.ingest()
        measured = _measured(app)
    status = base.kill(point)
    if not is_reached(point, status):
        faults.append(f"the run ended with {status} instead of dying there")
    faults += [f"before the next run: {fault}" for fault in _faults_for_readers(base)]
    with open_with_vectors(base.load()) as app:
        app.ingest()
        faults += _faults_in_the_end(app)
        if _measured(app) != measured:
            faults.append("the query centroids are not those of a new index")
    return faults + _faults_for_readers(base)


def _measured(app: App) -> bytes | None:
    return app.base.index.embeddings.query_centroids(BagOfWordsEmbedder().identity)


def _faults_for_readers(base: KilledBase) -> list[str]:
    """What is found stands in the index, and the files beside the database change none of it."""
    found, faults = _search(base)
    folder = base.home / "data" / "vectors"
    hidden = folder.rename(folder.with_name("hidden"))
    without, _ = _search(base)
    if folder.exists():
        faults.append("a reader wrote files")
    hidden.rename(folder)
    return faults + [
        f"{query}: {hits} and not {without[query]}" for query, hits in found.items() if hits != without[query]
    ]


def _search(base: KilledBase) -> tuple[_Hits, list[str]]:
    found: _Hits = {}
    faults: list[str] = []
    with open_with_vectors(base.load(), readonly=True) as app:
        for text in QUERIES:
            for mode in (SearchMode.VECTOR, SearchMode.HYBRID):
                try:
                    hits = app.search(SearchQuery(text=text, mode=mode, k=50)).hits
                except NotIndexedError:
                    hits = ()
                found[text, mode] = {hit.chunk_id: round(hit.score, _PLACES) for hit in hits}
                chunk_ids = [hit.chunk_id for hit in hits]
                stored = {chunk.chunk.chunk_id for chunk in app.base.index.documents.get_chunks(chunk_ids)}
                faults += [f"{mode} shows {chunk_id}, which is gone" for chunk_id in {*chunk_ids} - stored]
    return found, faults


def _faults_in_the_end(app: App) -> list[str]:
    """Every chunk has the vector of its own text, and no file is left over."""
    embedder, store = BagOfWordsEmbedder(), app.base.vectors
    identity = embedder.identity
    chunks = _texts(app)
    counts = app.base.index.embeddings.counts(identity)
    faults = [] if counts[:2] == (0, len(chunks)) else [f"{counts} of {len(chunks)} chunks"]
    active = app.base.index.embeddings.active_model()
    if active is None or active.identity != identity:
        faults.append("the model is not the active one")
    for chunk_id, text in chunks.items():
        query = embedder.embed([text], EmbeddingKind.DOCUMENT)
        (cosine,) = store.similarities(identity, query, [chunk_id])
        if cosine is None or cosine < _SAME:
            faults.append(f"{chunk_id} has the vector of another text ({cosine})")
    found = store.search(identity, query, limit=len(chunks) + 1)
    if {hit.chunk_id for hit in found} != chunks.keys():
        faults.append("the vectors are of other chunks")
    index = vector_index_of(identity)
    files = sorted(path.name for path in (app.base.data_dir / "vectors").iterdir())
    suffixes = (
        ("json", "lance", "matrix") if app.loaded.settings.storage.vector_index == "lancedb" else ("matrix",)
    )
    if files != [f"{index}.{suffix}" for suffix in suffixes] or not store.is_current(identity):
        faults.append(f"the files are {files}")
    with app.base.open_for_reading().reading() as connection:
        unnamed = connection.execute(
            "SELECT count(*) FROM documents WHERE embedding_model_id IS NULL"
        ).fetchone()[0]
    if unnamed:
        faults.append(f"{unnamed} documents name no model")
    return faults + [f"doctor: {c.name}: {c.detail}" for c in app.doctor().checks if not c.ok]


def _texts(app: App) -> dict[ChunkId, str]:
    with app.base.open_for_reading().reading() as connection:
        ids = [ChunkId(row[0]) for row in connection.execute("SELECT chunk_id FROM chunks")]
    return {
        found.chunk.chunk_id: passage_text(
            title=found.document.title, heading_path=found.chunk.heading_path, text=found.chunk.text
        )
        for found in app.base.index.documents.get_chunks(ids)
    }
