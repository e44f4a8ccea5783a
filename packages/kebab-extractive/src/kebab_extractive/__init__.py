"""The extractive language model, which answers by quoting sentences of the evidence.

Calls no server, loads no weights and writes no words of its own. Retrieval, the gate on the evidence and the check of
citations are in other packages.

    >>> from kebab_extractive import split_sentences
    >>> text = "Dr. Kim wrote v1.2.3. 색인은 매일 만든다."
    >>> [text[part.start : part.end] for part in split_sentences(text)]
    ['Dr. Kim wrote v1.2.3.', '색인은 매일 만든다.']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_extractive.model import ExtractiveModel as ExtractiveModel
    from kebab_extractive.sentences import (
        Sentence as Sentence,
        SentenceKind as SentenceKind,
        split_sentences as split_sentences,
    )

__getattr__, __dir__ = lazy_exports(__name__)
