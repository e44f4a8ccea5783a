"""Hashes of the migrations that have been shipped: a database somewhere was made by exactly these files.

`python -m tests.architecture.migrations` adds new files; it never accepts a change of one that is listed.
"""

import hashlib
import json
import sys
from pathlib import Path

from tests.architecture.members import MEMBERS, ROOT, shown

SHIPPED = ROOT / "tests" / "architecture" / "shipped_migrations.json"


def current_migrations() -> dict[str, str]:
    """Return path to SHA-256 of every migration in the tree."""
    files = (path for member in MEMBERS for path in sorted((member.source / "migrations").glob("*.sql")))
    return {shown(path): _digest(path) for path in files}


def shipped_migrations() -> dict[str, str]:
    """Return the checked-in hashes by path."""
    return json.loads(SHIPPED.read_text("utf-8")) if SHIPPED.exists() else {}


def find_edited() -> list[str]:
    """Return the shipped migrations that are gone or differ."""
    current = current_migrations()
    return [path for path, digest in shipped_migrations().items() if current.get(path) != digest]


def main() -> None:
    """Add new migrations to the list."""
    if edited := find_edited():
        sys.exit(f"shipped and since edited: {', '.join(edited)}; write a new migration instead")
    SHIPPED.write_text(json.dumps(current_migrations(), indent=1) + "\n", "utf-8")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    main()
