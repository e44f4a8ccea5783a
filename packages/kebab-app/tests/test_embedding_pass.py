"""Which chunks get vectors, and which texts the model is asked about."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest
from kebab_core import (
    CancelToken,
    EmbeddingIdentity,
    EmbeddingKind,
    IngestEvent,
    IngestReport,
    Message,
    ModelCorruptError,
    ModelUnreachableError,
    Remedy,
    StorageError,
    VectorMatrix,
)
from kebab_store_sqlite import SqliteEmbeddingRepo
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

from tests.remedies import say

if TYPE_CHECKING:
    from conftest import Base, Embedding

NOTE = "# {title}\n\nA paragraph about {title}.\n\n## More\n\nAnother one, with {title} in it.\n"


def write_notes(base: Base, *titles: str, folder: str = "") -> None:
    for title in titles:
        base.write(f"{folder}{title}.md", NOTE.format(title=title))


def test_every_chunk_gets_its_vector_and_the_report_counts_them(base: Base, embedding: Embedding) -> None:
    write_notes(base, "apple", "pear")
    report = base.ingest().report
    embedding.assert_complete()
    chunks = len(embedding.stored)
    assert chunks >= 4
    assert report.counts.embeddings_indexed == chunks
    assert report.embedding is not None
    assert (report.embedding.computed, report.embedding.reused, report.embedding.pending) == (chunks, 0, 0)
    assert report.embedding.identity == embedding.embedder.identity


def test_the_model_is_told_title_and_headings_with_the_text(base: Base, embedding: Embedding) -> None:
    base.write("a.md", "# Fruit\n\nintro\n\n## Apple\n\nIt is red.\n")
    base.ingest()
    (apple,) = [text for text in embedding.texts if "It is red." in text]
    assert apple.startswith("Fruit\n")
    assert apple.count("Apple") == 1


def test_a_second_run_makes_no_call_and_no_write(base: Base, embedding: Embedding) -> None:
    write_notes(base, "apple")
    base.ingest()
    calls, revision = len(embedding.embedder.asked), base.app.base.index.documents.corpus_revision()
    report = base.ingest().report
    assert len(embedding.embedder.asked) == calls
    assert base.app.base.index.documents.corpus_revision() == revision
    assert report.counts.embeddings_indexed == 0


def test_moving_every_file_to_another_folder_asks_the_model_nothing(base: Base, embedding: Embedding) -> None:
    write_notes(base, "apple", "pear", "plum")
    base.ingest()
    asked, before = len(embedding.texts), embedding.stored
    (base.root / "new").mkdir()
    for path in list(base.root.glob("*.md")):
        path.rename(base.root / "new" / path.name)
    report = base.ingest().report
    assert report.counts.moved == 3
    assert len(embedding.texts) == asked
    embedding.assert_complete()
    assert not embedding.stored & before
    assert report.embedding is not None
    assert (report.embedding.computed, report.embedding.reused) == (0, len(before))
    assert report.embedding.removed == 0


@pytest.mark.parametrize("way", ["forced", "copied", "removed and back", "chunked anew"])
def test_text_that_the_model_has_seen_is_not_given_to_it_again(
    base: Base, embedding: Embedding, way: str
) -> None:
    write_notes(base, "apple", "pear")
    base.ingest()
    asked = len(embedding.texts)
    match way:
        case "forced":
            base.ingest(force=True)
        case "copied":
            write_notes(base, "apple", "pear", folder="copy/")
            base.ingest()
        case "removed and back":
            (base.root / "apple.md").unlink()
            base.ingest()
            embedding.assert_complete()
            write_notes(base, "apple")
            base.ingest()
        case "chunked anew":
            base.configure("ingest.chunking", target_tokens=379)
            base.ingest()
    assert len(embedding.texts) == asked
    embedding.assert_complete()


def test_equal_texts_of_one_run_are_given_to_the_model_once(base: Base, embedding: Embedding) -> None:
    for folder in "abc":
        write_notes(base, "apple", folder=f"{folder}/")
    base.ingest()
    assert len(embedding.texts) == len(set(embedding.texts)) < len(embedding.stored)
    embedding.assert_complete()


def test_an_edited_file_gives_the_model_only_what_is_new_in_it(base: Base, embedding: Embedding) -> None:
    base.write("a.md", "# A\n\n## One\n\nfirst\n\n## Two\n\nsecond\n")
    base.ingest()
    asked = len(embedding.texts)
    base.write("a.md", "# A\n\n## One\n\nfirst\n\n## Two\n\nsecond and more\n")
    base.ingest()
    assert ["second and more" in text for text in embedding.texts[asked:]] == [True]
    embedding.assert_complete()


def test_equal_texts_of_two_batches_are_given_to_the_model_once(
    base: Base, embedding: Embedding, one_by_one: None
) -> None:
    for folder in "abc":
        write_notes(base, "apple", folder=f"{folder}/")
    run = base.ingest()
    assert len(embedding.texts) == len(set(embedding.texts)) == 2
    embedding.assert_complete()
    assert run.report.embedding is not None
    assert (run.report.embedding.computed, run.report.embedding.reused) == (2, 4)
    finished = [event for event in run.events if event.kind == "embed_batch_finished"]
    assert [(event.done, event.reused, event.total) for event in finished] == [(3, 2, 6), (6, 4, 6)]


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of one passage."""
    for name in ("FIRST_BATCH", "MIN_BATCH", "MAX_BATCH"):
        monkeypatch.setattr(f"kebab_ingest.embedding_batches.{name}", 1)


