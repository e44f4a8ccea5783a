"""Who does what a question asks about, as a sentence or a row of a table says it."""

from __future__ import annotations

import re

from kebab_extractive.predicates import other_forms

_ASKED = re.compile(
    r"^who\s+(?:(?:can|will|should|has|have|had|could|must|may|would|did|does|do)\s+)?(?P<verb>[a-z]+)",
    re.IGNORECASE,
)
_COPULA = frozenset({"is", "are", "was", "were"})
_ENDING = re.compile(r"(?:ies|es|s|ied|ed|d|ing|e|y)$")
_LEAST_STEM = 3
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_BY = re.compile(r"\s(?:\w+\s){0,3}?by\s+(?P<who>[^.!?,;]+)")
_NOBODY = """
    a an the of in on at to for from by with and or but not also only always usually never it this that which there
    is are was were be been has have had can could will would shall should may might must do does did who when if as
"""
_EMPTY = frozenset(_NOBODY.split())
"""Words that are nobody."""
_HEADS = re.compile(
    r"\b(?:owners?|contacts?|persons?|names?|leads?|managers?|responsible|assignees?|authors?|by|who|members?|team)\b"
    r"|담당|책임|이름|성명|작성자|소유",
    re.IGNORECASE,
)


def names_subject(question: str, text: str, *, lead: str = "") -> bool:
    """Return whether a text says who does what a question that begins with "who" asks about.

    That is somebody before the verb, or after it and "by", whom the question does not name; however it is written. A row
    of a table says it where a head of the table does.
    """
    asked = {word.lower() for word in _WORD.findall(question)}
    if " | " in text and _HEADS.search(lead) is not None:
        return _is_somebody(text, asked)
    verb = _ASKED.match(question)
    found = re.search(_forms(verb["verb"].lower()), text, re.IGNORECASE) if verb else None
    if found is None:
        return False
    by = _BY.match(text, found.end())
    return _is_somebody(by["who"] if by else text[: found.start()], asked)


def _forms(verb: str) -> str:
    if verb in _COPULA:
        return r"\b(?:is|are|was|were)\b"
    stem = _ENDING.sub("", verb)
    stem = stem if len(stem) >= _LEAST_STEM else verb
    others = "".join(f"|{form}" for form in sorted(other_forms(verb)))
    return rf"\b(?:{re.escape(stem)}\w{{0,4}}{others})\b"


def _is_somebody(text: str, asked: set[str]) -> bool:
    return any(word.lower() not in asked | _EMPTY for word in _WORD.findall(text))
