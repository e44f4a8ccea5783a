"""Documents of a base by tag, folder, source and time, with counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from kebab_core import NamedCount, format_address

if TYPE_CHECKING:
    from kebab_core import DocumentEntry, SourceId

Grouping = Literal["tags", "folders", "sources"]
Facet = Literal["media", "languages"]


def count_documents(entries: Iterable[DocumentEntry], by: Grouping | Facet) -> list[NamedCount]:
    """Count documents by tag with those nested in it, by folder with all that is below it, by source, medium or language.

    Returns:
        By number of documents, the greatest first; sources by name. The name of a folder is its
        address, with a slash at its end; that of the root of the source `default` is a slash alone.
    """
    counts: Counter[str] = Counter()
    match by:
        case "tags":
            for entry in entries:
                counts.update({
                    "/".join(tag.split("/")[:depth])
                    for tag in entry.tags
                    for depth in range(1, tag.count("/") + 2)
                })
        case "sources":
            counts.update(entry.source_id for entry in entries)
        case "media":
            counts.update(entry.media for entry in entries)
        case "languages":
            counts.update(entry.lang for entry in entries)
        case "folders":
            folders = Counter((entry.source_id, entry.doc_path.rpartition("/")[0]) for entry in entries)
            for (source_id, folder), count in folders.items():
                for name in _folders(source_id, folder):
                    counts[name] += count
    order = (lambda one: (0, one[0])) if by == "sources" else (lambda one: (-one[1], one[0]))
    return [NamedCount(name=name, documents=count) for name, count in sorted(counts.items(), key=order)]


def _folders(source_id: SourceId, folder: str) -> Iterable[str]:
    """Yield the root of a source, a folder in it and those between."""
    parts = folder.split("/") if folder else []
    root = format_address(source_id, "x").removesuffix("x")
    yield f"{root}/"
    for depth in range(1, len(parts) + 1):
        yield f"{format_address(source_id, '/'.join(parts[:depth]))}/"