def test_documents_are_embedded_whole_and_those_with_the_newest_files_first(
    base: Base, embedding: Embedding, one_by_one: None
) -> None:
    write_notes(base, "apple", "pear", "plum")
    base.touch(base.root / "apple.md")
    found: list[int] = []

    def search(event: IngestEvent) -> None:
        if event.kind == "embed_batch_finished":
            found.append(len(embedding.nearest()))

    base.app.ingest(sink=search)

    order = [next(word for word in ("apple", "pear", "plum") if word in text) for text in embedding.texts]
    assert order == ["apple", "apple", "plum", "plum", "pear", "pear"]
    assert ["Another" in text for text in embedding.texts] == [False, True] * 3
    assert found == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(("cache_mb", "kept"), [(2000, 2), (0, 0)])
def test_vectors_of_removed_documents_are_not_found_and_stay_up_to_the_size_of_the_cache(
    base: Base, embedding: Embedding, cache_mb: int, kept: int
) -> None:
    base.configure("storage", cache_mb=cache_mb)
    write_notes(base, "apple", "pear")
    base.ingest()
    embeddings = base.app.base.index.embeddings
    texts = embeddings.text_hashes([base.documents()["apple.md"].doc_id])
    (base.root / "apple.md").unlink()
    base.ingest()
    embedding.assert_complete()
    assert len(embedding.stored) == 2
    assert len(embeddings.find_vectors(embedding.embedder.identity, texts)) == kept


def test_a_base_that_was_made_without_a_model_gets_its_vectors_and_nothing_is_read_again(
    base: Base, embedding: Embedding
) -> None:
    write_notes(base, "apple", "pear")
    base.embedder = None
    base.configure("models.embedding", provider="none")
    assert base.ingest().report.embedding is None
    embedding.switch(embedding.embedder)
    assert base.app.base.index.embeddings.pending_documents(embedding.embedder.identity) == 2
    run = base.ingest()
    assert run.counts == {"scanned": 2, "unchanged": 2}
    embedding.assert_complete()


def test_vectors_of_the_model_before_stay_and_are_used_again_without_asking_it(
    base: Base, embedding: Embedding
) -> None:
    write_notes(base, "apple")
    base.ingest()
    other = embedding.switch(BagOfWordsEmbedder(dimensions=32, model_id="other"))
    run = base.ingest()
    assert run.counts == {"scanned": 1, "unchanged": 1}
    other.assert_complete()
    assert embedding.stored == other.stored
    asked = len(embedding.texts)
    embedding.switch(embedding.embedder)
    report = base.ingest().report
    assert len(embedding.texts) == asked
    assert report.embedding is not None
    assert (report.embedding.computed, report.embedding.reused) == (0, len(embedding.stored))
    embedding.assert_complete()


