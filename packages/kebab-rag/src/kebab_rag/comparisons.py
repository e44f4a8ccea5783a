"""The two sides of a question that compares, which an answer has to tell both. `claim_checks` asks for them."""

from __future__ import annotations

import re

_SIDE = r"[\w.'-]{1,40}+(?:\s[A-Z0-9][\w.'-]{0,40}+){0,4}"
_ENGLISH = re.compile(
    rf"(?P<one>{_SIDE})\s(?:or|vs\.?|versus)\s(?:the\s|an?\s)?(?P<other>{_SIDE})"
    rf"|\bbetween\s(?:the\s|an?\s)?(?P<from>{_SIDE})\sand\s(?:the\s|an?\s)?(?P<to>{_SIDE})"
)
_COMPARES = re.compile(
    r"\b(?:first|last|earlier|later|sooner|more|less|fewer|better|worse|older|younger|newer|longer|shorter|larger|smaller|bigger|higher|lower"
    r"|faster|slower|cheaper|heavier|lighter|greater|taller|stronger|weaker|closer|nearer|easier|harder|differs?|difference|different|compared?)\b",
    re.IGNORECASE,
)
_KOREAN = re.compile(
    r"(?P<one>[\w.]{1,20}?)(?:와|과|이랑|랑|하고)\s(?P<other>[\w.]{1,20}?)(?:의|은|는|이|가|를|을)?\s(?=.{0,60}(?:차이|더\s|먼저|나중|비교|다른|다르))"
)


def find_sides(question: str) -> tuple[str, str] | None:
    """Return the two things that a question compares; None for one that compares nothing, or not two named things."""
    match = _KOREAN.search(question) or (_ENGLISH.search(question) if _COMPARES.search(question) else None)
    if match is None:
        return None
    one, other = [text for text in match.groups() if text]
    return (one, other) if one.casefold() != other.casefold() else None
