"""Text found as it is written, over any texts."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, strategies as st
from kebab_core import ExtractedText, InvalidInputError
from kebab_documents import find_literal
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.temporary_stores import TemporaryStores

letters = st.text("a-[ ]\n\r가각", max_size=30)


def look(text: str, *contents: str):  # type: ignore[no-untyped-def]
    store = TemporaryStores().documents
    for number, content in enumerate(contents):
        record = build_record(RecordSpec(path=f"{number}.md"))
        document = record.document.model_copy(update={"text": ExtractedText(text=content)})
        store.replace_document(record.model_copy(update={"document": document}))
    return find_literal(text, store.list_entries(), store)


def test_punctuation_case_and_places_are_those_of_the_text() -> None:
    result = look("- [ ]", "# T\n\n- [ ] one\n- [x] two\r\n- [ ] a - [ ] b\r\n", "- []")
    (found,) = result.documents
    assert [(line.number, line.text, [(m.start, m.end) for m in line.matched]) for line in found.lines] == [
        (3, "- [ ] one", [(0, 5)]),
        (5, "- [ ] a - [ ] b", [(0, 5), (8, 13)]),
    ]
    assert (found.matches, result.searched) == (3, 2)
    assert look("One", "one").documents == ()


def test_both_normal_forms_are_the_same() -> None:
    assert look(unicodedata.normalize("NFD", "한글"), "가 한글").documents[0].lines[0].number == 1
    assert look("한글", unicodedata.normalize("NFD", "가 한글")).documents[0].matches == 1


def test_a_text_over_two_lines_is_told_by_its_first() -> None:
    (line,) = look("one\ntwo", "zero\none\ntwo\n").documents[0].lines
    assert (line.number, line.text, line.matched[0].end) == (2, "one", 3)


def test_of_a_long_line_the_stretches_around_its_matches_are_told() -> None:
    filler = "word " * 1000
    line = f"here {filler}here and here {filler}"
    (found,) = look("here", f"first\n{line}\n").documents
    assert [each.number for each in found.lines] == [2, 2]
    assert found.matches == 3
    for each in found.lines:
        assert len(each.text) < 500
        assert {each.text[match.start : match.end] for match in each.matched} == {"here"}
        assert each.text.strip("…") in line
    assert found.lines[0].text.endswith("…")
    assert found.lines[1].text.startswith("…")


def test_copies_are_one_document_that_names_them() -> None:
    result = look("one", "one two one", "one", "one two one")
    assert [
        (str(each.entry.doc_path), [str(copy.doc_path) for copy in each.copies]) for each in result.documents
    ] == [
        ("0.md", ["2.md"]),
        ("1.md", []),
    ]
    assert (result.document_count, result.match_count, result.searched) == (3, 5, 3)


def test_what_cannot_be_read_is_told() -> None:
    store = TemporaryStores().documents
    store.replace_document(build_record(RecordSpec()))  # its file is not there
    result = find_literal("x", store.list_entries(), store)
    assert (result.searched, [str(entry.doc_path) for entry in result.unread]) == (0, ["notes/a.md"])


def test_nothing_is_no_text() -> None:
    with pytest.raises(InvalidInputError, match="empty"):
        look(" ", "a b")


@given(letters, letters)
def test_matches_are_those_of_the_string_and_stand_on_their_lines(wanted: str, content: str) -> None:
    if not wanted.strip():
        return
    result = look(wanted, content)
    lines = [line for found in result.documents for line in found.lines]
    assert sum(len(line.matched) for line in lines) == content.count(wanted)
    split = content.split("\n")
    for line in lines:
        assert split[line.number - 1].rstrip("\r") == line.text
        for match in line.matched:
            assert wanted.startswith(line.text[match.start : match.end].rstrip("\r"))
