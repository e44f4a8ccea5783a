"""Short ways to read pages."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument, HtmlMedia
from kebab_parse_html import HtmlExtractor
from kebab_testing.documents import make_context


def _read(page: str | bytes, *, path: str = "pages/sample.html") -> CanonicalDocument:
    content = page.encode() if isinstance(page, str) else page
    context = make_context(content, path=path, media_type=HtmlMedia())
    return HtmlExtractor().extract(context, content)


@pytest.fixture
def read() -> Callable[..., CanonicalDocument]:
    """Read a page to a document."""
    return _read


@pytest.fixture
def text_of() -> Callable[..., str]:
    """Read a page to its text."""

    def text_of(page: str | bytes) -> str:
        document = _read(page)
        assert document.text is not None
        return document.text.text

    return text_of
