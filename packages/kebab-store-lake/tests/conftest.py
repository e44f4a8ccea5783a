"""Databases that are published before they are read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from kebab_store_lake import (
    Committer,
    LakeDocumentStore,
    LakeEmbeddings,
    LakeLexicalIndex,
    LakeRevision,
    LakeSourceFiles,
    PublishedBase,
)
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.temporary_stores import TemporaryStores


def base_of(stores: TemporaryStores) -> PublishedBase:
    return PublishedBase(
        stores.documents, stores.index, stores.embeddings, stores.source_files, stores.publications
    )


class LakeOfBase:
    """A lake that a database is published to."""

    def __init__(
        self, folder: Path, *, copy_threshold_bytes: int = 0, retention: timedelta | None = None
    ) -> None:
        self.folder = folder
        self.stores = TemporaryStores(copy_threshold_bytes=copy_threshold_bytes)
        self.base = base_of(self.stores)
        self.committer = Committer(folder, clock=FixedClock(), retention=retention or timedelta(hours=48))
        self._is_stale = True
        self._revision: LakeRevision | None = None

    def changed(self) -> None:
        """Note that the base was changed."""
        self._is_stale = True

    @property
    def revision(self) -> LakeRevision:
        """The newest revision, with all that was written."""
        if self._is_stale or self._revision is None:
            self.committer.publish(self.base)
            self._revision, self._is_stale = LakeRevision(self.folder), False
        return self._revision

    @property
    def documents(self) -> Any:
        """Its documents."""
        return Published(
            self, self.base.documents, LakeDocumentStore, LakeDocumentStore.WRITES | {"audit_assets"}
        )

    @property
    def source_files(self) -> Any:
        """The files of its sources, whose stamps stay with the base."""
        stamps = {"tracked_file", "tracked_files", "file_states", "remembered_skips"}
        return Published(self, self.base.source_files, LakeSourceFiles, LakeSourceFiles.WRITES | stamps)

    @property
    def terms(self) -> Any:
        """Its index of words."""
        return Published(self, self.base.terms, LakeLexicalIndex, frozenset())

    @property
    def embeddings(self) -> Any:
        """Its vectors; what a model is still asked for is known to the base alone."""
        of_base = {"pending", "sample", "count_pending", "previous_model", "latest_model", "active_model"}
        return Published(self, self.base.embeddings, LakeEmbeddings, LakeEmbeddings.WRITES | of_base)


class Published:
    """A store of a base that is written there and read from the lake, which is published before."""

    def __init__(
        self, lake: LakeOfBase, base_store: Any, lake_store: type[Any], writes: frozenset[str]
    ) -> None:
        self._lake = lake
        self._base_store = base_store
        self._lake_store = lake_store
        self._writes = writes

    def __getattr__(self, name: str) -> Any:
        if name in self._writes:
            return partial(self._write, name)
        return getattr(self._lake_store(self._lake.revision), name)

    def _write(self, name: str, *arguments: Any, **named: Any) -> Any:
        try:
            return getattr(self._base_store, name)(*arguments, **named)
        finally:
            self._lake.changed()


@pytest.fixture
def make_lake(tmp_path: Path) -> Callable[..., LakeOfBase]:
    """Give the maker of a lake in a folder of its own, of an empty base."""
    return lambda folder=tmp_path / "lake", **options: LakeOfBase(folder, **options)
