"""The extractive reader, which answers by quoting sentences of passages.

Calls no server, loads no weights and writes no words of its own. Retrieval, the gate on the evidence, and the text and
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

__getattr__, __dir__ = lazy_exports(__name__)
