"""Which filters keep a document out, and what it has instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import DocFilter, IndexedDocument, SearchFilters
from kebab_wire import wire_filter_name

from kebab_app.near_values import find_near_values

if TYPE_CHECKING:
    from kebab_app.explanation.way import Way
    from kebab_app.knowledge_base import KnowledgeBase


def find_blocking(base: KnowledgeBase, document: IndexedDocument, filters: SearchFilters) -> tuple[str, ...]:
    """Return the fields of the filters any one of which keeps a document out."""
    blocking = []
    for name in (name for name, value in filters if value):
        alone = SearchFilters.model_validate({name: getattr(filters, name)})
        allowed = base.documents.resolve_filters(alone)
        if allowed is not None and document.doc_id not in allowed:
            blocking.append(name)
    return tuple(blocking)


def without(filters: SearchFilters, fields: tuple[str, ...]) -> SearchFilters:
    """Return filters without some of their fields."""
    return filters.model_copy(update={name: SearchFilters.model_fields[name].default for name in fields})


def tell_filters(
    base: KnowledgeBase, document: IndexedDocument, filters: SearchFilters, way: Way
) -> tuple[str, ...]:
    """Note whether the filters let a document through, and return those that do not.

    Args:
        base: The knowledge base.
        document: The document.
        filters: The filters.
        way: Gets the step, where anything filters.

    Returns:
        Fields of the filters.
    """
    if filters.is_empty:
        return ()
    blocking = find_blocking(base, document, filters)
    if not blocking:
        way.go_on("filters", "every filter lets it through")
        return ()
    what = "; ".join(_describe(base, document, name) for name in blocking)
    flags = " and ".join(flag_of(name) for name in blocking)
    near = find_near_values(base, filters, blocking)
    meant = f"; did you mean {', '.join(map(repr, near.values()))}?" if near else ""
    way.stop("filtered_out", "filters", f"kept out by {what}", fix=f"search without {flags}{meant}")
    return blocking


def flag_of(field: str) -> str:
    """Return the flag of a field of the filters."""
    return f"--{wire_filter_name(field).replace('_', '-')}"


def _tags_of(base: KnowledgeBase, document: IndexedDocument) -> str:
    listed = base.documents.list_documents(DocFilter(doc_id=(document.doc_id,)))
    tags = [tag for one in listed for tag in one.tags]
    return ", ".join(tags) if tags else "no tags"


def _describe(base: KnowledgeBase, document: IndexedDocument, name: str) -> str:
    if name == "tags_any":
        return f"{flag_of(name)} (the file has {_tags_of(base, document)})"
    has = {
        "lang": document.lang,
        "path_glob": document.doc_path,
        "trust_min": document.trust_level.value,
        "media": document.media,
        "ingested_after": f"{document.indexed_at:%Y-%m-%d %H:%M:%S} UTC",
        "doc_id": document.doc_id,
        "repo": document.repo or "none",
        "code_lang": document.code_lang or "none",
        "source_id": document.source_id,
        "source_type": document.source_type.value,
    }
    return f"{flag_of(name)} (the file has {has[name]})" if name in has else flag_of(name)
