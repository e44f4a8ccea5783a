"""Globs over paths that no document has, and what was probably meant."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import DocFilter, SearchFilters

from kebab_app.nearest_name import find_nearest_name

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase

_SIGNS = re.compile(r"[\\*?\[]")
_BELOW = "**"


def find_near_glob(base: KnowledgeBase, glob: str) -> str | None:
    """Return the nearest glob that lets a document through; None where the glob does so itself, or none is near.

    A path on disk becomes one inside its source, a folder everything below it, and a misspelt folder or file the one
    that there is; numbers, and names behind the first sign such as `*`, stay as they are. Looks through all documents.
    """
    if _lets_through(base, glob):
        return None
    paths = [str(document.doc_path).split("/") for document in base.documents.list_documents(DocFilter())]
    return next((near for near in _candidates(base, glob, paths) if _lets_through(base, near)), None)


def _lets_through(base: KnowledgeBase, glob: str) -> bool:
    return bool(base.documents.resolve_filters(SearchFilters(path_glob=(glob,))))


def _candidates(base: KnowledgeBase, glob: str, paths: Sequence[list[str]]) -> Iterator[str]:
    for place in [*_places_inside(base, glob), glob]:
        for spelled in (place, _respell(place, paths)):
            if spelled is not None:
                yield spelled
                yield f"{spelled.rstrip('/')}/{_BELOW}"


def _places_inside(base: KnowledgeBase, glob: str) -> Iterator[str]:
    """Yield what a path on disk is in each source that holds it."""
    path = Path(os.path.normpath(os.path.expanduser(glob)))  # noqa: PTH111 - `~nobody` stays as it is
    for source in base.loaded.paths.sources:
        if path.is_absolute() and path.is_relative_to(source.root):
            inside = path.relative_to(source.root).as_posix()
            yield _BELOW if inside == "." else inside


def _respell(glob: str, paths: Sequence[list[str]]) -> str | None:
    """Return a glob with the nearest names that there are, up to the first with a sign; None where one is not near."""
    names = unicodedata.normalize("NFC", glob).strip("/").split("/")
    spelled: list[str] = []
    for depth, name in enumerate(names):
        if _SIGNS.search(name):
            break
        known = {path[depth] for path in paths if len(path) > depth and path[:depth] == spelled}
        nearest = name if name in known or name.isdigit() else find_nearest_name(name, known)
        if nearest is None:
            return None
        spelled.append(nearest)
    return "/".join([*spelled, *names[len(spelled) :]])
