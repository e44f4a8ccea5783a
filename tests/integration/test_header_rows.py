"""Rows deep in a long table come with the names of their columns, wherever they are shown and whatever file holds them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kebab_app import App, AskRequest, find_literal
from kebab_core import FetchAddress, LineSpan, SearchFilters, SearchMode, SearchQuery
from kebab_testing.hangul_files import hwpx_paragraph, hwpx_table, write_hwpx
from kebab_testing.office_files import open_document, paragraph, slide_file, word_file
from kebab_testing.tables import walk
from kebab_wire import wire_agent_answer, wire_agent_fetch, wire_agent_hit

FILES = ["a.csv", "b.md", "c.html", "d.docx", "e.odt", "f.ods", "g.hwpx", "h.pptx"]
HEADER = ["품번", "선반", "무게", "단가"]


def _grid(letter: str) -> list[list[str]]:
    """Return the rows of a table; the letter keeps files from being copies of each other."""
    rows = ([f"{letter}{at:04}", f"S{at % 7}", f"{at / 10}", str(at * 3)] for at in range(1, 301))
    return [HEADER, *rows]


def _rows(letter: str, row: str, cell: str) -> str:
    """Return the rows in two templates with `{}` for what is inside."""
    return "".join(row.format("".join(cell.format(text) for text in line)) for line in _grid(letter))


def _write(folder: Path) -> None:
    table = _rows("D", "<w:tr>{}</w:tr>", "<w:tc>{}</w:tc>").replace("<w:tc>", "<w:tc><w:p><w:r><w:t>")
    table = table.replace("</w:tc>", "</w:t></w:r></w:p></w:tc>")
    row, cell = (
        "<table:table-row>{}</table:table-row>",
        "<table:table-cell><text:p>{}</text:p></table:table-cell>",
    )
    text, sheet = (
        f'<table:table table:name="표">{_rows(letter, row, cell)}</table:table>' for letter in "EF"
    )
    slide = _rows(
        "H", "<a:tr>{}</a:tr>", "<a:tc><a:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody></a:tc>"
    )
    slide = f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{slide}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    page = f"<h1>부품</h1><table>{_rows('C', '<tr>{}</tr>', '<td>{}</td>').replace('td>', 'th>', 8)}</table>"
    rule = f"|{'---|' * 4}"
    lines = ["# 부품", "", _line(HEADER), rule, *map(_line, _grid("B")[1:]), "", "끝."]
    files = {
        "a.csv": "\n".join(map(",".join, _grid("A"))).encode(),
        "b.md": "\n".join(lines).encode(),
        "c.html": f"<html><body>{page}</body></html>".encode(),
        "d.docx": word_file(paragraph("부품") + f"<w:tbl>{table}</w:tbl>"),
        "e.odt": open_document("text", text),
        "f.ods": open_document("spreadsheet", sheet),
        "g.hwpx": write_hwpx(hwpx_paragraph(hwpx_table(_grid("G")))),
        "h.pptx": slide_file(slide),
    }
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    home = tmp_path_factory.mktemp("base")
    _write(home / "notes")
    config = (
        '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n[models.embedding]\nprovider = "none"\n'
    )
    (home / "kebab.toml").write_text(config, "utf-8")
    with App.open(home / "kebab.toml") as opened:
        with pytest.MonkeyPatch.context() as patch:  # no worker process for a few small files
            patch.setattr(
                "kebab_ingest.run.IsolatedWorker.prepare_all",
                lambda worker, tasks: map(worker._prepare, tasks),
            )
            opened.ingest()
        yield opened


@walk("name", FILES)
def test_a_row_deep_in_a_table_comes_with_its_column_names(app: App, name: str) -> None:
    row = f"{name[0].upper()}0277"
    query = SearchQuery(text=row, mode=SearchMode.LEXICAL, k=20, snippet_chars=60)
    hit = next(hit for hit in app.search(query).hits if hit.doc_path == name)
    assert hit.header_row is not None
    assert hit.header_row.text == wire_agent_hit(hit).header_row == " | ".join(HEADER)
    assert HEADER[-1] not in hit.snippet
    fetched = app.fetch(FetchAddress(address=hit.citation.to_address()))
    assert row in (fetched.text or "")
    if name == "h.pptx":  # a table on a slide is read whole
        assert " | ".join(HEADER) in (fetched.text or "")
        return
    assert fetched.header_row == hit.header_row
    assert HEADER[-1] not in (fetched.text or "")
    span = hit.header_row.source_span
    place = f"L{span.start}" if isinstance(span, LineSpan) else f"sheet={span.sheet}&cells={span.cells}"
    whole = app.fetch(FetchAddress(address=f"{name}#{place}"))
    assert whole.header_row is None
    assert all(cell in (whole.text or "") for cell in HEADER)
    brief = wire_agent_fetch(app.fetch(FetchAddress(address=name, max_tokens=200)))
    assert brief.next is not None
    assert brief.header_row is None
    rest = wire_agent_fetch(app.fetch(FetchAddress(address=brief.next, max_tokens=200)))
    assert rest.header_row == " | ".join(HEADER)


@walk("name", FILES)
def test_a_line_found_as_it_is_written_has_its_column_names_if_it_is_a_row(app: App, name: str) -> None:
    result = find_literal(app.base, f"{name[0].upper()}0277", SearchFilters(), limit=1)
    (line,) = result.documents[0].lines
    assert line.header_row is not None
    assert line.header_row.text == " | ".join(HEADER)
    heads = find_literal(app.base, HEADER[0], SearchFilters(path_glob=(name,)), limit=1)
    assert heads.documents[0].lines[0].header_row is None


@walk("name", FILES)
def test_an_answer_tells_the_names_of_columns_from_the_rows_that_it_quotes(app: App, name: str) -> None:
    question = f"{name[0].upper()}0277 단가"
    request = AskRequest(question=question, filters=SearchFilters(path_glob=(name,)), mode=SearchMode.LEXICAL)
    answer = app.ask(request)
    rows = [answer.answer[each.start : each.end] for each in answer.header_rows]
    assert rows == [" | ".join(HEADER)]
    assert wire_agent_answer(answer).header_rows == (" | ".join(HEADER),)
    after = answer.answer[answer.header_rows[0].end :]
    assert after.startswith("\n")
    assert f"{name[0].upper()}0277" in after
