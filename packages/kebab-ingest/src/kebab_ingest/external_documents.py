"""External documents: their folders, their trust, how they are written.

They are files of kebab's own source, or of `_external/` below the root of a source that may be written. Every
later run finds them where they are; no ignore rule applies there, because each was named by its user. Their trust follows from
where they lie: no text in them can claim more.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from kebab_core import (
    ExternalSettings,
    Message,
    Remedy,
    SourceId,
    SourceSettings,
    StorageError,
    TrustLevel,
    WorkspacePath,
    is_utf8,
    writing_mapped,
)

from kebab_ingest.disk_files import NOTES_FOLDER

EXTERNAL_FOLDER = WorkspacePath("_external")
NOTES_SOURCE = SourceId("kebab-notes")
"""The source of the notes that kebab keeps in its data folder."""
WEB_FOLDER = "web"
"""Folder of the notes that have an address."""
FILES_FOLDER = WorkspacePath("files")
"""Folder of the copies of files, in the source of the notes."""
AGENT_FOLDER = "agent"
"""Folder in it of the copies of files that a program named."""
_EXTERNAL_PREFIX = f"{EXTERNAL_FOLDER}/"
_SOURCE_PREFIX = "source-"
_DRAFT_PREFIX = ".kebab-"
_DRAFT_SUFFIX = "~"
"""Ends the names of backups, which no scan takes."""


class Origin(StrEnum):
    """Origin of an external document; in `_external/` the value stands in its file's name before the extension."""

    FILE = ""
    """A file that the user named."""
    TEXT = ".given"
    """Text that was piped in, or a file that an agent named."""
    WEB = ".web"
    """Text with the address that it comes from."""


def limit_trust(source: SourceSettings, path: WorkspacePath, external: ExternalSettings) -> SourceSettings:
    """Limit the trust of a source to the most that one of its documents may have; itself for an ordinary file.

    Args:
        source: The source.
        path: Of the document.
        external: Limits of external documents.
    """
    if source.id != NOTES_SOURCE and not path.startswith(_EXTERNAL_PREFIX):
        return source  # nearly every file
    agents = f"{FILES_FOLDER}/{AGENT_FOLDER}/"
    if source.id == NOTES_SOURCE and path.startswith(f"{FILES_FOLDER}/") and not path.startswith(agents):
        return source
    is_note = source.id == NOTES_SOURCE or path.startswith(f"{_EXTERNAL_PREFIX}{NOTES_FOLDER}/")
    if path.stem.endswith(Origin.WEB) or (is_note and path.split("/")[-2:-1] == [WEB_FOLDER]):
        limit = external.web_trust_level
    elif path.stem.endswith(Origin.TEXT) or is_note:
        limit = external.text_trust_level
    else:
        return source
    highest = max(limit, source.trust_level or TrustLevel.PRIMARY, key=lambda level: level.rank)
    return source.model_copy(update={"trust_level": highest})


def list_external(roots: Mapping[SourceId, Path]) -> dict[str, Path]:
    """List the files of external documents by names that stay the same on another machine, `source-<id>/<path>`.

    Links, drafts, and names that are not text are left out; no scan takes them, either.

    Args:
        roots: Root of each source.

    Returns:
        Name to path on disk.
    """
    found: dict[str, Path] = {}
    for source_id, root in roots.items():
        folder = _folder_of(source_id, root)
        for path in [] if folder.is_symlink() else sorted(folder.rglob("*")):
            name = f"{_SOURCE_PREFIX}{source_id}/{path.relative_to(folder).as_posix()}"
            if (
                path.is_file()
                and not path.is_symlink()
                and not name.endswith(_DRAFT_SUFFIX)
                and is_utf8(name)
            ):
                found[name] = path
    return found


def restore_external(files: Mapping[str, Path], roots: Mapping[SourceId, Path]) -> list[str]:
    """Copy external documents below the roots of their sources; files that are there stay.

    Args:
        files: Name, as of `list_external`, to path on disk.
        roots: Root of each source, existing or not.

    Returns:
        The names that could not be written: their source has no folder, or another file of that name.

    Raises:
        StorageError: A file cannot be written.
    """
    folders = {
        f"{_SOURCE_PREFIX}{source_id}": _folder_of(source_id, root)
        for source_id, root in roots.items()
        if root.is_dir() or source_id == NOTES_SOURCE
    }
    placeless: list[str] = []
    for name, path in files.items():
        source, _, inside = name.partition("/")
        if source not in folders or not _restore(folders[source], inside, path.read_bytes()):
            placeless.append(name)
    return placeless


def _folder_of(source_id: SourceId, root: Path) -> Path:
    return root if source_id == NOTES_SOURCE else root / EXTERNAL_FOLDER


def _restore(folder: Path, name: str, content: bytes) -> bool:
    """Write one document.

    Returns:
        False where another file has its name or that of its folder, or a link leads out of the folder.
    """
    path = folder / name
    if folder.is_symlink() or not path.parent.resolve().is_relative_to(folder.resolve()):
        return False
    with writing_mapped(folder):
        make_folder(folder)
        if os.path.lexists(path):
            return path.is_file() and path.read_bytes() == content
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            return False
        write_file(path, content)
    return True


def make_folder(folder: Path) -> None:
    """Make a folder for its owner only, and delete drafts in it.

    Raises:
        StorageError: A link or a file has its place.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise StorageError(
            "{path!r} is not a folder of its own",
            remedy=Remedy(advice=Message("rename {path!r}", path=str(folder))),
            path=str(folder),
        )
    folder.mkdir(mode=0o700, exist_ok=True)
    for draft in folder.glob(f"{_DRAFT_PREFIX}*{_DRAFT_SUFFIX}"):
        draft.unlink()  # of a process that was killed


def make_folders(folder: Path, *, below: Path) -> None:
    """Make the folders on the way from one to another; a link on the way could lead out of it."""
    place = below
    for name in folder.relative_to(below).parts:
        place /= name
        make_folder(place)


def write_file(path: Path, content: bytes) -> None:
    """Write a file whole, in place of one that is there. The caller holds the writer lock."""
    draft = path.with_name(f"{_DRAFT_PREFIX}{path.name}{_DRAFT_SUFFIX}")
    draft.unlink(missing_ok=True)  # of a process that was killed; the caller holds the writer lock
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
