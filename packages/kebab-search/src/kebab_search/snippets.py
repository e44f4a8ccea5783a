"""Snippets: the part of a chunk that best shows why it was found, cut from the text as it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from kebab_core import MatchedRange
from kebab_text import cut_after, cut_before, find_label_fields

ELLIPSIS = "…"
_BEFORE_PARTS = 3
"""1 / 3 of the spare room precedes the first match: people read on, not back."""
_SENTENCE_ENDS = (". ", "? ", "! ", "\n")
_BLANK = re.compile(r"\s")


class Match(NamedTuple):
    """A range of the chunk that matches a word of the query: code points, half open."""

    start: int
    end: int
    word: str
    weight: float


class Snippet(NamedTuple):
    """A piece of the chunk, with an ellipsis at each end that was cut.

    `matched` are ranges of `text`, ascending, apart from each other, never on an ellipsis.
    """

    text: str
    matched: tuple[MatchedRange, ...]
    is_full_text: bool
    start: int = 0
    """Offset in the chunk of the first code point of `text` that is no ellipsis."""


def cut_snippet(text: str, matches: Sequence[Match], *, max_chars: int, is_code: bool = False) -> Snippet:
    """Cut the window that holds the most weight of different words.

    Args:
        text: The chunk.
        matches: Ordered by start.
        max_chars: Length of the snippet with its ellipses, in code points, at least 3.
        is_code: Keep the indentation of the first line.

    Returns:
        The whole text without the white space around it where that fits; else one window of whole words. A word is
        cut only if it is longer than the window.
    """
    first, last = _trim(text, 0, len(text))
    if is_code:
        first -= _indentation(text, first)
    if last - first <= max_chars:
        return _between(text, matches, (first, last), full=True)
    spare = min(max_chars // _BEFORE_PARTS, _deepest_indentation(text)) if is_code else 0
    room = max_chars - 2 * len(ELLIPSIS) - spare
    start, end = _window(text, _best_group(_widen(text, matches, room), room) or (first, first), room=room)
    return _between(text, matches, (start - min(spare, _indentation(text, start)), end), full=False)


def _indentation(text: str, at: int) -> int:
    """Count the blanks between the start of a line and a place in it; 0 where something else stands there."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return 0 if line.strip() else len(line)


def _deepest_indentation(text: str) -> int:
    return max(len(line) - len(line.lstrip()) for line in text.split("\n"))


def _widen(text: str, matches: Sequence[Match], room: int) -> list[Match]:
    """Widen matches to the whole words they lie in; a match in a word that has no room stays as it is."""
    widened: list[Match] = []
    for match in matches:
        first, last = (_word_at(text, at, room) for at in (match.start, match.end - 1))
        start = first[0] if first[0] < match.start < first[1] <= first[0] + room else match.start
        end = last[1] if match.end < last[1] <= last[0] + room else match.end
        widened.append(match._replace(start=start, end=end))
    return sorted(widened)


def _word_at(text: str, at: int, room: int) -> tuple[int, int]:
    """Return the range of the word around a place; of a longer one than `room` some range that is longer, too."""
    start = end = at
    while start > max(at - room, 0) and not text[start - 1].isspace():
        start -= 1
    while end < min(at + room + 1, len(text)) and not text[end].isspace():
        end += 1
    return start, end


def _best_group(matches: Sequence[Match], room: int) -> tuple[int, int] | None:
    """Find the range of neighbouring matches within `room` with the most weight, the first of equals."""
    best: tuple[float, int, int] | None = None
    inside: Counter[str] = Counter()
    weight = 0.0
    left = 0
    for right, match in enumerate(matches):
        weight += match.weight if not inside[match.word] else 0.0
        inside[match.word] += 1
        while left < right and match.end - matches[left].start > room:
            gone = matches[left]
            inside[gone.word] -= 1
            weight -= gone.weight if not inside[gone.word] else 0.0
            left += 1
        if best is None or weight > best[0] + 1e-9:
            best = (weight, matches[left].start, min(match.end, matches[left].start + room))
    return best and (best[1], best[2])


def _window(text: str, group: tuple[int, int], *, room: int) -> tuple[int, int]:
    spare = room - (group[1] - group[0])
    start = max(0, min(group[0] - spare // _BEFORE_PARTS, len(text) - room))
    start = _begin(text, start, group[0])
    if not (start == 0 or text[start - 1].isspace()):
        start = min(cut_after(text, start), max(start, group[0]))
    earliest = group[1] if spare else start + 1  # a group that was cut to the room may end in a word
    end = _finish(text, min(len(text), start + room), max(earliest, start + 1))
    if end < len(text):
        end = max(cut_before(text, end), start + 1)
    return _trim(text, start, end)


def _begin(text: str, start: int, latest: int) -> int:
    """Choose a start in `[start, latest]`: after a sentence, else after a blank, else `start`."""
    if start == 0:
        return 0
    ends = [at + len(mark) for mark in _SENTENCE_ENDS if (at := text.find(mark, start - 1, latest)) >= 0]
    if ends:
        return min(min(ends), latest)
    blank = _BLANK.search(text, start - 1, latest)
    return blank.end() if blank else start


def _finish(text: str, end: int, earliest: int) -> int:
    """Choose the last end in `[earliest, end]` that is before a blank, else `end`."""
    if end == len(text) or text[end].isspace():
        return end
    return next((at for at in range(end - 1, earliest - 1, -1) if text[at].isspace()), end)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _between(text: str, matches: Sequence[Match], window: tuple[int, int], *, full: bool) -> Snippet:
    start, end = window
    before = ELLIPSIS if text[:start].strip() else ""
    after = ELLIPSIS if text[end:].strip() else ""
    ranges: list[MatchedRange] = []
    for match in matches:
        low, high = max(match.start, start), min(match.end, end)
        if low < high:
            _append(ranges, low - start + len(before), high - start + len(before))
    return Snippet(f"{before}{text[start:end]}{after}", tuple(ranges), is_full_text=full, start=start)


def _append(ranges: list[MatchedRange], start: int, end: int) -> None:
    if ranges and start <= ranges[-1].end:
        ranges[-1] = MatchedRange(start=ranges[-1].start, end=max(end, ranges[-1].end))
    else:
        ranges.append(MatchedRange(start=start, end=end))


def body_start(text: str, heading_path: Collection[str], *, skips_labels: bool = False) -> int:
    """Find the end of the leading lines that only repeat headings, which a hit shows anyway.

    Args:
        text: The chunk.
        heading_path: Its headings.
        skips_labels: Leave out leading label fields, too.

    Returns:
        Code points; 0 where there is nothing else.
    """
    headings = {_fold(heading) for heading in heading_path}
    ends = {each.start: each.end for each in find_label_fields(text)} if skips_labels else {}
    start = label_end = 0
    for line in text.splitlines(keepends=True):
        label_end = ends.get(start, label_end)
        if line.strip() and start >= label_end and _fold(line) not in headings:
            return start
        start += len(line)
    return 0


def _fold(line: str) -> str:
    return " ".join(line.lstrip("# ").split())
