"""Addresses are written and read without loss, whatever is in a name, and no text breaks the reader."""

from __future__ import annotations

import unicodedata
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st
from kebab_core import (
    CellCitation,
    CodeCitation,
    InvalidInputError,
    LineCitation,
    PageCitation,
    ParsedAddress,
    PathReading,
    SourceId,
    TimeCitation,
    WorkspacePath,
    cite_fragment,
    format_address,
    parse_address,
)
from kebab_testing.tables import walk

AWKWARD = "a1 #%:?&=/+@;,'\"[]{}|\\~!$()*한글\u1112\u1161e\u0301é🍢\n\t\u202eL3-%2"
names = st.text(AWKWARD, min_size=1, max_size=10) | st.text(min_size=1, max_size=10)
fragments = st.sampled_from([
    "",
    "L3",
    "L10-L42",
    "p=13",
    "p=3&xywh=1,2,3,4",
    "t=00:00:01.000,00:00:02.000",
    "caption",
])
sources = st.sampled_from(["default", "wiki", "a.b-c_D", "노트"])
TRICKY = [
    "C# notes.md",
    "100%.md",
    "a%20b.md",
    "a%2520b.md",
    "x#L3",
    "x#L3#L4-L9",
    "wiki:page.md",
    "회의: 정리.md",
    "@3",
    "@people/kim.md",
    "~/x.md",
    " leading and trailing ",
    "3f9a2c10",
    "#p=3",
    "두 줄\n이름.md",
    unicodedata.normalize("NFD", "한글 이름.md"),
]


def paths(text: str) -> WorkspacePath | None:
    try:
        return WorkspacePath(text)
    except InvalidInputError:
        return None


def meaning(parsed: ParsedAddress, existing: set[tuple[str, str]]) -> PathReading | None:
    """Return the first reading of a document that exists, a path without a source being one of the default source."""
    return next(
        (one for one in parsed.paths if (one.source_id or "default", one.path) in existing),
        None,
    )


def check(source: str, path: WorkspacePath, fragment: str) -> None:
    text = format_address(source, path, fragment)
    assert len(text.splitlines()) == 1
    found = meaning(parse_address(text), {(source, path)})
    assert found is not None, text
    assert (found.path, found.fragment) == (path, fragment)
    assert (found.source_id or "default") == source


@walk("fragment", ["", "L7", "p=2"])
@walk("source", ["default", "wiki", "노트"])
@walk("name", TRICKY)
def test_an_address_of_a_tricky_name_leads_back(name: str, source: str, fragment: str) -> None:
    check(source, WorkspacePath(name), fragment)


@given(source=sources, name=names, fragment=fragments)
def test_every_address_leads_back_to_what_it_was_written_for(source: str, name: str, fragment: str) -> None:
    path = paths(name)
    if path is not None:
        check(source, path, fragment)


@given(source=sources, name=names, start=st.integers(1, 10**8), more=st.integers(0, 10**8))
def test_the_uri_of_a_citation_is_an_address(source: str, name: str, start: int, more: int) -> None:
    path = paths(name)
    if path is None:
        return
    cited = LineCitation(source_id=SourceId(source), path=path, start=start, end=start + more)
    for text in (cited.to_uri(), cited.to_address()):
        found = meaning(parse_address(text), {(source, path)})
        assert found is not None, text
        assert cite_fragment(SourceId(source), found.path, found.fragment) == cited


