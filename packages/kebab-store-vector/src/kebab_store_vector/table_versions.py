"""What the newest version of a table is, read from its folder without LanceDB.

Every commit adds one file to `_versions`, numbered one higher: `<version>.manifest`, or, so that a listing begins with
the newest, `<2^64 - 1 - version>.manifest` in 20 digits (Lance's manifest naming schemes V1 and V2). A manifest names
all files of its version, so equal manifests are equal tables.
"""

from __future__ import annotations

import os
import re
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

_MANIFEST = re.compile(r"(\d+)\.manifest")
_LAST = 2**64 - 1
_V2_DIGITS = 20


class TableStamp(NamedTuple):
    """A version of a table and a hash of what it says."""

    version: int
    digest: str


def newest_stamp(table: Path) -> TableStamp | None:
    """Return the newest version; None if there is no table."""
    versions = _versions(table)
    return stamp_of(table, max(versions)) if versions else None


def count_versions(table: Path) -> int:
    """Return how many versions are kept."""
    return len(_versions(table))


def stamp_of(table: Path, version: int) -> TableStamp | None:
    """Return the stamp of one version; None if it is not there."""
    for path in _paths(table, version):
        try:
            return TableStamp(version, blake2b(path.read_bytes(), digest_size=16).hexdigest())
        except FileNotFoundError:
            continue
    return None


def has_version(table: Path, version: int) -> bool:
    """Return whether a version is there."""
    return any(path.exists() for path in _paths(table, version))


def _paths(table: Path, version: int) -> tuple[Path, Path]:
    folder = table / "_versions"
    return folder / f"{_LAST - version:0{_V2_DIGITS}}.manifest", folder / f"{version}.manifest"


def _versions(table: Path) -> list[int]:
    try:
        names = os.listdir(table / "_versions")  # noqa: PTH208 - a third of the time, and there can be thousands
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [_version(match[1]) for name in names if (match := _MANIFEST.fullmatch(name))]


def _version(digits: str) -> int:
    return _LAST - int(digits) if len(digits) == _V2_DIGITS else int(digits)
