"""Laws of `EmbeddingRepo`: vectors by model and text, and the passages of a document store that have none."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from kebab_core import (
    ChunkId,
    DocFilter,
    DocumentId,
    DocumentRecord,
    DocumentStore,
    EmbeddingCounts,
    EmbeddingIdentity,
    EmbeddingRepo,
    EmbeddingState,
    ProvenanceKind,
    TextHash,
    embedding_id_for,
    passage_text,
    text_hash_of,
)

from kebab_testing.records import RecordSpec, build_record
from kebab_testing.vectors import halves_of, hex_id, identity_of, unit, unpack_rows

StoreAndEmbeddings = tuple[DocumentStore, EmbeddingRepo]
MODEL = identity_of(4)
OTHER_VERSION = identity_of(4, version="v1+ffffffffffff")
WIDER = identity_of(8)


class EmbeddingRepoLaws:
    """Subclass it and override the `embedded` fixture with an empty store and its embeddings."""

    @pytest.fixture
    def embedded(self) -> StoreAndEmbeddings:
        """Give an empty store and the vectors of its passages."""
        raise NotImplementedError

    def test_an_empty_store_wants_no_vectors(self, embedded: StoreAndEmbeddings) -> None:
        _, repo = embedded
        assert repo.request(MODEL) == 0
        assert repo.counts(MODEL) == EmbeddingCounts(0, 0, 0)
        assert repo.pending(MODEL, limit=9) == []
        assert (list(repo.rows(MODEL)), repo.embedded_models()) == ([], [])
        assert repo.pending_documents(MODEL) == 0

    def test_the_model_in_force_is_that_of_the_latest_request(self, embedded: StoreAndEmbeddings) -> None:
        _, repo = embedded
        assert repo.latest_model() is None
        for model in (MODEL, WIDER, MODEL):
            repo.request(model)
            assert repo.latest_model() == model

    def test_the_active_model_stays_until_another_is_complete(self, embedded: StoreAndEmbeddings) -> None:
        _, repo = embedded
        assert repo.active_model() is None
        repo.request(MODEL)
        repo.activate(MODEL, "{}")
        repo.request(WIDER)
        assert repo.active_model() == (MODEL, "{}")
        repo.activate(WIDER, "{}")
        assert repo.active_model() == (WIDER, "{}")

    def test_pending_passages_have_the_text_for_the_model(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        record = _put(store, "a.md", "one", "two", title="A title")
        repo.request(MODEL)
        pending = repo.pending(MODEL, limit=9)
        assert [passage.text for passage in pending] == ["A title\none", "A title\ntwo"]
        assert [passage.text_hash for passage in pending] == [
            text_hash_of("A title\none"),
            text_hash_of("A title\ntwo"),
        ]
        assert [passage.chunk_id for passage in pending] == [chunk.chunk_id for chunk in record.chunks]
        assert repo.counts(MODEL) == EmbeddingCounts(2, 0, 0)
        assert repo.pending_documents(MODEL) == repo.pending_documents(WIDER) == 1

    def test_passages_of_a_document_come_together_and_in_order(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        repo.request(MODEL)
        for path in "abc":
            _put(store, f"{path}.md", *(f"{path}{number}" for number in range(5)))
        texts = [passage.text.splitlines()[-1] for passage in repo.pending(MODEL, limit=99)]
        documents = [text[0] for text in texts[::5]]
        assert sorted(documents) == ["a", "b", "c"]
        assert texts == [f"{path}{number}" for path in documents for number in range(5)]
        assert [passage.text.splitlines()[-1] for passage in repo.pending(MODEL, limit=7)] == texts[:7]

    def test_documents_with_the_newest_files_come_first(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        repo.request(MODEL)
        for path, mtime_ns in {"older": 9, "newest": 2**62, "old": 10**18}.items():
            _put(store, f"{path}.md", path, mtime_ns=mtime_ns)
        texts = [passage.text.splitlines()[-1] for passage in repo.pending(MODEL, limit=9)]
        assert texts == ["newest", "old", "older"]

    def test_passages_of_some_documents_can_be_asked_for_alone(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        one, two, _ = (_put(store, f"{path}.md", f"{path}1", f"{path}2") for path in "abc")
        repo.request(MODEL)
        within = frozenset({one.document.doc_id, two.document.doc_id})
        found = sorted(
            passage.text.splitlines()[-1] for passage in repo.pending(MODEL, limit=99, within=within)
        )
        assert found == ["a1", "a2", "b1", "b2"]
        assert len(repo.pending(MODEL, limit=3, within=within)) == 3
        _embed(repo, MODEL, _hashes(one)[:1])
        assert repo.count_pending(MODEL, within=within) == 3
        assert repo.count_pending(OTHER_VERSION, within=within) == 4
        assert (repo.count_pending(MODEL), repo.count_pending(OTHER_VERSION)) == (5, 6)
        assert (repo.pending(MODEL, limit=9, within=()), repo.count_pending(MODEL, within=())) == ([], 0)

    def test_a_stored_vector_is_given_back_and_its_passage_is_pending_no_more(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        record = _put(store, "a.md", "one", "two", "three")
        repo.request(MODEL)
        first, second, third = _hashes(record)
        vectors = {first: _vector(MODEL, 1), second: _vector(MODEL, 2)}
        before = store.corpus_revision(), repo.content_version()
        assert repo.put(MODEL, vectors) == 2
        assert store.corpus_revision() > before[0]
        assert repo.content_version() != before[1]
        assert repo.find_vectors(MODEL, [third, first, second]) == vectors
        assert repo.find_vectors(WIDER, [first]) == {}
        assert list(repo.vectors(MODEL, [second, third, first])) == [
            vectors[second],
            b"",
            vectors[first],
        ]
        assert {(row.chunk_id, row.text_hash) for row in unpack_rows(repo.rows(MODEL))} == {
            (chunk.chunk_id, text_hash) for chunk, text_hash in zip(record.chunks, vectors, strict=False)
        }
        assert repo.embedded_models() == [MODEL]
        asked = [*(chunk.chunk_id for chunk in record.chunks[1:]), ChunkId(hex_id("unknown"))]
        assert repo.chunk_vectors(MODEL, asked).keys() == {record.chunks[1].chunk_id}
        assert repo.chunk_vectors(WIDER, asked) == repo.chunk_vectors(MODEL, []) == {}
        assert [passage.text_hash for passage in repo.pending(MODEL, limit=9)] == [third]
        assert repo.pending_documents(MODEL) == 1
        _embed(repo, MODEL, [third])
        assert repo.counts(MODEL) == EmbeddingCounts(0, 3, 0)
        assert repo.pending_documents(MODEL) == 0

    def test_coverage_counts_the_documents_without_all_vectors_of_the_model_in_force(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        record = _put(store, "a.md", "one", "two")
        _put(store, "b.md", "three")
        for model, pending in ((None, 0), (MODEL, 2), (WIDER, 2)):
            if model is not None:
                repo.request(model)
            coverage = store.coverage(now=record.indexed_at, stale_threshold_days=0)
            assert (coverage.documents_indexed, coverage.documents_pending) == (2, pending)
            assert store.stats().pending_document_count == pending
        _embed(repo, WIDER, _hashes(record))
        assert store.stats().pending_document_count == 1

    def test_rows_have_the_language_of_their_document(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        for path, lang in {"a": "ko", "b": "en"}.items():
            _embed(repo, MODEL, _hashes(_put(store, f"{path}.md", path, lang=lang)))
        documents = {document.doc_id: document.lang for document in store.list_documents(DocFilter())}
        assert {row.doc_id: row.lang for row in repo.rows(MODEL)} == documents

    def test_equal_texts_share_a_vector_also_later(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        repo.request(MODEL)
        first = _put(store, "a.md", "the same")
        _put(store, "b.md", "the same")
        assert len({passage.text_hash for passage in repo.pending(MODEL, limit=9)}) == 1
        assert repo.put(MODEL, dict.fromkeys(_hashes(first), _vector(MODEL, 0))) == 2
        assert repo.counts(MODEL) == EmbeddingCounts(0, 2, 0)
        later = _put(store, "c.md", "the same")
        assert repo.pending_documents(MODEL) == 0
        assert repo.chunk_vectors(MODEL, [later.chunks[0].chunk_id]).keys() == {later.chunks[0].chunk_id}

    def test_a_passage_with_another_title_is_another_text(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        repo.request(MODEL)
        _embed(repo, MODEL, _hashes(_put(store, "a.md", "one", title="Old")))
        _put(store, "a.md", "one", title="New")
        assert [passage.text for passage in repo.pending(MODEL, limit=9)] == ["New\none"]
        assert repo.counts(MODEL) == EmbeddingCounts(1, 0, 1)

    def test_a_document_with_all_its_vectors_says_so_in_its_provenance_once_for_each_model(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        record, other = _put(store, "a.md", "one", "two"), _put(store, "b.md", "three")
        repo.request(MODEL)
        hashes = _hashes(record)
        _embed(repo, MODEL, hashes[:1])
        assert _embedded_notes(store, record) == []
        _embed(repo, MODEL, hashes)
        repo.delete(hashes)
        _embed(repo, MODEL, hashes)
        note = f"{MODEL.model_id}@{MODEL.model_version}: 4 dimensions"
        assert _embedded_notes(store, record) == [note]
        repo.request(WIDER)
        _embed(repo, WIDER, hashes)
        assert repo.request(MODEL) == 2
        assert _embedded_notes(store, record) == [note, note.replace("4 dim", "8 dim")]
        assert _embedded_notes(store, other) == []

    def test_a_request_counts_the_passages_whose_vectors_were_made_earlier(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        record = _put(store, "a.md", "one", "two")
        assert repo.request(MODEL) == 0
        _embed(repo, MODEL, _hashes(record))
        assert repo.request(MODEL) == 0
        renamed = _put(store, "b.md", "one", "two")
        _put(store, "c.md", "one", "new")
        assert repo.request(MODEL) == 2
        assert len(_embedded_notes(store, renamed)) == 1
        assert repo.request(MODEL) == 0

    def test_vectors_of_gone_passages_stay_for_texts_that_come_back(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        repo.request(MODEL)
        _embed(repo, MODEL, _hashes(_put(store, "a.md", "one", "two")))
        version = repo.content_version()
        store.remove_documents(_ids(store))
        assert repo.content_version() != version
        assert list(repo.rows(MODEL)) == []
        assert repo.counts(MODEL) == EmbeddingCounts(0, 0, 2)
        _put(store, "moved.md", "one", "two")
        assert repo.counts(MODEL) == EmbeddingCounts(0, 2, 0)

    def test_the_oldest_unused_vectors_are_evicted_and_no_others(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        repo.request(MODEL)
        used = _hashes(_put(store, "a.md", "one"))
        unused = [text_hash_of(f"gone {number}") for number in range(4)]
        for text_hash in (*unused[:2], *used, *unused[2:]):
            _embed(repo, MODEL, [text_hash])
        size = len(_vector(MODEL, 0))
        assert repo.evict(max_bytes=4 * size) == 0
        assert repo.evict(max_bytes=2 * size) == 2
        assert set(repo.find_vectors(MODEL, [*unused, *used])) == {*unused[2:], *used}
        repo.evict(max_bytes=0)
        assert set(repo.find_vectors(MODEL, [*unused, *used])) == set(used)

    def test_vectors_of_models_that_are_neither_in_force_nor_active_nor_the_previous_one_are_unused(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        hashes = _hashes(_put(store, "a.md", "one"))
        for model in (MODEL, OTHER_VERSION, WIDER):
            repo.request(model)
            _embed(repo, model, hashes)
            repo.activate(model, "{}")
        assert repo.counts(WIDER) == EmbeddingCounts(0, 1, 1)
        assert repo.evict(max_bytes=0) == 1
        assert set(repo.embedded_models()) == {OTHER_VERSION, WIDER}

    def test_vectors_of_the_previous_model_stay_until_they_are_deleted(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        hashes = _hashes(_put(store, "a.md", "one", "two"))
        for model in (MODEL, WIDER):
            repo.request(model)
            _embed(repo, model, hashes)
            repo.activate(model, f'{{"dimensions": {model.dimensions}}}')
        assert repo.previous_model() == (MODEL, '{"dimensions": 4}')
        assert repo.evict(max_bytes=0) == 0
        assert [(each.identity, each.vectors, each.size_bytes) for each in repo.stored_models()] == [
            (model, 2, 2 * len(_vector(model, 0))) for model in (MODEL, WIDER)
        ]
        before = repo.content_version()
        assert repo.delete_model(MODEL) == 2
        assert repo.content_version() != before
        assert (repo.previous_model(), repo.embedded_models()) == (None, [WIDER])
        assert repo.query_centroids(MODEL) is None
        assert repo.delete_model(MODEL) == 0

    def test_two_models_that_take_turns_are_each_the_previous_one_of_the_other(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        _, repo = embedded
        assert repo.previous_model() is None
        for model, previous in ((MODEL, None), (MODEL, None), (WIDER, MODEL), (MODEL, WIDER)):
            repo.activate(model, "{}")
            found = repo.previous_model()
            assert (found and found.identity) == previous

    def test_a_sample_has_passages_with_the_text_of_their_vectors(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        hashes = _hashes(_put(store, "a.md", "one", "two", "three", title="A title"))
        _put(store, "b.md", "one", title="A title")
        repo.request(MODEL)
        _embed(repo, MODEL, [*hashes[:2], text_hash_of("of no passage")])
        sample = repo.sample(MODEL, limit=9)
        assert [passage.text_hash for passage in sample] == sorted(hashes[:2])
        assert {passage.text for passage in sample} == {"A title\none", "A title\ntwo"}
        assert repo.sample(MODEL, limit=1) == sample[:1]
        assert repo.sample(WIDER, limit=9) == []

    def test_deleted_vectors_are_pending_again_for_every_model(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        hashes = _hashes(_put(store, "a.md", "one", "two"))
        for model in (WIDER, MODEL):
            repo.request(model)
            _embed(repo, model, hashes)
            repo.activate(model, "{}")
        before = repo.content_version()
        assert repo.delete([hashes[0], text_hash_of("unknown")]) == 2
        assert repo.content_version() != before
        assert [passage.text_hash for passage in repo.pending(MODEL, limit=9)] == [hashes[0]]
        assert (repo.counts(MODEL), repo.counts(WIDER)) == (EmbeddingCounts(1, 1, 0),) * 2

    @pytest.mark.parametrize("text_hashes", [[], [text_hash_of("unknown")]])
    def test_deleting_what_is_not_there_changes_nothing(
        self, embedded: StoreAndEmbeddings, text_hashes: list[TextHash]
    ) -> None:
        store, repo = embedded
        hashes = _hashes(_put(store, "a.md", "one"))
        repo.request(MODEL)
        _embed(repo, MODEL, hashes)
        before = repo.content_version()
        assert repo.delete(text_hashes) == 0
        assert repo.content_version() == before
        assert repo.request(MODEL) == 0
        assert repo.counts(MODEL) == EmbeddingCounts(0, 1, 0)

    def test_after_all_vectors_are_deleted_nothing_of_any_model_is_left(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        record = _put(store, "a.md", "one", "two")
        for model in (WIDER, MODEL):
            repo.request(model)
            _embed(repo, model, _hashes(record))
            repo.activate(model, "{}")
        before = store.corpus_revision()
        assert repo.delete_all() == 4
        assert store.corpus_revision() > before
        assert repo.latest_model() is None
        assert repo.active_model() is None
        assert repo.embedded_models() == []
        repo.request(MODEL)
        assert repo.counts(MODEL) == EmbeddingCounts(2, 0, 0)

    def test_a_passage_has_a_state_for_the_model_in_force_and_those_with_its_vector(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        record = _put(store, "a.md", "one")
        chunk_id = record.chunks[0].chunk_id
        assert repo.chunk_embeddings(chunk_id) == []
        repo.request(MODEL)
        _embed(repo, MODEL, _hashes(record))
        repo.request(WIDER)
        expected = [(MODEL, EmbeddingState.COMMITTED), (WIDER, EmbeddingState.PENDING)]
        found = repo.chunk_embeddings(chunk_id)
        assert [(embedding.identity, embedding.state) for embedding in found] == expected
        assert [embedding.embedding_id for embedding in found] == [
            embedding_id_for(chunk_id=chunk_id, **model.model_dump()) for model, _ in expected
        ]
        assert repo.chunk_embeddings(ChunkId(hex_id("unknown"))) == []

    def test_the_texts_of_some_documents_can_be_asked_for(self, embedded: StoreAndEmbeddings) -> None:
        store, repo = embedded
        one, two, _ = (_put(store, f"{path}.md", f"{path}1", f"{path}2") for path in "abc")
        ids = [one.document.doc_id, two.document.doc_id, DocumentId(hex_id("unknown"))]
        assert repo.text_hashes(ids) == {*_hashes(one), *_hashes(two)}
        assert repo.text_hashes([]) == frozenset()

    def test_query_centroids_are_kept_by_model_until_all_vectors_are_deleted(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        assert repo.query_centroids(MODEL) is None
        revision = store.corpus_revision()
        for content in (b"first", "나중".encode()):
            repo.save_query_centroids(MODEL, content, content_version="now")
        repo.save_query_centroids(WIDER, b"another", content_version="then")
        assert store.corpus_revision() == revision
        assert (repo.query_centroids(MODEL), repo.query_centroids(OTHER_VERSION)) == ("나중".encode(), None)
        versions = [repo.query_centroids_version(model) for model in (MODEL, WIDER, OTHER_VERSION)]
        assert versions == ["now", "then", None]
        repo.delete_all()
        assert repo.query_centroids(MODEL) is repo.query_centroids(WIDER) is None

    def test_vectors_of_texts_that_no_passage_has_change_no_result(
        self, embedded: StoreAndEmbeddings
    ) -> None:
        store, repo = embedded
        _put(store, "a.md", "one")
        repo.request(MODEL)
        before = store.corpus_revision(), repo.content_version()
        _embed(repo, MODEL, [text_hash_of("a query")])
        assert (store.corpus_revision(), repo.content_version()) == before


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
    store: DocumentStore,
    path: str,
    *texts: str,
    title: str = "Title",
    lang: str = "en",
    mtime_ns: int | None = None,
) -> DocumentRecord:
    record = build_record(RecordSpec(path=path, paragraphs=texts, title=title, lang=lang))
    if mtime_ns is not None:
        stamp = record.stamp._replace(mtime_ns=mtime_ns)
        record = record.model_copy(update={"stamp": stamp})
    store.replace_document(record)
    return record


def _hashes(record: DocumentRecord) -> list[TextHash]:
    title = record.document.title
    return [
        text_hash_of(passage_text(title=title, heading_path=chunk.heading_path, text=chunk.text))
        for chunk in record.chunks
    ]


def _vector(model: EmbeddingIdentity, number: int) -> bytes:
    return halves_of(unit([1.0, float(number), *[0.0] * (model.dimensions - 2)]))


def _embed(repo: EmbeddingRepo, model: EmbeddingIdentity, text_hashes: Iterable[TextHash]) -> None:
    repo.put(model, {text_hash: _vector(model, number) for number, text_hash in enumerate(text_hashes)})
