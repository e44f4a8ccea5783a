"""Suggestions for names and filter values that nothing matches: the nearest that exist.

`App.find_near_values` and explanations use them for "did you mean".
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import DocFilter, SearchFilters

if TYPE_CHECKING:
    from kebab_core import DocumentStore, SourceId

_PATTERN_SIGNS = re.compile(r"[\\*?\[]")
_EVERYTHING_BELOW = "**"


def find_near_values(
    filters: SearchFilters, fields: Iterable[str], *, documents: DocumentStore, roots: Mapping[SourceId, Path]
) -> dict[str, str]:
    """Find the values that were probably meant by misspelt ones.

    Args:
        filters: The filters in force.
        fields: Fields to look at; those whose values are no names are passed over.
        documents: The documents; all are looked through where tags or paths are asked for.
        roots: Folder of each source, by its id.

    Returns:
        Each misspelt value with the nearest that a document has, where one is near.
    """
    near: dict[str, str] = {}
    for name in fields:
        if name == "path_glob":
            globs = {glob: _find_near_glob(glob, documents, roots) for glob in filters.path_glob}
            near.update({glob: found for glob, found in globs.items() if found is not None})
            continue
        known = _known_values(name, documents, roots)
        for value in getattr(filters, name) if known else ():
            if value in known or (name == "tags_any" and _has_nested(value, known)):
                continue
            if (found := find_nearest_name(value, known)) is not None:
                near[value] = found
    return near


def list_values(
    filters: SearchFilters, fields: Iterable[str], *, documents: DocumentStore, roots: Mapping[SourceId, Path]
) -> dict[str, tuple[str, ...]]:
    """List what documents have where a filter has none of it and nothing is near: tags, languages, and the like.

    Args:
        filters: The filters in force.
        fields: Fields to look at.
        documents: The documents.
        roots: Folder of each source, by its id.

    Returns:
        The values by field, sorted; of `path_glob` the sources, where one names a source that is not there.
    """
    listed: dict[str, tuple[str, ...]] = {}
    for name in fields:
        given: tuple[str, ...] = getattr(filters, name)
        known: list[str] = []
        if name == "path_glob":
            named = [source for source, colon, _ in (glob.partition(":") for glob in given) if colon]
            known, given = [*sorted(roots)], tuple(named)
        else:
            known = _known_values(name, documents, roots)
        if (
            given
            and known
            and not any(
                value in known or _has_nested(value, known) or find_nearest_name(value, known)
                for value in given
            )
        ):
            codes = documents.stats().docs_by_lang if name == "lang" else known
            listed[name] = tuple(sorted(codes))
    return listed


def _has_nested(tag: str, known: Iterable[str]) -> bool:
    return any(each.startswith(f"{tag}/") for each in known)


def find_nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Find the nearest of some names, None where none is near; Korean is compared by letters, not syllables."""
    spelled = {unicodedata.normalize("NFD", one): one for one in known}
    found = get_close_matches(unicodedata.normalize("NFD", name), spelled, n=1)
    return spelled[found[0]] if found else None


def _known_values(name: str, documents: DocumentStore, roots: Mapping[SourceId, Path]) -> list[str]:
    match name:
        case "tags_any":
            return sorted({
                tag for document in documents.list_documents(DocFilter()) for tag in document.tags
            })
        case "source_id":
            return sorted(roots)
        case "lang":
            from kebab_text import language_names

            codes = sorted(documents.stats().docs_by_lang)
            return [*codes, *(name for code in codes for name in language_names(code))]
        case "code_lang":
            return sorted(documents.stats().docs_by_code_lang)
        case "repo":
            return sorted(documents.stats().docs_by_repo)
    return []


def _find_near_glob(glob: str, documents: DocumentStore, roots: Mapping[SourceId, Path]) -> str | None:
    """Find the nearest glob that matches a document; None where the glob does so itself, or none is near.

    A path on disk becomes one inside its source, a folder everything below it, and a misspelt folder or file an
    existing one; numbers, and names behind the first sign such as `*`, stay as they are.
    """

    def matches(glob: str) -> bool:
        return bool(documents.resolve_filters(SearchFilters(path_glob=(glob,))))

    if matches(glob):
        return None
    paths = [str(document.doc_path).split("/") for document in documents.list_documents(DocFilter())]
    return next((near for near in _candidate_globs(glob, paths, roots) if matches(near)), None)


def _candidate_globs(glob: str, paths: Sequence[list[str]], roots: Mapping[SourceId, Path]) -> Iterator[str]:
    source, colon, inside = glob.partition(":")
    if colon and source not in roots and (nearest := find_nearest_name(source, roots)) is not None:
        yield f"{nearest}:{inside}"
    if colon and source in roots:
        yield from (f"{source}:{near}" for near in _candidate_globs(inside, paths, {}))
    for place in [*_globs_inside(glob, roots), glob]:
        for spelled in (place, _correct_spelling(place, paths)):
            if spelled is not None:
                yield spelled
                yield f"{spelled.rstrip('/')}/{_EVERYTHING_BELOW}"


def _globs_inside(glob: str, roots: Mapping[SourceId, Path]) -> Iterator[str]:
    """Yield a path on disk as a glob inside each source that holds it."""
    path = Path(os.path.normpath(os.path.expanduser(glob)))  # noqa: PTH111 - `~nobody` stays as it is
    for root in roots.values():
        if path.is_absolute() and path.is_relative_to(root):
            inside = path.relative_to(root).as_posix()
            yield _EVERYTHING_BELOW if inside == "." else inside


def _correct_spelling(glob: str, paths: Sequence[list[str]]) -> str | None:
    """Replace the names before the first sign by the nearest existing ones; None where one has none near it."""
    names = unicodedata.normalize("NFC", glob).strip("/").split("/")
    spelled: list[str] = []
    for depth, name in enumerate(names):
        if _PATTERN_SIGNS.search(name):
            break
        known = {path[depth] for path in paths if len(path) > depth and path[:depth] == spelled}
        nearest = name if name in known or name.isdigit() else find_nearest_name(name, known)
        if nearest is None:
            return None
        spelled.append(nearest)
    return "/".join([*spelled, *names[len(spelled) :]])
