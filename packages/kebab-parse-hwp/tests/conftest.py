"""A short way to read Hangul documents."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument, HwpMedia
from kebab_parse_hwp import HwpExtractor
from kebab_testing.documents import make_context


def _read(content: bytes, *, path: str = "문서/규정.hwpx") -> CanonicalDocument:
    context = make_context(content, path=path, media_type=HwpMedia(format="hwpx"))
    return HwpExtractor().extract(context, content)


@pytest.fixture(scope="session")
def read() -> Callable[..., CanonicalDocument]:
    """Read a document."""
    return _read
