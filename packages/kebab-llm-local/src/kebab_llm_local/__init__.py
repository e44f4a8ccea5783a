"""Language models that run here: the extractive one, which answers by quoting sentences of the evidence.

Calls no server, loads no weights and never writes words of its own. Retrieval, the decision whether the evidence
suffices, and the check of citations are others' work.

    >>> from kebab_llm_local import split_sentences
    >>> text = "Dr. Kim wrote v1.2.3. 색인은 매일 만든다."
    >>> [text[part.start : part.end] for part in split_sentences(text)]
    ['Dr. Kim wrote v1.2.3.', '색인은 매일 만든다.']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_loader

if TYPE_CHECKING:
    from kebab_llm_local.extractive.model import ExtractiveModel
    from kebab_llm_local.extractive.sentences import Sentence, SentenceKind, split_sentences

_MODULE_OF = {
    "ExtractiveModel": "extractive.model",
    "Sentence": "extractive.sentences",
    "SentenceKind": "extractive.sentences",
    "split_sentences": "extractive.sentences",
}

__all__ = ["ExtractiveModel", "Sentence", "SentenceKind", "split_sentences"]

__getattr__ = lazy_loader(__name__, _MODULE_OF)


def __dir__() -> list[str]:
    return sorted(__all__)
