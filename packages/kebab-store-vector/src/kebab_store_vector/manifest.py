"""What the files of a matrix hold; the last file that a change writes."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Literal

from kebab_core import EmbeddingIdentity, Model
from pydantic import Field, ValidationError

from kebab_store_vector.table_versions import TableStamp

_NAME = "current.json"
LEAST_RECALL = 0.95
"""An approximate index that finds less of the nearest is not used."""


class Intent(StrEnum):
    """What the writer is about to do to the table; readers go on with the matrix as it is until it is done."""

    WRITE = "write"
    """One commit."""
    MAINTAIN = "maintain"
    """Commits that change no row."""


class ApproximateIndex(Model):
    """How the table's own index is asked, as its check against exact search chose."""

    kind: str
    rows: int = Field(ge=0)
    """When it was built."""
    partitions: int = Field(ge=1)
    probes: int = Field(ge=1)
    refine: int = Field(ge=1)
    recall: float = Field(ge=0, le=1)
    """Share of the exactly nearest that it found, over stored vectors as queries."""

    @property
    def is_used(self) -> bool:
        """Whether it finds enough for searches to go through it."""
        return self.recall >= LEAST_RECALL


class MatrixManifest(Model):
    """One state of a matrix."""

    format: Literal[1] = 1
    identity: EmbeddingIdentity
    generation: int = Field(ge=1)
    """Part of the files' names; what was appended since belongs to the same generation."""
    rows: int = Field(ge=0)
    """Including those that are dead."""
    ordered: int = Field(ge=0)
    """How many of the first rows are in the order of their chunk ids, each id once."""
    dead: int = Field(ge=0)
    """Entries of the list of rows that count no more."""
    documents: int = Field(ge=0)
    langs: tuple[str, ...] = ()
    checksums: dict[str, int] | None = None
    """CRC-32 of what counts of each file, by its suffix; None where an earlier kebab wrote them."""
    table_version: int = Field(ge=0)
    table_digest: str
    edition: str = ""
    """The digest of the table when its rows were last changed; empty where that is the one above."""
    intent: Intent | None = None
    maintained: bool = False
    """Nothing was written since the last maintenance."""
    approximate: ApproximateIndex | None = None

    @property
    def stamp(self) -> TableStamp:
        """The version of the table that the matrix equals."""
        return TableStamp(self.table_version, self.table_digest)

    @property
    def row_edition(self) -> str:
        """What tells these rows from those of any other state; maintenance leaves it as it is."""
        return self.edition or self.table_digest

    @property
    def index_in_use(self) -> ApproximateIndex | None:
        """How searches ask the table's index; None if they are exact."""
        return self.approximate if self.approximate is not None and self.approximate.is_used else None

    @property
    def living(self) -> int:
        """How many vectors there are."""
        return self.rows - self.dead


def read_manifest(folder: Path) -> MatrixManifest | None:
    """Return the manifest of a matrix; None if there is none or it is of another shape."""
    try:
        return MatrixManifest.model_validate_json((folder / _NAME).read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValidationError):
        return None


def write_manifest(folder: Path, manifest: MatrixManifest, *, durable: bool = True) -> None:
    """Replace the manifest; readers see the old or the new one.

    Args:
        folder: Of the matrix.
        manifest: What is true from now on.
        durable: Whether it must survive a power failure.
    """
    draft = folder / f".{_NAME}"
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as file:
        file.write(manifest.model_dump_json().encode())
        if durable:
            file.flush()
            os.fsync(file.fileno())
    draft.replace(folder / _NAME)
