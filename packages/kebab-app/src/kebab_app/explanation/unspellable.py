"""Files whose names no text can spell: named by their bytes, or escaped as ingest prints them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import PathVerdict, SkippedPath, SkipReason, WorkspacePath
from kebab_ingest import SourceTarget

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase

_ESCAPED = re.compile(rb"\\x([89a-f][0-9a-f])")


def show_name(name: str) -> str:
    """Return a name as text: bytes that are not UTF-8 escaped."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def find_unspellable(base: KnowledgeBase, name: str) -> tuple[Path, SourceTarget, PathVerdict] | None:
    """Return where the file of such a name lies in a source, escaped, and that its name leaves it out.

    What has such a name may also be a folder above the file.
    """
    raw = os.fsdecode(_ESCAPED.sub(lambda match: bytes([int(match[1], 16)]), os.fsencode(name)))
    if is_text(raw):
        return None
    for root, place in _places(base, raw):
        inside = place.relative_to(root)
        if os.path.lexists(place) and not is_text(str(inside)):
            return _describe(base, root, inside)
    return None


def _places(base: KnowledgeBase, raw: str) -> Iterator[tuple[Path, Path]]:
    here = Path(os.path.normpath(Path(raw).absolute()))
    for source in base.loaded.paths.sources:
        if here.is_relative_to(source.root):
            yield source.root, here
    for source in base.loaded.paths.sources:
        place = Path(os.path.normpath(source.root / raw.removeprefix(f"{source.settings.id}:")))
        if place.is_relative_to(source.root):
            yield source.root, place


def _describe(base: KnowledgeBase, root: Path, inside: Path) -> tuple[Path, SourceTarget, PathVerdict]:
    source = next(source for source in base.loaded.paths.sources if source.root == root)
    parts = [show_name(part) for part in inside.parts]
    count = next(at for at, part in enumerate(inside.parts, start=1) if not is_text(part))
    skipped = SkippedPath(
        WorkspacePath("/".join(parts[:count])),
        SkipReason.UNUSABLE_NAME,
        is_folder=count < len(parts),
    )
    target = SourceTarget(source=source.settings, root=root, under=WorkspacePath("/".join(parts)))
    return root / "/".join(parts), target, PathVerdict(skipped)


def is_text(name: str) -> bool:
    """Return whether a name is UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
