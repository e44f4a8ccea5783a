"""Assets: the bytes of a file with their identity, and where they are kept."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, StringConstraints

from kebab_core.files import FileStamp, WorkspacePath
from kebab_core.ids import AssetId, hash_parts
from kebab_core.media import MediaType
from kebab_core.model import Model, UtcDatetime

Checksum = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""The full BLAKE3 of some bytes: 64 lower-case hex digits."""


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


class AttachedFile(NamedTuple):
    """A file that another file holds, such as an attachment of a mail."""

    name: str
    """Without folders; no other one in that file has it."""
    content: bytes


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
