"""The document that a link names, as people and editors write links."""

from __future__ import annotations

from hypothesis import given, strategies as st
from kebab_core import DocumentEntry
from kebab_documents import LinkResolver, Links
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

PATHS = [
    "index.md",
    "notes/a.md",
    "notes/환불 정책.md",
    "notes/deep/a.md",
    "notes/deep/index.md",
    "other/policy.markdown",
    "other/C# 100%.md",
    "other/unique name.txt",
]


def entries(*specs: RecordSpec) -> list[DocumentEntry]:
    store = TemporaryStores().documents
    for spec in specs or [RecordSpec(path=path) for path in PATHS]:
        store.replace_document(build_record(spec))
    return store.list_entries()


@walk(
    ("linking", "address", "expected"),
    [
        ("notes/a.md", "deep/a.md", "notes/deep/a.md"),
        ("notes/a.md", "./deep/a.md#part", "notes/deep/a.md"),
        ("notes/a.md", "../other/policy.markdown?raw=1", "other/policy.markdown"),
        ("notes/a.md", "../other/policy", "other/policy.markdown"),
        ("notes/a.md", "/notes/deep/a.md", "notes/deep/a.md"),
        ("notes/a.md", "deep/", "notes/deep/index.md"),
        ("notes/a.md", "deep", "notes/deep/index.md"),
        ("notes/a.md", "..", "index.md"),
        ("notes/a.md", "%ED%99%98%EB%B6%88%20%EC%A0%95%EC%B1%85.md", "notes/환불 정책.md"),
        ("notes/a.md", "환불 정책", "notes/환불 정책.md"),
        ("index.md", "환불 정책#기한", "notes/환불 정책.md"),
        ("index.md", "\u1112\u116a\u11ab\u1107\u116e\u11af 정책", "notes/환불 정책.md"),
        ("index.md", "Unique Name.TXT", "other/unique name.txt"),
        ("index.md", "A", "notes/a.md"),
        ("notes/deep/index.md", "a", "notes/deep/a.md"),
        ("index.md", "deep/a", "notes/deep/a.md"),
        ("index.md", "other/C%23%20100%25.md", "other/C# 100%.md"),
        ("index.md", "https://example.org/notes/a.md", None),
        ("index.md", "mailto:a@example.org", None),
        ("index.md", "#notes/a.md", None),
        ("index.md", "", None),
        ("index.md", "nowhere", None),
        ("index.md", "../../../etc/passwd", None),
        ("index.md", "ep/a", None),
        ("notes/a.md", "/index", "index.md"),
        ("notes/deep/index.md", "/deep/a", "notes/deep/a.md"),
        ("notes/deep/index.md", "/a", None),
    ],
)
def test_a_link_names(linking: str, address: str, expected: str | None) -> None:
    listed = entries()
    by_path = {str(entry.doc_path): entry for entry in listed}
    found = LinkResolver(listed).resolve(by_path[linking], address)
    assert (found and str(found.doc_path)) == expected


def test_a_link_stays_in_its_source() -> None:
    listed = entries(RecordSpec(path="a.md"), RecordSpec(path="b.md", source="wiki"))
    assert LinkResolver(listed).resolve(listed[0], "b.md") is None


@given(st.sampled_from(PATHS), st.sampled_from(PATHS), st.text("ab/.%#?환 ", max_size=12))
def test_documents_that_link_are_those_whose_link_names_it(own: str, other: str, address: str) -> None:
    listed = entries()
    by_path = {str(entry.doc_path): entry for entry in listed}
    target, linking = by_path[own], by_path[other]
    resolver = LinkResolver(listed)
    for each in (address, other, own, own.rpartition("/")[2].partition(".")[0]):
        named = resolver.resolve(linking, each) == target and own != other
        assert Links(listed, [(linking.doc_id, each)]).find_linking(target) == ([linking] if named else [])
