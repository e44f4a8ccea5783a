"""Vectors of schema 6, from a data folder that kebab of that schema has made.

Its notes are `wal.md` with two passages, `kimchi.md` and `twin.md` with equal texts, `later.md` whose passage waits for
its vector, and `gone.md`, which was removed when vectors were off: its vector is still in the folder beside the database.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import struct
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from kebab_core import (
    DocFilter,
    EmbeddingCounts,
    EmbeddingIdentity,
    EmbeddingModelId,
    EmbeddingState,
    EmbeddingVersion,
    ProvenanceKind,
    passage_text,
    text_hash_of,
    vector_index_of,
)
from kebab_store_sqlite import (
    SCHEMA_VERSION,
    SqliteDatabase,
    SqliteDerivationCache,
    SqliteDocumentStore,
    SqliteEmbeddingRepo,
    check_integrity,
    open_database,
)
from kebab_testing.fakes.clock import START, FixedClock
from kebab_testing.vectors import unpack_rows

ARCHIVE = Path(__file__).parent / "data" / "schema6.tar.xz"
MODEL = EmbeddingIdentity(
    model_id=EmbeddingModelId("multilingual-e5-small"),
    model_version=EmbeddingVersion("v1+e8aab0041c42"),
    dimensions=384,
)
OTHER = MODEL.model_copy(update={"dimensions": 8})
WHOLE = EmbeddingCounts(pending=1, committed=4, unused=0)
NONE = EmbeddingCounts(pending=5, committed=0, unused=0)


@pytest.fixture
def former(data_dir: Path) -> Path:
    """The data folder, as it was."""
    data_dir.mkdir(parents=True)
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(data_dir, filter="data")
    return data_dir


@pytest.fixture
def matrix(former: Path) -> Path:
    """The folder of former vectors, where the cache has none."""
    _change(former, "DELETE FROM derivation_cache")
    return former / "lancedb" / f"{vector_index_of(MODEL)}.matrix"


def _change(data_dir: Path, *statements: str) -> None:
    with closing(sqlite3.connect(data_dir / "kebab.sqlite")) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def _open(data_dir: Path, *, readonly: bool = False) -> SqliteDatabase:
    return open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=100, readonly=readonly)


def _cached(data_dir: Path) -> set[bytes]:
    """Return the vectors in the derivation cache, in half precision."""
    with closing(sqlite3.connect(data_dir / "kebab.sqlite")) as connection:
        payloads = [row[0] for row in connection.execute("SELECT payload FROM derivation_cache")]
    return {struct.pack("<384e", *struct.unpack("<384f", payload)) for payload in payloads}


def _vectors(database: SqliteDatabase) -> dict[str, bytes]:
    """Return the vector of each passage, by path and ordinal, after checking that all ways of reading agree."""
    store, repo = SqliteDocumentStore(database), SqliteEmbeddingRepo(database)
    rows = {row.chunk_id: row for row in unpack_rows(repo.rows(MODEL))}
    found = {}
    for document in store.list_documents(DocFilter()):
        for chunk in store.list_chunks(document.doc_id):
            text = passage_text(title=document.title or "", heading_path=chunk.heading_path, text=chunk.text)
            stored = repo.find_vectors(MODEL, [text_hash_of(text)])
            is_embedded = chunk.chunk_id in repo.chunk_vectors(MODEL, [chunk.chunk_id])
            assert is_embedded == bool(stored) == (chunk.chunk_id in rows)
            if stored:
                found[f"{document.doc_path}:{chunk.ordinal}"] = stored[text_hash_of(text)]
    return found


def test_vectors_of_the_cache_are_taken_over_in_half_precision(former: Path) -> None:
    cached = _cached(former)
    shutil.rmtree(former / "lancedb")
    with _open(former) as database:
        repo = SqliteEmbeddingRepo(database)
        assert database.schema_version == SCHEMA_VERSION
        vectors = _vectors(database)
        assert set(vectors) == {"kimchi.md:0", "twin.md:0", "wal.md:0", "wal.md:1"}
        assert set(vectors.values()) == cached
        assert vectors["kimchi.md:0"] == vectors["twin.md:0"]
        assert repo.counts(MODEL) == WHOLE
        assert (repo.latest_model(), repo.embedded_models()) == (MODEL, [MODEL])
        assert [passage.text for passage in repo.pending(MODEL, limit=9)] == [
            "Later\n\nThis one waits for its vector."
        ]
        assert (repo.pending_documents(MODEL), repo.count_pending(MODEL, within=[])) == (1, 0)
        assert repo.content_version()
        assert SqliteDerivationCache(database).size_bytes() == 0
        assert (
            SqliteDocumentStore(database).coverage(now=START, stale_threshold_days=0).documents_pending == 1
        )
        assert check_integrity(database) == []


def test_vectors_of_the_folder_are_taken_over_where_the_cache_has_none(former: Path, data_dir: Path) -> None:
    copy = data_dir.with_name("copy")
    shutil.copytree(former, copy)
    _change(copy, "DELETE FROM derivation_cache WHERE rowid % 2")
    with _open(former) as database, _open(copy) as other:
        assert _vectors(other) == _vectors(database)
        assert SqliteEmbeddingRepo(other).counts(MODEL) == WHOLE


def test_vectors_of_the_folder_alone_are_those_of_the_cache(former: Path, data_dir: Path) -> None:
    cached, copy = _cached(former), data_dir.with_name("copy")
    shutil.copytree(former, copy)
    _change(copy, "DELETE FROM derivation_cache")
    with _open(copy) as database:
        assert set(_vectors(database).values()) == cached


def test_a_passage_knows_the_hash_of_its_text_after_the_takeover(former: Path) -> None:
    with _open(former) as database, database.reading() as connection:
        rows = connection.execute(
            "SELECT d.title, c.chunk_id, c.text_hash FROM chunks c JOIN documents d USING (doc_id)"
        ).fetchall()
        chunks = SqliteDocumentStore(database).get_chunks([row["chunk_id"] for row in rows])
    assert len(rows) == len(chunks) == 5
    contents = {found.chunk.chunk_id: found.chunk for found in chunks}
    for title, chunk_id, text_hash in rows:
        chunk = contents[chunk_id]
        passage = passage_text(title=title, heading_path=chunk.heading_path, text=chunk.text)
        assert text_hash == text_hash_of(passage)


def test_a_request_after_the_takeover_embeds_nothing_again(former: Path) -> None:
    with _open(former) as database:
        repo, store = SqliteEmbeddingRepo(database), SqliteDocumentStore(database)
        events = {
            document.doc_id: [
                event for event in stored.provenance.events if event.kind is ProvenanceKind.EMBEDDED
            ]
            for document in store.list_documents(DocFilter())
            if (stored := store.get_document(document.doc_id)) is not None
        }
        assert sorted(map(len, events.values())) == [0, 1, 1, 1]
        assert repo.request(MODEL) == 0
        (waiting,) = repo.pending(MODEL, limit=9)
        repo.put(MODEL, {waiting.text_hash: struct.pack("<384e", 1, *[0] * 383)})
        assert repo.counts(MODEL) == EmbeddingCounts(pending=0, committed=5, unused=0)
        for doc_id in events:
            stored = store.get_document(doc_id)
            assert stored is not None
            kinds = [event.kind for event in stored.provenance.events]
            assert kinds.count(ProvenanceKind.EMBEDDED) == 1


def test_the_former_folder_goes_and_foreign_files_stay(former: Path) -> None:
    folder = former / "lancedb"
    with _open(former):
        assert not folder.exists()
    assert not list(former.glob("**/*.lance"))


def test_foreign_files_in_the_former_folder_stay(former: Path) -> None:
    folder, outside = former / "lancedb", former.with_name("outside.matrix")
    outside.mkdir()
    (outside / "mine").write_bytes(b"mine")
    (folder / "notes.md").write_bytes(b"mine")
    (folder / "linked.matrix").symlink_to(outside)
    with _open(former) as database:
        assert SqliteEmbeddingRepo(database).counts(MODEL) == WHOLE
    assert {path.name for path in folder.iterdir()} == {"notes.md", "linked.matrix"}
    assert (outside / "mine").exists()


def test_a_linked_folder_is_read_and_left_alone(former: Path) -> None:
    elsewhere = former.with_name("elsewhere")
    (former / "lancedb").rename(elsewhere)
    (former / "lancedb").symlink_to(elsewhere)
    _change(former, "DELETE FROM derivation_cache")
    with _open(former) as database:
        assert SqliteEmbeddingRepo(database).counts(MODEL) == WHOLE
    assert len(list(elsewhere.iterdir())) == 2


@pytest.mark.parametrize(
    "payload",
    ["zeroblob(1536)", "zeroblob(12)", "x''", "substr(payload, 5)", "CAST(payload || x'00000000' AS BLOB)"],
)
def test_a_damaged_vector_of_the_cache_comes_from_the_folder_or_is_pending(
    former: Path, data_dir: Path, payload: str
) -> None:
    cached, copy = _cached(former), data_dir.with_name("copy")
    _change(former, f"UPDATE derivation_cache SET payload = {payload} WHERE kind = 'embedding'")  # noqa: S608
    shutil.copytree(former, copy)
    shutil.rmtree(copy / "lancedb")
    with _open(former) as database, _open(copy) as other:
        assert set(_vectors(database).values()) == cached
        assert _vectors(other) == {}
        assert SqliteEmbeddingRepo(other).counts(MODEL) == NONE
        assert SqliteEmbeddingRepo(other).latest_model() == MODEL


def _file(name: str) -> Callable[[Path], Path]:
    return lambda matrix: next(matrix.glob(name))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["current.json", "*.keys", "*.vectors", "*.dead"])
@pytest.mark.parametrize("content", [None, b"", b"{}", b"[]", b"\xff" * 4000])
def test_a_folder_that_cannot_be_read_leaves_passages_pending(
    former: Path, matrix: Path, name: str, content: bytes | None
) -> None:
    (path,) = matrix.glob(name)
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with _open(former) as database:
        repo = SqliteEmbeddingRepo(database)
        assert repo.counts(MODEL).committed in {0, *([4] if name == "*.dead" else [])}
        assert repo.latest_model() == MODEL
        assert check_integrity(database) == []


def test_a_damaged_row_of_the_folder_leaves_its_passages_pending(former: Path, matrix: Path) -> None:
    (path,) = matrix.glob("*.vectors")
    os.truncate(path, path.stat().st_size - 2 * 768)
    content = bytearray(path.read_bytes())
    content[:768] = b"\xff" * 768
    path.write_bytes(content)
    with _open(former) as database:
        counts = SqliteEmbeddingRepo(database).counts(MODEL)
        assert 0 < counts.committed < 4
        assert counts.committed + counts.pending == 5


def test_a_folder_of_another_model_is_not_taken(former: Path, matrix: Path) -> None:
    manifest = json.loads((matrix / "current.json").read_bytes())
    manifest["identity"]["model_version"] = "v2+000000000000"
    (matrix / "current.json").write_text(json.dumps(manifest), "utf-8")
    with _open(former) as database:
        assert SqliteEmbeddingRepo(database).counts(MODEL) == NONE


def test_deleted_rows_of_the_folder_are_not_taken(former: Path, matrix: Path) -> None:
    manifest = json.loads((matrix / "current.json").read_bytes())
    manifest["dead"] = manifest["rows"]
    (matrix / "current.json").write_text(json.dumps(manifest), "utf-8")
    (dead,) = matrix.glob("*.dead")
    dead.write_bytes(b"".join(struct.pack("<I", row) for row in range(manifest["rows"])))
    with _open(former) as database:
        assert SqliteEmbeddingRepo(database).counts(MODEL) == NONE


def test_a_pending_passage_takes_no_vector_of_the_folder(former: Path, matrix: Path) -> None:
    assert matrix.is_dir()
    _change(former, "UPDATE embedding_records SET status = 'pending' WHERE status = 'committed'")
    with _open(former) as database:
        assert SqliteEmbeddingRepo(database).counts(MODEL) == NONE


def test_the_latest_of_several_models_is_the_one_in_force(former: Path) -> None:
    _change(
        former,
        "INSERT INTO embedding_records (embedding_id, chunk_id, doc_id, model_id, model_version, dimensions, status,"
        " created_at) SELECT 'other' || embedding_id, chunk_id, doc_id, model_id, model_version, 8, 'pending', created_at"
        " FROM embedding_records WHERE status <> 'tombstone'",
    )
    with _open(former) as database:
        repo = SqliteEmbeddingRepo(database)
        assert repo.latest_model() == OTHER
        assert repo.embedded_models() == [MODEL]
        assert (repo.counts(OTHER).pending, repo.counts(MODEL).committed) == (5, 4)
        assert repo.pending_documents(OTHER) == 4


def test_a_folder_without_vectors_is_taken_over(former: Path) -> None:
    _change(former, "DELETE FROM embedding_records", "DELETE FROM derivation_cache")
    shutil.rmtree(former / "lancedb")
    with _open(former) as database:
        repo = SqliteEmbeddingRepo(database)
        assert (repo.latest_model(), repo.embedded_models(), repo.counts(MODEL)) == (None, [], NONE)


def test_a_former_database_for_reading_only_has_no_vectors_and_stays_as_it_is(former: Path) -> None:
    before = (former / "kebab.sqlite").read_bytes()
    with _open(former, readonly=True) as database:
        repo, store = SqliteEmbeddingRepo(database), SqliteDocumentStore(database)
        assert database.schema_version == 6
        assert len(store.list_documents(DocFilter())) == 4
        assert store.coverage(now=START, stale_threshold_days=0).documents_indexed == 4
        assert repo.content_version() == ""
        assert (repo.latest_model(), repo.active_model(), repo.embedded_models()) == (None, None, [])
        assert (list(repo.rows(MODEL)), repo.counts(MODEL)) == ([], NONE)
        assert repo.pending_documents(MODEL) == 4
        (document, *_) = store.list_documents(DocFilter())
        (chunk, *_) = store.list_chunks(document.doc_id)
        assert repo.chunk_vectors(MODEL, [chunk.chunk_id]) == {}
        assert repo.chunk_embeddings(chunk.chunk_id) == []
        assert repo.query_centroids(MODEL) is None
        with repo.one_state():
            assert repo.content_version() == ""
    assert (former / "kebab.sqlite").read_bytes() == before
    assert (former / "lancedb").is_dir()


def test_a_takeover_that_fails_leaves_all_as_it_was(former: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kebab_store_sqlite import vector_takeover

    def fail(*_: object) -> None:
        raise MemoryError

    before = {path.relative_to(former) for path in (former / "lancedb").glob("**/*")}
    with monkeypatch.context() as patch:
        patch.setattr(vector_takeover, "_halved", fail)
        with pytest.raises(MemoryError):
            _open(former)
    with _open(former, readonly=True) as database:
        assert database.schema_version == 6
    assert {path.relative_to(former) for path in (former / "lancedb").glob("**/*")} == before
    with _open(former) as database:
        assert SqliteEmbeddingRepo(database).counts(MODEL) == WHOLE


def test_states_after_the_takeover_are_those_of_each_passage(former: Path) -> None:
    with _open(former) as database:
        repo, store = SqliteEmbeddingRepo(database), SqliteDocumentStore(database)
        states = [
            (str(document.doc_path), embedding.state)
            for document in store.list_documents(DocFilter())
            for chunk in store.list_chunks(document.doc_id)
            for embedding in repo.chunk_embeddings(chunk.chunk_id)
        ]
    assert ("later.md", EmbeddingState.PENDING) in states
    assert states.count(("wal.md", EmbeddingState.COMMITTED)) == 2
    assert len(states) == 5
