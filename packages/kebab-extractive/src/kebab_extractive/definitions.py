"""Questions for what something is, and sentences that say it."""

from __future__ import annotations

import re

_MAX_WORDS = 4
"""Longer ones ask for something that is described, not for what a named thing is."""
_MAX_LETTERS = 120
_ASKS = re.compile(
    r"^what(?:'s|\s+is|\s+are)\s+(?:(?:an?|the)\s+)?(?P<en>(?:(?!\bof\b)[^?])+?)[?\s]*$"
    r"|^what\s+does\s+(?P<mean>[^?]+?)\s+mean[?\s]*$"
    r"|^(?P<ran>[^?]+?)이?란(?:\s+(?:무엇|뭐|뭔)\S*)?[?？\s]*$"
    r"|^(?P<ko>[^?]+?)(?:은|는|이|가)\s+(?:무엇|뭐|뭔)\S*[?？\s]*$",
    re.IGNORECASE,
)
_ROUND = r"[\"'“”‘’*_`\s]"
_OTHERWISE = rf"(?:{_ROUND}{{0,8}}(?:\bor\b|또는|혹은|,)\s[^.!?\n]{{1,60}}?)?"
_NOTE = rf"{_OTHERWISE}[\"'”’\]]{{0,8}}(?:{_ROUND}{{0,8}}\([^()]{{1,120}}\))?{_ROUND}{{0,8}}"
_SAYS_EN = rf"s?{_NOTE}\b(?:is|are|means?|refers?\s+to|stands?\s+for)\b"
_SAYS_KO = rf"{_NOTE}(?:은|는|이란|란)[\s,].*(?:다|요|뜻|의미)[.。]?$"


def defined_term(question: str) -> str | None:
    """Return what a question wants to have explained, None where it asks for something else."""
    asked = question.strip()
    found = _ASKS.match(asked) if len(asked) <= _MAX_LETTERS else None
    term = next((group for group in found.groups() if group), "").strip() if found else ""
    return term if term and len(term.split()) <= _MAX_WORDS else None


def defines(sentence: str, term: str) -> bool:
    """Return whether a sentence says what a term is."""
    name = r"\s+".join(re.escape(word) for word in term.split())
    pattern = rf"(?:^|\W){name}(?:{_SAYS_EN}|{_SAYS_KO})"
    return re.search(pattern, sentence, re.IGNORECASE | re.DOTALL) is not None
