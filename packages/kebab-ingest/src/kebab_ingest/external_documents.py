"""The folder of external documents, `_external/` below the root of a source: their names, their trust, how they are written.

They are ordinary files of the source, so every later run finds them where they are; no ignore rule applies there,
because each was named by its user. A file is named by its content, and by its origin where that limits its trust: no
text in it can claim more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from kebab_core import (
    ExternalSettings,
    Remedy,
    SourceId,
    SourceSettings,
    StorageError,
    TrustLevel,
    WorkspacePath,
    hash_bytes,
)

EXTERNAL_FOLDER = WorkspacePath("_external")
NOTES_SOURCE = SourceId("kebab-notes")
"""The source of the notes that kebab keeps in its data folder."""
NOTES_FOLDER = WorkspacePath("notes")
"""Folder of notes: below the data folder, or of external documents in a source that may be written."""
WEB_FOLDER = "web"
"""Folder of the notes that have an address."""
_EXTERNAL_PREFIX = f"{EXTERNAL_FOLDER}/"
_NAME_DIGITS = range(12, 65, 4)
"""Digits of the hash in a name: more where a shorter one is taken by other content, such as an edited document."""
_SOURCE_PREFIX = "source-"
_DRAFT_PREFIX = ".kebab-"
_DRAFT_SUFFIX = "~"
"""Ends the names of backups, which no scan takes."""


class Origin(StrEnum):
    """Origin of an external document; the value stands in its file's name before the extension."""

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
    is_note = source.id == NOTES_SOURCE or path.startswith(f"{_EXTERNAL_PREFIX}{NOTES_FOLDER}/")
    if not path.startswith(_EXTERNAL_PREFIX) and not is_note:
        return source
    if path.stem.endswith(Origin.WEB) or (is_note and path.split("/")[-2:-1] == [WEB_FOLDER]):
        limit = external.web_trust_level
    elif path.stem.endswith(Origin.TEXT) or is_note:
        limit = external.text_trust_level
    else:
        return source
    highest = max(limit, source.trust_level or TrustLevel.PRIMARY, key=lambda level: level.rank)
    return source.model_copy(update={"trust_level": highest})


def keep_document(root: Path, content: bytes, *, extension: str, origin: Origin) -> WorkspacePath:
    """Write a document below a source's root, unless it is there already.

    The caller holds the writer lock. Readers see all of the file or none, also after a power failure.

    Args:
        root: The source's root, which exists.
        content: The document; equal content and extension is the same file.
        extension: With its dot.
        origin: Its origin.

    Returns:
        Its path inside the source.

    Raises:
        StorageError: The file cannot be written.
    """
    folder = root / EXTERNAL_FOLDER
    with writing_mapped(folder):
        make_folder(folder)
        name = _choose_name(folder, content, f"{origin}{extension}")
        if not os.path.lexists(folder / name):
            write_file(folder / name, content)
    return WorkspacePath(f"{EXTERNAL_FOLDER}/{name}")


def find_kept(root: Path, content: bytes, *, extension: str) -> WorkspacePath | None:
    """Find the copy of a file below a source's root; None where there is none.

    Args:
        root: The source's root.
        content: Of the file.
        extension: With its dot.
    """
    digest = hash_bytes(content)
    for origin in (Origin.FILE, Origin.TEXT):
        for digits in _NAME_DIGITS:
            path = root / EXTERNAL_FOLDER / f"{digest[:digits]}{origin}{extension}"
            if path.is_file() and path.read_bytes() == content:
                return WorkspacePath(f"{EXTERNAL_FOLDER}/{path.name}")
    return None


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
                and _is_text(name)
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


def find_former_notes(
    root: Path, values: Mapping[str, str], read_values: Callable[[bytes], Mapping[str, object]]
) -> list[WorkspacePath]:
    """Find texts that earlier versions of kebab kept among the external documents of a source.

    Args:
        root: The source's root.
        values: Title, or address, that their front matter has.
        read_values: Reads front matter.
    """
    folder = root / EXTERNAL_FOLDER
    origin = Origin.WEB if "source_uri" in values else Origin.TEXT
    return [
        WorkspacePath(f"{EXTERNAL_FOLDER}/{path.name}")
        for path in sorted(folder.glob(f"*{origin}.md"))
        if path.is_file()
        and not path.is_symlink()
        and values.items() <= read_values(path.read_bytes()).items()
    ]


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


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def writing_mapped(folder: Path) -> Iterator[None]:
    """Map errors of writing into a folder.

    Yields:
        Nothing.

    Raises:
        StorageError: Something could not be written.
    """
    try:
        yield
    except OSError as error:
        raise StorageError(
            "cannot write into {path!r}: {reason}",
            remedy=Remedy(kind="check_permissions", path=str(folder), otherwise=Remedy(kind="free_space")),
            path=str(folder),
            _reason=error.strerror,
        ) from error


def make_folder(folder: Path) -> None:
    """Make a folder for its owner only, and delete drafts in it.

    Raises:
        StorageError: A link or a file has its place.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise StorageError(
            "{path!r} is not a folder of its own",
            remedy=Remedy(kind="rename", path=str(folder)),
            path=str(folder),
        )
    folder.mkdir(mode=0o700, exist_ok=True)
    for draft in folder.glob(f"{_DRAFT_PREFIX}*{_DRAFT_SUFFIX}"):
        draft.unlink()  # of a process that was killed


def _choose_name(folder: Path, content: bytes, extension: str) -> str:
    """Choose the first name that holds this content or is free; an edited document keeps its own.

    Raises:
        StorageError: Every name is taken.
    """
    digest = hash_bytes(content)
    names = [f"{digest[:digits]}{extension}" for digits in _NAME_DIGITS]
    for name in names:
        path = folder / name
        if not os.path.lexists(path) or (path.is_file() and path.read_bytes() == content):
            return name
    raise StorageError(
        "every name for this document is taken by other content in {path!r}",
        remedy=Remedy(kind="move_away", path=str(folder / names[0])),
        path=str(folder),
    )


def write_file(path: Path, content: bytes) -> None:
    """Write a file whole, in place of one that is there. The caller holds the writer lock."""
    draft = path.with_name(f"{_DRAFT_PREFIX}{path.name}{_DRAFT_SUFFIX}")
    draft.unlink(missing_ok=True)  # of a process that was killed; the caller holds the writer lock
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
