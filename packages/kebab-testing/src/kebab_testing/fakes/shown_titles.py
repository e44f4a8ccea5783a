"""The title that is shown where documents have the same in their metadata."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from kebab_core import CanonicalDocument


def find_title_in_place(document: CanonicalDocument, others: Iterable[CanonicalDocument]) -> str | None:
    """Return the next title of a document where another one has the title of its metadata; else None."""
    is_shared = document.next_title is not None and any(
        other.next_title is not None
        and other.title == document.title
        and other.source_asset_id != document.source_asset_id
        and _without_ending(other) != _without_ending(document)
        for other in others
    )
    return document.next_title if is_shared else None


def _without_ending(document: CanonicalDocument) -> tuple[str, PurePosixPath]:
    return document.source_id, PurePosixPath(document.workspace_path).with_suffix("")