def test_vectors_of_the_model_before_stay_where_the_cache_is_full_and_those_before_them_go(
    base: Base, embedding: Embedding, one_by_one: None
) -> None:
    base.configure("storage", cache_mb=0)
    write_notes(base, "apple")
    base.ingest()
    failing = FailingEmbedder(dimensions=32, model_id="other")
    embedding.switch(failing)
    base.ingest()
    assert base.app.base.vectors.embedded_models() == [embedding.embedder.identity, failing.identity]
    assert active_model(base) == embedding.embedder.identity
    assert len(embedding.stored) == 2

    other = embedding.switch(BagOfWordsEmbedder(dimensions=32, model_id="other"))
    base.ingest()
    other.assert_complete()
    assert active_model(base) == other.embedder.identity
    assert base.app.base.vectors.embedded_models() == [embedding.embedder.identity, other.embedder.identity]

    third = embedding.switch(BagOfWordsEmbedder(dimensions=16, model_id="third"))
    base.ingest()
    third.assert_complete()
    assert base.app.base.vectors.embedded_models() == [other.embedder.identity, third.embedder.identity]
    assert len(list((base.data_dir / "vectors").iterdir())) == 2


def active_model(base: Base) -> EmbeddingIdentity | None:
    """Return the model that was complete last."""
    active = base.app.base.index.embeddings.active_model()
    return None if active is None else active.identity


def test_without_embedding_the_words_are_searchable_and_the_chunks_wait(
    base: Base, embedding: Embedding
) -> None:
    write_notes(base, "apple")
    report = base.ingest(embed=False).report
    assert report.embedding is None
    assert embedding.embedder.asked == []
    assert embedding.counts().pending == len(base.chunk_ids()) > 0
    base.ingest()
    embedding.assert_complete()


def test_a_model_that_is_not_there_leaves_a_searchable_index_and_is_told_once(base: Base) -> None:
    class Absent(BagOfWordsEmbedder):
        @property
        def identity(self) -> EmbeddingIdentity:
            raise ModelUnreachableError(
                "nobody answers", remedy=Remedy(advice=Message("start {name}", name="the server"))
            )

    base.embedder = Absent()
    write_notes(base, "apple")
    run = base.ingest()
    assert run.counts["new"] == 1
    assert run.report.embedding is not None
    failure = run.report.embedding.failure
    assert failure is not None
    assert (failure.code, say(failure)) == ("model_unreachable", "start the server")
    assert run.report.embedding.pending == len(base.chunk_ids())
    assert run.kinds[-1] == "completed"


