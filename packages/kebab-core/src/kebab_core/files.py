"""Files: paths, stamps, scan entries, and assets (the bytes of a file, kept by content)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, NewType, Self

from pydantic import Field, StringConstraints

from kebab_core.errors import InvalidInputError
from kebab_core.ids import AssetId, hash_parts
from kebab_core.media import MediaType
from kebab_core.model import Model, UtcDatetime

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

    from kebab_core.ids import DocumentId


SourceId = NewType("SourceId", str)
"""Name of a configured source: `[A-Za-z0-9._-]+`, by default `default`."""
SourceName = Annotated[SourceId, StringConstraints(pattern=r"^[A-Za-z0-9._-]+$")]
"""The same, validated."""

_UNSPELLABLE = re.compile("[\x00\ud800-\udfff]")

Checksum = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""The full BLAKE3 of some bytes: 64 lower-case hex digits."""


class WorkspacePath(str):
    """A path inside a source: relative, POSIX separators, NFC, no `./`, no doubled slashes.

    The spelling on disk may differ (NFD names); this is the identity, `SourceEntry.disk_path` opens the file.
    """

    __slots__ = ()

    def __new__(cls, value: str) -> Self:
        """Return the normalised path.

        Raises:
            InvalidInputError: The path is empty, absolute, leaves the source by `..`, or holds what no text can
                spell: a NUL, or a byte of a file name that was not UTF-8 (a lone surrogate).
        """
        if _UNSPELLABLE.search(value):
            raise InvalidInputError(f"{value!r} is not a path that can be written as text")
        parts = [part for part in unicodedata.normalize("NFC", value).split("/") if part not in {"", "."}]
        if not parts or ".." in parts or value.startswith("/"):
            raise InvalidInputError(f"{value!r} is not a path inside a source", path=value)
        return super().__new__(cls, "/".join(parts))

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return a schema that validates and normalises a plain string."""
        from pydantic_core import core_schema

        def normalise(value: str) -> WorkspacePath:
            try:
                return cls(value)
            except InvalidInputError as error:
                raise ValueError(error.message) from error

        text = core_schema.no_info_after_validator_function(normalise, core_schema.str_schema(min_length=1))

        # A run over unchanged files meets each of its paths six times.
        def accept(value: object, validate: Callable[[object], WorkspacePath]) -> WorkspacePath:
            return value if isinstance(value, cls) else validate(value)

        return core_schema.no_info_wrap_validator_function(accept, text)

    @property
    def name(self) -> str:
        """The last component."""
        return self.rpartition("/")[2]

    @property
    def stem(self) -> str:
        """The last component without its last extension; `.gitignore` keeps its name."""
        name = self.name
        head, dot, _ = name.rpartition(".")
        return head if dot and head else name


class FileUri(Model):
    """An asset that came from a file on this machine."""

    kind: Literal["file"] = "file"
    path: str
    """Absolute path as spelled on disk."""


class ExternalUri(Model):
    """An asset handed to kebab by another program, with the address it came from."""

    kind: Literal["external"] = "external"
    uri: str


SourceUri = Annotated[FileUri | ExternalUri, Field(discriminator="kind")]


class CopiedStorage(Model):
    """The bytes are kept below the data folder, by content."""

    kind: Literal["copied"] = "copied"
    path: str
    """Relative to the data folder, POSIX separators."""


class ReferenceStorage(Model):
    """The bytes stay in the user's file; `sha` detects a change of them."""

    kind: Literal["reference"] = "reference"
    path: str
    """Absolute path as spelled on disk."""
    sha: Checksum


AssetStorage = Annotated[CopiedStorage | ReferenceStorage, Field(discriminator="kind")]


class FileStamp(NamedTuple):
    """Metadata of a file from the file system. Equal stamps mean: very likely unchanged.

    A plain tuple for speed: a run over unchanged files makes two for each and little else.
    """

    byte_len: int
    mtime_ns: int
    inode: int
    ctime_ns: int | None
    """Last change of content or attributes, which no program can set back; None where an older kebab did not note it."""


FileState = NewType("FileState", str)
"""Stamp and fingerprint of a file in one text, as `file_state` writes it; a file with an equal state is not read."""


def spelling_of(disk_path: str, workspace_path: WorkspacePath) -> str:
    """Return the path on disk where it differs in spelling from the path in the source, else an empty text.

    A renaming from one normal form of Unicode to the other changes neither the path in the source nor the stamp.
    """
    return "" if disk_path.endswith(workspace_path) else disk_path


def file_state(stamp: FileStamp, fingerprint: str, spelling: str = "") -> FileState:
    """Return the state of a file as one text: a run compares it with the stored one to find changed files.

    Args:
        stamp: Metadata from the file system.
        fingerprint: Hash of every setting and version that affects what is stored of the file.
        spelling: As `spelling_of` returns it.
    """
    ctime_ns = "" if stamp.ctime_ns is None else stamp.ctime_ns
    state = f"{stamp.byte_len} {stamp.mtime_ns} {stamp.inode} {ctime_ns} {fingerprint}"
    return FileState(f"{state} {spelling}" if spelling else state)


class SourceEntry(NamedTuple):
    """A file found by a scan: its name and stat, unread."""

    source_id: SourceId
    workspace_path: WorkspacePath
    disk_path: str
    """Absolute path as spelled on disk, for opening."""
    stamp: FileStamp
    media_type: MediaType
    """By name only; reading may correct it."""


class RawAsset(Model):
    """Content of a file with its identity, and the path where it was found."""

    asset_id: AssetId
    source_uri: SourceUri
    workspace_path: WorkspacePath
    media_type: MediaType
    byte_len: int = Field(ge=0)
    checksum: Checksum
    discovered_at: UtcDatetime
    stored: AssetStorage


class SourceFile(Model):
    """A file that has been read: the asset and its bytes."""

    asset: RawAsset
    content: bytes
    stamp: FileStamp
    """Taken from the open file, so that it belongs to exactly these bytes."""


class TrackedFile(NamedTuple):
    """Stored record of one ingested file, enough to detect a change."""

    doc_id: DocumentId
    source_id: SourceId
    workspace_path: WorkspacePath
    disk_path: str
    """Path at the last look, as spelled on disk."""
    checksum: str
    stamp: FileStamp
    fingerprint: str
    failed: bool = False
    """The last attempt to read a newer version failed; try again."""


class CopyLook(Enum):
    """Depth of an audit of kept copies; each level takes more time than the one before."""

    NAMES = "names"
    """Copies exist."""
    SIZES = "sizes"
    """Copies have their original length."""
    CONTENTS = "contents"
    """Copies have their original content."""


class AssetAudit(NamedTuple):
    """Comparison of the kept copies of files with the list of assets."""

    copies: int
    """Number of copies there should be."""
    lost: frozenset[str]
    """Checksums of assets whose copy is gone: their files must be read again."""
    strays: int
    """Files among the copies that belong to no asset."""
    damaged: frozenset[str] = frozenset()
    """Checksums of assets whose copy has other bytes, as far as the audit looked: their files must be read again too."""


def asset_id_for(asset_blake3: str) -> AssetId:
    """The id of an asset, from the full BLAKE3 hex (64 digits) of its bytes."""
    return AssetId(hash_parts("asset", asset_blake3=asset_blake3))
