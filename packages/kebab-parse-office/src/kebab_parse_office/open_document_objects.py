"""Objects inside OpenDocument files: charts and sheets that are files of their own."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kebab_parse import spread_cells

from kebab_parse_office.open_document_namespaces import CHART, TABLE, TEXT, XLINK
from kebab_parse_office.open_document_tables import place_cells
from kebab_parse_office.open_document_words import plain_text
from kebab_parse_office.rich_text import join_line

if TYPE_CHECKING:
    from collections.abc import Container

    from lxml.etree import _Element

    from kebab_parse_office.archive import OfficeArchive


def read_object(
    archive: OfficeArchive, reference: _Element, raised: Container[str] = ()
) -> Iterator[str | list[list[str]]]:
    """Yield the titles of a chart and its axes, and the tables of a chart or sheet.

    Args:
        archive: The file.
        reference: The element `draw:object`, whose object is part of the file; nothing else is read.
        raised: Styles of words above the line.
    """
    root = archive.parse_optional(f"{posixpath.normpath(reference.get(XLINK + 'href', ''))}/content.xml")
    for title in () if root is None else root.iter(CHART + "title", CHART + "subtitle"):
        if text := "\n".join(plain_text(each, raised) for each in title.iter(TEXT + "p")).strip():
            yield text
    for table in () if root is None else root.iter(TABLE + "table"):
        placed, _ = place_cells(
            table,
            lambda cell: join_line("\n".join(plain_text(each, raised) for each in cell.iter(TEXT + "p"))),
        )
        if rows := spread_cells(placed):
            yield rows