def test_a_run_without_the_model_tells_how_many_passages_wait_for_it(
    base: Base, embedding: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_notes(base, "apple")
    base.ingest()

    def refuse(_: object) -> EmbeddingIdentity:
        raise ModelUnreachableError(
            "nobody answers", remedy=Remedy(advice=Message("start {name}", name="the server"))
        )

    monkeypatch.setattr(BagOfWordsEmbedder, "identity", property(refuse))
    base.close()
    for pending in (0, 2):
        report = base.ingest().report
        assert report.embedding is not None
        assert report.embedding.failure is not None
        assert report.embedding.pending == pending
        write_notes(base, "pear")


@pytest.mark.parametrize("method", ["ingest", "embed"])
def test_files_that_cannot_be_written_cost_no_vector_and_no_result(
    base: Base, embedding: Embedding, method: str
) -> None:
    write_notes(base, "apple")
    base.ingest()
    folder = base.data_dir / "vectors"
    shutil.rmtree(folder)
    folder.write_text("in the way", encoding="utf-8")
    write_notes(base, "pear")
    (base.root / "apple.md").unlink()
    run = base.ingest(prune=True)
    assert (run.counts["new"], run.counts["removed"]) == (1, 1)
    assert run.report.embedding is not None
    assert run.report.embedding.failure is not None
    assert say(run.report.embedding.failure) == f"move {str(folder)!r} away; then kebab embed"
    assert run.report.embedding.pending == 0
    assert run.kinds[-1] == "completed"
    base.close()
    assert {hit.chunk_id for hit in embedding.nearest()} == embedding.stored == base.chunk_ids()
    folder.unlink()
    base.ingest() if method == "ingest" else base.app.embed()
    embedding.assert_complete()
    assert folder.is_dir()


class DamagedEmbedder(BagOfWordsEmbedder):
    """Gives vectors as if nothing were, and knows better when it is asked."""

    def verify(self) -> None:
        raise ModelCorruptError("a file of it has changed", remedy=Remedy(kind="retry"))


def test_a_model_with_a_damaged_file_gives_no_vector_that_is_kept(base: Base, embedding: Embedding) -> None:
    damaged = DamagedEmbedder()
    base.embedder = damaged
    write_notes(base, "apple")
    report = base.ingest().report
    assert report.counts.new == 1
    assert report.embedding is not None
    assert report.embedding.failure is not None
    assert (report.embedding.failure.code, say(report.embedding.failure)) == (
        "model_corrupt",
        "run it again",
    )
    assert report.embedding.pending == len(base.chunk_ids())
    assert damaged.asked == []
    base.close()
    assert base.app.base.vectors.embedded_models() == []
    embedding.switch(embedding.embedder)
    base.ingest()
    assert len(embedding.texts) == len(base.chunk_ids())
    embedding.assert_complete()


class FailingEmbedder(BagOfWordsEmbedder):
    """Answers some calls and then no more."""

    calls_left = 1

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        if self.calls_left == 0:
            raise ModelUnreachableError("gone")
        self.calls_left -= 1
        return super().embed(texts, kind)


def test_a_model_that_fails_on_the_way_keeps_what_it_made_and_goes_on_the_next_time(
    base: Base, embedding: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kebab_ingest.embedding_batches.FIRST_BATCH", 2)
    monkeypatch.setattr("kebab_ingest.embedding_batches.MAX_BATCH", 2)
    monkeypatch.setattr("kebab_ingest.embedding_batches.MIN_BATCH", 1)
    failing = FailingEmbedder()
    base.embedder = failing
    write_notes(base, "apple", "pear", "plum")
    first = base.ingest().report
    assert first.embedding is not None
    assert first.embedding.failure is not None
    assert (first.counts.embeddings_indexed, first.counts.errors) == (2, 0)
    assert first.embedding.pending == len(base.chunk_ids()) - 2
    embedding.switch(embedding.embedder)
    base.ingest()
    assert len(embedding.texts) == len(base.chunk_ids()) - 2
    embedding.assert_complete()


def cancel_after(kind: str, number: int) -> tuple[CancelToken, list[IngestEvent]]:
    """Return a token and a list; appended to, the list cancels the token at the n-th event of a kind."""
    cancel = CancelToken()

    class Watching(list[IngestEvent]):
        def append(self, event: IngestEvent) -> None:
            super().append(event)
            if sum(seen.kind == kind for seen in self) == number:
                cancel.cancel()

    return cancel, Watching()


def test_a_cancel_finishes_the_batch_and_the_next_run_goes_on_from_there(
    base: Base, embedding: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kebab_ingest.embedding_batches.FIRST_BATCH", 2)
    monkeypatch.setattr("kebab_ingest.embedding_batches.MAX_BATCH", 2)
    monkeypatch.setattr("kebab_ingest.embedding_batches.MIN_BATCH", 1)
    write_notes(base, "apple", "pear", "plum")
    cancel, events = cancel_after("embed_batch_started", 2)
    report = base.app.ingest(sink=events.append, cancel=cancel)
    assert report.aborted
    assert events[-1].kind == "aborted"
    assert report.counts.embeddings_indexed == 4 == embedding.counts().committed
    assert report.embedding is not None
    assert report.embedding.pending == len(base.chunk_ids()) - 4
    texts = len(embedding.texts)
    assert not base.ingest().report.aborted
    assert len(embedding.texts) == texts + len(base.chunk_ids()) - 4
    embedding.assert_complete()


def test_an_interrupt_in_the_middle_of_a_batch_keeps_the_batches_before(
    base: Base, embedding: Embedding, one_by_one: None
) -> None:
    class Interrupted(BagOfWordsEmbedder):
        def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
            if "pear" in texts[0] and kind is EmbeddingKind.DOCUMENT:
                raise KeyboardInterrupt
            return super().embed(texts, kind)

    write_notes(base, "pear", "apple")
    embedding.switch(Interrupted())
    with pytest.raises(KeyboardInterrupt):
        base.ingest()
    embedding.switch(embedding.embedder)
    assert embedding.counts()[:2] == (2, 2)
    assert {hit.chunk_id for hit in embedding.nearest()} == embedding.stored
    base.ingest()
    assert ["pear" in text for text in embedding.texts] == [True, True]
    embedding.assert_complete()


def test_a_run_that_was_stopped_over_vectors_leaves_no_unfinished_run(
    base: Base, embedding: Embedding
) -> None:
    from kebab_store_sqlite import SqliteJobRepo

    write_notes(base, "apple")
    cancel, events = cancel_after("embed_batch_started", 1)
    report = base.app.ingest(sink=events.append, cancel=cancel)
    assert report.aborted
    assert SqliteJobRepo(base.app.base.open_for_reading()).unfinished_runs() == []
    assert embedding.counts().pending == 0


def test_batches_are_told_with_how_far_they_are(base: Base, embedding: Embedding) -> None:
    write_notes(base, "apple", "pear")
    events = base.ingest().events
    kinds = [event.kind for event in events]
    last_file = max(at for at, kind in enumerate(kinds) if kind == "asset_finished")
    batches = [event for event in events if event.kind.startswith("embed_batch")]
    assert kinds.index("embed_batch_started") > last_file
    total = len(embedding.stored)
    assert [(event.kind, event.done, event.total) for event in batches] == [
        ("embed_batch_started", 0, total),
        ("embed_batch_finished", total, total),
    ]


@pytest.mark.parametrize("way", ["text", "file"])
def test_a_document_that_is_given_gets_its_vectors_and_waits_for_no_others(
    base: Base, embedding: Embedding, way: str
) -> None:
    write_notes(base, "apple", "pear")
    base.ingest(embed=False)
    waiting = embedding.counts().pending

    def give() -> IngestReport:
        if way == "text":
            return base.app.ingest_text("A plum is given.", title="plum")
        return base.app.ingest_file(base.write("given.md", "A plum is given.", root=base.home / "downloads"))

    report = give()

    assert report.embedding is not None
    assert (report.embedding.computed, report.embedding.pending) == (1, waiting)
    assert len(embedding.stored) == 1
    again = give()
    assert again.embedding is not None
    assert (again.embedding.computed, again.embedding.pending) == (0, waiting)
    base.app.embed()
    embedding.assert_complete()


def test_a_database_that_cannot_take_vectors_fails_the_run_and_keeps_the_words(
    base: Base, embedding: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StorageError("no space left on device")

    write_notes(base, "apple")
    with monkeypatch.context() as patch:
        patch.setattr(SqliteEmbeddingRepo, "put", refuse)
        with pytest.raises(StorageError):
            base.ingest()
    assert base.paths() == ["apple.md"]
    assert embedding.counts().committed == 0
    base.ingest()
    embedding.assert_complete()


def test_no_transaction_is_open_while_the_model_works(base: Base, embedding: Embedding) -> None:
    seen: list[bool] = []

    class Looking(BagOfWordsEmbedder):
        def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
            with base.app.base.open_for_reading().reading() as connection:
                seen.append(connection.in_transaction)
            return super().embed(texts, kind)

    base.embedder = Looking()
    write_notes(base, "apple")
    base.ingest()
    assert set(seen) == {False}


def test_query_centroids_are_those_of_a_new_index_after_a_file_is_gone(
    base: Base, embedding: Embedding
) -> None:
    def centroids() -> bytes | None:
        return base.app.base.index.embeddings.query_centroids(embedding.embedder.identity)

    write_notes(base, "apple", "pear")
    base.ingest()
    before = centroids()
    write_notes(base, "plum")
    base.ingest()
    assert centroids() != before
    (base.home / "notes" / "plum.md").unlink()
    base.ingest()
    assert centroids() == before


def test_searches_in_the_middle_of_the_first_pass_know_where_queries_lie(
    base: Base, embedding: Embedding, one_by_one: None
) -> None:
    write_notes(base, "apple", "pear", "plum")
    known: list[bool] = []

    def look(event: IngestEvent) -> None:
        if event.kind == "embed_batch_started":
            known.append(
                base.app.base.index.embeddings.query_centroids(embedding.embedder.identity) is not None
            )

    base.app.ingest(sink=look)
    assert len(known) > 2
    assert known == [False, *[True] * (len(known) - 1)]
