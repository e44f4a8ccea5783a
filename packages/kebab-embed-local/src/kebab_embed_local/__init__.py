"""Embedders: vectors for passages and questions, from a model on this machine or a server that the settings name.

Stores no vectors, ranks nothing, and calls no server but the one it is given. Prefixes, pooling, windows and batches
are the model's business and settled here; which text of a passage is embedded is the caller's.

    from kebab_embed_local import build_embedder

    embedder = build_embedder(settings.models.embedding, models_dir=paths.models_dir)
    vectors = embedder.embed(["색인은 매일 만든다."], EmbeddingKind.DOCUMENT)   # shape (1, 384)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_embed_local.catalogue import (
        CATALOGUE as CATALOGUE,
        CatalogueEntry as CatalogueEntry,
        find_entry as find_entry,
    )
    from kebab_embed_local.folder import folder_settings as folder_settings
    from kebab_embed_local.model_list import list_models as list_models
    from kebab_embed_local.model_pull import (
        PulledModel as PulledModel,
        find_missing as find_missing,
        pull_model as pull_model,
        read_pulled as read_pulled,
        verify_pulled as verify_pulled,
    )
    from kebab_embed_local.precision import (
        Precision as Precision,
        cpu_flags as cpu_flags,
        precision_of as precision_of,
    )
    from kebab_embed_local.providers import PROVIDERS as PROVIDERS, build_embedder as build_embedder
    from kebab_embed_local.unigram import UnigramTokenizer as UnigramTokenizer

__getattr__, __dir__ = lazy_exports(__name__)
