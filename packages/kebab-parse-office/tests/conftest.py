from __future__ import annotations

from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument, Extractor, OfficeFormat, OfficeMedia
from kebab_parse_office import PresentationExtractor, SheetExtractor, TextDocumentExtractor
from kebab_testing.documents import make_context


@pytest.fixture
def read() -> Callable[[bytes, OfficeFormat], CanonicalDocument]:
    """Reads a file by the extractor of its format."""

    def extract(content: bytes, form: OfficeFormat) -> CanonicalDocument:
        media = OfficeMedia(format=form)
        extractors: list[Extractor] = [
            make() for make in (TextDocumentExtractor, SheetExtractor, PresentationExtractor)
        ]
        extractor = next(each for each in extractors if each.supports(media))
        return extractor.extract(make_context(content, path=f"notes/파일.{form}", media_type=media), content)

    return extract
