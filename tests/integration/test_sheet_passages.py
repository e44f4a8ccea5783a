"""Passages of sheets: their citations name exactly the cells that they show."""

from __future__ import annotations

from io import BytesIO

import openpyxl
import pytest
from hypothesis import given, settings, strategies as st
from kebab_chunk import build_chunker
from kebab_core import Cells, CellSpan, LongDocument, OfficeMedia, parse_cells
from kebab_parse_office import SheetExtractor
from kebab_testing.documents import make_context, make_policy
from kebab_testing.fakes.counter import WordCounter
from kebab_testing.families import examples


@pytest.mark.thorough
@settings(max_examples=examples(25), deadline=None)
@given(
    st.dictionaries(
        st.tuples(st.integers(1, 40), st.integers(1, 6)),
        st.one_of(st.integers(0, 999), st.text("가나다 abc", min_size=1, max_size=8).filter(str.strip)),
        min_size=1,
        max_size=120,
    )
)
def test_passages_name_exactly_the_rows_that_they_show(cells: dict[tuple[int, int], int | str]) -> None:
    book = openpyxl.Workbook()
    for (row, column), value in cells.items():
        book.active.cell(row, column).value = value
    buffer = BytesIO()
    book.save(buffer)
    content, media = buffer.getvalue(), OfficeMedia(format="xlsx")
    document = SheetExtractor().extract(make_context(content, path="표.xlsx", media_type=media), content)
    assert document.text is not None
    chunker = build_chunker("md-heading-v4", WordCounter())
    for chunk in chunker.chunk(
        LongDocument.of(document), make_policy(target_tokens=60, max_tokens=80, overlap_tokens=0)
    ):
        (span,) = chunk.source_spans
        assert isinstance(span, CellSpan)
        named = parse_cells(span.cells or "")
        parts = document.text.find_cells(span.sheet, span.cells)
        opened = document.text.text[parts[0].start : parts[-1].end]
        own = chunk.text[chunk.lead.end if chunk.lead else 0 :]
        assert own.split() == opened.split()
        shown = {(row, column) for row, column in cells if named.top <= row <= named.bottom}
        assert shown
        assert all(not Cells(row, column, row, column).is_apart(named) for row, column in shown)
