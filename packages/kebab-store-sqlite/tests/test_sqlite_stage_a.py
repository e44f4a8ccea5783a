"""What one transaction leaves in the tables besides the document: hashes of texts, vectors, index rows."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest
from kebab_core import (
    DocumentId,
    EmbeddingCounts,
    EmbeddingIdentity,
    ExtractedText,
    IngestCounts,
    IngestReport,
    IngestScope,
    InternalError,
    InvalidInputError,
    KebabError,
    LexicalQuery,
    RunId,
    SyntaxGroup,
    SyntaxWords,
    TextHash,
    passage_text,
    text_hash_of,
)
from kebab_store_sqlite import (
    SqliteDatabase,
    SqliteDocumentStore,
    SqliteEmbeddingRepo,
    SqliteJobRepo,
    SqliteLexicalIndex,
    check_integrity,
    erase_deleted,
    repair_lexical_index,
)
from kebab_testing.fakes.clock import START
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.vectors import halves_of, identity_of, unit

SMALL, LARGE = (identity_of(8, model=name) for name in ("small", "large"))


def _put(repo: SqliteEmbeddingRepo, model: EmbeddingIdentity, doc_id: DocumentId) -> None:
    """Store the vectors of all passages of a document."""
    vector = halves_of(unit([1.0] * model.dimensions))
    repo.put(model, dict.fromkeys(repo.text_hashes([doc_id]), vector))


def _hashes(database: SqliteDatabase) -> dict[str, list[bytes]]:
    """Return the hashes of texts in the order of the passages, by path."""
    found: dict[str, list[bytes]] = {}
    with database.reading() as connection:
        for path, text_hash in connection.execute(
            "SELECT workspace_path, text_hash FROM chunks JOIN documents USING (doc_no) ORDER BY doc_id, ordinal"
        ):
            found.setdefault(path, []).append(text_hash)
    return found


def test_each_passage_has_the_hash_of_what_the_model_would_get(database: SqliteDatabase) -> None:
    spec = RecordSpec(paragraphs=("alpha", "beta", "alpha"), title="가나")
    record = build_record(spec)
    SqliteDocumentStore(database).replace_document(record)
    texts = [
        passage_text(title="가나", heading_path=chunk.heading_path, text=chunk.text)
        for chunk in record.chunks
    ]
    assert _hashes(database) == {spec.path: [text_hash_of(text) for text in texts]}
    assert len(set(texts)) == 2


def test_a_title_is_part_of_the_text_that_a_vector_stands_for(database: SqliteDatabase) -> None:
    store = SqliteDocumentStore(database)
    for path, title in (("a.md", "One"), ("b.md", "Two"), ("c.md", "One")):
        store.replace_document(build_record(RecordSpec(path=path, title=title)))
    hashes = _hashes(database)
    assert hashes["a.md"] == hashes["c.md"] != hashes["b.md"]


def test_a_new_document_waits_for_the_vectors_of_its_passages(database: SqliteDatabase) -> None:
    store, repo = SqliteDocumentStore(database), SqliteEmbeddingRepo(database)
    repo.request(SMALL)
    record = build_record(RecordSpec(paragraphs=("alpha", "beta")))
    store.replace_document(record)
    assert [passage.chunk_id for passage in repo.pending(SMALL, limit=9)] == [
        chunk.chunk_id for chunk in record.chunks
    ]
    assert store.coverage(now=START, stale_threshold_days=0).documents_pending == 1
    _put(repo, SMALL, record.document.doc_id)
    assert repo.pending(SMALL, limit=9) == []
    assert store.coverage(now=START, stale_threshold_days=0).documents_pending == 0


def test_without_a_model_no_document_waits(database: SqliteDatabase) -> None:
    store = SqliteDocumentStore(database)
    store.replace_document(build_record(RecordSpec()))
    assert store.coverage(now=START, stale_threshold_days=0).documents_pending == 0


def test_an_edit_keeps_the_vectors_of_texts_that_stay_and_awaits_the_new_ones(
    database: SqliteDatabase,
) -> None:
    store, repo = SqliteDocumentStore(database), SqliteEmbeddingRepo(database)
    repo.request(SMALL)
    old, new = (build_record(RecordSpec(paragraphs=("same", text))) for text in ("old", "new"))
    store.replace_document(old)
    _put(repo, SMALL, old.document.doc_id)
    store.replace_document(new)
    assert repo.counts(SMALL) == EmbeddingCounts(pending=1, committed=1, unused=1)
    (waiting,) = repo.pending(SMALL, limit=9)
    assert waiting.chunk_id == new.chunks[1].chunk_id
    assert waiting.text.endswith("new")
    store.replace_document(old)
    assert repo.counts(SMALL) == EmbeddingCounts(pending=0, committed=2, unused=0)


def test_a_document_that_comes_again_waits_for_nothing(database: SqliteDatabase) -> None:
    store, repo = SqliteDocumentStore(database), SqliteEmbeddingRepo(database)
    repo.request(SMALL)
    record = build_record(RecordSpec(path="a.md"))
    store.replace_document(record)
    _put(repo, SMALL, record.document.doc_id)
    for path in ("a.md", "renamed.md"):
        store.replace_document(build_record(RecordSpec(path=path)))
        assert repo.pending(SMALL, limit=9) == []
        assert repo.counts(SMALL).pending == repo.pending_documents(SMALL) == 0
        assert store.coverage(now=START, stale_threshold_days=0).documents_pending == 0
        assert store.stats().pending_document_count == 0
    assert repo.request(SMALL) == 2
    assert repo.request(SMALL) == 0


def test_a_removed_document_leaves_vectors_until_they_are_evicted(database: SqliteDatabase) -> None:
    store, repo = SqliteDocumentStore(database), SqliteEmbeddingRepo(database)
    record = build_record(RecordSpec())
    repo.request(SMALL)
    store.replace_document(record)
    _put(repo, SMALL, record.document.doc_id)
    store.remove_documents([record.document.doc_id])
    assert repo.counts(SMALL) == EmbeddingCounts(pending=0, committed=0, unused=1)
    assert (list(repo.rows(SMALL)), repo.embedded_models()) == ([], [])
    assert repo.evict(max_bytes=0) == 1
    assert repo.counts(SMALL) == EmbeddingCounts(pending=0, committed=0, unused=0)


def test_vectors_of_two_models_stand_beside_each_other(database: SqliteDatabase) -> None:
    store, repo = SqliteDocumentStore(database), SqliteEmbeddingRepo(database)
    record = build_record(RecordSpec())
    store.replace_document(record)
    repo.request(SMALL)
    _put(repo, SMALL, record.document.doc_id)
    repo.activate(SMALL, "{}")
    repo.request(LARGE)
    assert [len(repo.pending(model, limit=9)) for model in (SMALL, LARGE)] == [0, 1]
    assert repo.evict(max_bytes=0) == 0
    _put(repo, LARGE, record.document.doc_id)
    repo.activate(LARGE, "{}")
    assert repo.evict(max_bytes=0) == 0
    assert repo.embedded_models() == [LARGE, SMALL]
    assert repo.delete_model(SMALL) == 1
    assert repo.embedded_models() == [LARGE]


def test_the_content_version_changes_with_every_change_of_passages_or_vectors(
    database: SqliteDatabase,
) -> None:
    store, repo = SqliteDocumentStore(database), SqliteEmbeddingRepo(database)
    versions = [repo.content_version()]

    def expect(*, change: bool) -> None:
        assert (repo.content_version() != versions[-1]) == change
        versions.append(repo.content_version())

    record = build_record(RecordSpec())
    store.replace_document(record)
    expect(change=True)
    repo.request(SMALL)
    repo.activate(SMALL, "{}")
    expect(change=False)
    _put(repo, SMALL, record.document.doc_id)
    expect(change=True)
    repo.delete(repo.text_hashes([record.document.doc_id]))
    expect(change=True)
    store.remove_documents([record.document.doc_id])
    expect(change=True)
    store.replace_document(record)
    expect(change=True)
    assert all(versions)
    changed = [version for before, version in pairwise(versions) if before != version]
    assert len(set(changed)) == len(changed)


def test_a_failed_write_of_vectors_leaves_nothing_behind(database: SqliteDatabase) -> None:
    store, repo = SqliteDocumentStore(database), SqliteEmbeddingRepo(database)
    record = build_record(RecordSpec(paragraphs=("alpha", "beta")))
    store.replace_document(record)
    repo.request(SMALL)
    version, (first, second) = repo.content_version(), repo.text_hashes([record.document.doc_id])
    bad: dict[TextHash, bytes] = {first: halves_of(unit([1.0] * 8)), second: None}  # type: ignore[dict-item]
    with pytest.raises(KebabError):
        repo.put(SMALL, bad)
    assert repo.counts(SMALL) == EmbeddingCounts(pending=2, committed=0, unused=0)
    assert repo.content_version() == version


def test_terms_and_words_go_with_their_document(database: SqliteDatabase) -> None:
    store, index = SqliteDocumentStore(database), SqliteLexicalIndex(database)
    store.replace_document(build_record(RecordSpec(paragraphs=("alpha", "beta"))))
    assert index.document_frequencies(["alpha"]) == {"alpha": 1}
    record = build_record(RecordSpec(paragraphs=("gamma",)))
    store.replace_document(record)
    assert index.document_frequencies(["alpha", "gamma"]) == {"alpha": 0, "gamma": 1}
    assert index.search(LexicalQuery(phrases=(("beta",),)), limit=5) == []
    store.remove_documents([record.document.doc_id])
    assert index.document_frequencies(["gamma"]) == {"gamma": 0}
    assert check_integrity(database) == []


@pytest.mark.parametrize("table", ["chunks", "document_parts"])
def test_passages_that_are_not_whole_are_noticed(database: SqliteDatabase, table: str) -> None:
    SqliteDocumentStore(database).replace_document(build_record(RecordSpec(paragraphs=("alpha", "beta"))))
    with database.writing() as connection:
        connection.execute(f"CREATE TABLE kept AS SELECT * FROM {table}")
        connection.execute(f"DELETE FROM {table}")
    assert check_integrity(database) != []
    with database.writing() as connection:
        connection.execute(f"INSERT INTO {table} SELECT * FROM kept")
        connection.execute("DROP TABLE kept")


def test_a_broken_full_text_index_is_noticed_and_rebuilt(database: SqliteDatabase) -> None:
    SqliteDocumentStore(database).replace_document(
        build_record(RecordSpec(paragraphs=("alpha beta", "gamma")))
    )
    for table, column in (("chunks_fts", "body"), ("chunks_exact", "surface")):
        with database.writing() as connection:
            row = connection.execute(f"SELECT rowid, {column} FROM {table} LIMIT 1").fetchone()
            connection.execute(
                f"INSERT INTO {table} ({table}, rowid, {column}) VALUES ('delete', ?, ?)",
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
    SqliteJobRepo(database).start_run(RunId("r"), [IngestScope(root="/")], started_at=START)
    assert store.coverage(now=START, stale_threshold_days=0).ingest_running
    assert store.stats().last_ingest_at is None


def test_an_aborted_run_counts_as_ingest_running_until_it_is_settled(database: SqliteDatabase) -> None:
    store, runs = SqliteDocumentStore(database), SqliteJobRepo(database)
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
        LexicalQuery(syntax=SyntaxGroup("AND", (SyntaxWords(("alpha",)), SyntaxWords(("beta",))))),
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
