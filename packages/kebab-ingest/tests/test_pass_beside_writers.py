"""An embedding pass beside which others write: when it holds the lock, what it leaves, and when its time is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from kebab_core import (
    CancelToken,
    EmbeddingKind,
    EmbeddingSummary,
    LockedError,
    ModelUnreachableError,
    SourceId,
    VectorMatrix,
    WorkspacePath,
    passage_text,
    text_hash_of,
)
from kebab_ingest import EventStream, run_embedding_pass
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.vectors import unpack_rows

if TYPE_CHECKING:
    from conftest import Pipeline

PARAGRAPHS = 100


@dataclass
class Lock:
    """A writer lock that only this test looks at."""

    is_held: bool = True
    releases: int = 0

    @contextmanager
    def released(self) -> Iterator[None]:
        assert self.is_held
        self.is_held = False
        self.releases += 1
        try:
            yield
        finally:
            self.is_held = True


class Watched(BagOfWordsEmbedder):
    """Calls a function before the vectors of passages are made."""

    def __init__(self) -> None:
        super().__init__()
        self.before: Callable[[], None] = lambda: None
        self.passages: list[str] = []

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        if kind is EmbeddingKind.DOCUMENT:
            self.passages.extend(texts)
            self.before()
        return super().embed(texts, kind)


@pytest.fixture
def watched(pipeline: Pipeline) -> Watched:
    """The model of a pipeline with a hundred chunks that wait for their vectors."""
    pipeline.source.write("a.md", "\n\n".join(f"word{n}" for n in range(PARAGRAPHS)).encode())
    pipeline.ingest()
    pipeline.embedder = Watched()
    return pipeline.embedder


@dataclass
class Locks:
    """Implements `kebab_core.Locks`."""

    lock: Lock
    pass_lock: Callable[[], AbstractContextManager[None]]

    def unlocked(self) -> AbstractContextManager[None]:
        return self.lock.released()


def embed(
    pipeline: Pipeline,
    *,
    lock: Lock | None = None,
    pass_lock: Callable[[], AbstractContextManager[None]] | None = None,
    **options: object,
) -> EmbeddingSummary:
    locks = Locks(lock or Lock(), pass_lock or nullcontext)
    resources = replace(pipeline.embedding_resources(), locks=locks)
    events = EventStream(pipeline.events.append, clock=pipeline.clock)
    return run_embedding_pass(resources, events, CancelToken(), **options)[0]


def once(work: Callable[[], object]) -> Callable[[], None]:
    pending = [work]

    def run() -> None:
        while pending:
            pending.pop()()

    return run


def test_model_works_without_the_lock_and_everything_else_with_it(
    pipeline: Pipeline, watched: Watched
) -> None:
    lock, seen = Lock(), []
    watched.before = lambda: seen.append(lock.is_held)
    put = pipeline.embeddings.put

    def put_with_lock(*given: object) -> int:
        assert lock.is_held
        return put(*given)

    pipeline.embeddings.put = put_with_lock
    assert embed(pipeline, lock=lock).pending == 0
    assert set(seen) == {False}


def test_lock_is_taken_again_when_the_model_fails(pipeline: Pipeline, watched: Watched) -> None:
    def fail() -> None:
        raise ModelUnreachableError("gone")

    lock, watched.before = Lock(), fail
    summary = embed(pipeline, lock=lock)
    assert lock.is_held
    assert (summary.failure.code, summary.pending) == ("model_unreachable", PARAGRAPHS)


def test_documents_added_while_the_model_works_are_embedded_in_the_same_pass(
    pipeline: Pipeline, watched: Watched
) -> None:
    def add() -> None:
        pipeline.source.write("b.md", b"late one\n\nlate two")
        pipeline.ingest()

    watched.before = once(add)
    summary = embed(pipeline)
    assert (summary.computed, summary.pending) == (PARAGRAPHS + 2, 0)
    finished = [event for event in pipeline.events if event.kind == "embed_batch_finished"]
    assert (finished[0].total, finished[-1].total) == (PARAGRAPHS, PARAGRAPHS + 2)
    assert finished[-1].done == PARAGRAPHS + 2


def test_document_added_after_the_last_batch_is_not_left_to_nobody(
    pipeline: Pipeline, watched: Watched
) -> None:
    def add() -> None:
        pipeline.source.write("b.md", b"late one\n\nlate two")
        pipeline.ingest()

    pipeline.source.write("a.md", b"one")
    pipeline.ingest()
    watch, made = once(add), watched.embed

    def embed_queries_late(texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        counts = pipeline.embeddings.counts(watched.identity)
        if kind is EmbeddingKind.QUERY and not counts.pending:
            watch()
        return made(texts, kind)

    watched.embed = embed_queries_late
    assert embed(pipeline).pending == 0
    assert any("late one" in text for text in watched.passages)


def test_document_removed_while_the_model_works_leaves_no_vector_anywhere(
    pipeline: Pipeline, watched: Watched
) -> None:
    pipeline.source.write("0.md", b"a secret")
    pipeline.ingest()
    doc_id = pipeline.source_files.tracked_file(SourceId("default"), WorkspacePath("0.md")).doc_id
    (secret,) = [chunk.chunk_id for chunk in pipeline.documents.list_chunks(doc_id)]
    watched.before = once(lambda: pipeline.documents.remove_documents([doc_id]))
    summary = embed(pipeline)
    assert any("a secret" in text for text in watched.passages)
    assert summary.pending == 0
    rows = list(unpack_rows(pipeline.embeddings.rows(watched.identity)))
    assert secret not in {row.chunk_id for row in rows}
    text = passage_text(title="Note", heading_path=(), text="a secret")
    assert pipeline.read_vector(text_hash_of(text)) == b""
    assert len(rows) == PARAGRAPHS


def test_passages_of_another_process_that_embeds_are_left_to_it(pipeline: Pipeline, watched: Watched) -> None:
    def refuse() -> AbstractContextManager[None]:
        raise LockedError("another process is computing embeddings")

    summary = embed(pipeline, pass_lock=refuse)
    assert (summary.failure.code, summary.pending, watched.passages) == ("locked", PARAGRAPHS, [])
    assert embed(pipeline).pending == 0
    assert embed(pipeline, pass_lock=refuse).failure is None


def test_few_passages_are_embedded_beside_another_process_and_many_are_left_to_it(
    pipeline: Pipeline, watched: Watched
) -> None:
    def refuse() -> AbstractContextManager[None]:
        raise LockedError("another process is computing embeddings")

    pipeline.source.write("note.md", b"a note")
    pipeline.ingest()
    files = {
        path: pipeline.source_files.tracked_file(SourceId("default"), WorkspacePath(path)).doc_id
        for path in ("a.md", "note.md")
    }
    note = embed(pipeline, pass_lock=refuse, within={files["note.md"]})
    assert (note.computed, note.failure) == (1, None)
    book = embed(pipeline, pass_lock=refuse, within={files["a.md"]})
    assert (book.computed, book.failure.code) == (0, "locked")


@pytest.mark.parametrize("limit_s", [1, 60])
def test_pass_ends_after_its_time_with_the_batch_in_hand_and_the_next_one_goes_on(
    limit_s: int, pipeline: Pipeline, watched: Watched
) -> None:
    watched.before = lambda: pipeline.clock.advance(timedelta(seconds=60))
    summary = embed(pipeline, time_limit_s=limit_s)
    done = len(watched.passages)
    assert 0 < done < PARAGRAPHS
    assert (summary.computed, summary.pending) == (done, PARAGRAPHS - done)
    assert (summary.time_limit_reached, summary.failure) == (True, None)
    rest = embed(pipeline)
    assert (rest.computed, rest.pending, rest.time_limit_reached) == (PARAGRAPHS - done, 0, False)
    assert len(set(watched.passages)) == len(watched.passages) == PARAGRAPHS


def test_time_that_is_over_with_nothing_left_is_not_reported(pipeline: Pipeline, watched: Watched) -> None:
    watched.before = lambda: pipeline.clock.advance(timedelta(hours=1))
    pipeline.source.write("a.md", b"one")
    pipeline.ingest()
    assert embed(pipeline, time_limit_s=1).time_limit_reached is False
