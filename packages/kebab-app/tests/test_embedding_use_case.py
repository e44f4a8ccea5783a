"""Making up for vectors that are missing, without a look at any file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from kebab_core import (
    CancelToken,
    ConfigInvalidError,
    EmbedBatchFinished,
    EmbeddingIdentity,
    EmbeddingKind,
    EmbeddingState,
    IngestEvent,
    JobFilter,
    JobKind,
    Message,
    ModelMissingError,
    ModelUnreachableError,
    NotIndexedError,
    ProvenanceKind,
    ReadonlyModeError,
    Remedy,
    SearchMode,
    SearchQuery,
    StorageError,
    VectorMatrix,
)
from kebab_ingest import EventStream
from kebab_store_sqlite import SqliteEmbeddingRepo, SqliteJobRepo
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

from tests.remedies import say

if TYPE_CHECKING:
    from conftest import Base, Embedding


@pytest.fixture
def waiting(base: Base, embedding: Embedding) -> Embedding:
    """A knowledge base whose chunks wait for their vectors."""
    for name in "abc":
        base.write(f"{name}.md", f"# {name}\n\nfirst {name}\n")
    base.ingest(embed=False)
    return embedding


def test_a_passage_and_its_document_show_the_state_of_their_vectors(base: Base, waiting: Embedding) -> None:
    hit = base.app.search(SearchQuery(text="first", mode=SearchMode.LEXICAL)).hits[0]
    doc_id, chunk_id = hit.doc_id, hit.chunk_id
    (embedding,) = base.app.list_embeddings(chunk_id)
    assert embedding.state is EmbeddingState.PENDING
    base.app.embed()
    (embedding,) = base.app.list_embeddings(chunk_id)
    assert embedding.state is EmbeddingState.COMMITTED
    event = base.app.inspect_document(doc_id).provenance.events[-1]
    assert event.kind is ProvenanceKind.EMBEDDED
    assert (
        event.note
        == f"{embedding.identity.model_id}@{embedding.identity.model_version}: {embedding.identity.dimensions} dimensions"
    )


def statuses(base: Base) -> list[str]:
    jobs = SqliteJobRepo(base.app.base.open_for_reading()).list(JobFilter(kind=JobKind.EMBED))
    return [job.status.value for job in jobs]


def test_everything_that_waits_gets_its_vector_and_no_file_is_looked_at(
    base: Base, waiting: Embedding
) -> None:
    (base.root / "a.md").unlink()
    runs = len(SqliteJobRepo(base.app.base.open_for_reading()).list_runs())
    events: list[IngestEvent] = []
    report = base.app.embed(sink=events.append)
    waiting.assert_complete()
    assert [event.kind for event in events] == ["embed_batch_started", "embed_batch_finished", "completed"]
    assert report.counts.embeddings_indexed == len(waiting.stored)
    assert (report.scopes, report.aborted) == ((), False)
    assert statuses(base) == ["succeeded"]
    assert len(SqliteJobRepo(base.app.base.open_for_reading()).list_runs()) == runs


def test_a_second_time_there_is_nothing_to_do(base: Base, waiting: Embedding) -> None:
    base.app.embed()
    waiting.embedder.asked.clear()
    assert base.app.embed().counts.embeddings_indexed == 0
    assert waiting.embedder.asked == []


def test_batches_tell_of_passages_with_the_same_text_as_another(base: Base, waiting: Embedding) -> None:
    for folder in ("copy", "another"):
        base.write(f"{folder}/a.md", "# a\n\nfirst a\n")
    base.ingest(embed=False)
    events: list[IngestEvent] = []
    base.app.embed(sink=events.append)
    finished = [event for event in events if isinstance(event, EmbedBatchFinished)]
    assert [(event.done, event.reused) for event in finished] == [(5, 2)]


def test_a_cancel_ends_it_after_the_batch(base: Base, waiting: Embedding) -> None:
    cancel = CancelToken()
    cancel.cancel()
    events: list[IngestEvent] = []
    report = base.app.embed(cancel=cancel, sink=events.append)
    assert report.aborted
    assert events[-1].kind == "aborted"
    assert statuses(base) == ["canceled"]
    assert waiting.counts().committed == 0


def test_a_run_that_died_is_closed_by_the_next(base: Base, waiting: Embedding) -> None:
    jobs = SqliteJobRepo(base.app.base.open_for_writing())
    jobs.create(JobKind.EMBED, {}, at=base.clock.now())
    base.app.embed()
    assert statuses(base) == ["succeeded", "failed"]
    waiting.assert_complete()


def test_a_failure_of_the_store_ends_it_with_one_terminal_event(
    base: Base, waiting: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StorageError("no space left on device")

    monkeypatch.setattr(SqliteEmbeddingRepo, "put", refuse)
    events: list[IngestEvent] = []
    with pytest.raises(StorageError):
        base.app.embed(sink=events.append)
    assert [event.kind for event in events] == ["embed_batch_started", "aborted"]
    assert statuses(base) == ["failed"]


def test_without_a_model_it_says_how_to_configure_one(base: Base) -> None:
    base.configure("models.embedding", provider="none")
    base.write("a.md")
    base.ingest()
    with pytest.raises(ConfigInvalidError) as caught:
        base.app.embed()
    assert say(caught.value) is not None
    assert "provider" in str(say(caught.value))


def test_a_model_that_is_not_there_is_an_error(base: Base, waiting: Embedding) -> None:
    class Missing(BagOfWordsEmbedder):
        @property
        def identity(self) -> EmbeddingIdentity:
            raise ModelMissingError("no weights", remedy=Remedy(kind="pull_model", name="x"))

    base.close()
    base.embedder = Missing()
    with pytest.raises(ModelMissingError):
        base.app.embed()


def test_a_model_that_fails_on_the_way_is_an_error_and_what_it_made_stays(
    base: Base, waiting: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kebab_ingest.embedding_batches.FIRST_BATCH", 1)
    monkeypatch.setattr("kebab_ingest.embedding_batches.MAX_BATCH", 1)

    class Failing(BagOfWordsEmbedder):
        def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
            if kind is EmbeddingKind.DOCUMENT and self.asked:
                raise ModelUnreachableError("gone", remedy=Remedy(advice=Message("start it")))
            return super().embed(texts, kind)

    base.close()
    base.embedder = Failing()
    events: list[IngestEvent] = []
    with pytest.raises(ModelUnreachableError, match="gone") as raised:
        base.app.embed(sink=events.append)
    assert say(raised.value) == "start it"
    assert events[-1].kind == "aborted"
    assert statuses(base) == ["failed"]
    assert waiting.counts().committed == len(waiting.stored) == 1
    assert waiting.counts().pending == 2


def test_signs_of_life_name_the_phase(
    base: Base, waiting: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    phases: list[str] = []

    @contextmanager
    def beating(self: EventStream) -> Iterator[None]:
        phases.append(self._heartbeat().phase)
        yield

    monkeypatch.setattr(EventStream, "beating", beating)
    base.app.embed()
    assert phases == ["embed"]


def test_nothing_can_be_embedded_before_an_ingest(base: Base, embedding: Embedding) -> None:
    with pytest.raises(NotIndexedError):
        base.app.embed()
    assert embedding.embedder.asked == []


def test_it_writes_nothing_where_writing_is_switched_off(base: Base, waiting: Embedding) -> None:
    base.close()
    base.readonly = True
    with pytest.raises(ReadonlyModeError):
        base.app.embed()
    assert waiting.embedder.asked == []
