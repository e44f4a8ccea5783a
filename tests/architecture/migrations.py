"""Hashes of the migrations that databases were made by: `python -m tests.architecture.migrations` adds new files.

A file that is listed is never edited. Before version 1.0 it may be replaced by one with a higher number, since the number
says which databases are not read any more; from 1.0 on it stays.
"""

import hashlib
import json
import sys
import tomllib
from collections.abc import Mapping

from tests.architecture.members import MEMBERS, ROOT, shown

SHIPPED = ROOT / "tests" / "architecture" / "shipped_migrations.json"


def current_migrations() -> dict[str, str]:
    """Return path to SHA-256 of every migration in the tree."""
    files = (path for member in MEMBERS for path in sorted((member.source / "migrations").glob("*.sql")))
    return {shown(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def shipped_migrations() -> dict[str, str]:
    """Return the checked-in hashes by path."""
    return json.loads(SHIPPED.read_text("utf-8"))


def is_released() -> bool:
    """Return whether the version of the workspace is 1.0 or higher."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return int(project["version"].split(".")[0]) >= 1


def find_edited(shipped: Mapping[str, str], current: Mapping[str, str], *, released: bool) -> list[str]:
    """Return the listed migrations that differ; with `released` also those that are gone."""
    return [
        path
        for path, digest in shipped.items()
        if current.get(path) != digest and (released or path in current)
    ]


def main() -> None:
    """Write the list anew, unless a file in it was edited."""
    if edited := find_edited(shipped_migrations(), current_migrations(), released=is_released()):
        sys.exit(
            f"listed and since edited: {', '.join(edited)}; write a migration with the next number instead"
        )
    SHIPPED.write_text(json.dumps(current_migrations(), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
