"""What one transaction leaves in the tables besides the document: vectors to come, vectors to go, index rows."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kebab_core import (
    DocumentId,
    EmbeddingIdentity,
    EmbeddingModelId,
    EmbeddingVersion,
    ExtractedText,
    IngestCounts,
    IngestReport,
    IngestScope,
    InternalError,
    InvalidInputError,
    LexicalQuery,
    RunId,
    embedding_id_for,
)
from kebab_store_sqlite import (
    SqliteDatabase,
    SqliteDocumentStore,
    SqliteIngestRunRepo,
    SqliteLexicalIndex,
    check_integrity,
    erase_deleted,
    repair_lexical_index,
)
from kebab_testing.fakes.clock import START
from kebab_testing.records import RecordSpec, build_record

MODELS = [
    EmbeddingIdentity(model_id=EmbeddingModelId(name), model_version=EmbeddingVersion("1+abc"), dimensions=8)
    for name in ("small", "large")
]


def _records(database: SqliteDatabase) -> set[tuple[str, str]]:
    with database.reading() as connection:
        return {
            tuple(row) for row in connection.execute("SELECT embedding_id, status FROM embedding_records")
        }


def _commit_all(database: SqliteDatabase) -> None:
    with database.writing() as connection:
        connection.execute("UPDATE embedding_records SET status = 'committed'")


def _embedding_id(spec: RecordSpec) -> str:
    model, chunk = spec.embedding, build_record(spec).chunks[0]
    assert model is not None
    return embedding_id_for(chunk_id=chunk.chunk_id, **model.model_dump())


def test_a_new_document_waits_for_the_vectors_of_its_chunks(database: SqliteDatabase) -> None:
    spec = RecordSpec(embedding=MODELS[0])
    SqliteDocumentStore(database).replace_document(build_record(spec))
    assert _records(database) == {(_embedding_id(spec), "pending")}


def test_an_edit_entombs_the_old_vectors_and_awaits_the_new(database: SqliteDatabase) -> None:
    store = SqliteDocumentStore(database)
    old, new = (RecordSpec(paragraphs=(text,), embedding=MODELS[0]) for text in ("old", "new"))
    store.replace_document(build_record(old))
    _commit_all(database)
    store.replace_document(build_record(new))
    assert _records(database) == {(_embedding_id(old), "tombstone"), (_embedding_id(new), "pending")}


def test_vectors_that_were_never_made_leave_no_tombstone(database: SqliteDatabase) -> None:
    store = SqliteDocumentStore(database)
    old, new = (RecordSpec(paragraphs=(text,), embedding=MODELS[0]) for text in ("old", "new"))
    for spec in (old, new):
        store.replace_document(build_record(spec))
    assert _records(database) == {(_embedding_id(new), "pending")}


def test_equal_chunks_are_embedded_anew_and_not_entombed(database: SqliteDatabase) -> None:
    store, spec = SqliteDocumentStore(database), RecordSpec(embedding=MODELS[0])
    store.replace_document(build_record(spec))
    _commit_all(database)
    store.replace_document(build_record(spec))
    assert _records(database) == {(_embedding_id(spec), "pending")}


def test_another_model_entombs_the_vectors_of_the_first(database: SqliteDatabase) -> None:
    store = SqliteDocumentStore(database)
    small, large = (RecordSpec(embedding=model) for model in MODELS)
    store.replace_document(build_record(small))
    _commit_all(database)
    store.replace_document(build_record(large))
    assert _records(database) == {(_embedding_id(small), "tombstone"), (_embedding_id(large), "pending")}
    store.remove_documents([build_record(large).document.doc_id])
    assert _records(database) == {(_embedding_id(small), "tombstone")}


@pytest.mark.parametrize("table", ["documents", "chunks", "chunk_terms"])
def test_full_text_rows_go_with_whatever_they_hang_on(database: SqliteDatabase, table: str) -> None:
    SqliteDocumentStore(database).replace_document(build_record(RecordSpec(paragraphs=("alpha", "beta"))))
    index = SqliteLexicalIndex(database)
    with database.writing() as connection:
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - the names stand above
    assert index.document_frequencies(["alpha"]) == {"alpha": 0}
    assert index.search(LexicalQuery(phrases=(("beta",),)), limit=5) == []
    lost = ["2 passages have lost their terms"] if table == "chunk_terms" else []
    assert check_integrity(database) == lost
    with database.writing() as connection:
        connection.execute("DELETE FROM documents")


def test_full_text_rows_follow_an_update_of_terms(database: SqliteDatabase) -> None:
    SqliteDocumentStore(database).replace_document(build_record(RecordSpec(paragraphs=("alpha",))))
    with database.writing() as connection:
        connection.execute("UPDATE chunk_terms SET body = 'beta', surface = 'gamma'")
    found = SqliteLexicalIndex(database).search(LexicalQuery(terms=("beta",), phrases=(("gamma",),)), limit=5)
    assert len(found) == 1
    assert SqliteLexicalIndex(database).document_frequencies(["alpha", "gamma"]) == {"alpha": 0, "gamma": 0}


def test_a_broken_full_text_index_is_noticed_and_rebuilt(database: SqliteDatabase) -> None:
    SqliteDocumentStore(database).replace_document(
        build_record(RecordSpec(paragraphs=("alpha beta", "gamma")))
    )
    for table, column in (("chunks_fts", "body"), ("chunks_exact", "surface")):
        with database.writing() as connection:
            row = connection.execute(f"SELECT rowid, {column} FROM {table} LIMIT 1").fetchone()  # noqa: S608
            connection.execute(
                f"INSERT INTO {table} ({table}, rowid, {column}) VALUES ('delete', ?, ?)",  # noqa: S608
                (row["rowid"], row[column]),
            )
    assert len(check_integrity(database)) == 2
    assert repair_lexical_index(database)
    assert check_integrity(database) == []
    assert SqliteLexicalIndex(database).document_frequencies(["alpha", "gamma"]) == {"alpha": 1, "gamma": 1}


def test_a_row_that_refers_to_nothing_is_noticed(database: SqliteDatabase) -> None:
    with database.reading() as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("INSERT INTO document_tags (doc_id, tag) VALUES ('gone', 'x')")
        assert check_integrity(database) != []
        connection.execute("DELETE FROM document_tags")


def test_foreign_keys_hold(database: SqliteDatabase) -> None:
    with pytest.raises(InternalError, match="FOREIGN KEY"), database.writing() as connection:
        connection.execute("INSERT INTO document_tags (doc_id, tag) VALUES ('gone', 'x')")


def test_chunks_without_terms_are_refused(database: SqliteDatabase) -> None:
    record = build_record(RecordSpec(paragraphs=("a", "b"))).model_copy(update={"terms": ()})
    with pytest.raises(InvalidInputError):
        SqliteDocumentStore(database).replace_document(record)


def test_an_unfinished_run_counts_as_ingest_running(database: SqliteDatabase) -> None:
    store = SqliteDocumentStore(database)
    assert not store.coverage(now=START, stale_threshold_days=0).ingest_running
    SqliteIngestRunRepo(database).start_run(RunId("r"), [IngestScope(root="/")], started_at=START)
    assert store.coverage(now=START, stale_threshold_days=0).ingest_running
    assert store.stats().last_ingest_at is None


def test_an_aborted_run_counts_as_ingest_running_until_it_is_settled(database: SqliteDatabase) -> None:
    store, runs = SqliteDocumentStore(database), SqliteIngestRunRepo(database)
    report = IngestReport(
        run_id=RunId("r"),
        scopes=(IngestScope(root="/"),),
        counts=IngestCounts(),
        aborted=True,
        duration_ms=1,
        started_at=START,
        finished_at=START + timedelta(milliseconds=1),
    )
    runs.start_run(report.run_id, report.scopes, started_at=START)
    runs.finish_run(report)
    assert store.coverage(now=START, stale_threshold_days=0).ingest_running
    assert store.stats().last_ingest_at == report.finished_at
    runs.settle_runs([report.run_id], at=START)
    assert not store.coverage(now=START, stale_threshold_days=0).ingest_running


def test_stats_tell_the_size_of_the_database(database: SqliteDatabase) -> None:
    files = [database.path.with_name(f"kebab.sqlite{suffix}") for suffix in ("", "-wal", "-shm")]
    assert SqliteDocumentStore(database).stats().sqlite_bytes == sum(file.stat().st_size for file in files)


@pytest.mark.parametrize("strangers", [3, 50_000])
@pytest.mark.parametrize(
    "query",
    [
        LexicalQuery(terms=("alpha",)),
        LexicalQuery(terms=("alpha",), phrases=(("alpha", "beta"),)),
        LexicalQuery(phrases=(("alpha", "beta"),)),
        LexicalQuery(raw="alpha AND beta"),
    ],
)
def test_any_number_of_documents_may_be_asked_for(
    database: SqliteDatabase, query: LexicalQuery, strangers: int
) -> None:
    records = [
        build_record(RecordSpec(path=path, paragraphs=("alpha beta", "gamma"))) for path in ("a.md", "b.md")
    ]
    for record in records:
        SqliteDocumentStore(database).replace_document(record)
    others = frozenset(DocumentId(f"{number:032x}") for number in range(strangers))
    index = SqliteLexicalIndex(database)
    assert index.search(query, limit=5, documents=others) == []
    found = index.search(query, limit=5, documents=others | {records[1].document.doc_id})
    assert [match.chunk_id for match in found] == [records[1].chunks[0].chunk_id]


def test_thousands_of_terms_may_be_asked_for(database: SqliteDatabase) -> None:
    SqliteDocumentStore(database).replace_document(build_record(RecordSpec(paragraphs=("t2999",))))
    terms = tuple(f"t{number}" for number in range(3000))
    assert len(SqliteLexicalIndex(database).search(LexicalQuery(terms=terms), limit=5)) == 1


@pytest.mark.parametrize("length", [0, 100_000])
def test_an_extracted_text_that_was_removed_is_in_no_byte(database: SqliteDatabase, length: int) -> None:
    secret = "xylographquartzbeacon"
    text = ExtractedText(text="a " * length + secret + " b" * length)
    store = SqliteDocumentStore(database)
    for number in range(20):
        store.replace_document(build_record(RecordSpec(path=f"{number}.md", paragraphs=("note",) * number)))
    record = build_record(RecordSpec(path="door.pdf", text=text))

    def holders() -> list[str]:
        files = (path for path in database.data_dir.rglob("*") if path.is_file())
        return [path.name for path in files if secret.encode() in path.read_bytes()]

    store.replace_document(record)
    assert holders()
    store.replace_document(build_record(RecordSpec(path="door.pdf", paragraphs=("changed",))))
    assert erase_deleted(database)
    assert holders() == []
    store.replace_document(record)
    store.remove_documents([record.document.doc_id])
    assert erase_deleted(database)
    assert holders() == []
