r"""File names that are not UTF-8: given by their bytes, or escaped as reports print them (`caf\xe9.md`)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from kebab_core import PathVerdict, SkippedPath, SkipReason, WorkspacePath

from kebab_diagnose.access import SourceAccess, SourceLocation

_ESCAPED_BYTE = re.compile(rb"\\x([89a-f][0-9a-f])")


def is_utf8(name: str) -> bool:
    """Whether a name from the file system is UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def escape_name(name: str) -> str:
    """Replace bytes of a name that are not UTF-8 by escapes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def find_unspellable(sources: SourceAccess, name: str) -> tuple[Path, SourceLocation, PathVerdict] | None:
    """Find a file in a source whose name, or that of a folder above it, is not UTF-8.

    Returns:
        Its place and its location, both escaped, and the verdict that its name leaves it out.
    """
    raw = os.fsdecode(_ESCAPED_BYTE.sub(lambda match: bytes([int(match[1], 16)]), os.fsencode(name)))
    if is_utf8(raw):
        return None
    for source, place in _candidates(sources, raw):
        inside = place.relative_to(source.root)
        if os.path.lexists(place) and not is_utf8(str(inside)):
            return _exclude(source, inside)
    return None


def _candidates(sources: SourceAccess, raw: str) -> Iterator[tuple[SourceLocation, Path]]:
    here = Path(os.path.normpath(Path(raw).absolute()))
    for source in sources.locations:
        if here.is_relative_to(source.root):
            yield source, here
    for source in sources.locations:
        place = Path(os.path.normpath(source.root / raw.removeprefix(f"{source.source.id}:")))
        if place.is_relative_to(source.root):
            yield source, place


def _exclude(source: SourceLocation, inside: Path) -> tuple[Path, SourceLocation, PathVerdict]:
    parts = [escape_name(part) for part in inside.parts]
    count = next(at for at, part in enumerate(inside.parts, start=1) if not is_utf8(part))
    skipped = SkippedPath(
        WorkspacePath("/".join(parts[:count])), SkipReason.UNUSABLE_NAME, is_folder=count < len(parts)
    )
    location = SourceLocation(source=source.source, root=source.root, under=WorkspacePath("/".join(parts)))
    return location.path, location, PathVerdict(skipped)
