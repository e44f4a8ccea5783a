"""Which of the names that there are was probably meant."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches


def find_nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the nearest of some names, None where none is near; of Korean every letter counts, not the syllable."""
    spelled = {unicodedata.normalize("NFD", one): one for one in known}
    found = get_close_matches(unicodedata.normalize("NFD", name), spelled, n=1)
    return spelled[found[0]] if found else None
