"""Reports of `kebab lake`: compactions and copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kebab_core import Count

from kebab_wire.base import DiskPath, WireObject, mirror

if TYPE_CHECKING:
    from kebab_app import LakeCompaction, LakeCopy


class LakeCompactionV1(WireObject):
    """A lake whose indexes were built anew, and whose files that no reader may use any more were removed."""

    schema_version: Literal["lake_compaction.v1"] = "lake_compaction.v1"
    lake: str
    """Its folder, or the URL of its bucket."""
    revision: Count
    """The new revision."""
    bytes_before: Count
    """All versions counted, as below."""
    bytes_after: Count


class LakeCopyV1(WireObject):
    """A copy of a lake that was brought up to date."""

    schema_version: Literal["lake_copy.v1"] = "lake_copy.v1"
    lake: str
    """Its folder, or the URL of its bucket."""
    folder: DiskPath
    """Of the copy."""
    revision: Count
    """The newest revision of the copy."""
    copied_files: Count
    copied_bytes: Count
    removed_files: Count
    """Files of revisions that the lake does not keep any more."""


def wire_lake_compaction(result: LakeCompaction) -> LakeCompactionV1:
    """Convert a compaction for the wire."""
    return mirror(LakeCompactionV1, result)


def wire_lake_copy(result: LakeCopy) -> LakeCopyV1:
    """Convert a copy of a lake for the wire."""
    return LakeCopyV1(
        lake=result.lake,
        folder=str(result.folder),
        revision=result.copied.revision,
        copied_files=result.copied.copied_files,
        copied_bytes=result.copied.copied_bytes,
        removed_files=result.copied.removed_files,
    )
