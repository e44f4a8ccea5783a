"""Sentences about another thing of the same kind as the one that is asked about.

"The Berlin office opens at 9" shares most words with a question about the Paris office and answers it not. What tells the
two apart is a word of the question that the documents know and the sentence lacks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kebab_extractive.asked import AskedWord
from kebab_extractive.printable import is_dangling, refers_back
from kebab_extractive.questions import Question
from kebab_extractive.reading import ReadPassage
from kebab_extractive.scoring import Candidate

_HELD = 0.6
"""Share of the parts of a word from which on it counts as held."""
_SHORT = 3
"""Words that name things up to which each of them must be held."""
_AS_RARE = 0.9
"""How rare a word is among many chunks, beside the rarest, that tells one thing from another."""
_EXISTS = re.compile(r"there\s+(?:is|are|was|were)\b", re.IGNORECASE)
_OWN_SUBJECT = re.compile(r"^(?:\S+\s+){0,2}\S*[가-힣](?:은|는|이|가)\s")
"""One of the first three words of a Korean sentence that says what it is about."""


def is_contrasted(question: Question, passages: Sequence[ReadPassage], candidate: Candidate) -> bool:
    """Return whether a sentence tells of another thing than the one that is asked about.

    Of a short question it must hold every thing that the evidence knows, itself or in title, headings, or the sentence
    that it goes on from; among many chunks only the rarest. Words for what happens may be missing, and so may one thing of
    many.
    """
    read = passages[candidate.rank]
    things = [word for word in question.words if word.is_known and not word.is_loose]
    lacking = [word for word in things if not _holds(read, candidate.position, word)]
    if not question.is_to_few:
        heaviest = max((word.weight for word in things), default=0.0)
        lacking = [word for word in lacking if word.weight >= _AS_RARE * heaviest]
    return len(things) <= _SHORT and any(_stands(passages, word) for word in lacking)


def _holds(read: ReadPassage, position: int, word: AskedWord) -> bool:
    """Return whether a sentence, what stands above it, or what it goes on from holds a word."""
    goes_on = read.is_led(position) or _goes_on(read, position)
    before = read.before(position) if goes_on else frozenset[str]()
    held = read.terms[position] | read.context | before
    return word.strength(held, read.written(position)) >= _HELD


def _goes_on(read: ReadPassage, position: int) -> bool:
    """Return whether a sentence needs the one before it to say what it is about."""
    text = read.text(position)
    if (refers_back(text) and not _EXISTS.match(text)) or is_dangling(text):
        return True
    return _is_korean(text) and _OWN_SUBJECT.match(text) is None


def _is_korean(text: str) -> bool:
    return any("가" <= char <= "힣" for char in text)


def _stands(passages: Sequence[ReadPassage], word: AskedWord) -> bool:
    """Return whether the evidence holds a word."""
    return any(_says(read, position, word) for read in passages for position in range(len(read.sentences)))


def _says(read: ReadPassage, position: int, word: AskedWord) -> bool:
    return word.strength(read.terms[position], read.written(position)) >= _HELD