@given(st.text(max_size=60) | st.text(AWKWARD + "0123456789abcdefL", max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        parsed = parse_address(text)
    except InvalidInputError:
        return
    for reading in parsed.paths:
        if reading.fragment:
            with suppress(InvalidInputError):
                cite_fragment(SourceId("default"), reading.path, reading.fragment)


@walk(
    ("text", "expected"),
    [
        ("notes/a.md", PathReading(None, WorkspacePath("notes/a.md"), "")),
        ("notes/a.md#L3", PathReading(None, WorkspacePath("notes/a.md"), "L3")),
        ("notes/a.md#L3-42", PathReading(None, WorkspacePath("notes/a.md"), "L3-L42")),
        ("wiki:notes/a.md#p=3", PathReading(SourceId("wiki"), WorkspacePath("notes/a.md"), "p=3")),
        ("C# notes.md", PathReading(None, WorkspacePath("C# notes.md"), "")),
        ("C# notes.md#L3", PathReading(None, WorkspacePath("C# notes.md"), "L3")),
    ],
)
def test_an_address_is_read_as_typed_first(text: str, expected: PathReading) -> None:
    assert parse_address(text).paths[0] == expected


@walk(("text", "fragment"), [("src/a.py:10", "L10"), ("src/a.py:10-42", "L10-L42"), ("src/a.py:10:5", "L10")])
def test_a_place_as_compilers_write_it_is_read_after_a_file_of_that_name(text: str, fragment: str) -> None:
    whole, *_, lines = [one for one in parse_address(text).paths if one.source_id is None]
    assert whole == PathReading(None, WorkspacePath(text), "")
    assert lines == PathReading(None, WorkspacePath("src/a.py"), fragment)


def test_a_path_is_read_as_typed_before_it_is_decoded() -> None:
    assert [one.path for one in parse_address("a%20b.md").paths] == ["a%20b.md", "a b.md"]


@walk(("text", "rank"), [("@1", 1), (" @12 ", 12)])
def test_a_hit_is_nothing_else(text: str, rank: int) -> None:
    assert parse_address(text)[1:3] == (rank, ())


@walk(
    ("text", "digits", "fragment"),
    [
        ("3f9a2c10", "3f9a2c10", ""),
        ("3F9A2C10#L3", "3f9a2c10", "L3"),
        ("cafe", "", ""),
        ("3f9a2c1g", "", ""),
        ("0" * 33, "", ""),
    ],
)
def test_six_to_thirty_two_digits_may_be_an_id(text: str, digits: str, fragment: str) -> None:
    parsed = parse_address(text)
    assert parsed.id_prefix == digits
    assert parsed.fragment == fragment


@walk("text", ["", "  ", "x" * 9000])
def test_what_cannot_be_an_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="not an address"):
        parse_address(text)


def test_citations_of_code_and_pages_have_addresses() -> None:
    path = WorkspacePath("src/가 나.py")
    code = CodeCitation(path=path, line_start=3, line_end=9, symbol="f", lang="python")
    assert code.to_address() == "src/가 나.py#L3-L9"
    assert PageCitation(path=path, source_id=SourceId("w"), page=2).to_address() == "w:src/가 나.py#p=2"


SHEETS = st.text(
    st.sampled_from("가 R&D!#%20:=.,'A1B4L5-p") | st.characters(exclude_categories=["Cs"]),
    min_size=1,
    max_size=12,
)


@given(SHEETS, st.sampled_from(["B4", "B4:D9", None]), st.sampled_from(["견적.xlsx", "a#b!B4", "100%.ods"]))
def test_cells_as_a_screen_shows_them_are_read_back(sheet: str, cells: str | None, name: str) -> None:
    cited = CellCitation(path=WorkspacePath(name), sheet=sheet, cells=cells)
    read = parse_address(cited.to_place())
    found = [each for each in read.paths if each.path == name and each.fragment]
    assert cite_fragment(SourceId("default"), found[0].path, found[0].fragment) == cited


def test_cells_are_shown_as_spreadsheets_write_them() -> None:
    cited = CellCitation(path=WorkspacePath("견적.xlsx"), sheet="경비 2026 R&D", cells="B4:D9")
    assert cited.to_place() == "견적.xlsx#경비 2026 R&D!B4:D9"
    assert parse_address("견적.xlsx#경비!b4").paths[0].fragment == "sheet=경비&cells=B4"


@walk(
    ("speaker", "shown"),
    [("김 대리", "김 대리"), ("Ann & Bob", "Ann %26 Bob"), ("a#b", "a%23b"), ("%41", "%2541")],
)
def test_a_speaker_is_readable_in_an_address_and_read_back(speaker: str, shown: str) -> None:
    cited = TimeCitation(path=WorkspacePath("a.mp3"), start_ms=1000, end_ms=2000, speaker=speaker)
    address = cited.to_address()
    assert address.endswith(f"&speaker={shown}")
    reading = parse_address(address).paths[0]
    assert reading.source_id is None
    assert cite_fragment(cited.source_id, reading.path, reading.fragment) == cited
