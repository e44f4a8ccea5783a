"""Laws of `EmbeddingRepo`: pending, committed and deleted rows of the chunks of a document store."""

from __future__ import annotations

import pytest
from kebab_core import (
    ChunkId,
    DocFilter,
    DocumentId,
    DocumentRecord,
    DocumentStore,
    EmbeddingCounts,
    EmbeddingRepo,
    ProvenanceKind,
    embedding_id_for,
)

from kebab_testing.records import RecordSpec, build_record
from kebab_testing.vectors import hex_id, identity_of

StoreAndEmbeddings = tuple[DocumentStore, EmbeddingRepo]
MODEL = identity_of(4)
OTHER_VERSION = identity_of(4, version="v1+ffffffffffff")
WIDER = identity_of(8)


class EmbeddingRepoLaws:
    """Subclass it and override the `embedded` fixture with an empty store and its embeddings."""

    @pytest.fixture
    def embedded(self) -> StoreAndEmbeddings:
        """Give an empty store and what is known of the vectors of its chunks."""
        raise NotImplementedError

    def test_an_empty_store_wants_no_vectors(self, embedded: StoreAndEmbeddings) -> None:
        _, repo = embedded
        assert repo.request(MODEL) == 0
        assert repo.counts(MODEL) == EmbeddingCounts(0, 0, 0)
        assert (repo.pending(MODEL, limit=9), repo.list_deleted(limit=9)) == ([], [])
        assert list(repo.committed(MODEL)) == []
        assert repo.pending_documents(MODEL) == 0

    def test_documents_of_a_model_are_pending_with_what_it_is_told(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        _put(store, "a.md", "one", "two", model=True, title="A title", lang="ko")
        (first, second) = repo.pending(MODEL, limit=9)
        assert (first.text, second.text) == ("one", "two")
        assert (first.title, first.heading_path, first.lang) == ("A title", ("A title",), "ko")
        assert repo.counts(MODEL) == EmbeddingCounts(2, 0, 0)
        assert repo.pending_documents(MODEL) == 1

    def test_chunks_of_a_document_come_together_and_in_order(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        for path in "abc":
            _put(store, f"{path}.md", *(f"{path}{number}" for number in range(5)), model=True)
        texts = [chunk.text for chunk in repo.pending(MODEL, limit=99)]
        documents = [text[0] for text in texts[::5]]
        assert sorted(documents) == ["a", "b", "c"]
        assert texts == [f"{path}{number}" for path in documents for number in range(5)]
        assert [chunk.text for chunk in repo.pending(MODEL, limit=7)] == texts[:7]

    def test_chunks_of_some_documents_can_be_asked_for_alone(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        one, two, _ = (_put(store, f"{path}.md", f"{path}1", f"{path}2", model=True) for path in "abc")
        within = frozenset({one.document.doc_id, two.document.doc_id})
        assert sorted(chunk.text for chunk in repo.pending(MODEL, limit=99, within=within)) == [
            "a1",
            "a2",
            "b1",
            "b2",
        ]
        assert len(repo.pending(MODEL, limit=3, within=within)) == 3
        repo.commit(MODEL, [one.chunks[0].chunk_id], table="t")
        assert repo.count_pending(MODEL, within=within) == 3
        assert repo.count_pending(OTHER_VERSION, within=within) == 0
        assert (repo.pending(MODEL, limit=9, within=()), repo.count_pending(MODEL, within=())) == ([], 0)

    def test_a_request_makes_what_has_no_row_pending_and_nothing_else(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        old = _put(store, "old.md", "one", "two")
        _put(store, "new.md", "three", model=True)
        assert repo.counts(MODEL).pending == 1
        assert repo.pending_documents(MODEL) == 2
        assert repo.request(MODEL) == 3
        repo.commit(MODEL, [old.chunks[0].chunk_id], table="t")
        assert repo.request(MODEL) == 2
        assert repo.counts(MODEL) == EmbeddingCounts(2, 1, 0)

    def test_committed_chunks_are_listed_by_id_and_pending_no_more(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        record = _put(store, "a.md", "one", "two", "three", model=True)
        ids = [chunk.chunk_id for chunk in record.chunks]
        before = store.corpus_revision()
        repo.commit(MODEL, [*ids[:2], ChunkId(hex_id("unknown"))], table="t")
        assert store.corpus_revision() > before
        assert list(repo.committed(MODEL)) == sorted(ids[:2])
        asked = [ids[2], ids[0], ChunkId(hex_id("unknown"))]
        assert repo.find_committed(MODEL, asked) == {ids[0]}
        assert repo.find_committed(WIDER, asked) == repo.find_committed(MODEL, []) == frozenset()
        assert [chunk.chunk_id for chunk in repo.pending(MODEL, limit=9)] == ids[2:]
        assert repo.pending_documents(MODEL) == 1
        repo.commit(MODEL, ids, table="t")
        assert repo.counts(MODEL) == EmbeddingCounts(0, 3, 0)
        assert repo.pending_documents(MODEL) == 0

    def test_a_document_with_all_its_vectors_says_so_in_its_provenance_once_for_each_model(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        record = _put(store, "a.md", "one", "two", model=True)
        other = _put(store, "b.md", "three", model=True)
        ids = [chunk.chunk_id for chunk in record.chunks]
        repo.commit(MODEL, ids[:1], table="t")
        assert _embedded_notes(store, record) == []
        repo.commit(MODEL, ids, table="t")
        repo.reopen(MODEL)
        repo.commit(MODEL, ids, table="t")
        note = f"{MODEL.model_id}@{MODEL.model_version}: 4 dimensions"
        assert _embedded_notes(store, record) == [note]
        repo.request(WIDER)
        repo.commit(WIDER, ids, table="t")
        assert _embedded_notes(store, record) == [note, note.replace("4 dim", "8 dim")]
        assert _embedded_notes(store, other) == []
        assert repo.counts(MODEL) == EmbeddingCounts(1, 2, 0)
        _put(store, "a.md", "one", "two", model=True)
        assert _embedded_notes(store, record) == []

    def test_embeddings_of_a_chunk_are_listed_by_model_with_their_state(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        (chunk_id,) = _commit_all(store, repo, "a.md", "one")
        repo.request(WIDER)
        found = repo.chunk_embeddings(chunk_id)
        assert {(each.identity, each.state.value) for each in found} == {
            (MODEL, "committed"),
            (WIDER, "pending"),
        }
        assert [each.identity for each in found] == sorted(
            (MODEL, WIDER), key=lambda model: (model.model_id, model.model_version, model.dimensions)
        )
        store.remove_documents(_ids(store))
        (dead,) = repo.list_deleted(limit=9)
        assert [(each.embedding_id, each.state.value) for each in repo.chunk_embeddings(chunk_id)] == [
            (dead.embedding_id, "deleted")
        ]
        assert repo.chunk_embeddings(ChunkId(hex_id("unknown"))) == []

    def test_nothing_committed_leaves_the_revision(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        record = _put(store, "a.md", "one", model=True)
        ids = [chunk.chunk_id for chunk in record.chunks]
        repo.commit(MODEL, ids, table="t")
        before = store.corpus_revision()
        repo.commit(MODEL, ids, table="t")
        repo.commit(MODEL, [], table="t")
        assert store.corpus_revision() == before

    def test_lost_vectors_are_wanted_again(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        ids = _commit_all(store, repo, "a.md", "one", "two", "three")
        assert repo.reopen(MODEL, ids[:1]) == 1
        assert repo.counts(MODEL) == EmbeddingCounts(1, 2, 0)
        assert repo.reopen(MODEL, []) == 0
        assert repo.reopen(MODEL) == 2
        assert repo.reopen(MODEL) == 0
        assert repo.counts(MODEL) == EmbeddingCounts(3, 0, 0)

    def test_a_removed_document_leaves_deleted_rows_of_its_stored_vectors_only(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        ids = _commit_all(store, repo, "a.md", "one", "two")
        _put(store, "b.md", "three", model=True)
        store.remove_documents(_ids(store))
        assert repo.counts(MODEL) == EmbeddingCounts(0, 0, 2)
        dead = repo.list_deleted(limit=9)
        assert {embedding.chunk_id for embedding in dead} == set(ids)
        assert {embedding.identity for embedding in dead} == {MODEL}
        assert len(repo.list_deleted(limit=1)) == 1
        repo.purge_deleted([dead[0].embedding_id])
        repo.purge_deleted([dead[0].embedding_id])
        assert repo.list_deleted(limit=9) == dead[1:]

    def test_a_replaced_document_wants_its_vectors_again(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        _commit_all(store, repo, "a.md", "one", "two")
        _put(store, "a.md", "one", "two", model=True)
        assert repo.counts(MODEL) == EmbeddingCounts(2, 0, 0)
        _put(store, "a.md", "other", model=True)
        assert repo.counts(MODEL) == EmbeddingCounts(1, 0, 0)

    def test_a_vector_that_is_wanted_again_is_not_purged(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        (chunk_id,) = _commit_all(store, repo, "a.md", "one")
        store.remove_documents(_ids(store))
        (dead,) = repo.list_deleted(limit=9)
        _put(store, "a.md", "one")
        assert repo.request(MODEL) == 1
        repo.purge_deleted([dead.embedding_id])
        assert [chunk.chunk_id for chunk in repo.pending(MODEL, limit=9)] == [chunk_id]
        assert repo.list_deleted(limit=9) == []

    def test_models_do_not_meet(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        (chunk_id,) = _commit_all(store, repo, "a.md", "one")
        for other in (OTHER_VERSION, WIDER):
            assert repo.counts(other) == EmbeddingCounts(0, 0, 0)
            assert repo.pending_documents(other) == 1
            assert repo.request(other) == 1
            repo.reopen(other)
            repo.commit(other, [chunk_id], table="t")
        assert repo.reopen(WIDER) == 1
        assert repo.counts(MODEL) == repo.counts(OTHER_VERSION) == EmbeddingCounts(0, 1, 0)
        assert repo.counts(WIDER) == EmbeddingCounts(1, 0, 0)

    def test_what_is_pending_of_other_models_can_be_withdrawn(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        _commit_all(store, repo, "a.md", "one")
        _put(store, "b.md", "two")
        for model in (MODEL, OTHER_VERSION, WIDER):
            repo.request(model)
        assert repo.withdraw(keep=MODEL) == 4
        assert repo.counts(MODEL) == EmbeddingCounts(1, 1, 0)
        assert repo.counts(WIDER) == EmbeddingCounts(0, 0, 0)
        assert repo.withdraw() == 1
        assert repo.counts(MODEL) == EmbeddingCounts(0, 1, 0)

    def test_all_rows_can_be_forgotten(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        _commit_all(store, repo, "a.md", "one", "two")
        repo.request(WIDER)
        before = store.corpus_revision()
        assert repo.forget() == 4
        assert store.corpus_revision() > before
        assert repo.counts(MODEL) == repo.counts(WIDER) == EmbeddingCounts(0, 0, 0)
        assert repo.request(MODEL) == 2

    def test_ids_of_deleted_vectors_follow_the_recipe(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        (chunk_id,) = _commit_all(store, repo, "a.md", "one")
        store.remove_documents(_ids(store))
        expected = embedding_id_for(
            chunk_id=chunk_id,
            model_id=MODEL.model_id,
            model_version=MODEL.model_version,
            dimensions=MODEL.dimensions,
        )
        assert [embedding.embedding_id for embedding in repo.list_deleted(limit=9)] == [expected]

    def test_query_centroids_are_kept_by_model_until_all_rows_are_deleted(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        assert repo.query_centroids(MODEL) is None
        revision = store.corpus_revision()
        for content in (b"first", "나중".encode()):
            repo.save_query_centroids(MODEL, content)
        repo.save_query_centroids(WIDER, b"another")
        assert store.corpus_revision() == revision
        assert (repo.query_centroids(MODEL), repo.query_centroids(OTHER_VERSION)) == ("나중".encode(), None)
        repo.forget()
        assert repo.query_centroids(MODEL) is repo.query_centroids(WIDER) is None

    def test_the_latest_checkpoint_is_kept_by_model_until_all_rows_are_deleted(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        assert repo.checkpoint_version(MODEL) is None
        revision = store.corpus_revision()
        for version in ("first", "second"):
            repo.checkpoint(MODEL, version)
        repo.checkpoint(WIDER, "another")
        assert store.corpus_revision() == revision
        assert (repo.checkpoint_version(MODEL), repo.checkpoint_version(OTHER_VERSION)) == ("second", None)
        repo.forget()
        assert repo.checkpoint_version(MODEL) is repo.checkpoint_version(WIDER) is None

    def test_documents_with_lost_vectors_are_counted_with_those_that_have_none_yet(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        whole = _put(store, "whole.md", "one", "two", model=True)
        spoilt = _put(store, "spoilt.md", "three", "four", model=True)
        ids = [chunk.chunk_id for record in (whole, spoilt) for chunk in record.chunks]
        repo.commit(MODEL, ids, table="t")
        lost = [chunk.chunk_id for chunk in spoilt.chunks]
        assert repo.pending_documents(MODEL) == 0
        assert repo.pending_documents(MODEL, lost=lost) == 1
        assert repo.pending_documents(MODEL, lost=[*lost, ChunkId(hex_id("gone since"))]) == 1
        _put(store, "new.md", "five", model=True)
        assert repo.pending_documents(MODEL, lost=lost) == 2


def _embedded_notes(store: DocumentStore, record: DocumentRecord) -> list[str | None]:
    """Return the notes of the `embedded` events of a document, which are the last of its provenance."""
    document = store.get_document(record.document.doc_id)
    assert document is not None
    events = document.provenance.events
    notes = [event.note for event in events if event.kind is ProvenanceKind.EMBEDDED]
    assert [event.note for event in events[len(events) - len(notes) :]] == notes
    return notes


def _ids(store: DocumentStore) -> list[DocumentId]:
    return [document.doc_id for document in store.list_documents(DocFilter())]


def _put(
    store: DocumentStore, path: str, *texts: str, model: bool = False, title: str = "Title", lang: str = "en"
) -> DocumentRecord:
    spec = RecordSpec(path=path, paragraphs=texts, title=title, lang=lang, embedding=MODEL if model else None)
    record = build_record(spec)
    store.replace_document(record)
    return record


def _commit_all(store: DocumentStore, repo: EmbeddingRepo, path: str, *texts: str) -> list[ChunkId]:
    record = _put(store, path, *texts)
    repo.request(MODEL)
    ids = [chunk.chunk_id for chunk in record.chunks]
    repo.commit(MODEL, ids, table="t")
    return ids
