"""The document that an address names, over a store of documents with awkward names."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st
from kebab_core import (
    AmbiguousAddressError,
    DocumentNotFoundError,
    InvalidInputError,
    KebabError,
    LineCitation,
    SourceId,
    WorkspacePath,
    build_citation,
)
from kebab_documents import AddressLookup, FilePlace
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

AWKWARD = "ab1 #%:&=/@~한글\u1112\u1161L3-2540"
names = st.text(AWKWARD, min_size=1, max_size=8)


def lookup_over(places: Sequence[tuple[str, str]], **files: FilePlace) -> AddressLookup:
    stores = TemporaryStores()
    store = stores.documents
    for source, path in places:
        store.replace_document(
            build_record(RecordSpec(source=source, path=path, paragraphs=(f"{source} {path}", "b")))
        )
    return AddressLookup(
        documents=store,
        index=stores.index,
        source_ids=[SourceId("default"), SourceId("wiki"), SourceId("code")],
        find_file=lambda text: [files[text]] if text in files else (),
    )


def place_of(lookup: AddressLookup, text: str) -> tuple[str, str]:
    document = lookup.find(text).document
    return document.source_id, document.doc_path


@walk("text", ["./a.md", "../a.md", "/x/a.md", "~/a.md#L1"])
def test_what_is_written_as_a_path_on_disk_is_never_another_file(text: str) -> None:
    file = text.partition("#")[0]
    lookup = lookup_over([("default", "a.md"), ("wiki", "x/a.md")], **{file: FilePlace(None, None)})
    with pytest.raises(DocumentNotFoundError, match="not in the index"):
        lookup.find(text)
    elsewhere = FilePlace(SourceId("wiki"), WorkspacePath("x/a.md"))
    assert place_of(lookup_over([("default", "a.md"), ("wiki", "x/a.md")], **{file: elsewhere}), text) == (
        "wiki",
        "x/a.md",
    )


def test_a_path_without_a_source_is_that_of_the_default_source_or_of_the_only_one_that_has_it() -> None:
    lookup = lookup_over([
        ("default", "a.md"),
        ("wiki", "a.md"),
        ("wiki", "b.md"),
        ("wiki", "c.md"),
        ("code", "c.md"),
    ])
    assert place_of(lookup, "a.md") == ("default", "a.md")
    assert place_of(lookup, "wiki:a.md") == ("wiki", "a.md")
    assert place_of(lookup, "b.md#L1") == ("wiki", "b.md")
    with pytest.raises(AmbiguousAddressError, match="ambiguous") as raised:
        lookup.find("c.md#L2-L3")
    candidates = raised.value.details["candidates"]
    assert candidates == ["wiki:c.md#L2-L3", "code:c.md#L2-L3"]
    assert raised.value.remedy is not None
    assert [place_of(lookup, str(each)) for each in candidates] == [("wiki", "c.md"), ("code", "c.md")]


def test_the_part_comes_as_a_citation() -> None:
    found = lookup_over([("wiki", "a b.md")]).find("wiki:a%20b.md#L3-9")
    assert found.citation == LineCitation(
        source_id=SourceId("wiki"), path=WorkspacePath("a b.md"), start=3, end=9
    )
    assert found.address == "wiki:a b.md#L3-L9"


def test_a_path_as_typed_comes_before_the_decoded_one() -> None:
    lookup = lookup_over([("default", "a%20b.md"), ("default", "a b.md")])
    assert place_of(lookup, "a%20b.md") == ("default", "a%20b.md")
    assert place_of(lookup, "a%2520b.md") == ("default", "a%20b.md")
    assert place_of(lookup_over([("default", "a b.md")]), "a%20b.md") == ("default", "a b.md")


def test_a_name_is_found_in_either_normal_form() -> None:
    lookup = lookup_over([("default", "회의록/한글 이름.md")])
    for form in ("NFC", "NFD"):
        assert place_of(lookup, unicodedata.normalize(form, "회의록/한글 이름.md")) == (
            "default",
            "회의록/한글 이름.md",
        )


def test_ids_and_unique_beginnings_of_ids_are_addresses() -> None:
    lookup = lookup_over([("default", "a.md"), ("wiki", "b.md")])
    (document,) = lookup.documents.find_documents([("wiki", "b.md")])
    chunk = lookup.documents.list_chunks(document.doc_id)[1]
    (stored,) = lookup.documents.get_chunks([chunk.chunk_id])
    for text in (document.doc_id, document.doc_id[:8], document.doc_id.upper()):
        assert lookup.find(text).document == document
    found = lookup.find(chunk.chunk_id[:8])
    assert (found.citation, found.chunk_id) == (build_citation(stored), chunk.chunk_id)
    assert lookup.find(f"{document.doc_id[:8]}#L2").address == "wiki:b.md#L2"


def test_a_beginning_of_several_ids_lists_them_with_what_they_name() -> None:
    lookup = lookup_over([("default", f"{n}.md") for n in range(30)])
    shared = "abcdef"
    store = lookup.documents
    known = store.find_ids("", limit=1000)
    store.find_ids = lambda prefix, *, limit: known[:limit] if prefix == shared else []  # type: ignore[method-assign]
    with pytest.raises(AmbiguousAddressError) as raised:
        lookup.find(shared)
    candidates = raised.value.details["candidates"]
    assert isinstance(candidates, list)
    assert len(candidates) == 10
    assert all(each.split(" ")[1].endswith(".md") for each in candidates)


def test_a_file_on_disk_is_an_address_where_no_source_has_the_path() -> None:
    lookup = lookup_over(
        [("wiki", "a.md")],
        **{
            "/notes/a.md": FilePlace(SourceId("wiki"), WorkspacePath("a.md")),
            "/notes/new.md": FilePlace(SourceId("wiki"), WorkspacePath("new.md")),
            "/else.md": FilePlace(None, None),
        },
    )
    assert lookup.find("/notes/a.md#L1").address == "wiki:a.md#L1"
    for outside in ("/notes/new.md", "/else.md#L3"):
        with pytest.raises(DocumentNotFoundError, match="not in the index"):
            lookup.find(outside)


@walk("text", ["nothing.md", "abcdef12", "@3", "", "a.md#L5-L3", "a.md#L0"])
def test_what_names_nothing_says_what_to_do(text: str) -> None:
    with pytest.raises((DocumentNotFoundError, InvalidInputError)) as raised:
        lookup_over([("default", "a.md")]).find(text)
    assert raised.value.remedy is not None or not text or "#" in text


@given(
    places=st.lists(
        st.tuples(st.sampled_from(["default", "wiki"]), names), min_size=1, max_size=4, unique=True
    ),
    line=st.none() | st.integers(1, 99),
)
def test_an_address_that_is_printed_leads_back_or_says_that_it_is_ambiguous(
    places: list[tuple[str, str]], line: int | None
) -> None:
    normal = {(source, path) for source, name in places if (path := _path(name)) is not None}
    lookup = lookup_over(sorted(normal))
    for document in lookup.documents.find_documents(sorted(normal)):
        address = (
            document.to_address() if line is None else _cite(document.source_id, document.doc_path, line)
        )
        found = lookup.find(address).document
        # Only a name that is another one's address can stand in its way.
        assert found == document or any(
            _resembles(path, found.doc_path) for _, path in normal - {(found.source_id, found.doc_path)}
        )


@given(st.text(AWKWARD, max_size=30))
def test_no_text_breaks_the_lookup(text: str) -> None:
    lookup = lookup_over([("default", "a.md"), ("wiki", "a.md"), ("default", "a#L3")])
    with suppress(KebabError):
        assert lookup.find(text).document.doc_path in {"a.md", "a#L3"}


def _path(name: str) -> WorkspacePath | None:
    try:
        return WorkspacePath(name)
    except InvalidInputError:
        return None


def _cite(source: SourceId, path: WorkspacePath, line: int) -> str:
    return LineCitation(source_id=source, path=path, start=line, end=line).to_address()


def _resembles(path: str, other: str) -> bool:
    return path != other and any(sign in other for sign in "%#:")
