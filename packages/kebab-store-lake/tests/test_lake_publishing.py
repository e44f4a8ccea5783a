"""Publishing to a lake: kills at every step, committers side by side, and readers of earlier revisions."""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from kebab_core import (
    DocFilter,
    DocumentStore,
    EmbeddingKind,
    EmbeddingRepo,
    LexicalIndex,
    LexicalQuery,
    LockedError,
    NotIndexedError,
    ReadonlyModeError,
    SourceFileStore,
    StorageError,
    VectorStore,
    text_hash_of,
)
from kebab_store_lake import (
    Committer,
    LakeDocumentStore,
    LakeEmbeddings,
    LakeLexicalIndex,
    LakeRevision,
    LakeSourceFiles,
    LakeVectorStore,
    read_newest_head,
)
from kebab_store_lake.tables import LakeTable
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.families import sample
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.vectors import halves_of, identity_of, matrix_of, unit

if TYPE_CHECKING:
    from conftest import LakeOfBase

MODEL = identity_of(4)
WRITES = ("restore", "add", "delete", "upsert", "build_indexes", "clean")
SEEDS = range(200)


class Killed(BaseException):
    """The committer dies here."""


class KillAfter:
    """Ends a committer before or after one of its writes to the tables, or at its head."""

    def __init__(self, patch: pytest.MonkeyPatch, steps: int) -> None:
        self.left = steps
        for name in WRITES:
            patch.setattr(LakeTable, name, self._dying(getattr(LakeTable, name)))
        import kebab_store_lake.committer as module

        patch.setattr(module, "put_head", self._dying(module.put_head))

    def _dying(self, write: Callable[..., Any]) -> Callable[..., Any]:
        def dies(*arguments: Any, **named: Any) -> Any:
            self._step()
            result = write(*arguments, **named)
            self._step()
            return result

        return dies

    def _step(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Killed


def put(lake: LakeOfBase, name: str, *texts: str) -> None:
    lake.base.documents.replace_document(build_record(RecordSpec(path=f"{name}.md", paragraphs=texts)))


def embed(lake: LakeOfBase) -> None:
    """Give every passage a vector of its text."""
    repo = lake.base.embeddings
    repo.request(MODEL)
    for each in repo.pending(MODEL, limit=999):
        random = Random(each.text)  # noqa: S311 - the same vector for the same text
        repo.put(MODEL, {each.text_hash: halves_of(unit([random.gauss(0, 1) for _ in range(4)]))})


def content_of(revision: LakeRevision) -> dict[str, object]:
    """Read what a revision has, by documents, by words and by vectors, which belong together."""
    documents, index = LakeDocumentStore(revision), LakeLexicalIndex(revision)
    listed = documents.list_documents(DocFilter())
    chunks = {chunk.chunk_id: chunk.text for one in listed for chunk in documents.list_chunks(one.doc_id)}
    words = sorted({word for text in chunks.values() for word in text.split()})
    return {
        "documents": [(one.doc_path, one.chunk_count) for one in listed],
        "texts": sorted(chunks.values()),
        "words": {
            word: {chunks[hit.chunk_id] for hit in index.search(LexicalQuery(terms=(word,)), limit=99)}
            for word in words
        },
        "frequencies": dict(index.document_frequencies(words)),
        "terms": set(index.list_terms(["w", "x"])),
        "vectors": sorted(LakeEmbeddings(revision).chunk_vectors(MODEL, list(chunks)).values()),
    }


def change(lake: LakeOfBase, random: Random) -> None:
    """Add, change and remove some documents."""
    for name in random.sample("abcdefgh", 3):
        put(
            lake,
            name,
            *(f"w{random.randrange(9)} x{random.randrange(9)}" for _ in range(random.randrange(1, 4))),
        )
    listed = lake.base.documents.list_documents(DocFilter())
    if random.random() < 0.5 and len(listed) > 2:
        lake.base.documents.remove_documents([random.choice(listed).doc_id])
    if random.random() < 0.7:
        embed(lake)


@pytest.mark.thorough
def test_a_reader_sees_one_revision_whole_wherever_the_committer_dies_and_the_next_run_converges(
    make_lake: Callable[..., LakeOfBase], tmp_path_factory: pytest.TempPathFactory
) -> None:
    for seed in sample(SEEDS):
        random = Random(seed)  # noqa: S311 - cases of a seed
        lake = make_lake(folder=tmp_path_factory.mktemp("lake"))
        change(lake, random)
        lake.committer.publish(lake.base)
        before = content_of(LakeRevision(lake.folder))
        change(lake, random)
        with pytest.MonkeyPatch.context() as patch:
            KillAfter(patch, random.randrange(30))
            with suppress(Killed):
                lake.committer.publish(lake.base)
        found = content_of(LakeRevision(lake.folder))
        lake.committer.publish(lake.base)
        after = content_of(LakeRevision(lake.folder))
        assert found in (before, after), seed
        whole = make_lake(folder=tmp_path_factory.mktemp("whole"))
        whole.base = lake.base
        whole.committer.publish(whole.base)
        assert content_of(LakeRevision(whole.folder)) == after, seed


def test_a_committer_that_another_was_faster_than_is_refused(
    make_lake: Callable[..., LakeOfBase], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = make_lake()
    put(lake, "a", "w1")
    lake.committer.publish(lake.base)
    other = Committer(lake.folder, clock=FixedClock(), writer="other")
    build, raced = LakeTable.build_indexes, []

    def race(table: LakeTable, name: str) -> None:
        build(table, name)
        if not raced:
            raced.append(name)
            other.publish(lake.base)

    put(lake, "b", "w2")
    monkeypatch.setattr(LakeTable, "build_indexes", race)
    with pytest.raises((LockedError, StorageError)):
        lake.committer.publish(lake.base)
    monkeypatch.undo()
    head = read_newest_head(lake.folder)
    assert head is not None
    assert (head.revision, head.writer) == (2, "other")
    assert content_of(LakeRevision(lake.folder))["texts"] == ["w1", "w2"]
    lake.committer.publish(lake.base)
    assert content_of(LakeRevision(lake.folder))["texts"] == ["w1", "w2"]


def test_a_reader_stays_at_its_revision_through_changes_and_a_cleanup(
    make_lake: Callable[..., LakeOfBase],
) -> None:
    lake = make_lake()
    put(lake, "a", "w1 x1", "w2")
    embed(lake)
    first = lake.committer.publish(lake.base)
    reader = LakeRevision(lake.folder)
    for step in range(3):
        put(lake, "a", f"w{step} x9")
        embed(lake)
        lake.committer.publish(lake.base)
    assert not reader.is_newest
    assert content_of(reader)["texts"] == ["w1 x1", "w2"]
    assert content_of(LakeRevision(lake.folder, revision=first.revision)) == content_of(reader)


def test_revisions_older_than_the_retention_are_not_kept(make_lake: Callable[..., LakeOfBase]) -> None:
    lake = make_lake()
    clock = FixedClock()
    committer = Committer(lake.folder, clock=clock, retention=timedelta(hours=1))
    put(lake, "a", "w1")
    committer.publish(lake.base)
    clock.advance(timedelta(hours=2))
    put(lake, "a", "w2")
    committer.publish(lake.base)
    with pytest.raises(NotIndexedError):
        LakeRevision(lake.folder, revision=1)
    assert content_of(LakeRevision(lake.folder))["texts"] == ["w2"]


def test_more_documents_than_one_filter_takes_are_published_at_once(
    make_lake: Callable[..., LakeOfBase],
) -> None:
    lake = make_lake()
    for number in range(101):
        put(lake, f"{number}", "w1")
    assert lake.committer.publish(lake.base).documents == 101


def test_publishing_again_without_a_change_is_no_new_revision(make_lake: Callable[..., LakeOfBase]) -> None:
    lake = make_lake()
    put(lake, "a", "w1")
    first = lake.committer.publish(lake.base)
    assert lake.committer.publish(lake.base) == first


def test_vectors_of_another_model_take_the_place_of_the_first(make_lake: Callable[..., LakeOfBase]) -> None:
    lake = make_lake()
    put(lake, "a", "w1", "w2")
    embed(lake)
    lake.committer.publish(lake.base)
    wider, repo = identity_of(8), lake.base.embeddings
    repo.request(wider)
    repo.put(wider, {each.text_hash: halves_of(unit([1.0] * 8)) for each in repo.pending(wider, limit=9)})
    repo.activate(wider, "{}")
    lake.committer.publish(lake.base)
    revision = LakeRevision(lake.folder)
    assert LakeEmbeddings(revision).embedded_models() == [wider]
    assert len(LakeVectorStore(revision).search(wider, matrix_of(unit([1.0] * 8)), limit=9)) == 2
    assert LakeVectorStore(revision).search(MODEL, matrix_of(unit([1.0] * 4)), limit=9) == []
    assert content_of(revision)["texts"] == ["w1", "w2"]


def test_the_nearest_passages_come_first_among_those_asked_for(make_lake: Callable[..., LakeOfBase]) -> None:
    lake = make_lake()
    for name, lang in (("a", "ko"), ("b", "en"), ("c", "en")):
        spec = RecordSpec(path=f"{name}.md", paragraphs=[f"{name}{number}" for number in range(9)], lang=lang)
        lake.base.documents.replace_document(build_record(spec))
    embed(lake)
    store = LakeVectorStore(lake.revision)
    query = unit([1.0, 2.0, -1.0, 0.5])
    repo, documents = lake.base.embeddings, lake.base.documents
    expected = {}
    for entry in documents.list_entries():
        chunk_ids = [chunk.chunk_id for chunk in documents.list_chunks(entry.doc_id)]
        vectors = repo.chunk_vectors(MODEL, chunk_ids)
        for chunk_id in chunk_ids:
            values = struct.unpack("<4e", vectors[chunk_id])
            expected[chunk_id] = sum(x * y for x, y in zip(values, query, strict=True))
    hits = store.search(MODEL, matrix_of(query), limit=10)
    best = sorted(expected, key=lambda chunk_id: -expected[chunk_id])
    assert [hit.chunk_id for hit in hits] == best[:10]
    assert [hit.cosine for hit in hits] == pytest.approx([expected[each] for each in best[:10]], abs=2e-3)
    assert store.similarities(MODEL, matrix_of(query), best) == pytest.approx(
        [expected[each] for each in best], abs=2e-3
    )
    korean = store.search(MODEL, matrix_of(query), limit=99, lang="ko")
    assert (len(korean), {hit.lang for hit in korean}) == (9, {"ko"})
    spread = store.cosine_distributions(MODEL, matrix_of(query))
    assert [(each.lang, each.vectors) for each in spread] == [("en", 18), ("ko", 9)]
    assert LakeEmbeddings(lake.revision).counts(MODEL) == (0, 27, 0)
    put(lake, "pending", "w1")
    lake.changed()
    assert len(LakeVectorStore(lake.revision).search(MODEL, matrix_of(query), limit=99)) == 27
    assert LakeEmbeddings(lake.revision).counts(MODEL) == (1, 27, 0)


@walk(
    ("protocol", "store"),
    [
        (DocumentStore, LakeDocumentStore),
        (SourceFileStore, LakeSourceFiles),
        (EmbeddingRepo, LakeEmbeddings),
        (LexicalIndex, LakeLexicalIndex),
        (VectorStore, LakeVectorStore),
    ],
)
def test_stores_read_all_that_their_protocols_read_and_refuse_the_rest(protocol: type, store: type) -> None:
    names = {name for name in vars(protocol) if name[0] != "_"}
    assert names - set(dir(store)) == set(getattr(store, "WRITES", ()))


def test_a_lake_refuses_writes_and_says_where_there_is_none(make_lake: Callable[..., LakeOfBase]) -> None:
    lake = make_lake()
    with pytest.raises(NotIndexedError):
        LakeRevision(lake.folder)
    put(lake, "a", "w1")
    store: Any = LakeDocumentStore(lake.revision)
    with pytest.raises(ReadonlyModeError):
        store.remove_documents([])
    with pytest.raises(ReadonlyModeError):
        LakeEmbeddings(lake.revision).put(MODEL, {text_hash_of("x", EmbeddingKind.QUERY): b""})
