import pytest
from kebab_core import (
    ByteSpan,
    CodeMedia,
    CodeSpan,
    IndexedChunk,
    LineSpan,
    MarkdownMedia,
    MediaType,
    PageSpan,
    Rectangle,
    RegionSpan,
    RetrievalError,
    SourceSpan,
    TimeSpan,
    build_citation,
)
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores


def found(*spans: SourceSpan, media: MediaType | None = None, code_lang: str | None = None) -> IndexedChunk:
    store = TemporaryStores().documents
    record = build_record(
        RecordSpec(path="메모/a b.md", media=media or MarkdownMedia(), code_lang=code_lang, source="work")
    )
    store.replace_document(record)
    (item,) = store.get_chunks([record.chunks[0].chunk_id])
    return item.model_copy(update={"chunk": item.chunk.model_copy(update={"source_spans": spans})})


@walk(
    ("item", "uri"),
    [
        (found(LineSpan(start=3, end=3), LineSpan(start=5, end=9)), "#L3-L9"),
        (found(LineSpan(start=7, end=20), LineSpan(start=8, end=9)), "#L7-L20"),
        (found(LineSpan(start=4, end=4)), "#L4"),
        (found(LineSpan(start=1, end=2), media=CodeMedia(lang="rust"), code_lang="rust"), "#L1-L2&lang=rust"),
        (
            found(
                CodeSpan(line_start=3, line_end=9, symbol="Shelf.put", lang="python"),
                CodeSpan(line_start=10, line_end=12, symbol="Shelf.put", lang="python"),
            ),
            "#L3-L12&symbol=Shelf.put&lang=python",
        ),
        (
            found(
                CodeSpan(line_start=1, line_end=2, symbol="a"), CodeSpan(line_start=3, line_end=4, symbol="b")
            ),
            "#L1-L4&lang=",
        ),
        (found(PageSpan(page=3), PageSpan(page=4)), "#p=3"),
        (found(RegionSpan(x=10, y=20, w=5, h=5), RegionSpan(x=1, y=30, w=4, h=10)), "#xywh=1,20,14,20"),
        (found(RegionSpan(x=1, y=2, w=3, h=4, page=5)), "#p=5&xywh=1,2,3,4"),
    ],
)
def test_citation_covers_the_whole_chunk(item: IndexedChunk, uri: str) -> None:
    assert build_citation(item).to_uri() == "work:%EB%A9%94%EB%AA%A8/a%20b.md" + uri


def test_recording_is_cited_from_first_to_last_moment() -> None:
    citation = build_citation(found(TimeSpan(start_ms=10, end_ms=20), TimeSpan(start_ms=20, end_ms=95)))
    assert citation.kind == "time"
    assert (citation.start_ms, citation.end_ms) == (10, 95)


def test_page_is_cited_with_the_characters_and_rectangles_of_the_chunk() -> None:
    upper, lower = Rectangle(x=1, y=2, w=3, h=4), Rectangle(x=1, y=8, w=3, h=4)
    spans = (
        PageSpan(page=3, char_start=40, char_end=60, rectangles=(upper,)),
        PageSpan(page=3, char_start=60, char_end=95, rectangles=(upper, lower)),
        PageSpan(page=4, char_start=0, char_end=9, rectangles=(upper,)),
    )
    citation = build_citation(found(*spans))
    assert citation.kind == "page"
    assert (citation.page, citation.char_start, citation.char_end) == (3, 40, 95)
    assert citation.rectangles == (upper, lower)
    assert citation.to_uri().endswith("#p=3")


@walk("unknown", [PageSpan(page=3), RegionSpan(x=0, y=0, w=1, h=1)])
def test_characters_are_not_named_where_one_span_does_not_know_them(unknown: PageSpan | RegionSpan) -> None:
    known = unknown.model_copy(update={"char_start": 0, "char_end": 5})
    citation = build_citation(found(known, unknown))
    assert citation.kind in {"page", "region"}
    assert "char_start" not in citation.model_dump(exclude_none=True)
    assert "rectangles" not in citation.model_dump(exclude_none=True)


def test_region_is_cited_with_the_characters_read_in_it() -> None:
    spans = [RegionSpan(x=0, y=y, w=5, h=5, char_start=y, char_end=y + 5) for y in (0, 5)]
    citation = build_citation(found(*spans))
    assert citation.kind == "region"
    assert (citation.char_start, citation.char_end) == (0, 10)


def test_section_of_the_chunk_is_named() -> None:
    citation = build_citation(found(LineSpan(start=1, end=1)))
    assert citation.kind == "line"
    assert citation.section == "Title"


@walk("spans", [(), (ByteSpan(start=0, end=3),)])
def test_chunk_without_a_place_is_an_error(spans: tuple[SourceSpan, ...]) -> None:
    with pytest.raises(RetrievalError):
        build_citation(found(*spans))
