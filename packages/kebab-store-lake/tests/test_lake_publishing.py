"""Publishing to a lake: kills at every step, committers side by side, and readers of earlier revisions."""

from __future__ import annotations

import json
import re
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import lance
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
    StaleRevisionError,
    StorageError,
    VectorStore,
    WorkspacePath,
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
    list_miscounted,
    read_newest_head,
)
from kebab_store_lake.head import Heads
from kebab_store_lake.tables import LakeFolder, LakeTable
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.families import is_thorough, sample
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.vectors import halves_of, identity_of, matrix_of, unit

if TYPE_CHECKING:
    from conftest import LakeOfBase

MODEL = identity_of(4)
SEEDS = range(200)
A_FEW = 6
MOST_STEPS = 60
DRIVER = Path(__file__).with_name("kill_driver.py")


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
        "miscounted": list_miscounted(revision),
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


@pytest.fixture
def kill() -> Iterator[Callable[[LakeOfBase, int, float], int]]:
    """Give a function that has a process of its own publish, and be killed at a step; it returns the status."""
    command = [sys.executable, str(DRIVER)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdin is not None
        assert driver.stdout is not None
        stdin, stdout = driver.stdin, driver.stdout

        def publish_and_die(lake: LakeOfBase, steps: int, delay_s: float) -> int:
            case = {"lake": str(lake.folder), "base": str(lake.stores.folder)}
            stdin.write(json.dumps({**case, "steps": steps, "delay_s": delay_s}) + "\n")
            stdin.flush()
            return int(stdout.readline())

        yield publish_and_die


@pytest.mark.thorough
def test_a_reader_sees_one_revision_whole_wherever_the_committer_is_killed_and_the_next_run_converges(
    make_lake: Callable[..., LakeOfBase],
    tmp_path_factory: pytest.TempPathFactory,
    kill: Callable[[LakeOfBase, int, float], int],
) -> None:
    statuses = set()
    for seed in SEEDS if is_thorough() else sample(SEEDS)[:A_FEW]:
        random = Random(seed)  # noqa: S311 - cases of a seed
        lake = make_lake(folder=tmp_path_factory.mktemp("lake"))
        change(lake, random)
        lake.committer.publish(lake.base)
        before = content_of(LakeRevision(lake.folder))
        change(lake, random)
        inside_a_write = random.choice([0, random.uniform(0, 0.01)])
        statuses.add(kill(lake, random.randrange(1, MOST_STEPS), inside_a_write))
        found = content_of(LakeRevision(lake.folder))
        lake.committer.publish(lake.base)
        after = content_of(LakeRevision(lake.folder))
        assert found in (before, after), seed
        whole = make_lake(folder=tmp_path_factory.mktemp("whole"))
        whole.base = lake.base
        whole.committer.publish(whole.base)
        assert content_of(LakeRevision(whole.folder)) == after, seed
    assert -signal.SIGKILL in statuses


def test_a_second_committer_waits_for_the_first_or_is_refused_at_its_head(
    make_lake: Callable[..., LakeOfBase], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake, other, clock = make_lake(), make_lake(), FixedClock()
    for each in (lake, other):
        put(each, "a", "w1")
    put(other, "b", "w2")
    first = Committer(lake.folder, clock=clock, writer="first")
    second = Committer(lake.folder, clock=clock, writer="second")
    first.publish(lake.base)
    build, refusals = LakeTable.build_indexes, []

    def race(table: LakeTable, name: str, vectors: int) -> None:
        """Have the other one publish while the first is at work, and then once it may be taken for dead."""
        monkeypatch.undo()
        with pytest.raises(LockedError, match="first") as refused:
            second.publish(other.base)
        refusals.append(refused.value.remedy and refused.value.remedy.kind)
        clock.advance(timedelta(hours=1))
        second.publish(other.base)
        build(table, name, vectors)

    put(lake, "b", "w2")
    monkeypatch.setattr(LakeTable, "build_indexes", race)
    with pytest.raises(StaleRevisionError) as stale:
        first.publish(lake.base)
    assert refusals == ["wait_for_writer"]
    assert stale.value.remedy is not None
    head = read_newest_head(lake.folder)
    assert head is not None
    assert (head.revision, head.writer) == (2, "second")
    assert content_of(LakeRevision(lake.folder))["texts"] == ["w1", "w2"]
    first.publish(lake.base)
    assert content_of(LakeRevision(lake.folder))["texts"] == ["w1", "w2"]


def test_a_revision_that_was_published_meanwhile_is_not_written_over(
    make_lake: Callable[..., LakeOfBase],
) -> None:
    lake = make_lake()
    put(lake, "a", "w1")
    head = lake.committer.publish(lake.base)
    with pytest.raises(StaleRevisionError) as stale:
        Heads(str(lake.folder)).put(head.model_copy(update={"writer": "other"}))
    assert stale.value.remedy is not None
    assert stale.value.remedy.kind == "ingest"
    assert read_newest_head(lake.folder) == head


def make_older(lake: Path, at: datetime) -> None:
    """Date the versions of all tables that are younger than a time at that time, as if they had been made then.

    A manifest has it in field 7, of which the first are the seconds, a number of five bytes.
    """

    def earlier(found: re.Match[bytes]) -> bytes:
        seconds = sum((byte & 127) << 7 * place for place, byte in enumerate(found[2]))
        wanted = min(seconds, int(at.timestamp()))
        return found[1] + bytes((wanted >> 7 * place & 127) | 128 * (place < 4) for place in range(5))

    for path in lake.glob("*.lance/_versions/*.manifest"):
        content = re.sub(rb"(:[\x08-\x0c]\x08)([\x80-\xff]{4}[\0-\x7f])", earlier, path.read_bytes())
        path.write_bytes(content)


def test_a_reader_stays_at_its_revision_while_the_files_of_earlier_ones_are_removed(
    make_lake: Callable[..., LakeOfBase],
) -> None:
    lake = make_lake()
    put(lake, "a", "w1", "x1")
    lake.committer.publish(lake.base)
    now = datetime.fromtimestamp((lake.folder / "head").stat().st_mtime, UTC)
    lake, clock = make_lake(lake.folder.with_name("older")), FixedClock(now - timedelta(hours=4))
    committer = Committer(lake.folder, clock=clock, retention=timedelta(hours=1))
    put(lake, "b", "kept")
    heads = []
    for number in range(3):
        put(lake, "a", f"w{number} x{number}", "w9")
        embed(lake)
        heads.append(committer.publish(lake.base))
        make_older(lake.folder, clock.now())
        clock.advance(timedelta(hours=2))
        if number == 1:
            reader = LakeRevision(lake.folder)
            expected = content_of(LakeRevision(lake.folder))
    assert not reader.is_newest
    assert "w1 x1" in expected["texts"]
    assert content_of(reader) == content_of(LakeRevision(lake.folder, revision=2)) == expected
    with pytest.raises(NotIndexedError):
        LakeRevision(lake.folder, revision=1)
    for name in ("documents", "passages"):
        with pytest.raises(StorageError):
            LakeFolder(str(lake.folder)).open(name, heads[0].tables[name])


def test_readers_keep_the_newest_revision_however_old_it_is_while_the_next_one_is_written(
    make_lake: Callable[..., LakeOfBase], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = make_lake()
    put(lake, "a", "w1", "x1")
    lake.committer.publish(lake.base)
    expected = content_of(LakeRevision(lake.folder))
    made_at = datetime.fromtimestamp((lake.folder / "head").stat().st_mtime, UTC)
    make_older(lake.folder, made_at - timedelta(days=30))

    def fail(*_arguments: object) -> None:
        """Be killed before the head is made."""
        raise StorageError("killed")

    put(lake, "a", "w2")
    with monkeypatch.context() as patch:
        patch.setattr(Heads, "put", fail)
        with pytest.raises(StorageError, match="killed"):
            lake.committer.publish(lake.base)
    assert content_of(LakeRevision(lake.folder)) == expected
    lake.committer.publish(lake.base)
    assert content_of(LakeRevision(lake.folder, revision=1)) == expected
    assert content_of(LakeRevision(lake.folder))["texts"] == ["w2"]


def test_a_revision_is_kept_for_the_retention_after_a_later_one_was_published(
    make_lake: Callable[..., LakeOfBase],
) -> None:
    lake = make_lake()
    clock = FixedClock()
    committer = Committer(lake.folder, clock=clock, retention=timedelta(hours=1))
    put(lake, "a", "w1")
    committer.publish(lake.base)
    clock.advance(timedelta(hours=2))
    put(lake, "a", "w2")
    committer.publish(lake.base)
    assert content_of(LakeRevision(lake.folder, revision=1))["texts"] == ["w1"]
    clock.advance(timedelta(hours=2))
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


def written(lake: Path) -> int:
    """Return the bytes of all files of tables, which never change."""
    return sum(path.stat().st_size for path in lake.glob("*.lance/**/*") if path.is_file())


def put_many(lake: LakeOfBase, count: int) -> None:
    """Add documents of ten passages each, whose vectors are those of their texts."""
    random = Random(count)  # noqa: S311 - the same words each time
    for number in range(count):
        put(
            lake,
            f"{number:03}",
            *(" ".join(f"w{random.randrange(400)}" for _ in range(60)) for _ in range(10)),
        )
    embed(lake)


def test_a_small_publication_writes_what_has_changed_and_leaves_large_files_and_indexes(
    make_lake: Callable[..., LakeOfBase],
) -> None:
    lake = make_lake()
    put_many(lake, 90)
    lake.committer.publish(lake.base)
    whole = written(lake.folder)
    put(lake, "new", "w1 w2")
    lake.committer.publish(lake.base)
    assert written(lake.folder) - whole < whole / 10


def test_many_small_publications_are_searched_as_one_and_leave_few_files(
    make_lake: Callable[..., LakeOfBase], tmp_path: Path
) -> None:
    lake = make_lake()
    whole = make_lake(tmp_path / "whole")
    whole.base = lake.base
    for number in range(40):
        put(lake, f"{number}", f"w{number % 3} w{number % 7} w{number % 5}", "w1 x1")
        embed(lake)
        lake.committer.publish(lake.base)
    whole.committer.publish(lake.base)
    found = []
    for each in (lake, whole):
        revision = LakeRevision(each.folder)
        index, query = LakeLexicalIndex(revision), LexicalQuery(terms=("w1", "w4", "w6"))
        found.append([(hit.chunk_id, round(hit.bm25, 4)) for hit in index.search(query, limit=99)])
        assert content_of(revision) == content_of(LakeRevision(whole.folder))
    assert found[0] == found[1]
    for name in ("passages", "documents", "terms"):
        table = lance.dataset(str(lake.folder / f"{name}.lance"), LakeRevision(lake.folder).head.tables[name])
        assert len(table.get_fragments()) < 8
        assert all(len(each.segments) < 8 for each in table.describe_indices())


def test_a_compaction_leaves_one_file_without_what_was_removed(make_lake: Callable[..., LakeOfBase]) -> None:
    lake = make_lake()
    put_many(lake, 30)
    lake.committer.publish(lake.base)
    for number in range(3):
        put(lake, "000", f"w{number}")
        lake.committer.publish(lake.base)
    expected = content_of(LakeRevision(lake.folder))
    head = lake.committer.compact()
    assert content_of(LakeRevision(lake.folder)) == expected
    table = lance.dataset(str(lake.folder / "passages.lance"), head.tables["passages"])
    (file,) = table.get_fragments()
    assert (file.physical_rows, file.num_deletions) == (head.passages, 0)
    assert all(len(each.segments) == 1 for each in table.describe_indices())


def test_files_of_documents_that_are_gone_leave_the_lake(make_lake: Callable[..., LakeOfBase]) -> None:
    lake = make_lake(copy_threshold_bytes=1000)
    documents = lake.base.documents
    assets = {}
    for name, text in (("a", "same"), ("b", "same"), ("c", "other")):
        record = build_record(RecordSpec(path=f"{name}.md", paragraphs=[text]))
        stored = documents.put_asset(record.asset, text.encode())
        documents.replace_document(record.model_copy(update={"asset": stored}))
        assets[name] = stored.asset_id
    listed = {one.doc_path: one.doc_id for one in documents.list_documents(DocFilter())}
    lake.committer.publish(lake.base)
    documents.remove_documents([listed[WorkspacePath("a.md")], listed[WorkspacePath("c.md")]])
    lake.committer.publish(lake.base)
    published = LakeDocumentStore(LakeRevision(lake.folder))
    assert published.read_asset(assets["b"]) == b"same"
    with pytest.raises(StorageError):
        published.read_asset(assets["c"])
    assert published.stats().asset_bytes == len(b"same")


def test_whether_a_document_has_a_text_is_known_once_it_was_found(
    make_lake: Callable[..., LakeOfBase], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = make_lake()
    put(lake, "a", "w1")
    documents = LakeDocumentStore(lake.revision)
    (found,) = documents.get_chunks([
        chunk.chunk_id
        for one in documents.list_documents(DocFilter())
        for chunk in documents.list_chunks(one.doc_id)
    ])

    def refuse(*_arguments: object) -> None:
        """Fail where a table is read."""
        pytest.fail("the document was read")

    monkeypatch.setattr(LakeTable, "scan", refuse)
    assert documents.get_text(found.chunk.doc_id) is None


def test_a_compaction_removes_words_that_no_passage_has(make_lake: Callable[..., LakeOfBase]) -> None:
    lake = make_lake()
    put(lake, "a", "gone kept")
    lake.committer.publish(lake.base)
    put(lake, "a", "kept")
    lake.committer.publish(lake.base)
    lake.committer.compact()
    table = LakeRevision(lake.folder).table("terms")
    assert {row["term"] for row in table.scan(["term"])} == {"kept"}


def test_only_documents_that_were_written_are_compared_with_the_lake(
    make_lake: Callable[..., LakeOfBase],
) -> None:
    lake, asked = make_lake(), []

    class Log:
        def __getattr__(self, name: str) -> Any:
            return getattr(lake.stores.publications, name)

        def list_states(self, model: Any, *, among: Any = None) -> Any:
            asked.append(None if among is None else len(among))
            return lake.stores.publications.list_states(model, among=among)

    base = lake.base._replace(log=Log())
    for name in "abcde":
        put(lake, name, f"w1 {name}")
    lake.committer.publish(base)
    lake.committer.publish(base)
    put(lake, "a", "w2")
    lake.base.documents.remove_documents([lake.base.documents.list_documents(DocFilter())[-1].doc_id])
    lake.committer.publish(base)
    assert content_of(LakeRevision(lake.folder))["texts"] == ["w1 b", "w1 c", "w1 d", "w2"]
    lake.committer.publish(base)
    embed(lake)
    lake.committer.publish(base)
    embed(lake)
    put(lake, "b", "w1")
    lake.committer.publish(base)
    assert asked == [None, 0, 3, 0, None, 2]
    lake.committer.compact()
    assert lake.committer.publish(base).revision == 5
    assert asked[-1] is None


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


def test_cosines_are_described_as_in_the_base_after_any_changes(make_lake: Callable[..., LakeOfBase]) -> None:
    lake, random = make_lake(), Random(3)  # noqa: S311 - cases of a seed
    query = matrix_of(unit([0.5, 0.1, -0.7, 0.2]))
    for _ in range(6):
        change(lake, random)
        embed(lake)
        lake.changed()
        found = LakeVectorStore(lake.revision).cosine_distributions(MODEL, query)
        expected = lake.stores.open_vector_store().cosine_distributions(MODEL, query)
        assert [each[:2] for each in found] == [each[:2] for each in expected]
        spreads = [each[2:] for each in expected]
        assert [each[2:] for each in found] == [pytest.approx(each, abs=1e-3) for each in spreads]


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
