r"""Reads text with a structure that other programs write into kebab documents, and the files in archives.

Notebooks, calendars, contacts, diagrams, outlines, bookmarks, notes of Google Keep, clippings of Kindle, bibliographies, ZIP.

    >>> from kebab_parse_structured import plain_text
    >>> plain_text(r'G{\"o}del')
    'Gödel'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_parse_structured.bibliography import (
        build_bibliography_extractor as build_bibliography_extractor,
        plain_text as plain_text,
    )
    from kebab_parse_structured.bookmark import build_bookmark_extractor as build_bookmark_extractor
    from kebab_parse_structured.calendar_file import build_calendar_extractor as build_calendar_extractor
    from kebab_parse_structured.clippings import build_clippings_extractor as build_clippings_extractor
    from kebab_parse_structured.contacts import build_contacts_extractor as build_contacts_extractor
    from kebab_parse_structured.diagrams import (
        build_canvas_extractor as build_canvas_extractor,
        build_drawio_extractor as build_drawio_extractor,
        build_excalidraw_extractor as build_excalidraw_extractor,
    )
    from kebab_parse_structured.keep_note import build_keep_extractor as build_keep_extractor
    from kebab_parse_structured.notebook import build_notebook_extractor as build_notebook_extractor
    from kebab_parse_structured.outline import build_outline_extractor as build_outline_extractor
    from kebab_parse_structured.recognition import (
        find_export as find_export,
        list_export_parsers as list_export_parsers,
    )
    from kebab_parse_structured.zip_archive import (
        ZipExtractor as ZipExtractor,
        build_zip_extractor as build_zip_extractor,
    )

__getattr__, __dir__ = lazy_exports(__name__)
