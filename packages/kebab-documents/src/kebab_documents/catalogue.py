"""Documents of a base by tag, folder, source and time, with counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from kebab_core import NamedCount, format_address

if TYPE_CHECKING:
    from kebab_core import DocumentEntry

Grouping = Literal["tags", "folders", "sources"]


def count_documents(entries: Iterable[DocumentEntry], by: Grouping) -> list[NamedCount]:
    """Count documents by tag with those nested in it, by folder with all that is below it, or by source.

    Returns:
        Tags and folders by number of documents, the greatest first; sources by name. The name of a folder is its
        address, with a slash at its end; that of the root of the source `default` is a slash alone.
    """
    counts: Counter[str] = Counter()
    for entry in entries:
        match by:
            case "tags":
                counts.update({
                    "/".join(tag.split("/")[:depth])
                    for tag in entry.tags
                    for depth in range(1, tag.count("/") + 2)
                })
            case "sources":
                counts[entry.source_id] += 1
            case "folders":
                counts.update(_folders(entry))
    order = (lambda one: (0, one[0])) if by == "sources" else (lambda one: (-one[1], one[0]))
    return [NamedCount(name=name, documents=count) for name, count in sorted(counts.items(), key=order)]


def _folders(entry: DocumentEntry) -> Iterable[str]:
    parts = entry.doc_path.split("/")[:-1]
    root = format_address(entry.source_id, "x").removesuffix("x")
    yield f"{root}/"
    for depth in range(1, len(parts) + 1):
        yield f"{format_address(entry.source_id, '/'.join(parts[:depth]))}/"
