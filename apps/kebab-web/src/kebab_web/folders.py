"""Folders of documents that a first run offers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

_USUAL = ("Documents", "문서", "Notes", "notes", "Obsidian")
_VAULT = ".obsidian"
_MAX_ENTRIES = 500
"""Entries of a folder that are looked at for vaults."""
_MOST = 6


def suggest_folders(home: Path) -> list[Path]:
    """List folders in a home folder that are likely to hold documents: vaults first, then the usual names."""
    usual = [home / name for name in _USUAL if (home / name).is_dir()]
    vaults = [each for folder in (home, *usual) for each in _list_vaults(folder)]
    return [*dict.fromkeys([*vaults, *usual])][:_MOST]


def _list_vaults(folder: Path) -> Iterator[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [
                each.name for each in islice(entries, _MAX_ENTRIES) if each.is_dir(follow_symlinks=False)
            ]
    except OSError:
        return
    if _VAULT in names:
        yield folder
    yield from (folder / name for name in sorted(names) if (folder / name / _VAULT).is_dir())
