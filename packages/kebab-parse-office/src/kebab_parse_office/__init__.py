"""Reads files of office programs into kebab documents.

Text documents (DOCX, DOC, ODT, RTF), presentations (PPTX, PPT, ODP) and sheets (XLSX, XLS, ODS, CSV, TSV). It opens no files, makes no
chunks and builds no index.

    extractor = TextDocumentExtractor()
    document = extractor.extract(context, content)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_parse_office.extractors import (
        PresentationExtractor as PresentationExtractor,
        RichTextExtractor as RichTextExtractor,
        SheetExtractor as SheetExtractor,
        TextDocumentExtractor as TextDocumentExtractor,
    )

__getattr__, __dir__ = lazy_exports(__name__)
