"""The head of a lake: which versions of its tables belong together, one object for each revision.

A revision is published by making its object, which fails where it is there already. So of two committers that began at one
revision only one comes through, and a reader that has read a head finds the tables as they were, whatever is written meanwhile.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

from kebab_core import (
    AnalyzerVersion,
    DatabaseCorruptError,
    EmbeddingIdentity,
    Model,
    Remedy,
    StaleRevisionError,
    StorageError,
    UtcDatetime,
)

from kebab_store_lake.objects import LakeObjects, objects_of

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 5
"""Version of the tables. Raise it with each change of them; heads of lower formats count as if they were not kept."""
FOLDER = "head"
_NAME = re.compile(r"(\d{12})\.json")


class Head(Model):
    """One revision of a lake."""

    format: int = FORMAT
    revision: int
    tables: dict[str, int]
    """Version of each table."""
    corpus_revision: int = 0
    """Rises with every change of search results."""
    content_version: str = ""
    """Of the passages and vectors, as in `EmbeddingRepo`."""
    documents: int = 0
    documents_pending: int = 0
    """Documents with a passage that has no vector of the model in force."""
    passages: int = 0
    vectors: int = 0
    """Passages with a vector of the model."""
    analyzer_version: AnalyzerVersion | None = None
    model: EmbeddingIdentity | None = None
    """Model of the vectors."""
    is_complete: bool = False
    """Whether every passage has a vector of it."""
    model_settings: str = "{}"
    """`EmbeddingSettings` by which its embedder can be built."""
    query_centroids: str | None = None
    query_centroids_version: str | None = None
    published_at: UtcDatetime
    writer: str
    """Machine and process that published it."""
    requires: str
    """Version of Lance that wrote the tables."""


EMPTY = 0
"""The revision of a lake before the first one."""


class Heads:
    """The heads of a lake that are kept.

    Args:
        lake: Its folder, or the URL of its bucket.
    """

    def __init__(self, lake: str) -> None:
        self._lake = lake
        self._objects: LakeObjects = objects_of(lake, FOLDER)

    def list_revisions(self) -> list[int]:
        """List the revisions whose heads are kept, the oldest first; none where there is no lake.

        Raises:
            StorageError: It cannot be read.
        """
        names = self._objects.list_sizes()
        return sorted(int(found[1]) for name in names if (found := _NAME.fullmatch(name)))

    def read(self, revision: int) -> Head | None:
        """Read the head of a revision; None where it is not kept, or is not yet.

        Raises:
            DatabaseCorruptError: It cannot be understood.
            StorageError: It cannot be read, or was written in a later format.
        """
        content = self._objects.read(_name_of(revision))
        if content is None:
            return None
        try:
            written = int(json.loads(content)["format"])
            head = Head.model_validate_json(content) if written == FORMAT else None
        except (ValueError, LookupError, TypeError) as error:
            raise DatabaseCorruptError(
                "the head of revision {revision} of the lake is damaged", path=self._lake, revision=revision
            ) from error
        if written > FORMAT:
            raise StorageError(
                "the lake was written by a newer kebab (format {format}; this one reads {known})",
                path=self._lake,
                _format=written,
                _known=FORMAT,
            )
        return head

    def read_newest(self) -> Head | None:
        """Read the newest head; None where there is no lake. Raises like `read`."""
        for revision in reversed(self.list_revisions()):
            if (head := self.read(revision)) is not None:
                return head
        return None

    def read_contents(self) -> dict[str, bytes]:
        """Return the heads that are kept as they are stored, by the names of their objects. Raises like `list_revisions`."""
        names = map(_name_of, self.list_revisions())
        return {name: content for name in names if (content := self._objects.read(name)) is not None}

    def put(self, head: Head) -> None:
        """Publish a revision.

        Raises:
            StaleRevisionError: Another committer has published it first.
            StorageError: It cannot be written.
        """
        if not self._objects.create(_name_of(head.revision), head.model_dump_json().encode()):
            stale = stale_revision()
            raise stale

    def remove_superseded(self, *, before: datetime) -> list[int]:
        """Remove the heads that a later one took the place of before a time, and return their revisions.

        A reader may have opened a revision for as long as it was the newest.
        """
        removed = []
        for revision, next_one in pairwise(self.list_revisions()):
            later = self.read(next_one)
            if later is None or later.published_at >= before:
                break
            self._objects.remove(_name_of(revision))
            removed.append(revision)
        return removed


def read_newest_head(lake: Path | str) -> Head | None:
    """Read the newest head of a lake; None where there is none. Raises like `Heads.read`."""
    return Heads(str(lake)).read_newest()


def stale_revision() -> StaleRevisionError:
    """Return the error of a committer that another one was faster than."""
    return StaleRevisionError(
        "another process has published to the lake meanwhile",
        remedy=Remedy(kind="ingest", otherwise=Remedy(kind="unset", setting="storage.lake")),
    )


def _name_of(revision: int) -> str:
    return f"{revision:012}.json"
