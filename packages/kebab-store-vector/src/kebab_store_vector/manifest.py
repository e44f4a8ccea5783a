"""The manifest of a matrix: which rows its files hold, and which version of the table they equal.

Every change of a matrix ends with writing this file. Reading it needs neither numpy nor LanceDB.
"""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Literal

from kebab_core import DatabaseCorruptError, EmbeddingIdentity, Model
from pydantic import Field, ValidationError

from kebab_store_vector.errors import REMAKE
from kebab_store_vector.index_files import IndexPlace, TableStamp, has_version, newest_stamp, stamp_of

_NAME = "current.json"
LEAST_RECALL = 0.95
"""Minimum recall of an approximate index that searches use."""


class Intent(StrEnum):
    """The change of the table that the writer has begun; readers use the matrix as it is until it is finished."""

    WRITE = "write"
    """One commit."""
    MAINTAIN = "maintain"
    """Commits that change no row."""


class ApproximateIndex(Model):
    """Settings of the table's own index, chosen by comparing it with exact search."""

    kind: str
    rows: int = Field(ge=0)
    """Number of vectors when it was built."""
    partitions: int = Field(ge=1)
    probes: int = Field(ge=1)
    refine: int = Field(ge=1)
    recall: float = Field(ge=0, le=1)
    """Recall against exact search, with stored vectors as queries."""

    @property
    def is_used(self) -> bool:
        """True if its recall is high enough for searches to use it."""
        return self.recall >= LEAST_RECALL


class MatrixManifest(Model):
    """One state of a matrix."""

    format: Literal[1] = 1
    identity: EmbeddingIdentity
    generation: int = Field(ge=1)
    """Part of the names of the files; appended rows belong to the same generation."""
    rows: int = Field(ge=0)
    """Including dead rows."""
    ordered: int = Field(ge=0)
    """Number of rows at the start that are sorted by chunk id, each id once."""
    dead: int = Field(ge=0)
    """Number of entries in the list of dead rows."""
    documents: int = Field(ge=0)
    langs: tuple[str, ...] = ()
    checksums: dict[str, int] | None = None
    """CRC-32 of the counted part of each file, by suffix; None if an earlier version of kebab wrote them."""
    table_version: int = Field(ge=0)
    table_digest: str
    edition: str = ""
    """Digest of the table at the last change of its rows; empty if that is `table_digest`."""
    intent: Intent | None = None
    maintained: bool = False
    """True if nothing was written since the last maintenance."""
    approximate: ApproximateIndex | None = None

    @property
    def stamp(self) -> TableStamp:
        """The version of the table that the matrix equals."""
        return TableStamp(self.table_version, self.table_digest)

    @property
    def content_version(self) -> str:
        """Version of the rows; no other state of them has it, and maintenance does not change it."""
        return self.edition or self.table_digest

    @property
    def index_in_use(self) -> ApproximateIndex | None:
        """Settings of the table's index that searches use; None if searches are exact."""
        return self.approximate if self.approximate is not None and self.approximate.is_used else None

    @property
    def live_rows(self) -> int:
        """Number of vectors."""
        return self.rows - self.dead


def read_manifest(folder: Path) -> MatrixManifest | None:
    """Return the manifest of a matrix; None if it is missing or invalid."""
    try:
        return MatrixManifest.model_validate_json((folder / _NAME).read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValidationError):
        return None


def write_manifest(folder: Path, manifest: MatrixManifest, *, durable: bool = True) -> None:
    """Replace the manifest; readers see the old or the new one.

    Args:
        folder: Of the matrix.
        manifest: The new one.
        durable: True to flush it to the disk.
    """
    draft = folder / f".{_NAME}"
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as file:
        file.write(manifest.model_dump_json().encode())
        if durable:
            file.flush()
            os.fsync(file.fileno())
    draft.replace(folder / _NAME)


def content_version_at(place: IndexPlace) -> str | None:
    """Return the version of an index's rows, which every change of them changes; None without an index.

    Folders with equal versions have the same rows: a version is the hash of Lance's manifest after the last change, and
    Lance gives its files random names. Without a matrix, maintenance changes it, too.
    """
    manifest = read_manifest(place.matrix)
    if manifest is not None and equals_table(place, manifest):
        return manifest.content_version
    stamp = newest_stamp(place.table)
    return None if stamp is None else stamp.digest


def equals_table(place: IndexPlace, manifest: MatrixManifest) -> bool:
    """True if a matrix has the rows of all writes that have returned.

    A write that has not returned may be seen as not yet made: while its intent stands, its commits are ignored. They
    stay ignored if it is killed, until the next writer brings the matrix up to date.
    """
    if stamp_of(place.table, manifest.table_version) != manifest.stamp:
        return False
    match manifest.intent:
        case None:
            return not has_version(place.table, manifest.table_version + 1)
        case Intent.WRITE:
            return not has_version(place.table, manifest.table_version + 2)
        case Intent.MAINTAIN:
            return True


def require_untouched(place: IndexPlace) -> None:
    """Verify that the newest manifest of a table is the one that its writer recorded.

    Lance trusts its manifests: a damaged one may make it panic, or allocate more memory than there is, which ends the
    process.

    Raises:
        DatabaseCorruptError: It is another.
    """
    seen: MatrixManifest | None = None
    while (held := read_manifest(place.matrix)) is not None:
        stamp = stamp_of(place.table, held.table_version)
        if stamp is None or stamp == held.stamp:
            return
        if held == seen:
            raise DatabaseCorruptError(
                "the vector index is damaged: its manifest is not the one that was written",
                remedy=REMAKE,
                index_id=place.index_id,
            )
        seen = held
