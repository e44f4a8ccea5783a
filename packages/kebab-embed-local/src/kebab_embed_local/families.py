"""Prefixes and pooling of embedding models, by family.

A mistake here shows in no error: vectors come out and are bad. Family and pooling are therefore part of a model's
identity. Prefixes are those of the models' own cards.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from kebab_core import EmbeddingKind


class Pooling(StrEnum):
    """Token states that the vector is made of."""

    MEAN = "mean"
    """The average of all."""
    CLS = "cls"
    """The first."""
    LAST = "last"
    """The last."""


class Family(NamedTuple):
    """Models that are used alike."""

    query_prefix: str = ""
    passage_prefix: str = ""
    pooling: Pooling = Pooling.MEAN

    def prefix(self, kind: EmbeddingKind) -> str:
        """Prefix of texts of this kind."""
        return self.query_prefix if kind is EmbeddingKind.QUERY else self.passage_prefix

    def label(self) -> str:
        """Return all of it on one line, as identities need it."""
        return f"{self.query_prefix!r} {self.passage_prefix!r} {self.pooling}"


_SEARCH_TASK = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
_BGE_TASK = "Represent this sentence for searching relevant passages: "

_FAMILIES: tuple[tuple[str, Family], ...] = (
    ("e5-large-instruct", Family(query_prefix=_SEARCH_TASK)),
    ("e5-", Family("query: ", "passage: ")),
    ("bge-m3", Family(pooling=Pooling.CLS)),
    ("bge-", Family(query_prefix=_BGE_TASK, pooling=Pooling.CLS)),
    ("arctic-embed2", Family(query_prefix="query: ", pooling=Pooling.CLS)),
    ("arctic-embed-l-v2", Family(query_prefix="query: ", pooling=Pooling.CLS)),
    ("arctic-embed-m-v2", Family(query_prefix="query: ", pooling=Pooling.CLS)),
    ("arctic-embed", Family(query_prefix=_BGE_TASK, pooling=Pooling.CLS)),
    ("gte-", Family(pooling=Pooling.CLS)),
    ("nomic-embed", Family("search_query: ", "search_document: ")),
    ("embeddinggemma", Family("task: search result | query: ", "title: none | text: ")),
    ("qwen3-embedding", Family(query_prefix=_SEARCH_TASK, pooling=Pooling.LAST)),
    ("minilm", Family()),
    ("mpnet", Family()),
)
"""Part of a model's name, in lower case, to its family; the first that fits counts."""


def family_of(model: str) -> Family:
    """Family of a model, by its name; unknown models are pooled by mean, without prefixes."""
    name = model.lower()
    return next((family for part, family in _FAMILIES if part in name), Family())
