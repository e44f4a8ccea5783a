"""Traces of a document outside of the index: older databases that hold it, lines of logs and caches that name it."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import Remedy, StorageError

from kebab_app.store import REPLACED_FOLDER

if TYPE_CHECKING:
    from kebab_core import TrackedFile

    from kebab_app.knowledge_base import KnowledgeBase

_DATABASE_NAME = "kebab.sqlite"
_HELD = """
    SELECT 1 FROM documents JOIN assets USING (asset_id)
    WHERE (? AND source_id = ? AND workspace_path = ?) OR checksum = ? LIMIT 1
"""
_OWN = "schema-"
"""Beginning of the names of older databases of this base; others are of another one, where a path means nothing."""


def find_replaced(base: KnowledgeBase, documents: Sequence[TrackedFile]) -> tuple[Path, ...]:
    """Return the folders of databases that were set aside and hold one of some documents, or cannot be read."""
    folder = base.data_dir / REPLACED_FOLDER
    kept = sorted(folder.iterdir()) if folder.is_dir() else []
    return tuple(each for each in kept if _holds(each, documents))


def _holds(folder: Path, documents: Sequence[TrackedFile]) -> bool:
    database, is_own = folder / _DATABASE_NAME, folder.name.startswith(_OWN)
    if not documents or not database.exists():
        return False
    try:
        with closing(
            sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        ) as opened:
            rows = [(is_own, each.source_id, each.workspace_path, each.checksum) for each in documents]
            return any(opened.execute(_HELD, row).fetchone() for row in rows)
    except sqlite3.Error:
        return is_own


def spell_path(path: str) -> set[str]:
    """Return a path as JSON spells it, with letters beyond ASCII as they are and as escapes."""
    return {json.dumps(path, ensure_ascii=is_ascii)[1:-1] for is_ascii in (False, True)}


def erase_lines(base: KnowledgeBase, documents: Sequence[TrackedFile]) -> None:
    """Delete the lines that name some documents from logs, results of evaluations and places that terminals remember.

    Raises:
        StorageError: A file cannot be changed.
    """
    spelled = {spelling for each in documents for spelling in spell_path(str(each.workspace_path))}
    if not spelled:
        return
    names = re.compile(
        rb"(?<![\w-])(?:" + b"|".join(re.escape(each.encode()) for each in sorted(spelled)) + rb")(?![\w-])"
    )
    paths = base.loaded.paths
    for path in dict.fromkeys(
        _list_files(paths.log_dir, base.data_dir / "runs", paths.cache_dir / "terminals")
    ):
        try:
            with path.open("r+b") as file:  # in its place: a server may write to the log
                lines = file.read().splitlines(keepends=True)
                kept = [line for line in lines if not names.search(line)]
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
