"""The embedding pass alone: its job, its failures, and the vectors that it finds there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from kebab_core import (
    CancelToken,
    DatabaseCorruptError,
    EmbeddingFailure,
    EmbeddingIdentity,
    EmbeddingKind,
    IngestReport,
    JobStatus,
    ModelCorruptError,
    ModelUnreachableError,
    StorageError,
    VectorMatrix,
    passage_text,
    text_hash_of,
)
from kebab_ingest import (
    CachedEmbedder,
    EmbeddingRun,
    EventStream,
    run_embedding_pass,
)
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.vectors import halves_of, matrix_of, unpack_rows

if TYPE_CHECKING:
    from conftest import Pipeline


@pytest.fixture
def waiting(pipeline: Pipeline) -> Pipeline:
    """A pipeline with three chunks that wait for their vectors."""
    pipeline.source.write("a.md", b"one\n\ntwo\n\nthree")
    pipeline.ingest()
    return pipeline


def embed(pipeline: Pipeline) -> IngestReport:
    return EmbeddingRun(
        resources=pipeline.embedding_resources(),
        jobs=pipeline.jobs,
        sink=pipeline.events.append,
        cancel=CancelToken(),
    ).run()


def test_a_run_gives_every_chunk_its_vector_and_is_recorded_as_a_job(waiting: Pipeline) -> None:
    report = embed(waiting)
    assert report.counts.embeddings_indexed == 3
    assert waiting.events[-1].kind == "completed"
    assert [row.status for row in waiting.jobs.rows.values()] == [JobStatus.SUCCEEDED] * 2


def test_vectors_are_kept_by_the_text_of_the_passage_in_half_precision(waiting: Pipeline) -> None:
    embed(waiting)
    identity = waiting.embedder.identity
    text = passage_text(title="Note", heading_path=(), text="two")
    (single,) = waiting.embedder.embed([text], EmbeddingKind.DOCUMENT).tolist()
    assert waiting.read_vector(text_hash_of(text)) == halves_of(single)
    row = next(
        row for row in unpack_rows(waiting.embeddings.rows(identity)) if row.text_hash == text_hash_of(text)
    )
    assert waiting.documents.get_chunks([row.chunk_id])[0].chunk.text == "two"


def test_a_second_run_asks_the_model_nothing(waiting: Pipeline) -> None:
    embed(waiting)
    calls = waiting.embedder.texts_embedded
    report = embed(waiting)
    assert report.embedding is not None
    assert (report.embedding.computed, report.embedding.reused, report.embedding.pending) == (0, 0, 0)
    assert waiting.embedder.texts_embedded == calls


def test_equal_texts_are_embedded_once(pipeline: Pipeline) -> None:
    for path in ("a.md", "b.md", "c.md"):
        pipeline.source.write(path, b"the same\n\nof " + path.encode())
    pipeline.ingest()
    report = embed(pipeline)
    passages = [
        text for texts, kind in pipeline.embedder.asked for text in texts if kind is EmbeddingKind.DOCUMENT
    ]
    assert sorted(passages) == ["Note\nof a.md", "Note\nof b.md", "Note\nof c.md", "Note\nthe same"]
    assert report.embedding is not None
    assert (report.embedding.computed, report.embedding.reused) == (4, 2)
    assert pipeline.embeddings.counts(pipeline.embedder.identity).committed == 6


def test_the_files_of_searches_are_made_between_batches_and_at_the_end(
    waiting: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FIRST_BATCH", "MAX_BATCH", "MIN_BATCH"):
        monkeypatch.setattr(f"kebab_ingest.embedding_batches.{name}", 1)
    update, updates = waiting.vectors.update, list[tuple[EmbeddingIdentity, bool]]()

    def note_update(identity: EmbeddingIdentity, *, complete: bool = True) -> None:
        updates.append((identity, complete))
        update(identity, complete=complete)

    waiting.vectors.update = note_update  # type: ignore[method-assign]
    embed(waiting)
    identity = waiting.embedder.identity
    assert updates[-1] == (identity, True)
    assert set(updates[:-1]) == {(identity, False)}


def test_a_complete_model_becomes_the_active_one(waiting: Pipeline) -> None:
    embed(waiting)
    first = waiting.embedder.identity
    assert waiting.embeddings.latest_model() == first
    assert waiting.embeddings.active_model() == (first, "{}")
    waiting.embedder = BagOfWordsEmbedder(32, model_id="next")
    cancelled = CancelToken()
    cancelled.cancel()
    replaced = EmbeddingRun(
        resources=waiting.embedding_resources(),
        jobs=waiting.jobs,
        sink=waiting.events.append,
        cancel=cancelled,
    )
    replaced.run()
    assert (waiting.embeddings.latest_model(), waiting.embeddings.active_model()) == (
        waiting.embedder.identity,
        (first, "{}"),
    )
    assert waiting.embeddings.counts(first).committed == 3
    embed(waiting)
    assert waiting.embeddings.active_model() == (waiting.embedder.identity, "{}")


def test_vectors_that_are_damaged_are_made_anew(waiting: Pipeline) -> None:
    embed(waiting)
    identity = waiting.embedder.identity
    (whole, *_) = [row.text_hash for row in unpack_rows(waiting.embeddings.rows(identity))]
    vector = waiting.read_vector(whole)
    waiting.embeddings.put(identity, {whole: bytes(len(vector))})
    update = waiting.vectors.update

    def refuse_damage(model: EmbeddingIdentity, *, complete: bool = True) -> None:
        if waiting.vectors.find_damaged(model):
            raise DatabaseCorruptError("a vector is damaged", model=model.model_id)
        update(model, complete=complete)

    waiting.vectors.update = refuse_damage  # type: ignore[method-assign]
    report = embed(waiting)
    assert waiting.read_vector(whole) == vector
    assert report.embedding is not None
    assert (report.embedding.failure, report.embedding.pending) == (None, 0)


def test_files_that_cannot_be_written_fail_the_run_and_keep_the_vectors(waiting: Pipeline) -> None:
    def fail(model: EmbeddingIdentity, *, complete: bool = True) -> None:
        raise StorageError("the disk is full", model=model.model_id, complete=complete)

    waiting.vectors.update = fail  # type: ignore[method-assign]
    with pytest.raises(StorageError, match="the disk is full"):
        embed(waiting)
    assert waiting.embeddings.counts(waiting.embedder.identity).committed == 3


@pytest.mark.parametrize(
    "rows",
    [matrix_of([3.0, 4.0]), matrix_of([0.0, 0.0]), matrix_of([1.0, 0.0], [1.0, 0.0]), matrix_of([1.0])],
)
def test_what_is_no_vector_is_not_stored(waiting: Pipeline, rows: VectorMatrix) -> None:
    class Wrong(BagOfWordsEmbedder):
        def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
            return rows

    model = Wrong(2)
    embedder = CachedEmbedder(embedder=model, identity=model.identity, repo=waiting.embeddings)
    with pytest.raises(ModelCorruptError) as caught:
        embedder.embed(["one"], EmbeddingKind.DOCUMENT)
    assert caught.value.remedy
    assert list(waiting.embeddings.rows(model.identity)) == []


def test_a_cached_embedder_gives_what_is_stored_in_the_order_of_the_texts(waiting: Pipeline) -> None:
    model = waiting.embedder
    embedder = CachedEmbedder(embedder=model, identity=model.identity, repo=waiting.embeddings)
    texts = ["b", "a", "b", "c"]
    first = embedder.embed(texts, EmbeddingKind.QUERY)
    assert model.asked[-1] == (("b", "a", "c"), EmbeddingKind.QUERY)
    calls = len(model.asked)
    assert embedder.embed(texts, EmbeddingKind.QUERY).tolist() == first.tolist()
    assert embedder.embed(["c"], EmbeddingKind.QUERY).tolist() == first.tolist()[3:]
    assert len(model.asked) == calls
    embedder.embed(["c"], EmbeddingKind.DOCUMENT)
    assert len(model.asked) == calls + 1
    assert first.format == "f"
    assert first.shape == (4, model.identity.dimensions)


def test_vectors_that_nothing_uses_are_deleted_beyond_the_limit(pipeline: Pipeline) -> None:
    pipeline.source.write("a.md", b"one")
    pipeline.source.write("b.md", b"two")
    pipeline.ingest(embed=True)
    pipeline.source.remove("b.md")
    pipeline.ingest()
    resources = pipeline.embedding_resources(max_cache_bytes=0)
    summary, error = run_embedding_pass(
        resources, EventStream(pipeline.events.append, clock=pipeline.clock), CancelToken()
    )
    assert error is None
    assert summary.removed >= 1
    counts = pipeline.embeddings.counts(pipeline.embedder.identity)
    assert (counts.committed, counts.unused, counts.pending) == (1, 0, 0)


def test_a_model_that_fails_on_the_way_fails_the_run_and_keeps_what_it_had_made(
    waiting: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(BagOfWordsEmbedder):
        def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
            if "Note\nthree" in texts:
                raise ModelUnreachableError("gone")
            return super().embed(texts, kind)

    monkeypatch.setattr("kebab_ingest.embedding_batches.FIRST_BATCH", 1)
    monkeypatch.setattr("kebab_ingest.embedding_batches.MAX_BATCH", 1)
    monkeypatch.setattr("kebab_ingest.embedding_batches.MIN_BATCH", 1)
    waiting.embedder = Failing()
    with pytest.raises(ModelUnreachableError):
        embed(waiting)
    assert [row.status for row in waiting.jobs.rows.values()][-1] is JobStatus.FAILED
    counts = waiting.embeddings.counts(waiting.embedder.identity)
    made = waiting.embedder.texts_embedded
    assert counts.pending >= 1
    assert counts.committed + counts.pending == 3
    assert made >= counts.committed


def test_a_model_that_cannot_be_used_leaves_all_chunks_pending_and_is_reported(waiting: Pipeline) -> None:
    failure = EmbeddingFailure(code="model_missing", message="not here")
    resources = replace(waiting.embedding_resources(), model=failure, count_waiting=lambda: 3)
    events = EventStream(waiting.events.append, clock=waiting.clock)
    summary, _ = run_embedding_pass(resources, events, CancelToken())
    assert (summary.failure, summary.pending, summary.computed) == (failure, 3, 0)
