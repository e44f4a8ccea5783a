"""What takes in a file that lies outside of every source."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_app.wiring import build_processor

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase


def advise_taking_in(base: KnowledgeBase, place: Path) -> str:
    """Return the commands that take in a file, alone or with its folder; only such as are not refused."""
    place = _without_detours(place)
    folder = shlex.quote(str(place.parent))
    if base.loaded.config_path is None:  # nothing can be taken in before there is one
        alone, adding = "", f"kebab init --root {folder}"
    else:
        alone = f"kebab ingest-file {shlex.quote(str(place))}"
        adding = "" if _holds_source(base, place.parent) else f"kebab config add-source {folder}"
    if not _is_readable(base, place):
        beside = f"; those beside it can be with {adding}" if adding else ""
        return f"files of its kind cannot be read (kebab schema){beside}"
    if not alone:
        return f"{adding}; then kebab ingest"
    return f"{alone}, or {adding}" if adding else alone


def _without_detours(place: Path) -> Path:
    return Path(os.path.realpath(place.parent), place.name) if ".." in place.parts else place


def _holds_source(base: KnowledgeBase, folder: Path) -> bool:
    """Return whether a source lies in a folder, which then can be none itself."""
    real = Path(os.path.realpath(folder))
    return any(
        Path(os.path.realpath(source.root)).is_relative_to(real) for source in base.loaded.paths.sources
    )


def _is_readable(base: KnowledgeBase, place: Path) -> bool:
    from kebab_source_fs import media_type_of

    processor = build_processor(base.loaded.settings.ingest.chunking, analyzer=base.analyzer)
    return processor.supports(media_type_of(place.name))
