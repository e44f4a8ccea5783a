import unicodedata

import pytest
from hypothesis import given, strategies as st
from kebab_core import (
    CaptionCitation,
    Citation,
    CodeCitation,
    InvalidInputError,
    LineCitation,
    PageCitation,
    Rectangle,
    RegionCitation,
    SourceId,
    TimeCitation,
    WorkspacePath,
    parse_citation,
)
from kebab_testing.tables import walk
from pydantic import TypeAdapter, ValidationError

PATH = WorkspacePath("notes/a b.md")
awkward = "a1 #%:?&=/+@;,'\"[]{}|\\~!$()*한글\u1112\u1161e\u0301é🍢\n\t"
texts = st.text(awkward, min_size=1, max_size=12) | st.text(min_size=1, max_size=12)
names = st.text(awkward, min_size=1, max_size=8).filter(lambda name: name.strip("/") not in {"", "."})
paths = (
    st
    .lists(names, min_size=1, max_size=3)
    .map("/".join)
    .filter(
        lambda path: (
            not path.startswith("/")
            and ".." not in path.split("/")
            and bool(set(path.split("/")) - {"", "."})
        )
    )
    .map(WorkspacePath)
)
sources = st.just("default") | st.from_regex(r"[A-Za-z0-9가-힣é._-]{1,12}", fullmatch=True)
ones = st.integers(1, 10**9)
zeros = st.integers(0, 10**9)
where = {"path": paths, "source_id": sources.map(SourceId)}
ranges = st.tuples(ones, ones).map(sorted)
times = st.tuples(zeros, zeros).map(sorted)


def _lines(**fields: st.SearchStrategy[object]) -> st.SearchStrategy[Citation]:
    return st.builds(
        lambda ends, **rest: LineCitation(start=ends[0], end=ends[1], **rest), ranges, **where, **fields
    )


def _code() -> st.SearchStrategy[Citation]:
    return st.builds(
        lambda ends, **rest: CodeCitation(line_start=ends[0], line_end=ends[1], **rest),
        ranges,
        symbol=st.none() | texts,
        lang=st.none() | texts,
        **where,
    )


def _spoken() -> st.SearchStrategy[Citation]:
    return st.builds(
        lambda ends, **rest: TimeCitation(start_ms=ends[0], end_ms=ends[1], **rest),
        times,
        speaker=st.none() | texts,
        **where,
    )


citations = st.one_of(
    _lines(),
    _code(),
    _spoken(),
    st.builds(PageCitation, page=ones, **where),
    st.builds(RegionCitation, x=zeros, y=zeros, w=zeros, h=zeros, page=st.none() | ones, **where),
    st.builds(CaptionCitation, model=texts, page=st.none() | ones, **where),
)


@given(citations)
def test_parsing_a_citations_uri_gives_the_citation(citation: Citation) -> None:
    assert parse_citation(citation.to_uri()) == citation


def test_characters_and_rectangles_are_no_part_of_the_address() -> None:
    page = PageCitation(path=PATH, page=13)
    passage = PageCitation(
        path=PATH, page=13, char_start=5, char_end=9, rectangles=(Rectangle(x=1, y=2, w=3, h=4),)
    )
    assert passage.to_uri() == page.to_uri()
    assert parse_citation(passage.to_uri()) == page
    assert set(page.model_dump(exclude_none=True)) == {"kind", "path", "source_id", "page"}


@given(citations)
def test_a_uri_is_ascii_and_needs_no_further_escaping(citation: Citation) -> None:
    uri = citation.to_uri()
    assert uri.isascii()
    assert not set(uri) & set(' "<>\\^`{|}\n\t')
    assert uri.count("#") == 1
    assert uri.count(":") <= (citation.source_id != "default") + 4


@given(citations)
def test_a_citation_survives_json(citation: Citation) -> None:
    adapter: TypeAdapter[Citation] = TypeAdapter(Citation)
    assert adapter.validate_json(adapter.dump_json(citation)) == citation


@given(_lines(section=texts))
def test_the_section_is_for_people_and_not_part_of_the_address(citation: LineCitation) -> None:
    assert parse_citation(citation.to_uri()) == citation.model_copy(update={"section": None})


