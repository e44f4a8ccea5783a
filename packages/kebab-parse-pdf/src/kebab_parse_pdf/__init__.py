"""Reads PDFs into kebab documents, and draws their pages.

Text, geometry and pictures of pages come from PDFium. It opens no files, makes no chunks and reads no pictures.

    extractor = PdfExtractor(PdfIngestSettings())
    document = extractor.extract(context, content)
    png = render_page(content, 3, rectangles=citation.rectangles)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_parse_pdf.extractor import (
        PDF_VERSION as PDF_VERSION,
        PdfExtractor as PdfExtractor,
        build_pdf_extractor as build_pdf_extractor,
        read_date as read_date,
    )
    from kebab_parse_pdf.page_words import PageWord as PageWord, find_page_words as find_page_words
    from kebab_parse_pdf.rendering import (
        draw_page as draw_page,
        page_sizes as page_sizes,
        render_page as render_page,
    )

__getattr__, __dir__ = lazy_exports(__name__)
