"""Citations as people read them in a text."""

from __future__ import annotations

import math

from kebab_core import DEFAULT_SOURCE_ID, Citation

from kebab_rag.fencing import drop_hidden

_ROUNDING_ERROR = 1e-9
"""0.29 times 100 is a little less than 29."""


def show_place(citation: Citation) -> str:
    """Return path and fragment, the path as it is spelled but for characters that cannot be seen."""
    source = "" if citation.source_id == DEFAULT_SOURCE_ID else f"{citation.source_id}:"
    path = " ".join(drop_hidden(citation.path).split())
    return f"{source}{path}#{show_fragment(citation)}"


def show_fragment(citation: Citation) -> str:
    """Return the part of the address behind the path, such as `L3-L9`."""
    return citation.to_uri().rpartition("#")[2]


def show_score(score: float) -> str:
    """Return a score with two digits, cut off: what is below a threshold never shows as having met it."""
    return f"{math.floor(score * 100 + _ROUNDING_ERROR) / 100:.2f}"


def show_threshold(gate: float) -> str:
    """Return a threshold with two digits, or with as many more as it has."""
    return max(f"{gate:.2f}", f"{gate:g}", key=len)
