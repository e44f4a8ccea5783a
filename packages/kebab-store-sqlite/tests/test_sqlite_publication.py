"""Documents that were written since a publication."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from kebab_core import DocFilter, FileStamp, Repository, SourceId, WorkspacePath
from kebab_testing.fakes.clock import START
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores
from kebab_testing.vectors import halves_of, identity_of, unit

MODEL = identity_of(4)
SPECS = [
    RecordSpec(path="work/a.md", title="Untitled", next_title="First", paragraphs=["one"]),
    RecordSpec(path="b.md", paragraphs=["two"]),
    RecordSpec(path="c.md", paragraphs=["three"]),
]


def named(stores: TemporaryStores) -> dict[str, str]:
    return {one.doc_id: str(one.doc_path) for one in stores.documents.list_documents(DocFilter())}


def put(stores: TemporaryStores, spec: RecordSpec) -> None:
    stores.documents.replace_document(build_record(spec))


def touch(stores: TemporaryStores) -> None:
    record = build_record(SPECS[1])
    stamp = FileStamp(byte_len=3, mtime_ns=9, inode=9, ctime_ns=9)
    stores.source_files.touch_file(record.document.doc_id, stamp=stamp, disk_path="/disk/b.md")


def remove(stores: TemporaryStores) -> None:
    stores.documents.remove_documents([build_record(SPECS[1]).document.doc_id])


def embed(stores: TemporaryStores) -> None:
    (pending,) = (each for each in stores.embeddings.pending(MODEL, limit=9) if each.text.endswith("two"))
    stores.embeddings.put(MODEL, {pending.text_hash: halves_of(unit([1.0] * 4))})


def find_repository(stores: TemporaryStores) -> None:
    found = Repository(source_id=SourceId("default"), folder=WorkspacePath("work"), name="tools")
    stores.source_files.record_repositories(SourceId("default"), [found], is_complete=True)


@walk(
    ("change", "expected"),
    [
        (lambda _: None, set()),
        (lambda stores: put(stores, SPECS[2]), {"c.md"}),
        (lambda stores: put(stores, RecordSpec(path="new.md", paragraphs=["four"])), {"new.md"}),
        (
            lambda stores: put(stores, RecordSpec(path="d.md", title="Untitled", next_title="Second")),
            {"d.md", "work/a.md"},
        ),
        (touch, {"b.md"}),
        (remove, {"b.md"}),
        (embed, {"b.md"}),
        (find_repository, {"work/a.md"}),
    ],
)
def test_what_changes_the_state_of_a_document_is_noted_once_there_is_a_publication(
    change: Callable[[TemporaryStores], None], expected: set[str]
) -> None:
    stores = TemporaryStores()
    log = stores.publications
    for spec in SPECS:
        put(stores, spec)
    stores.embeddings.request(MODEL)
    assert log.list_changes("first") is None
    log.note_publication("first", {})
    assert log.list_changes("first") == {}
    names, before = named(stores), log.list_states(MODEL)
    change(stores)
    names, after = {**names, **named(stores)}, log.list_states(MODEL)
    differing = {doc_id for doc_id in {**before, **after} if before.get(doc_id) != after.get(doc_id)}
    changes = log.list_changes("first")
    assert changes is not None
    assert {names[doc_id] for doc_id in differing} == expected
    assert {names[doc_id] for doc_id in changes} == expected
    assert log.list_states(MODEL, among=changes) == {
        doc_id: after[doc_id] for doc_id in changes if doc_id in after
    }
    assert log.list_changes("other") is None


def test_a_document_that_changes_while_it_is_published_stays_among_the_changes() -> None:
    stores = TemporaryStores()
    log = stores.publications
    log.note_publication("first", {})
    for spec in SPECS[:2]:
        put(stores, spec)
    published = log.list_changes("first")
    assert published is not None
    put(stores, RecordSpec(**{**vars(SPECS[1]), "at": START + timedelta(minutes=1)}))
    log.note_publication("second", published)
    assert log.list_changes("first") is None
    assert set(log.list_changes("second") or ()) == {build_record(SPECS[1]).document.doc_id}
