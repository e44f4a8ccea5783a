"""One item of a list that a question asks for by its place ("and the second one?").

A follow-up question reaches the model behind the question that it goes on from. `reader` calls these functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kebab_text import ITEM_MARKER, SentenceKind

from kebab_extractive.quotes import Quote, is_quotable

if TYPE_CHECKING:
    from kebab_extractive.passage import ReadPassage

_KOREAN = ("첫", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열")
_ENGLISH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NOUNS = r"(?:step|item|point|rule|stage|entry|thing|part|task|section|condition|reason|option)"
_KOREAN_NOUNS = r"(?:단계|항목|규칙|조건|이유|방법|순서|절차|원칙|할\s?일)"
_ORDINAL = re.compile(
    rf"(?:(?:그럼|그러면|그리고)\s)?(?:(?P<ko>{'|'.join(_KOREAN)})\s?번째|마지막)(?:(?:은|는|것은|건)?(?=\s?\?|$)|\s?(?={_KOREAN_NOUNS}))"
    rf"|(?:\b(?:and|but|so|what about|how about)\s)?\bthe\s(?:(?P<en>{'|'.join(_ENGLISH)})|last)(?:\sone)?(?:\s(?={_NOUNS}\b)|(?=\s?\?|$))",
    re.IGNORECASE,
)
"""The place of an item that is named without a kind, or with that of an item; not "the second largest", "the last day"."""
_ANY_PLACE = re.compile(
    rf"(?:{'|'.join(_KOREAN)})\s?번째|마지막|\b(?:{'|'.join(_ENGLISH)}|last)\b", re.IGNORECASE
)
_LAST = -1


class Place(NamedTuple):
    """The place of an item in a list that a question asks for."""

    at: int
    """Its position from 0; -1 for the last one."""
    question: str
    """The question without the place, which asks for the list."""


def find_place(question: str) -> Place | None:
    """Return the place of the item that a question asks for; None if it asks for none, or for several."""
    match = _ORDINAL.search(question)
    if match is None or len(_ANY_PLACE.findall(question)) > 1:
        return None
    named = match["ko"] or (match["en"] or "").lower()
    at = _LAST if not named else (_KOREAN if match["ko"] else _ENGLISH).index(named)
    return Place(at, f"{question[: match.start()]}{question[match.end() :]}".strip())


def quote_item(quotes: Iterable[Quote], passages: Sequence[ReadPassage], at: int) -> Quote | None:
    """Return the quote of one item of the first list that is quoted; None if no list is, or it is shorter.

    Args:
        quotes: Of the answer to the question for the list.
        passages: That they are cut from.
        at: Position in the list from 0, or -1.
    """
    for quote in quotes:
        read = next(each for each in passages if each.passage is quote.passage)
        quoted = {sentence for stretch in quote.stretches for sentence in stretch}
        listed = [
            n for n, each in enumerate(read.sentences) if each in quoted and each.kind is SentenceKind.ITEM
        ]
        if listed:
            items = _find_items(read, listed[0])
            if not -1 <= at < len(items):
                return None
            first, last = items[at]
            text = read.passage.text[read.sentences[first].start : read.sentences[last].end]
            sentences = read.sentences[first : last + 1]
            return Quote(read.passage, (sentences,)) if is_quotable(text) else None
    return None


def _find_items(read: ReadPassage, inside: int) -> list[tuple[int, int]]:
    """Return the first and last position of each item of the list around a position, without those of lists in it."""
    first = last = inside
    while first and read.sentences[first - 1].kind is SentenceKind.ITEM:
        first -= 1
    while last + 1 < len(read.sentences) and read.sentences[last + 1].kind is SentenceKind.ITEM:
        last += 1
    indents = {n: indent for n in range(first, last + 1) if (indent := _indent(read, n)) is not None}
    starts = [n for n, indent in indents.items() if indent == min(indents.values())]
    return [(start, end - 1) for start, end in zip(starts, [*starts[1:], last + 1], strict=True)]


def _indent(read: ReadPassage, position: int) -> int | None:
    """Return the columns before the marker of an item; None for one of its further sentences."""
    text, start = read.passage.text, read.sentences[position].start
    line = text.rfind("\n", 0, start) + 1
    if text[line:start].strip() or not ITEM_MARKER.match(text, line):
        return None
    return len(text[line:]) - len(text[line:].lstrip())
