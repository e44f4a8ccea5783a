"""Notes that kebab keeps: texts of programs and agents, as files that people can read, in a folder of their own.

A note is updated by its address (`source_uri`), else by its title. What an update replaces, and what is forgotten, goes to a
folder of removed files; from there, what was forgotten last can come back, and of one file the text before its last change.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import (
    InvalidInputError,
    Message,
    Remedy,
    SourceId,
    SourceName,
    SourceSettings,
    WorkspacePath,
    writing_mapped,
)

from kebab_ingest.disk_files import NOTES_FOLDER
from kebab_ingest.external_documents import (
    EXTERNAL_FOLDER,
    NOTES_SOURCE,
    WEB_FOLDER,
    make_folder,
    make_folders,
    write_file,
)

if TYPE_CHECKING:
    from kebab_ingest.request import SourceTarget

TRASH_FOLDER = "trash"
"""Folder of removed files, below the data folder: a folder for each removal, named by its time."""
TRASH_AGE = timedelta(days=30)
"""Age at which removed files are deleted."""

_MAX_NAME_BYTES = 120
_UNUSABLE = re.compile(r'[\x00-\x20\x7f-\xa0/\\:*?"<>|#^\[\]%~]+')
"""What some file system, shell, link or address cannot carry."""
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
_TIME_FORMAT = "%Y%m%dT%H%M%S.%fZ"
_REPLACED = "-replaced"
"""Ends the name of a removal that an update made; undoing it would take the update back."""
_ERASED = "-erased"
"""Ends the name of a removal whose files were deleted for good."""


def make_notes_source(*, first: SourceSettings) -> SourceSettings:
    """Make the source of notes and copies in the data folder, trusted as the first source; see `limit_trust`."""
    return SourceSettings(id=SourceName(NOTES_SOURCE), root=str(NOTES_FOLDER), trust_level=first.trust_level)


@dataclass(frozen=True, kw_only=True)
class TrashFolder:
    """Files that were removed; each with its source and its path in it. Whoever calls holds the writer lock."""

    root: Path

    def keep(
        self,
        files: Iterable[tuple[SourceId, WorkspacePath, Path]],
        *,
        at: datetime,
        is_replaced: bool = False,
    ) -> Path:
        """Move files here.

        Args:
            files: Source, path in it, and path on disk.
            at: Time of the removal.
            is_replaced: The files stay where they are, to be replaced by others.

        Returns:
            The folder of this removal.

        Raises:
            StorageError: A file cannot be moved.
        """
        folder = self.root / f"{at.strftime(_TIME_FORMAT)}{_REPLACED if is_replaced else ''}"
        with writing_mapped(self.root):
            make_folder(self.root)
            for source_id, path, place in files:
                target = folder / source_id / path
                make_folders(target.parent, below=self.root)
                write_file(target, place.read_bytes())  # the other may be on another disk
                if not is_replaced:
                    place.unlink()
        return folder

    def list_expired(self, *, now: datetime) -> list[Path]:
        """List the folders of removals that are older than `TRASH_AGE`."""
        oldest = (now - TRASH_AGE).strftime(_TIME_FORMAT)
        return [path for path in self._list() if path.name < oldest]

    def erase(self, places: Iterable[tuple[SourceId, WorkspacePath]], *, at: datetime) -> None:
        """Delete all that is kept of files, for good, and note that the last removal has nothing to bring back.

        Args:
            places: Source and path in it.
            at: Time of the removal.

        Raises:
            StorageError: A file cannot be deleted.
        """
        with writing_mapped(self.root):
            for source_id, path in places:
                for folder in self._list():
                    (folder / source_id / path).unlink(missing_ok=True)
                    _remove_empty(folder)
            make_folders(self.root / f"{at.strftime(_TIME_FORMAT)}{_ERASED}", below=self.root.parent)

    def restore(
        self, roots: Mapping[SourceId, Path], *, only: WorkspacePath | None, at: datetime
    ) -> list[tuple[SourceId, WorkspacePath]]:
        """Move files back to where they were: those of the last removal, or the last version that is kept of one.

        Args:
            roots: Folder of each source; for one file, of those where it may be.
            only: Path of the one file in its source; the text that it has now takes the other's place here.
            at: The time.

        Returns:
            Source and path of each.

        Raises:
            InvalidInputError: Nothing was removed, another file has the place, or the source is not there.
            StorageError: A file cannot be moved.
        """
        folder, files = self._find_removal() if only is None else self._find_version(roots, only)
        moves = [self._plan_move(folder, path, roots, replaces=only is not None) for path in files]
        with writing_mapped(self.root):
            for path, target, source_id, inside in moves:
                content = path.read_bytes()
                if target.is_file():
                    self.keep([(source_id, inside, target)], at=at, is_replaced=True)
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_file(target, content)
                path.unlink()
            _remove_empty(folder)
        return [(source_id, path) for _, _, source_id, path in moves]

    def _find_removal(self) -> tuple[Path, list[Path]]:
        folder = next((path for path in reversed(self._list()) if not path.name.endswith(_REPLACED)), None)
        if folder is None:
            raise InvalidInputError("there is no removal to undo", remedy=Remedy(kind="list_documents"))
        if folder.name.endswith(_ERASED):
            raise InvalidInputError(
                "the last removal was permanent; earlier ones can be undone by address",
                remedy=Remedy(kind="undo_removal"),
            )
        return folder, [path for path in sorted(folder.rglob("*")) if path.is_file()]

    def _find_version(self, sources: Iterable[SourceId], path: WorkspacePath) -> tuple[Path, list[Path]]:
        for folder in reversed(self._list()):
            if found := [file for source_id in sources if (file := folder / source_id / path).is_file()]:
                return folder, found[:1]
        raise InvalidInputError(
            "no earlier text of {path!r} is kept", remedy=Remedy(kind="list_documents"), path=str(path)
        )

    def _list(self) -> list[Path]:
        return sorted(self.root.iterdir()) if self.root.is_dir() else []

    @staticmethod
    def _plan_move(
        folder: Path, path: Path, roots: Mapping[SourceId, Path], *, replaces: bool
    ) -> tuple[Path, Path, SourceId, WorkspacePath]:
        name, _, inside = path.relative_to(folder).as_posix().partition("/")
        root = roots.get(SourceId(name))
        if root is None or not root.is_dir():
            raise InvalidInputError(
                "the folder of source {source!r} is not there; the file is {path!r}",
                remedy=Remedy(
                    advice=Message(
                        "check that the drive is mounted and that the configuration names the right folder"
                    )
                ),
                path=str(path),
                _source=name,
            )
        target = root / inside
        if os.path.lexists(target) and not (replaces and target.is_file() and not target.is_symlink()):
            raise InvalidInputError(
                "{path!r} is there again; what was removed is {removed!r}",
                remedy=Remedy(advice=Message("move {path!r} away", path=str(target))),
                path=str(target),
                _removed=str(path),
            )
        return path, target, SourceId(name), WorkspacePath(inside)


def _remove_empty(folder: Path) -> None:
    """Remove the empty folders in a folder, and itself if nothing is left."""
    for path in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
        if not any(path.iterdir()):
            path.rmdir()
    if not any(folder.iterdir()) and not folder.name.endswith(_ERASED):
        folder.rmdir()


@dataclass(frozen=True, kw_only=True)
class NoteFolder:
    """Folder of notes. Whoever writes holds the writer lock."""

    source: SourceTarget
    """The source that it is in: kebab's own, or one that may be written."""
    trash: TrashFolder
    read_values: Callable[[bytes], Mapping[str, object]]
    """Reads the front matter of a file."""

    @property
    def _is_own(self) -> bool:
        return self.source.source.id == NOTES_SOURCE

    def put(self, content: bytes, *, title: str, source_uri: str | None, at: datetime) -> SourceTarget:
        """Write a note, in place of the one with its address, or if it has none, of the one with its title.

        Args:
            content: The file, with title and address in its front matter.
            title: The note's title, of which its name is made.
            source_uri: Where it comes from.
            at: The time.

        Returns:
            The note as the target of a run.

        Raises:
            StorageError: It cannot be written.
        """
        values = {"title": _composed(title)} if source_uri is None else {"source_uri": source_uri}
        inside = NOTES_FOLDER if self._is_own else WorkspacePath(f"{EXTERNAL_FOLDER}/{NOTES_FOLDER}")
        prefix = "" if self._is_own else f"{inside}/"
        name_folder = f"{prefix}{WEB_FOLDER}/" if source_uri else prefix
        folder = self.source.root / name_folder
        with writing_mapped(folder):
            if self._is_own:
                self.source.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_folders(folder, below=self.source.root)
            path = self._find(folder, title, values)
            place = WorkspacePath(f"{name_folder}{path.name}")
            before = path.read_bytes() if path.is_file() else None
            if before != content:
                if before is not None:
                    self.trash.keep([(SourceId(self.source.source.id), place, path)], at=at, is_replaced=True)
                write_file(path, content)
        return replace(self.source, under=place)

    def _find(self, folder: Path, title: str, values: Mapping[str, str]) -> Path:
        """Find the note to update, or a free name."""
        by_address = values.get("source_uri")
        if by_address is not None:
            word = max(_ASCII_WORD.findall(by_address), key=len, default="").encode()
            found = (path for path in sorted(folder.glob("*.md")) if self._has(path, values, word=word))
            return next(found, None) or next(
                p for p in _choose_names(folder, title) if not os.path.lexists(p)
            )
        return next(
            path
            for path in _choose_names(folder, title)
            if not os.path.lexists(path) or self._has(path, values)
        )

    def _has(self, path: Path, values: Mapping[str, str], *, word: bytes = b"") -> bool:
        """Whether the front matter of a file has these values; `word` is a cheap test that settles most files."""
        if path.is_symlink() or not path.is_file():
            return False
        content = path.read_bytes()
        if word not in content:
            return False
        found = self.read_values(content)
        return all(_composed(str(found.get(name))) == value for name, value in values.items())


def _composed(text: str) -> str:
    """Return a text in the normal form NFC: macOS gives the names of its files in another one."""
    return unicodedata.normalize("NFC", text)


def clean_name(title: str) -> str:
    """Make a name of a file, without extension, that every file system, shell and address can carry."""
    name = _composed(_UNUSABLE.sub(" ", title)).strip(" .")
    return name.encode(errors="ignore")[:_MAX_NAME_BYTES].decode(errors="ignore").strip(" .") or "note"


def _choose_names(folder: Path, title: str) -> Iterator[Path]:
    """Choose names for a title.

    Yields:
        The best first, then others with a number.
    """
    name = clean_name(title)
    yield folder / f"{name}.md"
    for number in count(2):
        yield folder / f"{name} {number}.md"
