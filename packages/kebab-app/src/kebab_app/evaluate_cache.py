"""A cache for evaluations alone: the same set is evaluated many times, and its texts are embedded once."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import KebabError

from kebab_app.knowledge_base import KnowledgeBase

if TYPE_CHECKING:
    from kebab_config import LoadedSettings
    from kebab_core import Clock, DerivationCache

_LOG = logging.getLogger("kebab.eval")
_FOLDER = "eval"
"""Below the cache folder of the user's own knowledge base, which is not touched itself."""


class EvaluatedBase(KnowledgeBase):
    """A throw-away knowledge base that knows what models made in evaluations before.

    Args:
        loaded: Settings of the throw-away one.
        cache_dir: The user's. Where it cannot be written, nothing is known from before.
        clock: The time.
    """

    def __init__(self, loaded: LoadedSettings, *, cache_dir: Path, clock: Clock) -> None:
        super().__init__(loaded, clock=clock)
        self._cache_dir = cache_dir
        self._cache = ExitStack()

    def close(self) -> None:
        """Close the database and the cache."""
        self._cache.close()
        super().close()

    @cached_property
    def derivation_cache(self) -> DerivationCache:
        """What models have made of texts, in this evaluation and before."""
        from kebab_store_sqlite import SqliteDerivationCache, open_database

        folder = self._cache_dir / _FOLDER
        try:
            opened = open_database(folder, clock=self.clock, copy_threshold_bytes=0)
        except KebabError as error:
            _LOG.warning("evaluations keep no cache: %s", error.message)
            opened = self.open_for_writing()
        else:
            self._cache.enter_context(opened)
        return SqliteDerivationCache(opened)
