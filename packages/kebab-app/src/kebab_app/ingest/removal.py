"""Which documents leave because their files are gone. Pure.

Three things keep a document whose file was not seen: the run looked at another part of the source, a folder
above it could not be listed, or so much would go that an unmounted drive is likelier than a clean-up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass

from kebab_core import TrackedFile, WorkspacePath

HELD_SHARE = 0.5
"""A scan that would remove more than this share of a source holds the removal …"""
HELD_MIN_DOCUMENTS = 20
"""… if it is also more than this many documents."""


def find_gone(
    tracked: Iterable[str],
    *,
    seen: AbstractSet[WorkspacePath],
    under: WorkspacePath | None,
    unreadable: Collection[WorkspacePath],
) -> list[WorkspacePath]:
    """Return the paths that the scan should have met and did not, in order.

    Args:
        tracked: The paths of all files of the source that are known.
        seen: Paths the scan yielded as entries.
        under: The part of the source that was scanned; None is all of it.
        unreadable: Folders that could not be listed.
    """
    unseen = sorted(set(tracked) - seen)
    return [
        path
        for path in map(WorkspacePath, unseen)
        if is_missing(path, seen=seen, under=under, unreadable=unreadable)
    ]


def is_missing(
    path: WorkspacePath,
    *,
    seen: Collection[WorkspacePath],
    under: WorkspacePath | None,
    unreadable: Collection[WorkspacePath],
) -> bool:
    """Return whether a scan should have met `path` and did not. Arguments as those of `find_gone`."""
    return (
        path not in seen
        and (under is None or is_beneath(path, under))
        and not any(is_beneath(path, folder) for folder in unreadable)
    )


def is_beneath(path: str, folder: str) -> bool:
    """Return whether `path` is `folder` or lies below it."""
    return path == folder or path.startswith(f"{folder}/")


@dataclass(frozen=True, kw_only=True)
class Moves:
    """Gone files that turned up again elsewhere with equal content."""

    old_path_of: Mapping[WorkspacePath, TrackedFile]
    """By the new path."""


def match_moves(gone: Sequence[TrackedFile], new_checksums: Mapping[WorkspacePath, str]) -> Moves:
    """Pair gone files with new ones of equal content, where there is exactly one of each.

    Args:
        gone: Files that are no longer there.
        new_checksums: Content of files that are there for the first time, by path.

    Returns:
        The pairs.
    """
    gone_counts = Counter(file.checksum for file in gone)
    new_counts = Counter(new_checksums.values())
    gone_by_checksum = {file.checksum: file for file in gone if gone_counts[file.checksum] == 1}
    return Moves(
        old_path_of={
            path: gone_by_checksum[checksum]
            for path, checksum in new_checksums.items()
            if new_counts[checksum] == 1 and checksum in gone_by_checksum
        }
    )


def must_hold(*, gone: int, tracked: int) -> bool:
    """Return whether removing `gone` of `tracked` documents needs the user's word."""
    return gone > HELD_MIN_DOCUMENTS and gone > tracked * HELD_SHARE
