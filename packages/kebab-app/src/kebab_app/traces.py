"""Lines of logs, results and caches that name a document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import Remedy, StorageError

if TYPE_CHECKING:
    from kebab_core import TrackedFile

    from kebab_app.knowledge_base import KnowledgeBase


def spell_path(path: str) -> set[str]:
    """Return a path as JSON spells it, with letters beyond ASCII as they are and as escapes."""
    return {json.dumps(path, ensure_ascii=is_ascii)[1:-1] for is_ascii in (False, True)}


def erase_lines(base: KnowledgeBase, documents: Sequence[TrackedFile]) -> None:
    """Delete the lines that name some documents from logs, results of evaluations and places that terminals remember.

    Raises:
        StorageError: A file cannot be changed.
    """
    names = {one.encode() for each in documents for one in spell_path(str(each.workspace_path))}
    paths = base.loaded.paths
    for path in dict.fromkeys(
        _list_files(paths.log_dir, base.data_dir / "runs", paths.cache_dir / "terminals")
    ):
        try:
            with path.open("r+b") as file:  # in its place: a server may write to the log
                lines = file.read().splitlines(keepends=True)
                kept = [line for line in lines if not any(_is_named(line, name) for name in names)]
                if len(kept) < len(lines):
                    file.seek(0)
                    file.writelines(kept)
                    file.truncate()
        except OSError as error:
            raise StorageError(
                "cannot change {path!r}: {reason}",
                remedy=Remedy(kind="check_permissions", path=str(path)),
                path=str(path),
                _reason=error.strerror,
            ) from error


def _list_files(*folders: Path) -> Iterator[Path]:
    for folder in folders:
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())


def _is_named(line: bytes, name: bytes) -> bool:
    """Return True if a path stands in a line, not only as the end or the beginning of a longer name."""
    at = line.find(name)
    while at >= 0:
        around = line[:at][-1:] + line[at + len(name) :][:1]
        if not any(chr(byte).isalnum() or byte in b"-_" for byte in around):
            return True
        at = line.find(name, at + 1)
    return False
