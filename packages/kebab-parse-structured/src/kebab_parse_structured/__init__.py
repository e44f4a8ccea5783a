r"""Reads text with a structure that other programs write into kebab documents, and the files in archives.

Notebooks, calendars, contacts, diagrams, outlines, bookmarks, notes of many programs, clippings of Kindle, bibliographies, ZIP.

    >>> from kebab_parse_structured import plain_text
    >>> plain_text(r'G{\"o}del')
    'Gödel'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_parse_structured.anki_notes import AnkiExtractor as AnkiExtractor
    from kebab_parse_structured.bibliography import (
        BibliographyExtractor as BibliographyExtractor,
        plain_text as plain_text,
    )
    from kebab_parse_structured.bookmark import BookmarkExtractor as BookmarkExtractor
    from kebab_parse_structured.calendar_file import CalendarExtractor as CalendarExtractor
    from kebab_parse_structured.clippings import ClippingsExtractor as ClippingsExtractor
    from kebab_parse_structured.contacts import ContactsExtractor as ContactsExtractor
    from kebab_parse_structured.diagrams import (
        CanvasExtractor as CanvasExtractor,
        DrawioExtractor as DrawioExtractor,
        ExcalidrawExtractor as ExcalidrawExtractor,
    )
    from kebab_parse_structured.json_exports import JsonExportExtractor as JsonExportExtractor
    from kebab_parse_structured.keep_note import KeepExtractor as KeepExtractor
    from kebab_parse_structured.notebook import NotebookExtractor as NotebookExtractor
    from kebab_parse_structured.outline import OutlineExtractor as OutlineExtractor
    from kebab_parse_structured.recognition import (
        JSON_VERSION as JSON_VERSION,
        find_data as find_data,
        find_export as find_export,
        list_export_parsers as list_export_parsers,
    )
    from kebab_parse_structured.zip_archive import (
        ZipExtractor as ZipExtractor,
    )

__getattr__, __dir__ = lazy_exports(__name__)
