"""The lake of a knowledge base: what an ingest publishes, and what its readers open.

`kebab_store_lake` belongs to the extra `lake`, and is loaded only where a lake is set.
"""

from __future__ import annotations

import platform
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import DependencyMissingError, Message, NotIndexedError, ReadonlyModeError, Remedy

from kebab_app.store import Index, Store

if TYPE_CHECKING:
    from datetime import datetime

    from kebab_core import (
        Clock,
        StorageSettings,
    )
    from kebab_store_lake import Committer, LakeRevision, LakeVectorStore

    from kebab_app.store import SqliteDatabase

_HEADS = "head/*.json"


def has_revision(lake: str) -> bool:
    """Return True where something has been published; a bucket is asked when it is opened."""
    return "://" in lake or next(Path(lake).glob(_HEADS), None) is not None


def require_lake_package() -> None:
    """Check that the package of lakes is installed, and that its libraries will be quiet.

    Raises:
        DependencyMissingError: It is not.
    """
    from importlib.util import find_spec

    from kebab_config import quiet_libraries

    if find_spec("kebab_store_lake") is None:
        raise DependencyMissingError(
            "a lake needs the package kebab-store-lake, which is not installed",
            remedy=Remedy(kind="install_packages", name="kebab-cli[lake]"),
            package="kebab-store-lake",
        )
    quiet_libraries()


class LakeIndex(Index):
    """Tables that searches read, of one revision of a lake; pictures and results of models are those of the data folder."""

    def __init__(self, database: SqliteDatabase, revision: LakeRevision) -> None:
        from kebab_store_lake import LakeDocumentStore, LakeEmbeddings, LakeLexicalIndex, LakeSourceFiles

        super().__init__(database)
        self.revision = revision
        # in the places where the stores of the database are kept once they are made
        self.__dict__.update(
            documents=LakeDocumentStore(revision),
            source_files=LakeSourceFiles(revision),
            terms=LakeLexicalIndex(revision),
            embeddings=LakeEmbeddings(revision),
        )

    def build_vectors(self) -> LakeVectorStore:
        """Build the search over its vectors."""
        from kebab_store_lake import LakeVectorStore

        return LakeVectorStore(self.revision)


class LakeStore(Store):
    """The database of a reader, with the index of the newest revision of a lake in the place of its own.

    Raises:
        DependencyMissingError: The package of lakes is not installed.
        NotIndexedError: Nothing has been published there.
        StorageError: The lake cannot be read.
    """

    def __init__(
        self, database: SqliteDatabase, lake: str, settings: StorageSettings, *, clock: Clock
    ) -> None:
        super().__init__(database)
        self._revision = open_revision(lake, settings)
        self._clock = clock
        self._refresh_ms = settings.refresh_s * 1000
        self._due_ms = clock.monotonic_ms() + self._refresh_ms
        self.index = LakeIndex(database, self._revision)

    def is_outdated(self) -> bool:
        """True if a newer revision was published. The folder is looked at every `refresh_s`, never while this thread reads one state."""
        if self.database.is_pinned or self._clock.monotonic_ms() < self._due_ms:
            return False
        self._due_ms = self._clock.monotonic_ms() + self._refresh_ms
        return not self._revision.is_newest


def open_revision(lake: str, settings: StorageSettings) -> LakeRevision:
    """Open the newest revision of a lake.

    Raises:
        DependencyMissingError: The package of lakes is not installed.
        NotIndexedError: Nothing has been published there, or copied from it.
        StorageError: The lake cannot be read.
    """
    require_lake_package()
    from kebab_store_lake import LakeRevision

    if settings.engine == "lake" and settings.mirror and not has_revision(lake):
        raise NotIndexedError(
            "the lake has not been copied to {folder!r} yet", remedy=Remedy(kind="mirror_lake"), folder=lake
        )
    return LakeRevision(lake, index_cache_mb=settings.index_cache_mb)


def describe_revision(lake: str, settings: StorageSettings, *, now: datetime) -> Message:
    """Describe the newest revision of a lake. Raises like `LakeStore`."""
    head = open_revision(lake, settings).head
    return Message(
        "revision {revision} of {lake}, published {minutes} min ago by {writer}: {documents} documents, {passages} passages, {vectors} vectors",
        revision=head.revision,
        lake=lake,
        minutes=(now - head.published_at) // timedelta(minutes=1),
        writer=head.writer,
        documents=head.documents,
        passages=head.passages,
        vectors=head.vectors,
    )


def refusal_of_documents(lake: str) -> ReadonlyModeError:
    """Return the error of whatever would change documents that are those of a lake."""
    return ReadonlyModeError(
        "the documents are those of the lake {lake!r}; they are added where it is published",
        remedy=Remedy(kind="change_setting", setting="storage.engine"),
        lake=lake,
    )


def build_committer(lake: str, settings: StorageSettings, *, data_dir: Path, clock: Clock) -> Committer:
    """Build the committer of a data folder.

    Raises:
        DependencyMissingError: The package of lakes is not installed.
    """
    require_lake_package()
    from kebab_store_lake import Committer

    return Committer(
        lake,
        clock=clock,
        writer=f"{platform.node()}:{data_dir}",
        retention=timedelta(hours=settings.retention_h),
    )


def publish(
    lake: str, database: SqliteDatabase, settings: StorageSettings, *, data_dir: Path, clock: Clock
) -> None:
    """Publish the documents of a database; the writer lock is held.

    Raises:
        DependencyMissingError: The package of lakes is not installed.
        LockedError: Another base is being published to the same lake.
        StaleRevisionError: Another one was, meanwhile.
        StorageError: The lake cannot be written.
    """
    committer = build_committer(lake, settings, data_dir=data_dir, clock=clock)
    from kebab_store_lake import PublishedBase

    from kebab_app.store import SqlitePublicationLog

    index, log = Index(database), SqlitePublicationLog(database)
    committer.publish(PublishedBase(index.documents, index.terms, index.embeddings, index.source_files, log))
