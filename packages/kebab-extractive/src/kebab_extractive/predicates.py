"""Which words of a question say what happens: verbs have more ways to be said than names of things."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_WORD = re.compile(r"[\w-]+")
_AUXILIARY = re.compile(
    r"\b(?:do|does|did|can|could|should|will|would|must|may|has|have|had)\b", re.IGNORECASE
)
_WHO = re.compile(r"\b(?:who|what|which\s+\w+)\s+(?!is\b|are\b|was\b|were\b)(?=(\w+))", re.IGNORECASE)
_LIGHT = re.compile(
    r"\s(?:get|gets|use|uses|need|needs|take|takes|have|give|gives|come|go|see|want|put|find|cost|costs|do)\b",
    re.IGNORECASE,
)
"""Verbs that tell nothing, so that what stands before them is a thing."""
_ARTICLE = re.compile(r"\b(?:the|an?)\s+$", re.IGNORECASE)
_PARTICIPLE = re.compile(r".{2,}(?:ed|ing|en)$", re.IGNORECASE)
_KOREAN_END = re.compile(r"[가-힣](?:[요까니죠지다어아해야]|은가|는가|인가|려면)$")
_FINAL_CONSONANTS = ("\u11a8", "\u11ff")
_LEAST = 2
_IRREGULAR = """
    write wrote written writer, buy bought, sell sold, pay paid, make made, build built, send sent, keep kept, begin began begun,
    leave left, meet met, take took taken, give gave given, grow grew grown, find found, hold held, lead led, lose lost, win won,
    run ran, choose chose chosen, break broke broken, speak spoke spoken, drive drove driven, eat ate eaten, fall fell fallen,
    teach taught teacher, think thought, bring brought, catch caught, fight fought, sing sang sung, spend spent, stand stood,
    tell told, say said, know knew known, see saw seen, draw drew drawn, fly flew flown, rise rose risen, become became,
    own owns owned owner owners, manage managed manager, sleep slept, feel felt, hear heard, shoot shot, steal stole stolen, wear wore worn, throw threw thrown, wake woke woken
"""
_FORMS = {form: frozenset(group.split()) for group in _IRREGULAR.split(",") for form in group.split()}


def other_forms(word: str) -> frozenset[str]:
    """Return the forms of an irregular English verb, the word itself included; nothing for other words."""
    return _FORMS.get(word.lower(), frozenset())


def predicates(question: str, places: Sequence[tuple[int, int]]) -> dict[int, str]:
    """Return the words that are most likely predicates: where each begins, and how its inflected forms begin (NFD).

    In Korean that is the last word if it has the ending of one; in English the word after "who", the last one after
    "does" or the like, and participles. The beginning is empty in English, whose stems the analyser knows.

    Args:
        question: As asked.
        places: Where its telling words stand, in order.
    """
    if not places:
        return {}
    last = places[-1][0]
    if "가" <= question[last] <= "힣":
        word = _WORD.match(question, last)
        written = word[0] if word else ""
        is_verb = len(written) >= _LEAST and _KOREAN_END.search(written) is not None
        return {last: _beginning(written)} if is_verb else {}
    found = {
        start
        for start, end in places
        if _PARTICIPLE.fullmatch(question[start:end]) and not _ARTICLE.search(question[:start])
    }
    found |= {match.start(1) for match in _WHO.finditer(question)}
    found |= {start for start, _ in places if not question[:start].strip()}
    if _AUXILIARY.search(question) and not _LIGHT.search(question[last:]):
        found.add(last)
    return dict.fromkeys((start for start, _ in places if start in found), "")


def _beginning(word: str) -> str:
    """Return the first two syllables without what closes the second, which changes with the ending.

    Of a word of two syllables the second is the ending; then there is nothing to go by.
    """
    if len(word) == _LEAST:
        return ""
    return unicodedata.normalize("NFD", word[:_LEAST]).rstrip(
        "".join(map(chr, range(ord(_FINAL_CONSONANTS[0]), ord(_FINAL_CONSONANTS[1]) + 1)))
    )