@walk(
    ("citation", "uri"),
    [
        (LineCitation(path=PATH, start=10, end=42), "notes/a%20b.md#L10-L42"),
        (LineCitation(path=PATH, start=10, end=10), "notes/a%20b.md#L10"),
        (LineCitation(path=PATH, start=1, end=1, source_id=SourceId("work")), "work:notes/a%20b.md#L1"),
        (LineCitation(path=WorkspacePath("a:b#c%d.md"), start=1, end=1), "a%3Ab%23c%25d.md#L1"),
        (CodeCitation(path=PATH, line_start=1, line_end=2), "notes/a%20b.md#L1-L2&lang="),
        (
            CodeCitation(path=PATH, line_start=1, line_end=2, symbol="A::b<T>", lang="rust"),
            "notes/a%20b.md#L1-L2&symbol=A%3A%3Ab%3CT%3E&lang=rust",
        ),
        (PageCitation(path=PATH, page=13), "notes/a%20b.md#p=13"),
        (RegionCitation(path=PATH, x=1, y=2, w=3, h=4), "notes/a%20b.md#xywh=1,2,3,4"),
        (RegionCitation(path=PATH, x=1, y=2, w=3, h=4, page=3), "notes/a%20b.md#p=3&xywh=1,2,3,4"),
        (CaptionCitation(path=PATH, model="qwen2.5-vl:7b"), "notes/a%20b.md#caption&model=qwen2.5-vl%3A7b"),
        (CaptionCitation(path=PATH, model="a", page=4), "notes/a%20b.md#caption&p=4&model=a"),
        (
            TimeCitation(path=PATH, start_ms=3_723_004, end_ms=3_724_000, speaker="김 A"),
            "notes/a%20b.md#t=01:02:03.004,01:02:04.000&speaker=%EA%B9%80%20A",
        ),
    ],
)
def test_each_kind_has_its_documented_form(citation: Citation, uri: str) -> None:
    assert citation.to_uri() == uri
    assert parse_citation(uri) == citation


@walk(
    ("fragment", "start_ms", "end_ms"),
    [
        ("t=62", 62_000, 62_001),
        ("t=62.5,70", 62_500, 70_000),
        ("t=1:02,1:10.25", 62_000, 70_250),
        ("t=1:00:05", 3_605_000, 3_605_001),
    ],
)
def test_times_are_read_as_people_write_them(fragment: str, start_ms: int, end_ms: int) -> None:
    cited = TimeCitation(path=PATH, start_ms=start_ms, end_ms=end_ms)
    assert parse_citation(f"notes/a%20b.md#{fragment}") == cited


def test_nfd_and_nfc_paths_give_one_uri() -> None:
    name = "노트/회의록.md"
    nfd = LineCitation(path=WorkspacePath(unicodedata.normalize("NFD", name)), start=1, end=1)
    assert nfd.to_uri() == LineCitation(path=WorkspacePath(name), start=1, end=1).to_uri()


@walk(
    "uri",
    [
        "",
        "a.md",
        "a.md#",
        "a.md#L0",
        "a.md#L5-L4",
        "a.md#L1-2",
        "a.md#L1x",
        "a.md#L١",
        "a.md#L-1",
        "a.md#p=0",
        "a.md#p=x",
        "a.md#p=1_0",
        "a.md#p=",
        "a.md#xywh=1,2,3",
        "a.md#xywh=1,2,3,-4",
        "a.md#p=x&xywh=1,2,3,4",
        "a.md#t=1:2,1:30",
        "a.md#t=00:00:02.000,00:00:01.000",
        "a.md#t=00:60:00.000,01:00:00.000",
        "a.md#caption",
        "a.md#something",
        "a.md#L1#L2",
        "#L1",
        "/a.md#L1",
        "../a.md#L1",
        "a/%2e%2e/b.md#L1",
        "a b:c.md#L1",
        ":a.md#L1",
        "a%ff.md#L1",
    ],
)
def test_what_is_not_a_citation_is_invalid_input(uri: str) -> None:
    with pytest.raises(InvalidInputError):
        parse_citation(uri)


@walk(
    "fields",
    [
        {"kind": "line", "start": 2, "end": 1},
        {"kind": "code", "line_start": 2, "line_end": 1},
        {"kind": "time", "start_ms": 2, "end_ms": 1},
        {"kind": "code", "line_start": 1, "line_end": 1, "lang": ""},
        {"kind": "page", "page": 0},
        {"kind": "region", "x": -1, "y": 0, "w": 0, "h": 0},
        {"kind": "line", "start": 1, "end": 1, "source_id": "a:b"},
    ],
)
def test_a_citation_that_addresses_nothing_cannot_be_made(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Citation).validate_python({"path": "a.md", **fields})
