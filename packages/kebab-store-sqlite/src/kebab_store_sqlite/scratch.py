"""Scratch folders below the data folder, where exports and imports work, and what killed ones left there."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp

from kebab_store_sqlite.database_file import make_private_folder

SCRATCH_FOLDER = "scratch"
"""Folder below the data folder; it exists only while something is in it."""
_DRAFT_LINK = "draft"
_CLAIMS = "claims"


@contextmanager
def scratch_folder(data_dir: Path, purpose: str) -> Iterator[Path]:
    """Make a scratch folder for one command, and delete it at the end.

    It is locked until then: `sweep_scratch` leaves it alone, and deletes it if the process was killed.

    Args:
        data_dir: The data folder; made if it is missing.
        purpose: Beginning of the folder's name.

    Yields:
        The folder, on the file system of the data folder, for its owner only.

    Raises:
        OSError: It cannot be made.
        KeyboardInterrupt: The command was interrupted while the folder was deleted.
    """
    folder, descriptor = _make_locked(data_dir / SCRATCH_FOLDER, f"{purpose}-")
    try:
        yield folder
    finally:
        try:
            _delete(folder)
        except KeyboardInterrupt:  # a second one leaves the folder to `sweep_scratch`
            _delete(folder)
            raise
        finally:
            os.close(descriptor)


@contextmanager
def claim_work(data_dir: Path, purpose: str, keys: Collection[str]) -> Iterator[frozenset[str]]:
    """Claim pieces of work until the end of the block, which a killed process ends, too.

    The caller holds the writer lock at the beginning of the block, so that one process claims at a time.

    Args:
        data_dir: The data folder.
        purpose: Kind of work.
        keys: The pieces, without white space.

    Yields:
        Those that nobody else has claimed.

    Raises:
        OSError: The claim cannot be written.
    """
    taken: set[str] = set()
    for folder in _list_folders(data_dir):
        if folder.name.startswith(f"{purpose}-") and not _is_unused(folder):
            with suppress(OSError):
                taken.update((folder / _CLAIMS).read_text("ascii").split())
    own = frozenset(keys) - taken
    with scratch_folder(data_dir, purpose) as folder:
        (folder / _CLAIMS).write_text("\n".join(own), "ascii")
        yield own


def sweep_scratch(data_dir: Path) -> tuple[Path, ...]:
    """Delete the scratch folders of processes that were killed, and the drafts that they left elsewhere.

    Returns:
        The folders, sorted.
    """
    swept = tuple(folder for folder in _list_folders(data_dir) if _delete_if_unused(folder))
    with suppress(OSError):  # also the folder of one that was killed before it had its own
        (data_dir / SCRATCH_FOLDER).rmdir()
    return swept


def list_scratch(data_dir: Path) -> tuple[Path, ...]:
    """Return the scratch folders of processes that were killed, sorted; those in use are left out."""
    return tuple(folder for folder in _list_folders(data_dir) if _is_unused(folder))


def place_file(draft: Path, target: Path) -> None:
    """Move a finished file of a scratch folder to its place, whole or not at all, also onto another file system.

    Raises:
        OSError: It cannot be moved.
    """
    if draft.stat().st_dev != target.parent.stat().st_dev:
        near = target.with_name(f".{target.name}.{draft.parent.name}")
        (draft.parent / _DRAFT_LINK).symlink_to(near)  # before the file exists, so that a kill leaves none
        try:
            with draft.open("rb") as source, near.open("xb") as file:
                os.fchmod(file.fileno(), 0o600)
                shutil.copyfileobj(source, file)
                file.flush()
                os.fsync(file.fileno())
            near.replace(target)
        finally:
            near.unlink(missing_ok=True)
    else:
        draft.replace(target)


def _make_locked(root: Path, prefix: str) -> tuple[Path, int]:
    while True:
        make_private_folder(root)
        try:
            folder = Path(mkdtemp(prefix=prefix, dir=root))
            descriptor = _open(folder)
        except FileNotFoundError:  # another process has swept it, or an empty root
            continue
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if folder.is_dir():
                return folder, descriptor
        os.close(descriptor)


def _list_folders(data_dir: Path) -> list[Path]:
    try:
        return sorted((data_dir / SCRATCH_FOLDER).iterdir())
    except OSError:
        return []


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Lock a folder if no process uses it.

    Yields:
        False where one does, or where the folder is gone.
    """
    try:
        descriptor = _open(folder)
    except OSError:
        yield False
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(descriptor)


def _is_unused(folder: Path) -> bool:
    with _locked(folder) as is_unused:
        return is_unused


def _delete_if_unused(folder: Path) -> bool:
    with _locked(folder) as is_unused:
        if is_unused:
            _delete(folder)
        return is_unused


def _delete(folder: Path) -> None:
    """Delete a scratch folder, the draft that its link names, and the folder of all if it is empty."""
    with suppress(OSError):
        near = (folder / _DRAFT_LINK).readlink()
        if near.name.startswith(".") and near.name.endswith(f".{folder.name}"):
            near.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        folder.parent.rmdir()


def _open(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
