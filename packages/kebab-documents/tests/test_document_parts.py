"""Pages, slides and sheets fetched by address: the part that a citation names, or an error that says what is there."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from kebab_core import (
    CellSpan,
    ExtractedText,
    FetchAddress,
    FetchResult,
    InvalidInputError,
    PageSpan,
    SlideSpan,
    SourceId,
    SourceSpan,
    SpanNotSupportedError,
    TextPart,
    parse_citation,
)
from kebab_documents import AddressLookup, DocumentReader, cite_span, find_literal, is_in_part
from kebab_testing.fakes.clock import START
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

PAGES = ["The grill is lit at noon.\nNobody leaves.", "", "한 장에 한 문장.\n둘째 줄."]
SLIDES = ["Agenda", "Budget of the year"]
SHEETS = [
    ("예산", "A1:B3", "품목 값\n빵 3\n물 1"),
    ("예산", "A4:B5", "차 2\n합계 6"),
    ("a#b & c", "A1", "hidden"),
]


def paged(texts: list[str], spans: list[SourceSpan]) -> ExtractedText:
    parts, written = [], ""
    for text, span in zip(texts, spans, strict=True):
        start = len(written) + 2 * bool(parts)
        written = written + ("\n\n" if parts else "") + text
        parts.append(TextPart(start=start, end=start + len(text), source_span=span))
    return ExtractedText(text=written, parts=tuple(parts))


def pages_of(texts: list[str]) -> ExtractedText:
    return paged(texts, [PageSpan(page=number) for number, _ in enumerate(texts, 1)])


BOOKS = {
    "paper.pdf": pages_of(PAGES),
    "talk.pptx": paged(SLIDES, [SlideSpan(slide=number) for number, _ in enumerate(SLIDES, 1)]),
    "book.xlsx": paged(
        [text for *_, text in SHEETS], [CellSpan(sheet=sheet, cells=cells) for sheet, cells, _ in SHEETS]
    ),
    "note.md": None,
}


def reader_of(books: dict[str, ExtractedText | None]) -> DocumentReader:
    stores = TemporaryStores()
    store = stores.documents
    for path, text in books.items():
        record = build_record(RecordSpec(path=path, content=b"# One\n"))
        document = record.document.model_copy(update={"text": text})
        asset = store.put_asset(record.asset, b"# One\n")
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
        count_tokens=len,
        chunk_cost=lambda _chunk: 1,
    )


def fetch(address: str, **options: object) -> FetchResult:
    return reader_of(BOOKS).fetch(FetchAddress.model_validate({"address": address, **options}))


@walk(
    ("address", "kind", "text", "where"),
    [
        ("paper.pdf#p=1", "page", PAGES[0], (("p=1",), 3)),
        ("paper.pdf#p=3", "page", PAGES[2], (("p=3",), 3)),
        ("paper.pdf#p=3&char=2,7", "page", PAGES[2][2:7], (("p=3",), 3)),
        ("paper.pdf", "doc", "\n\n".join(PAGES), (("p=1", "p=3"), 3)),
        ("talk.pptx#slide=2", "slide", SLIDES[1], (("slide=2",), 2)),
        ("book.xlsx#sheet=예산", "cells", "품목 값\n빵 3\n물 1\n\n차 2\n합계 6", (("sheet=예산&cells=A1:B3", "sheet=예산&cells=A4:B5"), 2)),
        ("book.xlsx#sheet=예산&cells=B5", "cells", "합계 6", (("sheet=예산&cells=A5:B5",), 2)),
        ("book.xlsx#sheet=예산&cells=B2:C9", "cells", "빵 3\n물 1\n\n차 2\n합계 6", (("sheet=예산&cells=A2:B3", "sheet=예산&cells=A4:B5"), 2)),
        ("book.xlsx#sheet=a%23b %26 c&cells=A1", "cells", "hidden", (("sheet=a%23b %26 c&cells=A1",), 2)),
    ],
)  # fmt: skip
def test_an_address_reads_its_part(
    address: str, kind: str, text: str, where: tuple[tuple[str, ...], int]
) -> None:
    found = fetch(address)
    assert (found.kind, found.text, (found.parts, found.total_parts)) == (kind, text, where)
    assert (found.truncated, found.next) == (False, None)
    assert found.address is not None
    assert fetch(found.address).kind == kind


@walk(("asked", "shown"), [("B5", "A5:B5"), ("B1:B2", "A1:B2"), ("B2:C4", "A2:B4"), ("A1:B5", "A1:B5")])
def test_cells_are_named_by_the_rows_that_are_shown(asked: str, shown: str) -> None:
    found = fetch(f"book.xlsx#sheet=예산&cells={asked}")
    assert (found.cells, found.address) == (shown, f"book.xlsx#sheet=예산&cells={shown}")
    assert fetch(found.address or "").text == found.text


def test_a_budget_names_the_rows_that_are_shown() -> None:
    found = fetch("book.xlsx#sheet=예산&cells=A1:B3", max_tokens=9)
    assert (found.text, found.parts) == ("품목 값\n빵 3\n", ("sheet=예산&cells=A1:B2",))


def test_a_page_without_text_is_empty_and_no_error() -> None:
    assert (fetch("paper.pdf#p=2").text, fetch("paper.pdf#p=2").page) == ("", 2)


@walk(
    ("address", "said"),
    [
        ("paper.pdf#p=4", r"paper\.pdf has 3 pages, and no page 4"),
        ("paper.pdf#p=3&char=5,900", r"paper\.pdf has 16 characters there, and none from 5 to 900"),
        ("talk.pptx#slide=3", r"talk\.pptx has 2 slides, and no slide 3"),
        ("book.xlsx#sheet=Other", r"book\.xlsx has 2 sheets, and none is 'Other'"),
        ("book.xlsx#sheet=예산&cells=C9", r"the sheet '예산' of book\.xlsx has text in A1:B5, and none in C9"),
        ("paper.pdf#char=900,", r"none from 900"),
    ],
)  # fmt: skip
def test_a_part_that_is_not_there_is_an_error_that_says_what_is(address: str, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said) as caught:
        fetch(address)
    assert caught.value.remedy is not None


@walk(
    ("address", "unit"),
    [
        ("paper.pdf#slide=1", "pages"),
        ("paper.pdf#L1", "pages"),
        ("talk.pptx#p=1", "slides"),
        ("book.xlsx#p=1", "sheets"),
        ("note.md#p=1", "lines"),
        ("note.md#sheet=a", "lines"),
    ],
)
def test_a_part_of_another_kind_of_document_is_refused(address: str, unit: str) -> None:
    with pytest.raises(SpanNotSupportedError, match=f"it is addressed by {unit}"):
        fetch(address)


def test_characters_of_a_text_file_are_read_too() -> None:
    assert fetch("note.md#char=2,5").text == "One"


@given(st.lists(st.text("가 a\n", max_size=30), min_size=1, max_size=6), st.integers(1, 40))
def test_reading_on_gives_all_of_it_once_and_ends(texts: list[str], budget: int) -> None:
    reader = reader_of({"paper.pdf": pages_of(texts)})
    address: str | None = "paper.pdf"
    read = ""
    while address is not None:
        found = reader.fetch(FetchAddress(address=address, max_tokens=budget))
        assert found.text or not read
        assert len(found.text or "") <= budget
        assert found.truncated is (found.next is not None)
        read += found.text or ""
        address = found.next
    assert read == "\n\n".join(texts)


@given(st.lists(st.text("ab", min_size=5, max_size=9), min_size=2, max_size=6))
def test_a_budget_ends_before_a_page_where_one_fits(texts: list[str]) -> None:
    reader = reader_of({"paper.pdf": pages_of(texts)})
    found = reader.fetch(FetchAddress(address="paper.pdf", max_tokens=len(texts[0]) + 3))
    assert (found.text or "").startswith(texts[0] + "\n\n")
    assert found.parts == ("p=1",)


def test_literal_search_tells_the_page_of_a_match() -> None:
    reader = reader_of(BOOKS)
    result = find_literal("합계", reader.documents.list_entries(), reader.documents)
    (found,) = result.documents
    assert found.address == "book.xlsx#sheet=예산&cells=A4:B5"
    pages = find_literal("l", reader.documents.list_entries(), reader.documents).documents
    assert [line.fragment for each in pages for line in each.lines if each.entry.doc_path == "paper.pdf"] == [
        "p=1",
        "p=1",
    ]


@walk(
    ("uri", "span", "expected"),
    [
        ("a.pdf#p=3", PageSpan(page=3), True),
        ("a.pdf#p=3", PageSpan(page=4), False),
        ("a.pdf#p=3&char=10,20", PageSpan(page=3, char_start=19, char_end=30), True),
        ("a.pdf#p=3&char=10,20", PageSpan(page=3, char_start=20, char_end=30), False),
        ("a.pptx#slide=1", SlideSpan(slide=2), False),
        ("a.xlsx#sheet=S&cells=B4:D9", CellSpan(sheet="S", cells="D9:F12"), True),
        ("a.xlsx#sheet=S&cells=B4:D9", CellSpan(sheet="S", cells="E4"), False),
        ("a.xlsx#sheet=S", CellSpan(sheet="T"), False),
    ],
)
def test_places_are_in_the_part_that_they_share_something_with(
    uri: str, span: SourceSpan, *, expected: bool
) -> None:
    cited = parse_citation(uri)
    assert is_in_part(cited, span) is expected
    assert is_in_part(None, span)
    place = cite_span(cited.source_id, cited.path, span)
    assert place is not None
    assert is_in_part(place, span)
