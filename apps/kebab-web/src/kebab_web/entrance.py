"""Who may enter: a code that is valid once and for a minute, then a cookie that ends with the server.

The code is a file that only the user can read. Any process of the user may write a new one, so that a second `kebab web` lets
a browser in without asking the server.
"""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_core import Clock

_CODE_S = 60


class Entrance:
    """The codes and the cookie of one server.

    Args:
        folder: Where the code lies; made where it is missing.
        clock: Tells the age of a code.
    """

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._path = folder / "web-code"
        self._clock = clock
        self.cookie = secrets.token_urlsafe(32)
        """Value of the session's cookie."""

    def make_code(self) -> str:
        """Make a code; the one before is no longer valid."""
        code = secrets.token_urlsafe(24)
        write_private(self._path, code)
        return code

    def take_code(self, given: str) -> bool:
        """Return True if a code is valid, which it is no longer then."""
        try:
            age = self._clock.now().timestamp() - self._path.stat().st_mtime
            is_valid = hmac.compare_digest(self._path.read_bytes(), given.encode()) and age <= _CODE_S
            if is_valid:
                self._path.unlink()
        except OSError:
            return False
        return is_valid

    def is_own(self, cookie: str | None) -> bool:
        """Return True for the cookie of this server."""
        return cookie is not None and hmac.compare_digest(cookie.encode(), self.cookie.encode())


def write_private(path: Path, text: str) -> None:
    """Write a file that only the user can read, whole or not at all.

    Raises:
        OSError: It cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    number = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(number, "w", encoding="utf-8") as file:
        file.write(text)
    draft.replace(path)
