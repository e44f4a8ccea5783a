"""Where one sentence of running text ends and the next begins."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from kebab_extractive.abbreviations import BEFORE_NUMBERS, MAYBE_LAST, NEVER_LAST, STARTERS

_CLOSERS = "\"'”’»)\\]」』》〉】*_`"
_END = re.compile(
    rf"(?P<mark>(?<![.!?…])[.!?…]++|(?<![。！？])[。！？]++)(?P<close>(?:[{_CLOSERS}]|\[\d{{1,3}}\])*+)(?P<gap>\s+|(?=[가-힣])|(?<=[。！？])|(?<=\]))"
)
"""A mark, what closes after it (footnotes included), and the white space that must follow it in Latin text. Runs are
matched at their beginning and whole, so that a page of full stops takes no longer than a page of words."""
_LINE_END = re.compile(r"(?<![ \t\r])[ \t\r]*+\n[ \t]*+")
_ENCLOSED = re.compile(
    r"\([^()\n]{1,200}\)|\[[^\[\]\n]{1,200}\]|“[^”\n]{1,200}”|‘[^’\n]{1,200}’|「[^」\n]{1,200}」|『[^』\n]{1,200}』"
    r"|《[^》\n]{1,200}》|〈[^〉\n]{1,200}〉|`[^`\n]{1,200}`|(?<![\w\"])\"(?=\S)[^\"\n]{1,200}(?<=\S)\"(?![a-zA-Z0-9])"
)
"""What is quoted or in brackets, if it is short: no sentence ends inside."""
_WORD_BEFORE = re.compile(r"[^\s\"'“‘(\[]+$")
_WORD_AFTER = re.compile(r"[\"'“‘(\[]*([^\W_]+)")
_DOTTED_LETTERS = re.compile(r"(?:[a-z]\.)+[a-z]")
_LOOK = 40
_KOREAN_FINALS = tuple("다요까죠네음함됨임슴옴줌짐")
_NOT_FINAL = ("마다", "보다")
_KOREAN_OPEN_ENDS = tuple("은는이가을를의에로와과도며고서면나지만")
_OPEN = """
    a an the of in on at to for from by with and or but nor as is are was were be been that which who whose if than
"""
_OPEN_WORDS = frozenset(_OPEN.split())
_FULL_LINE = 40
"""Code points from which on a line may have been wrapped rather than ended."""
_WRAP_SLACK = 0.8


def find_breaks(text: str, within: tuple[int, int]) -> list[int]:
    """Return the offsets at which sentences begin after the first, in order, each strictly inside the range."""
    start, end = within
    inside = _enclosed_ranges(text, within)
    starts = [low for low, _ in inside]

    def is_enclosed(at: int) -> bool:
        found = bisect_right(starts, at - 1) - 1
        return found >= 0 and at < inside[found][1]

    places = {at for at, stop in _marked_ends(text, within) if not is_enclosed(stop)}
    places |= set(_line_breaks(text, within))
    return sorted(at for at in places if start < at < end)


def _enclosed_ranges(text: str, within: tuple[int, int]) -> list[tuple[int, int]]:
    return [match.span() for match in _ENCLOSED.finditer(text, *within)]


def _marked_ends(text: str, within: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield where the next sentence begins, and where the one before it ends."""
    for match in _END.finditer(text, *within):
        if match.end() < within[1] and _is_end(text, match, within[0]):
            yield match.end(), match.start("gap")


def _is_end(text: str, match: re.Match[str], start: int) -> bool:
    mark, after = match["mark"], text[match.end() : match.end() + _LOOK]
    before = text[max(start, match.start() - _LOOK) : match.start()]
    if mark[0] in "。！？":
        return True
    if not match["gap"]:
        is_footnote = match["close"].endswith("]") and after[:1] not in ",.;:"
        return is_footnote or (not match["close"] and _is_final(before))
    if mark[0] in "!?":
        return not after[:1].islower()
    if "…" in mark or len(mark) > 1:
        return not after[:1].islower() and (after[:1].isascii() or _is_final(before))
    return _is_full_stop(before, after, closed=bool(match["close"]))


def _is_final(text: str) -> bool:
    """Return whether the last word has the ending of a Korean sentence."""
    words = text.split()
    last = words[-1] if words else ""
    return len(last) > 1 and last.endswith(_KOREAN_FINALS) and not last.endswith(_NOT_FINAL)


def _is_full_stop(before: str, after: str, *, closed: bool) -> bool:
    """Return whether a single full stop ends a sentence, by the words on both sides."""
    written = _WORD_BEFORE.search(before.rstrip())
    word = written[0].lower() if written else ""
    following = _WORD_AFTER.match(after)
    next_word = following[1] if following else ""
    if word.isdigit():
        return not (next_word[:1].isdigit() or "가" <= next_word[:1] <= "힣")
    if closed or not word or before[-1:].isspace():
        return not (closed and next_word[:1].islower())
    if word in BEFORE_NUMBERS and not next_word[:1].isdigit():
        return len(word) > 1 or _is_starter(next_word)
    if word in NEVER_LAST:
        return False
    if word in MAYBE_LAST or _is_initial(word):
        return _is_starter(next_word) or "가" <= next_word[:1] <= "힣"
    return True


def _is_initial(word: str) -> bool:
    is_letter = len(word) == 1 and word.isascii() and word.isalpha()
    return is_letter or _DOTTED_LETTERS.fullmatch(word) is not None


def _is_starter(word: str) -> bool:
    return word[:1].isupper() and word.lower() in STARTERS


def _line_breaks(text: str, within: tuple[int, int]) -> Iterator[int]:
    """Yield the beginnings of lines that begin a sentence though no mark ended the one before."""
    ends = list(_LINE_END.finditer(text, *within))
    if not ends:
        return
    starts = [within[0], *(match.end() for match in ends)]
    stops = [*(match.start() for match in ends), within[1]]
    width = max(stop - begin for begin, stop in zip(starts, stops, strict=True))
    for position, match in enumerate(ends):
        line = text[starts[position] : match.start()]
        following = text[starts[position + 1] : stops[position + 1]]
        if _is_line_ended(line, following, width):
            yield match.end()


def _is_line_ended(line: str, following: str, width: int) -> bool:
    """Return whether the writer ended the line: the next word would have fit, and nothing is left open."""
    first = following.split(maxsplit=1)[0] if following else ""
    would_fit = len(line) + 1 + len(first) <= max(width * _WRAP_SLACK, _FULL_LINE)
    if not line or not would_fit or first[:1].islower():
        return False
    last = line.rsplit(maxsplit=1)[-1] if line.strip() else ""
    if _is_final(last) or last.endswith((":", "：")):
        return True
    is_open = last.endswith((",", "-", *_KOREAN_OPEN_ENDS)) or last.lower() in _OPEN_WORDS
    return not is_open and len(line) < width * _WRAP_SLACK / 2
