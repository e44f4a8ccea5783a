"""Targets of an ingest run: the parts of sources that a path names, and the scope of each for a connector."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import (
    IngestSettings,
    InvalidInputError,
    Message,
    Remedy,
    SourceScope,
    WorkspacePath,
    WorkspaceSettings,
)

from kebab_ingest.external_documents import EXTERNAL_FOLDER, FILES_FOLDER, NOTES_SOURCE

if TYPE_CHECKING:
    from kebab_ingest.request import SourceTarget

_BYTES_PER_MB = 1024 * 1024
_PATTERN_SIGNS = re.compile(r"[\\*?\[\]]")
"""Characters of a name that mean something in an ignore pattern."""
_ESCAPED = r"\\\g<0>"


def find_targets(
    sources: Sequence[SourceTarget], path: Path, *, has_config: bool = True
) -> tuple[SourceTarget, ...]:
    """Find the part of each source that a path names.

    Args:
        sources: All sources, each whole.
        path: A file or folder, which need not exist.
        has_config: Whether there is a configuration file, to which a source can be added.

    Raises:
        InvalidInputError: The path lies outside every source, or there is nothing outside.
    """
    targets = find_parts(sources, path)
    if targets:
        return targets
    if not os.path.lexists(_absolute(path)):
        raise InvalidInputError(
            "there is no file or folder {path!r}",
            remedy=Remedy(advice=Message("check {path!r}", path=str(path))),
            path=str(path),
        )
    roots = ", ".join(str(source.root) for source in sources)
    raise InvalidInputError(
        "{path!r} lies outside every configured source ({roots})",
        remedy=Remedy(kind="add_source" if has_config else "init", path=str(_absolute(path))),
        path=str(path),
        _roots=roots,
    )


def find_parts(
    sources: Sequence[SourceTarget], path: Path, *, files: bool = True
) -> tuple[SourceTarget, ...]:
    """Find the part of each source that a path names; none where it lies outside every source.

    Where one source lies inside another, a path in the inner one is part of both.

    Args:
        sources: The sources.
        path: The path.
        files: Whether links in the path are followed on disk; without, it counts as it is spelled.
    """
    absolute = _absolute(path)
    found = (_target_in(source, absolute, files=files) for source in sources)
    return tuple(target for target in found if target is not None)


def build_scope(
    target: SourceTarget, *, data_dir: Path, workspace: WorkspaceSettings, ingest: IngestSettings
) -> SourceScope:
    """Build the scope that a connector gets for a target; the data folder is excluded everywhere."""
    internal = _exclude_data_folder(target.root, data_dir)
    kept = FILES_FOLDER if target.source.id == NOTES_SOURCE else EXTERNAL_FOLDER
    is_kept_internal = any(pattern.startswith(f"/{kept}/") for pattern in internal)
    return SourceScope(
        source_id=target.source.id,
        root=str(target.root),
        under=target.under,
        include=target.source.include,
        exclude=(*target.source.exclude, *internal),
        kept=None if is_kept_internal else kept,
        follow_symlinks=workspace.follow_symlinks,
        max_file_bytes=ingest.max_file_mb * _BYTES_PER_MB,
    )


def _absolute(path: Path) -> Path:
    return Path(os.path.normpath(path.expanduser().absolute()))


def _target_in(source: SourceTarget, absolute: Path, *, files: bool) -> SourceTarget | None:
    """Find the part of a source that a path names, as it is spelled or without the links in it."""
    if absolute.is_relative_to(source.root):
        inside = absolute.relative_to(source.root)
    elif not files:
        return None
    else:
        place = Path(os.path.realpath(absolute.parent), absolute.name)
        root = Path(os.path.realpath(source.root))
        if not place.is_relative_to(root):
            place = Path(os.path.realpath(absolute))
        if not place.is_relative_to(root):
            return None
        inside = place.relative_to(root)
    under = WorkspacePath(inside.as_posix()) if inside.parts else None
    return replace(source, under=under)


def _exclude_data_folder(root: Path, data_dir: Path) -> tuple[str, ...]:
    """Make the pattern that keeps the data folder out of a source that contains it, whatever links lead there."""
    real_root, real_data = Path(os.path.realpath(root)), Path(os.path.realpath(data_dir))
    if not real_data.is_relative_to(real_root):
        return ()
    inside = real_data.relative_to(real_root).as_posix()
    return (f"/{_PATTERN_SIGNS.sub(_ESCAPED, inside)}/",)
