"""The file in which a host keeps its servers: read whole, changed in one member, written in one step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from kebab_config import back_up, replace_text, write_new
from kebab_core import InvalidInputError, StorageError

from kebab_cli.jsonc import parse, set_member

SERVER_NAME = "kebab"
_MARK = "\ufeff"


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a file says and what it is to say."""

    path: Path
    before: str | None
    """None where there is no file."""
    after: str

    @property
    def is_none(self) -> bool:
        """Whether nothing is to be done."""
        return self.before == self.after


def plan_change(path: Path, *, members: str, entry: dict[str, object]) -> Change:
    """Return what has to change for a host to know the server; nothing is written.

    Args:
        path: Its file; may be missing.
        members: The object in it that holds servers by name.
        entry: How to start the server.

    Raises:
        InvalidInputError: The file is not JSON, or has another shape.
        StorageError: It cannot be read.
    """
    before = _read(path)
    text = (before or "").removeprefix(_MARK)
    mark = _MARK if before is not None and before.startswith(_MARK) else ""
    try:
        found = parse(text).value if text.strip() else {}
        after = set_member(text, (members, SERVER_NAME), entry)
        _require_same(found, after, members=members, entry=entry)
    except (json.JSONDecodeError, TypeError) as error:
        by_hand = json.dumps({members: {SERVER_NAME: entry}}, ensure_ascii=False)
        raise InvalidInputError(
            f"{str(path)!r} is not as expected, and was left as it is: {error}",
            hint=f"mend it, or add this by hand: {by_hand}",
            path=str(path),
        ) from error
    is_there = isinstance(found, dict) and (found.get(members) or {}).get(SERVER_NAME) == entry
    return Change(path=path, before=before, after=(before or "") if is_there else mark + after)


def carry_out(change: Change) -> Path | None:
    """Write a file anew, in one step.

    Returns:
        Where the old one was kept; None where there was none.

    Raises:
        StorageError: It cannot be written.
    """
    if change.before is None:
        write_new(change.path, change.after)
        return None
    kept = back_up(change.path)
    replace_text(change.path, change.after)
    return kept


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{str(path)!r} is not text in UTF-8, and was left as it is",
            hint="look at the file",
            path=str(path),
        ) from error
    except OSError as error:
        raise StorageError(
            f"cannot read {str(path)!r}: {error.strerror}", hint="check its permissions", path=str(path)
        ) from error


def _require_same(found: object, after: str, *, members: str, entry: dict[str, object]) -> None:
    """Do nothing where the new text says what the old one did, and the server.

    Raises:
        TypeError: It does not.
    """
    if not isinstance(found, dict):
        raise TypeError("the file is no object")
    servers = {**found.get(members, {}), SERVER_NAME: entry}
    if parse(after).value != {**found, members: servers}:
        raise TypeError("it cannot be changed without changing something else")
