"""Short ways to change PDFs with pypdf, and to read them."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument, PdfIngestSettings, PdfMedia
from kebab_parse_pdf import PdfExtractor
from kebab_testing.documents import make_context
from pypdf import PdfReader, PdfWriter

Edit = Callable[[bytes, Callable[[PdfWriter], object]], bytes]
Extract = Callable[..., CanonicalDocument]


def _edit(content: bytes, change: Callable[[PdfWriter], object]) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(content)))
    change(writer)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _extract(content: bytes, *passwords: str, path: str = "papers/paper.pdf") -> CanonicalDocument:
    settings = PdfIngestSettings.model_validate({"passwords": passwords})
    context = make_context(content, path=path, media_type=PdfMedia())
    return PdfExtractor(settings).extract(context, content)


@pytest.fixture(scope="session")
def edit() -> Edit:
    """Change a PDF with pypdf."""
    return _edit


@pytest.fixture(scope="session")
def extract() -> Extract:
    """Read a PDF with these passwords."""
    return _extract
