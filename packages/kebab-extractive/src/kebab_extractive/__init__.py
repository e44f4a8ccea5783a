"""The extractive reader, which answers by quoting sentences of passages.

Calls no server, loads no weights and writes no words of its own. Retrieval, and the text and
citations of an answer are in other packages.

    >>> from kebab_extractive import ExtractiveReader
    >>> ExtractiveReader.__name__
    'ExtractiveReader'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_extractive.reader import ExtractiveReader as ExtractiveReader
    from kebab_extractive.selection import ANSWERED as ANSWERED
    from kebab_extractive.span_features import NAMES as NAMES, Span as Span

__getattr__, __dir__ = lazy_exports(__name__)
