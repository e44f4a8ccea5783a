"""Counts of documents by tag, folder, source, medium and language."""

from __future__ import annotations

from hypothesis import given, strategies as st
from kebab_core import DocumentStore
from kebab_documents import count_documents
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.temporary_stores import TemporaryStores

parts = st.text("ab가", min_size=1, max_size=2)
places = st.tuples(
    st.sampled_from(["default", "wiki"]), st.lists(parts, min_size=1, max_size=4).map("/".join)
)


def store_of(*specs: RecordSpec) -> DocumentStore:
    store = TemporaryStores().documents
    for spec in specs:
        store.replace_document(build_record(spec))
    return store


def test_tags_come_by_number_of_documents_then_by_name() -> None:
    store = store_of(
        RecordSpec(path="a.md", tags=("ops/db",)),
        RecordSpec(path="b.md", tags=("운영", "ops")),
        RecordSpec(path="c.md"),
    )
    assert count_documents(store.list_entries(), "tags") == [("ops", 2), ("ops/db", 1), ("운영", 1)]


def test_a_folder_counts_what_is_below_it_and_is_named_by_its_address() -> None:
    store = store_of(
        RecordSpec(path="a.md"),
        RecordSpec(path="x/b.md"),
        RecordSpec(path="x/y/c#d.md"),
        RecordSpec(path="x/e.md", source="wiki"),
    )
    assert count_documents(store.list_entries(), "folders") == [
        ("/", 3), ("x/", 2), ("wiki:/", 1), ("wiki:x/", 1), ("x/y/", 1),
    ]  # fmt: skip
    assert count_documents(store.list_entries(), "sources") == [("default", 3), ("wiki", 1)]


def test_media_and_languages_come_by_number_of_documents() -> None:
    entries = store_of(
        RecordSpec(path="a.md", lang="ko"),
        RecordSpec(path="b.md", lang="en"),
        RecordSpec(path="c.md", lang="ko"),
    ).list_entries()
    assert count_documents(entries, "languages") == [("ko", 2), ("en", 1)]
    assert count_documents(entries, "media") == [("markdown", 3)]


@given(st.sets(places, max_size=12))
def test_counts_of_sources_and_of_their_roots_add_up(found: set[tuple[str, str]]) -> None:
    entries = store_of(*(RecordSpec(source=s, path=f"{p}.md") for s, p in found)).list_entries()
    sources = dict(count_documents(entries, "sources"))
    folders = dict(count_documents(entries, "folders"))
    assert sum(sources.values()) == len(found)
    roots = {"/": sources.get("default"), "wiki:/": sources.get("wiki")}
    assert {name: count for name, count in folders.items() if name in roots} == {
        name: count for name, count in roots.items() if count
    }
    assert all(count <= max(sources.values()) for count in folders.values())
