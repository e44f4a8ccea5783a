"""Files of a database that their permissions keep from this user, and what to type about it."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from kebab_core import ReadonlyModeError, StorageError

_EFFECTIVE = os.access in os.supports_effective_ids


def require_readable(path: Path) -> None:
    """Do nothing where a database may be read, or does not exist.

    Raises:
        StorageError: It may not, or its folder may not be entered.
    """
    for place, mode in ((path.parent, os.X_OK), (path, os.R_OK)):
        if os.path.lexists(place) and not _allows(place, mode):
            raise StorageError(f"{str(place)!r} may not be read", hint=_permitting(place), path=str(place))


def is_write_protected(path: Path) -> bool:
    """Return whether there is a database and it, or its folder, may not be written."""
    return path.exists() and not (_allows(path, os.W_OK) and _allows(path.parent, os.W_OK))


def require_unprotected(path: Path) -> None:
    """Do nothing where nothing keeps a database from being written.

    Raises:
        ReadonlyModeError: Something does. What SQLite made beside it for reading has its permissions.
    """
    beside = (path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))
    needed = (*(place for place in (path, *beside) if place.exists()), path.parent)
    places = [place for place in needed if not _allows(place, os.R_OK | os.W_OK)]
    if places:
        raise ReadonlyModeError(
            f"{str(places[0])!r} may not be written, so the index is open for reading only",
            hint=_permitting(*places),
            path=str(places[0]),
        )


def _allows(place: Path, mode: int) -> bool:
    return os.access(place, mode, effective_ids=_EFFECTIVE)


def _permitting(*places: Path) -> str:
    return f"chmod u+rwX {' '.join(shlex.quote(str(place)) for place in places)}"
