"""Files inside of other files, such as attachments of mails, read by the built-in extractor of their kind."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from kebab_core import InvalidInputError, WorkspacePath

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kebab_core import CanonicalDocument, ExtractContext, Extractor

EMBEDDED_KINDS = frozenset({"office", "hwp", "pdf", "html", "epub"})
"""Kinds that are read inside of others: all are parsed in processes with limits, and none of them reads files inside of it."""


class EmbeddedFiles:
    """Extractors of files inside of other files.

    `build` makes those of `EMBEDDED_KINDS`, for the first such file.
    """

    def __init__(self, build: Callable[[], Sequence[Extractor]]) -> None:
        self._build = build

    def read(self, name: str, content: bytes, context: ExtractContext, /) -> CanonicalDocument | None:
        """Read a file. Implements `EmbeddedFileReader`."""
        from kebab_parse import find_media
        from kebab_source_fs import media_type_of

        media = find_media(media_type_of(name), content)
        if media.kind not in EMBEDDED_KINDS:
            return None
        extractor = next((each for each in self._extractors if each.supports(media)), None)
        if extractor is None:
            return None
        path = _path_of(name, context.asset.workspace_path)
        asset = context.asset.model_copy(update={"media_type": media, "workspace_path": path})
        return extractor.extract(context.model_copy(update={"asset": asset}), content)

    @cached_property
    def _extractors(self) -> Sequence[Extractor]:
        return self._build()


def _path_of(name: str, outer: WorkspacePath) -> WorkspacePath:
    """Return the path that a reader takes the name of a file from: of one that nobody can write, that of the file around it."""
    try:
        return WorkspacePath(f"{outer}/{name}")
    except InvalidInputError:
        return outer
