"""The embedding pass alone: its job, its failures, and the cache between two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from kebab_core import (
    EmbeddingFailure,
    EmbeddingKind,
    IngestReport,
    JobStatus,
    ModelUnreachableError,
    VectorMatrix,
    vector_index_of,
)
from kebab_ingest import (
    CACHE_KIND,
    CancelToken,
    EmbeddingRun,
    EventStream,
    LostVectors,
    embedding_key,
    find_lost,
    passage_text,
    run_embedding_pass,
)
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

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


def test_vectors_of_a_lost_index_come_from_the_cache(waiting: Pipeline) -> None:
    embed(waiting)
    identity, calls = waiting.embedder.identity, waiting.embedder.texts_embedded
    waiting.vectors.drop(vector_index_of(identity))
    parts = {"repo": waiting.embeddings, "store": waiting.vectors}
    assert len(LostVectors().find(identity, **parts)) == len(find_lost(identity, **parts)) == 3
    report = embed(waiting)
    assert report.embedding is not None
    assert (report.embedding.computed, report.embedding.reused) == (0, 3)
    assert waiting.embedder.texts_embedded == calls
    assert not find_lost(identity, **parts)


def test_the_cache_key_is_of_the_model_and_the_text_of_the_passage(waiting: Pipeline) -> None:
    embed(waiting)
    text = passage_text(title="Note", heading_path=(), text="two")
    assert (CACHE_KIND, embedding_key(waiting.embedder.identity, text)) in waiting.cache.payloads


def test_a_model_that_fails_on_the_way_fails_the_run_and_keeps_what_it_had_made(
    waiting: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(BagOfWordsEmbedder):
        def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
            if "Note\nthree" in texts:
                raise ModelUnreachableError("gone")
            return super().embed(texts, kind)

    monkeypatch.setattr("kebab_ingest.embedding_pass.FIRST_BATCH", 1)
    monkeypatch.setattr("kebab_ingest.embedding_pass.MAX_BATCH", 1)
    monkeypatch.setattr("kebab_ingest.embedding_pass.MIN_BATCH", 1)
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
