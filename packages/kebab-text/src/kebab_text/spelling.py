"""Distance between spellings, in edits of letters; a syllable of Hangul counts as its jamo.

An edit adds, removes or replaces a letter, or swaps two neighbours (optimal string alignment, Boytsov 2011).

    >>> edit_distance("쿠버네티즈", "쿠버네티스"), edit_distance("itertor", "iterator")
    (1, 1)
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from string import ascii_lowercase

_FIRST_SYLLABLE, _LAST_SYLLABLE = "가", "힣"
_VOWELS, _FINALS = 21, 28
_SYLLABLES_OF_INITIAL = _VOWELS * _FINALS
_LETTERS_OF_ONE_EDIT = 6
_LETTERS_OF_TWO_EDITS = 10
_MOST_EDITS = 2
_LEAST_LETTERS = 4
_LATIN_BEGINNING = 3
"""Letters of a Latin word that terms with a later edit begin with."""


def max_edits(letters: int) -> int:
    """Return the edits within which words of so many letters are near: none in a short word, two in a long one."""
    return (letters >= _LETTERS_OF_ONE_EDIT) + (letters >= _LETTERS_OF_TWO_EDITS)


def edit_distance(one: str, other: str, *, most: int = 10) -> int:
    """Compute the number of edits between two words; above `most` only that it is greater."""
    first, second = _jamo(one), _jamo(other)
    if abs(len(first) - len(second)) > most:
        return most + 1
    while first and second and first[0] == second[0]:
        first, second = first[1:], second[1:]
    while first and second and first[-1] == second[-1]:
        first, second = first[:-1], second[:-1]
    beyond = most + 1
    before: list[int] = []
    row = list(range(len(second) + 1))
    for at, letter in enumerate(first):
        above, before, row = before, row, [beyond] * (len(second) + 1)
        row[0] = at + 1
        # Farther from the diagonal there are more edits than wanted.
        for place in range(max(0, at - most), min(len(second), at + most + 1)):
            against = second[place]
            edits = min(row[place] + 1, before[place + 1] + 1, before[place] + (letter != against))
            if at and place and letter == second[place - 1] and first[at - 1] == against:
                edits = min(edits, above[place - 1] + 1)
            row[place + 1] = edits
        if min(row) > most:
            return beyond
    return min(row[-1], beyond)


def near_spellings(word: str, others: Iterable[str]) -> dict[str, int]:
    """Find the words that a misspelt one may stand for, with their distance.

    Words of six letters are near within one edit, of ten within two; a shorter one, of four at least, only with two
    neighbours swapped. The longer of both words counts.
    """
    letters = _jamo(word)
    own = set(letters)
    found: dict[str, int] = {}
    for other in others:
        if abs(len(other) - len(word)) > _MOST_EDITS:
            continue
        others_letters = _jamo(other)
        if (
            len(own.difference(others_letters)) > _MOST_EDITS
        ):  # each of these is an edit; saves most comparisons
            continue
        longer = max(len(letters), len(others_letters))
        most = max_edits(longer)
        is_swapped = most == 0 and longer >= _LEAST_LETTERS and sorted(letters) == sorted(others_letters)
        edits = edit_distance(word, other, most=most or 1)
        if edits <= (most or is_swapped):
            found[other] = edits
    return found


def near_beginnings(word: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """List beginnings that the near spellings of a word have: where the first letters are right, then where one is wrong.

    For words of Latin letters or of Hangul; none for others. Two edits in the first three letters, or the first syllable,
    are left out.
    """
    if _FIRST_SYLLABLE <= word[:1] <= _LAST_SYLLABLE:
        return (word[:1],), tuple(sorted(_near_syllables(word)))
    if not word.isascii() or not word.isalpha():
        return (), ()
    edited = set[str]()
    end = _LATIN_BEGINNING + 1
    for at in range(_LATIN_BEGINNING):
        before, rest = word[:at], word[at:]
        edited.add((before + rest[1:])[:end])
        edited.add((before + rest[1:2] + rest[:1] + rest[2:])[:end])
        edited |= {
            (before + letter + rest[skipped:])[:end] for letter in ascii_lowercase for skipped in (0, 1)
        }
    return (word[:_LATIN_BEGINNING],), tuple(sorted(edited))


def _jamo(word: str) -> str:
    return word if word.isascii() else unicodedata.normalize("NFD", word)


def _near_syllables(word: str) -> set[str]:
    """List the first two syllables with one letter of the first changed, or both swapped, and the second alone."""
    place, second = ord(word[0]) - ord(_FIRST_SYLLABLE), word[1:2]
    initial, rest = divmod(place, _SYLLABLES_OF_INITIAL)
    final = rest % _FINALS
    places = {other * _SYLLABLES_OF_INITIAL + rest for other in range(19)}
    places |= {initial * _SYLLABLES_OF_INITIAL + other * _FINALS + final for other in range(_VOWELS)}
    places |= {place - final + other for other in range(_FINALS)}
    return {chr(ord(_FIRST_SYLLABLE) + each) + second for each in places - {place}}
