"""Whether settings and folders are in order."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_app.doctor.finding import Problem
from kebab_app.knowledge_base import DATABASE_NAME

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase

MIN_FREE_BYTES = 200 * 1024 * 1024
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def check_config_loaded(base: KnowledgeBase) -> str:
    """Return which file the settings come from."""
    path = base.loaded.config_path
    where = str(path) if path else f"defaults ({base.loaded.paths.config_file} does not exist)"
    return "; ".join([where, *base.loaded.warnings])


def check_workspace_readable(base: KnowledgeBase) -> str:
    """Return the folders of the sources.

    Raises:
        Problem: It is not in order.
    """
    for source in base.loaded.paths.sources:
        if not source.root.is_dir():
            raise Problem(
                f"{source.root} is not a folder",
                hint="create it, or set `workspace.root` (kebab config show)",
            )
        if not os.access(source.root, os.R_OK | os.X_OK):
            raise Problem(f"{source.root} cannot be read", hint="check its permissions")
    return ", ".join(str(source.root) for source in base.loaded.paths.sources)


def check_data_dir_writable(base: KnowledgeBase) -> str:
    """Return where kebab keeps what it makes.

    Raises:
        Problem: It is not in order.
    """
    if base.readonly:
        return f"{base.data_dir} (not needed: writing is switched off)"
    existing = _nearest_existing(base.data_dir)
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise Problem(
            f"{existing} cannot be written", hint="check its permissions, or set `storage.data_dir`"
        )
    if base.has_database:
        from kebab_store_sqlite import require_unprotected

        require_unprotected(base.data_dir / DATABASE_NAME)
    return str(base.data_dir) if existing == base.data_dir else f"{base.data_dir} (will be made)"


def check_data_dir_private(base: KnowledgeBase) -> str:
    """Return who may look into it.

    Raises:
        Problem: It is not in order.
    """
    if not base.data_dir.is_dir():
        return "not made yet (will be yours alone)"
    if base.data_dir.stat().st_mode & _OTHERS:
        raise Problem(
            f"others on this machine may look into {base.data_dir}",
            hint=f"chmod 700 {shlex.quote(str(base.data_dir))}",
        )
    return "yours alone"


def check_disk_space(base: KnowledgeBase) -> str:
    """Return how much is free.

    Raises:
        Problem: It is not in order.
    """
    existing = _nearest_existing(base.data_dir)
    free = shutil.disk_usage(existing).free
    if free < MIN_FREE_BYTES:
        raise Problem(
            f"{free // 1_000_000} MB free at {existing}", hint="free some space, or set `storage.data_dir`"
        )
    return f"{free // 1_000_000_000} GB free"


def _nearest_existing(path: Path) -> Path:
    return next(candidate for candidate in (path, *path.parents) if candidate.exists())
