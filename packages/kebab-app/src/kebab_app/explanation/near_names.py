"""What was probably meant by the name of a file that is not there."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from kebab_core import DEFAULT_SOURCE_ID, SourceId

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase


def suggest_name(base: KnowledgeBase, name: str) -> str:
    """Return what to do about a name that is none: the nearest that the index has."""
    listing = "kebab list docs"
    if not base.has_database:
        return f"check how it is spelled; `{listing}` lists what is indexed once `kebab ingest` has run"
    wanted = name.rpartition("/")[2]
    known = {
        path.rpartition("/")[2]: f"{prefix}{path}"
        for source in base.loaded.paths.sources
        for prefix in ["" if source.settings.id == DEFAULT_SOURCE_ID else f"{source.settings.id}:"]
        for path in base.documents.file_states(SourceId(source.settings.id))
    }
    near = get_close_matches(wanted, known, n=1)
    return f"did you mean {known[near[0]]!r}?" if near else f"`{listing}` lists what is indexed"
