"""Embedders: vectors for passages and questions, from a model on this machine or a server that the settings name.

Stores no vectors, ranks nothing, and calls no server but the one it is given. Prefixes, pooling, windows and batches
are the model's business and settled here; which text of a passage is embedded is the caller's.

    from kebab_embed_local import build_embedder

    embedder = build_embedder(settings.models.embedding, models_dir=paths.models_dir)
    vectors = embedder.embed(["색인은 매일 만든다."], EmbeddingKind.DOCUMENT)   # shape (1, 384)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_loader

if TYPE_CHECKING:
    from kebab_embed_local.build import build_embedder
    from kebab_embed_local.pull.catalogue import CATALOGUE, CatalogueEntry, find_entry
    from kebab_embed_local.pull.model import PulledModel, PullProgress, pull_model, read_pulled
    from kebab_embed_local.unigram import UnigramTokenizer

_MODULE_OF = {
    "CATALOGUE": "pull.catalogue",
    "CatalogueEntry": "pull.catalogue",
    "PullProgress": "pull.model",
    "PulledModel": "pull.model",
    "UnigramTokenizer": "unigram",
    "build_embedder": "build",
    "find_entry": "pull.catalogue",
    "pull_model": "pull.model",
    "read_pulled": "pull.model",
}

__all__ = [
    "CATALOGUE",
    "CatalogueEntry",
    "PullProgress",
    "PulledModel",
    "UnigramTokenizer",
    "build_embedder",
    "find_entry",
    "pull_model",
    "read_pulled",
]

__getattr__ = lazy_loader(__name__, _MODULE_OF)


def __dir__() -> list[str]:
    return sorted(__all__)
