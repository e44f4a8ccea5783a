"""Text fetched by address: lines, sections, outlines, and pages of a budget."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from kebab_core import (
    FetchAddress,
    FetchResult,
    HeadingBlock,
    IndexedChunk,
    InvalidInputError,
    LineSpan,
    SourceId,
    block_id_for,
)
from kebab_documents import AddressLookup, DocumentReader, read_passage
from kebab_testing.fakes.clock import START
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

TEXT = """\
intro

# One

first

## One A

detail
more

## One B

# Two

last
"""
HEADINGS = ((1, "One", 3), (2, "One A", 7), (2, "One B", 12), (1, "Two", 14))


def reader_of(text: str = TEXT, headings: tuple[tuple[int, str, int], ...] = HEADINGS) -> DocumentReader:
    stores = TemporaryStores()
    store = stores.documents
    record = build_record(RecordSpec(path="a b.md", content=text.encode()))
    doc_id = record.document.doc_id
    blocks = tuple(
        HeadingBlock(
            block_id=block_id_for(
                doc_id=doc_id, block_kind="heading", heading_path=(name,), ordinal=0, source_span=span
            ),
            heading_path=(name,),
            source_span=span,
            level=level,
            text=name,
        )
        for level, name, line in headings
        for span in [LineSpan(start=line, end=line)]
    )
    document = record.document.model_copy(update={"blocks": blocks})
    asset = store.put_asset(record.asset, text.encode())
    store.replace_document(record.model_copy(update={"document": document, "asset": asset}))
    return DocumentReader(
        documents=store,
        lookup=AddressLookup(
            documents=store,
            index=stores.index,
            source_ids=[SourceId("default")],
            find_file=lambda _text: (),
        ),
        refresh=lambda document: document,
        now=START,
        stale_threshold_days=0,
        count_tokens=lambda text: len(text.split()),
        chunk_cost=lambda _chunk: 1,
    )


def fetch(reader: DocumentReader, address: str, **options: object) -> FetchResult:
    return reader.fetch(FetchAddress.model_validate({"address": address, **options}))


def test_lines_come_as_they_stand_in_the_file() -> None:
    found = fetch(reader_of(), "a b.md#L7-L9")
    assert found.text == "## One A\n\ndetail\n"
    assert (found.kind, found.line_start, found.effective_end, found.total_lines) == ("span", 7, 9, 16)
    assert (found.address, found.next, found.truncated) == ("a b.md#L7-L9", None, False)


@walk(("lines", "text"), [((7, 10), "## One A\n\ndetail\nmore"), ((5, 5), "first"), ((40, 41), None)])
def test_a_passage_is_read_as_it_stands_in_the_file(lines: tuple[int, int], text: str | None) -> None:
    assert _read(reader_of(), _passage(*lines)) == text


def test_a_passage_in_a_very_long_line_is_not_read() -> None:
    assert _read(reader_of("a " * 20_000), _passage(1, 1)) is None


def _read(reader: DocumentReader, passage: IndexedChunk) -> str | None:
    return read_passage(passage, reader.documents)


def _passage(start: int, end: int) -> IndexedChunk:
    stores = TemporaryStores()
    store = stores.documents
    record = build_record(RecordSpec(path="a b.md", content=TEXT.encode()))
    store.replace_document(record)
    stored = store.get_chunks([record.chunks[0].chunk_id])[0]
    spans = (LineSpan(start=start, end=end),)
    return stored.model_copy(update={"chunk": stored.chunk.model_copy(update={"source_spans": spans})})


def test_a_document_comes_whole() -> None:
    found = fetch(reader_of(), "a%20b.md")
    assert (found.kind, found.text, found.total_lines, found.address) == ("doc", TEXT, 16, "a b.md")


@walk(
    ("at", "lines"),
    [
        ("#L1", (1, 2)),
        ("#L3", (3, 13)),
        ("#L5", (3, 13)),
        ("#L9", (7, 11)),
        ("#L12", (12, 13)),
        ("#L16", (14, 16)),
        ("#L5-L9", (3, 13)),
        ("#L1-L2", (1, 2)),
        ("#L1-L9", (7, 11)),
        ("", (1, 2)),
    ],
)
def test_a_section_is_that_of_the_nearest_heading_above(at: str, lines: tuple[int, int]) -> None:
    found = fetch(reader_of(), f"a b.md{at}", section=True)
    assert (found.line_start, found.line_end) == lines
    assert found.address == f"a b.md#L{lines[0]}-L{lines[1]}"
    assert found.text == "".join(TEXT.splitlines(keepends=True)[lines[0] - 1 : lines[1]])


def test_a_document_without_headings_is_one_section() -> None:
    found = fetch(reader_of("a\nb\n", ()), "a b.md#L2", section=True)
    assert (found.text, found.total_lines) == ("a\nb\n", 2)


def test_an_outline_lists_headings_with_their_sections() -> None:
    found = fetch(reader_of(), "a b.md", outline=True)
    assert [(one.level, one.text, one.line_start, one.line_end) for one in found.headings] == [
        (1, "One", 3, 13),
        (2, "One A", 7, 11),
        (2, "One B", 12, 13),
        (1, "Two", 14, 16),
    ]
    assert (found.kind, found.text, found.total_lines) == ("outline", None, 16)


@walk("budget", [1, 3, 6, 9, 100])
def test_a_long_outline_is_read_to_its_end_page_by_page(budget: int) -> None:
    address: str | None = "a b.md"
    lines, pages = [], 0
    while address is not None:
        found = fetch(reader_of(), address, outline=True, max_tokens=budget)
        assert sum(3 + ("A" in one.text or "B" in one.text) for one in found.headings) <= max(budget, 4)
        assert found.truncated == (found.next is not None)
        lines += [one.line_start for one in found.headings]
        address, pages = found.next, pages + 1
    assert lines == [3, 7, 12, 14]
    assert (pages == 1) == (budget == 100)


def test_an_outline_of_a_passage_is_that_of_its_document() -> None:
    assert len(fetch(reader_of(), "a b.md#L15-L16", outline=True).headings) == 4


@walk("address", ["a b.md#L17", "a b.md#L10-L17"])
def test_lines_that_are_not_there_are_refused_with_how_many_there_are(address: str) -> None:
    with pytest.raises(InvalidInputError, match="has 16 lines, and no line 17") as raised:
        fetch(reader_of(), address)
    assert raised.value.details["total_lines"] == 16
    remedy = raised.value.remedy
    assert remedy is not None
    assert remedy.document is not None
    assert fetch(reader_of(), remedy.document).text


@given(
    lines=st.lists(st.text("ab 가\t", max_size=30), max_size=30),
    budget=st.integers(1, 12),
    ends=st.booleans(),
)
def test_a_long_document_is_read_to_its_end_page_by_page(lines: list[str], budget: int, ends: bool) -> None:
    text = "\n".join(lines) + ("\n" if ends else "")
    reader = reader_of(text, ())
    address: str | None = "a b.md"
    pages = []
    while address is not None:
        found = fetch(reader, address, max_tokens=budget)
        pages.append(found.text or "")
        is_inside_a_line = found.truncated and found.next is None
        if is_inside_a_line:  # a line that alone exceeds the budget: only a larger one reads it
            assert len((found.text or "").split()) <= budget
            return
        assert found.truncated == (found.next is not None)
        address = found.next
    assert "".join(pages) == text
