"""The temporary folder of an evaluation, and what dead evaluations left behind."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_core import Clock

_PREFIX = "kebab-eval-"
_OWNER = "owner.lock"
_DAY_S = 24 * 60 * 60
_START_S = 60
"""A folder so young may not have come to its lock yet."""


@contextmanager
def make_temporary_home(clock: Clock) -> Iterator[Path]:
    """Make a folder that no evaluation uses, and delete those whose evaluation died.

    Dead are those whose lock nobody holds, and where there is no lock, those that have not changed for a day.

    Args:
        clock: The time.

    Yields:
        The folder; deleted afterwards.
    """
    _sweep(clock.now().timestamp())
    with (
        tempfile.TemporaryDirectory(prefix=_PREFIX) as home,
        Path(home, _OWNER).open("w", encoding="utf-8") as owner,
    ):
        with suppress(OSError):  # without locks, the age of the folder has to do
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield Path(home)


def _sweep(now_s: float) -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            if _is_left_behind(folder, now_s):
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # gone meanwhile, or somebody else's


def _is_left_behind(folder: Path, now_s: float) -> bool:
    """Return whether the evaluation of a folder is dead.

    Raises:
        OSError: It cannot be looked at.
    """
    status = folder.lstat()
    age_s = now_s - status.st_mtime
    if folder.is_symlink() or not folder.is_dir() or status.st_uid != os.getuid() or age_s < _START_S:
        return False
    try:
        with (folder / _OWNER).open("r", encoding="utf-8") as owner:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # there is no lock, or there are none in this file system
        return age_s >= _DAY_S
    return True
