"""The targets of an ingest run: the parts of sources that a path names, and the scope of each for a connector."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import InvalidInputError, Remedy, SourceScope, WorkspacePath
from kebab_ingest import SourceTarget

from kebab_app.external_documents import EXTERNAL_FOLDER

if TYPE_CHECKING:
    from kebab_config import ResolvedSource
    from kebab_core import RemedyKind

    from kebab_app.knowledge_base import KnowledgeBase

_BYTES_PER_MB = 1024 * 1024
_PATTERN_SIGNS = re.compile(r"[\\*?\[\]]")
"""Characters of a name that mean something in an ignore pattern."""
_ESCAPED = r"\\\g<0>"


def find_targets(base: KnowledgeBase, path: Path | None) -> tuple[SourceTarget, ...]:
    """Find the sources, or the part of each source, that a path names.

    Raises:
        InvalidInputError: The path lies outside every source.
    """
    sources = base.loaded.paths.sources
    if path is None:
        return tuple(SourceTarget(source=s.settings, root=s.root) for s in sources)
    targets = find_parts(base, path)
    if targets:
        return targets
    absolute = _absolute(path)
    roots = ", ".join(str(source.root) for source in sources)
    kind: RemedyKind = "add_source" if base.loaded.config_path else "init"
    raise InvalidInputError(
        f"{str(path)!r} lies outside every configured source ({roots})",
        remedy=Remedy(kind=kind, path=str(absolute)),
        path=str(path),
    )


def find_parts(base: KnowledgeBase, path: Path) -> tuple[SourceTarget, ...]:
    """Find the part of each source that a path names; none where it lies outside every source.

    Where one source lies inside another, a path in the inner one is part of both.
    """
    absolute = _absolute(path)
    found = (_target_in(source, absolute) for source in base.loaded.paths.sources)
    return tuple(target for target in found if target is not None)


def build_scope(base: KnowledgeBase, target: SourceTarget) -> SourceScope:
    """Build the scope that a connector gets for a target; the data folder is excluded everywhere."""
    internal = _exclude_data_folder(target.root, base.data_dir)
    is_external_internal = any(pattern.startswith(f"/{EXTERNAL_FOLDER}/") for pattern in internal)
    settings = base.loaded.settings
    return SourceScope(
        source_id=target.source.id,
        root=str(target.root),
        under=target.under,
        include=target.source.include,
        exclude=(*target.source.exclude, *internal),
        kept=None if is_external_internal else EXTERNAL_FOLDER,
        follow_symlinks=settings.workspace.follow_symlinks,
        max_file_bytes=settings.ingest.max_file_mb * _BYTES_PER_MB,
    )


def _absolute(path: Path) -> Path:
    return Path(os.path.normpath(path.expanduser().absolute()))


def _target_in(source: ResolvedSource, absolute: Path) -> SourceTarget | None:
    """Find the part of a source that a path names, as it is spelled or without the links in it."""
    if absolute.is_relative_to(source.root):
        inside = absolute.relative_to(source.root)
    else:
        place = Path(os.path.realpath(absolute.parent), absolute.name)
        root = Path(os.path.realpath(source.root))
        if not place.is_relative_to(root):
            place = Path(os.path.realpath(absolute))
        if not place.is_relative_to(root):
            return None
        inside = place.relative_to(root)
    under = WorkspacePath(inside.as_posix()) if inside.parts else None
    return SourceTarget(source=source.settings, root=source.root, under=under)


def _exclude_data_folder(root: Path, data_dir: Path) -> tuple[str, ...]:
    """Make the pattern that keeps the data folder out of a source that contains it, whatever links lead there."""
    real_root, real_data = Path(os.path.realpath(root)), Path(os.path.realpath(data_dir))
    if not real_data.is_relative_to(real_root):
        return ()
    inside = real_data.relative_to(real_root).as_posix()
    return (f"/{_PATTERN_SIGNS.sub(_ESCAPED, inside)}/",)
