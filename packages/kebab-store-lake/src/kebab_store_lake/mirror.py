"""A copy of a lake in a folder, for readers that are to search on their own disk.

Files of tables never change, so only those that are new are copied; heads last, so that a reader of the copy finds all that a head
names.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from kebab_core import NotIndexedError, Remedy, writing_mapped

from kebab_store_lake.head import FOLDER, Heads
from kebab_store_lake.objects import LakeObjects, objects_of

_HINT = "latest_version_hint.json"
"""Of Lance: where the newest version is likely to be. It alone is written again."""
_OF_LAKE = re.compile(rf"{FOLDER}/\d+\.json|[^/]+\.lance/.+")
"""Names of heads, and of files of tables. Other files in the folder of a copy are somebody's own."""


class Mirroring(NamedTuple):
    """Files that an update of a copy wrote and removed."""

    revision: int
    """Number of the newest revision in the copy."""
    copied_files: int
    copied_bytes: int
    removed_files: int


def mirror_lake(lake: str, folder: Path) -> Mirroring:
    """Bring the copy of a lake in a folder to its newest revision, and drop what the lake has dropped.

    Of a lake that was made anew everything is copied again. Killed, it leaves the copy readable. Files in the folder that are of no lake stay.

    Raises:
        NotIndexedError: Nothing has been published to the lake.
        StorageError: The lake cannot be read, or the folder not written.
    """
    source, target = objects_of(lake), objects_of(str(folder))
    heads = {f"{FOLDER}/{name}": content for name, content in Heads(lake).read_contents().items()}
    if not heads:
        raise NotIndexedError(
            "nothing has been published to the lake {lake!r} yet",
            remedy=Remedy(kind="check_permissions", path=lake),
            lake=lake,
        )
    removed = 0 if _is_copy(target, heads) else _remove(target, set(_list_own(target)))
    wanted = {name: size for name, size in source.list_sizes().items() if _is_of_table(name)}
    there = _list_own(target)
    copied = [name for name, size in wanted.items() if there.get(name) != size]
    copied = [name for name in copied if _copy(source, name, folder)]
    for name in sorted(heads.keys() - there.keys()):
        target.create(name, heads[name])
    gone = {name for name in there if name not in heads and name not in wanted}
    removed += _remove(target, {name for name in gone if not _is_of_table(name)})
    removed += _remove(target, {name for name in gone if _is_of_table(name)})
    newest = max(heads)
    return Mirroring(
        revision=int(newest.removeprefix(f"{FOLDER}/").removesuffix(".json")),
        copied_files=len(copied),
        copied_bytes=sum(wanted[name] for name in copied),
        removed_files=removed,
    )


def _list_own(target: LakeObjects) -> dict[str, int]:
    """Return the bytes of the files of a copy by name."""
    return {name: size for name, size in target.list_sizes().items() if _OF_LAKE.fullmatch(name)}


def _is_of_table(name: str) -> bool:
    return not name.startswith(f"{FOLDER}/") and not name.endswith(_HINT)


def _is_copy(target: LakeObjects, heads: dict[str, bytes]) -> bool:
    """Return True if a folder has a head of the lake, or no files of a lake."""
    known = _list_own(target)
    return not known or any(target.read(name) == heads[name] for name in heads.keys() & known.keys())


def _remove(target: LakeObjects, names: set[str]) -> int:
    """Remove objects, heads first."""
    for name in sorted(names, key=_is_of_table):
        target.remove(name)
    return len(names)


def _copy(source: LakeObjects, name: str, folder: Path) -> bool:
    """Copy one file; return False where the lake has it no more.

    Raises:
        StorageError: The folder cannot be written.
    """
    path = folder / name
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with writing_mapped(folder):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            if not source.copy_to(name, draft):
                return False
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    return True
