"""Citations as people read them in a text."""

from __future__ import annotations

from kebab_core import DEFAULT_SOURCE_ID, Citation

from kebab_rag.fencing import drop_hidden


def show_place(citation: Citation) -> str:
    """Return path and fragment, the path as it is spelled but for characters that cannot be seen."""
    source = "" if citation.source_id == DEFAULT_SOURCE_ID else f"{citation.source_id}:"
    path = " ".join(drop_hidden(citation.path).split())
    return f"{source}{path}#{show_fragment(citation)}"


def show_fragment(citation: Citation) -> str:
    """Return the part of the address behind the path, such as `L3-L9`."""
    return citation.to_uri().rpartition("#")[2]
