"""Values of filters that no document has, and those that documents do have instead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kebab_core import DocFilter

from kebab_app.near_globs import find_near_glob
from kebab_app.nearest_name import find_nearest_name

if TYPE_CHECKING:
    from kebab_core import SearchFilters

    from kebab_app.knowledge_base import KnowledgeBase


def find_near_values(base: KnowledgeBase, filters: SearchFilters, fields: Iterable[str]) -> dict[str, str]:
    """Return for misspelt values of filters what was probably meant.

    Args:
        base: The knowledge base.
        filters: The filters in force.
        fields: Which of them to look at; those whose values are no names are passed over.

    Returns:
        The value that was given to the nearest that a document has, where one is near; looks through all documents
        where tags or paths are asked for.
    """
    near: dict[str, str] = {}
    for field in fields:
        if field == "path_glob":
            found_globs = {glob: find_near_glob(base, glob) for glob in filters.path_glob}
            near.update({glob: found for glob, found in found_globs.items() if found is not None})
            continue
        known = _known_values(base, field)
        for value in getattr(filters, field) if known else ():
            if value not in known and (found := find_nearest_name(value, known)) is not None:
                near[value] = found
    return near


def _known_values(base: KnowledgeBase, field: str) -> list[str]:
    match field:
        case "tags_any":
            documents = base.documents.list_documents(DocFilter())
            return sorted({tag for document in documents for tag in document.tags})
        case "source_id":
            return sorted(source.settings.id for source in base.loaded.paths.sources)
        case "lang":
            return sorted(base.documents.stats().docs_by_lang)
        case "code_lang":
            return sorted(base.documents.stats().docs_by_code_lang)
        case "repo":
            return sorted(base.documents.stats().docs_by_repo)
    return []
