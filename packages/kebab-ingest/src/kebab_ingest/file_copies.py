"""Copies of single files that lie outside every source, in the folder `files` of kebab's own source.

A copy lies in a folder named by a hash of the path that its file was given by, under the file's own name: the same
path updates it. A copy of a text whose name stands for no medium that is read gets `.txt` after that name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import SourceId, WorkspacePath, hash_bytes

from kebab_ingest.external_documents import (
    AGENT_FOLDER,
    EXTERNAL_FOLDER,
    FILES_FOLDER,
    NOTES_SOURCE,
    Origin,
    make_folders,
    write_file,
    writing_mapped,
)
from kebab_ingest.notes import TrashFolder, clean_name

if TYPE_CHECKING:
    from kebab_ingest.request import SourceTarget

_FOLDER_DIGITS = 8


@dataclass(frozen=True, kw_only=True)
class FileCopies:
    """Copies of files outside every source."""

    source: SourceTarget
    """kebab's own source."""
    trash: TrashFolder
    reads_name: Callable[[str], bool]
    """Whether files of a name are read."""

    def find(self, path: Path, content: bytes, *, by_agent: bool) -> SourceTarget | None:
        """Find the copy of a file: the one made of it, else one of equal content and extension.

        Args:
            path: Absolute path of the file.
            content: Its content.
            by_agent: A program named it; copies of what a user gave count too, but not the other way round.
        """
        place = self._place(path, by_agent=by_agent)
        if (self.source.root / place).is_file():
            return replace(self.source, under=place)
        for origin in (Origin.FILE, Origin.TEXT) if by_agent else (Origin.FILE,):
            if (found := self._find_equal(path, content, origin)) is not None:
                return found
        return None

    def keep(self, path: Path, content: bytes, *, by_agent: bool, at: datetime) -> SourceTarget:
        """Copy a file, in place of an earlier copy of it, which goes to the removed files.

        The caller holds the writer lock. Readers see all of the copy or none, also after a power failure.

        Args:
            path: Absolute path of the file.
            content: Its content.
            by_agent: A program named it.
            at: The time.

        Returns:
            The copy as the target of a run.

        Raises:
            StorageError: It cannot be written.
        """
        found = self.find(path, content, by_agent=by_agent)
        inside = self._place(path, by_agent=by_agent)
        if found is not None and (found.under != inside or found.source.id != self.source.source.id):
            return found
        place = self.source.root / inside
        with writing_mapped(place.parent):
            self.source.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_folders(place.parent, below=self.source.root)
            before = place.read_bytes() if found is not None else None
            if before != content:
                if before is not None:
                    source_id = SourceId(self.source.source.id)
                    self.trash.keep([(source_id, inside, place)], at=at, is_replaced=True)
                write_file(place, content)
        return replace(self.source, under=inside)

    def _find_equal(self, path: Path, content: bytes, origin: Origin) -> SourceTarget | None:
        folder = self.source.root / FILES_FOLDER
        if origin is Origin.TEXT:
            folder /= AGENT_FOLDER
        extension = Path(self._name(path)).suffix
        for copy in sorted(folder.glob(f"{'[0-9a-f]' * _FOLDER_DIGITS}/*{extension}")):
            if (
                copy.suffix == extension
                and copy.is_file()
                and copy.stat().st_size == len(content)
                and copy.read_bytes() == content
            ):
                inside = unicodedata.normalize("NFC", copy.relative_to(self.source.root).as_posix())
                return replace(self.source, under=WorkspacePath(inside))
        return None

    def _place(self, path: Path, *, by_agent: bool) -> WorkspacePath:
        folder = f"{FILES_FOLDER}/{AGENT_FOLDER}" if by_agent else FILES_FOLDER
        name = unicodedata.normalize("NFC", str(path)).encode(errors="surrogateescape")
        return WorkspacePath(f"{folder}/{hash_bytes(name)[:_FOLDER_DIGITS]}/{self._name(path)}")

    def _name(self, path: Path) -> str:
        if not self.reads_name(path.name):
            return f"{clean_name(path.name)}.txt"
        return f"{clean_name(path.stem)}{path.suffix.lower()}"


def is_file_copy(source_id: SourceId, path: WorkspacePath) -> bool:
    """Whether a document is a copy of a file, or another external document that is no note of kebab's own source."""
    folder = FILES_FOLDER if source_id == NOTES_SOURCE else EXTERNAL_FOLDER
    return path.startswith(f"{folder}/")
