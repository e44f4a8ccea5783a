"""Sentences of a passage in Korean or English: where one ends and the next begins.

A full stop ends a sentence unless the word before it is an abbreviation, a number or an initial; a Korean sentence may
also end with its last word, without a mark. Lists, tables, code and headings are told line by line (`lines`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from typing import NamedTuple

from kebab_text.graphemes import is_grapheme_boundary
from kebab_text.lines import ITEM_MARKER, Line, SentenceKind, read_lines

_MAX_SENTENCE = 600
"""Code points of a sentence; what is longer is cut at white space."""
_WHOLE_LINES = frozenset({SentenceKind.ROW, SentenceKind.CODE, SentenceKind.HEADING})
_CLOSERS = "\"'”’»)\\]」』》〉】*_`"
_END = re.compile(
    rf"(?P<mark>(?<![.!?…])[.!?…]++|(?<![。！？])[。！？]++)(?P<close>(?:[{_CLOSERS}]|\[\d{{1,3}}\])*+)(?P<gap>\s+|(?=[가-힣])|(?<=[。！？])|(?<=\]))"
)
"""A mark, the signs that close after it (footnotes included), and the white space that must follow it in Latin text. Runs are
matched at their beginning and whole, so that a page of full stops takes no longer than a page of words."""
_LINE_END = re.compile(r"(?<![ \t\r])[ \t\r]*+\n[ \t]*+")
_ENCLOSED = re.compile(
    r"\([^()\n]{1,200}\)|\[[^\[\]\n]{1,200}\]|“[^”\n]{1,200}”|‘[^’\n]{1,200}’|「[^」\n]{1,200}」|『[^』\n]{1,200}』"
    r"|《[^》\n]{1,200}》|〈[^〉\n]{1,200}〉|`[^`\n]{1,200}`|(?<![\w\"])\"(?=\S)[^\"\n]{1,200}(?<=\S)\"(?![a-zA-Z0-9])"
)
"""Short quotes and brackets: no sentence ends inside."""
_WORD_BEFORE = re.compile(r"[^\s\"'“‘(\[]+$")
_WORD_AFTER = re.compile(r"[\"'“‘(\[]*([^\W_]+)")
_MEASURE = re.compile(r"\d[ \u00a0]?[a-zµ]$")
"""A number with its unit, which ends a sentence where an initial does not: "for 500 h. The cell"."""
_DOTTED_LETTERS = re.compile(r"(?:[a-z]\.)+[a-z]")
_LOOK = 40
_KOREAN_FINALS = tuple("다요까죠네음함됨임슴옴줌짐")
_NOT_FINAL = ("마다", "보다")
_KOREAN_OPEN_ENDS = tuple("은는이가을를의에로와과도며고서면나지만")
_OPEN_TEXT = """
    a an the of in on at to for from by with and or but nor as is are was were be been that which who whose if than
"""
_OPEN_WORDS = frozenset(_OPEN_TEXT.split())
_FULL_LINE = 40
"""Code points; a longer line may have been wrapped rather than ended."""
_WRAP_SLACK = 0.8

ENTRY = re.compile(
    r"\[[^\[\]\n]{1,40}\][ \t]+\S"  # [name] [time] text
    r"|[-=]{3,60}+[ \t]*\S"  # a line with the day of what follows
    r"|[(<]?(?:\d{2,4}[-./년][ ]?\d{1,2}[-./월][ ]?\d{1,4}|(?:오전|오후)?[ ]?\d{1,2}:\d{2})(?![\d:])"  # day or time
    r"|\d{1,2}[./-]\d{1,2}[./-]\d{2,4},? \d{1,2}:\d{2}(?![\d:])"
    r"|[A-Z][a-z]{2,8}\.? \d{1,2}, \d{4}(?:,| at) \d{1,2}:\d{2}(?![\d:])"
    r"|(?:From|To|Cc|Date|Subject):[ \t]+\S"
)
"""Beginning of a message of a chat, of a line of a log, or of a field in the head of a mail."""
_FIELD = re.compile(r"\*{0,2}[^\W\d_][\w'’()/.-]*+(?: [\w'’()/.-]++){0,3}\*{0,2}(?::\*{0,2}[ \t]|：)[ \t]*\S")
"""A name of at most four words and what it has: a field, or who says it."""

_MESSAGE_TIME = r"(?:(?:오전|오후|上午|下午|午前|午後)[ \u202f]?)?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[ \u00a0\u202f]?[AaPp]\.?[ \u00a0]?[Mm]\.?)?"
_MESSAGE_DAY = r"(?:\d{1,4}[./-] ?\d{1,2}[./-] ?\d{1,4}\.?|\d{4}년 \d{1,2}월 \d{1,2}일|[A-Z][a-z]{2,8}\.? \d{1,2}, \d{4}|\d{1,2} [A-Z][a-z]{2,8}\.?,? \d{4}|\d{1,2}-[A-Z][a-z]{2}-\d{2,4})"
MESSAGE = re.compile(
    rf"\[[^\[\]\n]{{1,80}}\] \[{_MESSAGE_TIME}\]"  # [name] [time] text
    rf"|\[(?:{_MESSAGE_DAY},? )?{_MESSAGE_TIME}\] [^:\n]{{1,80}}: "  # [day, time] name: text
    rf"|\[{_MESSAGE_DAY},? {_MESSAGE_TIME}\] [^:\n]{{1,80}}\n"  # [day time] name, text on the next line
    rf"|{_MESSAGE_TIME}\t[^\t\n]{{1,80}}\t"  # time, name and text as columns
    r"|(?:\d{4}-\d{2}-\d{2} )?\d{2}:\d{2}:\d{2}\s{1,4}From\s{1,4}[^:\n]{1,160}:"  # time From name to name: text
    rf"|{_MESSAGE_DAY}(?:,| at)? {_MESSAGE_TIME}(?:, [^:\n]{{1,80}} : | - [^:\n]{{1,80}}: )"
)
"""Beginning of a message of an exported chat, with who says it and when."""

_NEVER_LAST_TEXT = """
    dr mr mrs ms messrs prof st gen col lt capt cpt sgt maj cmdr rev hon gov sen rep pres supt mt ft
    vs v cf e.g i.e eg ie al viz namely approx appr est incl excl resp esp ca c b d r fl lit ed eds trans orig abbr
    fig figs eq eqs sec secs ch chap vol vols no nos nr pp p para art ver rev max min avg temp dept univ assn bros
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri
"""
_NEVER_LAST = frozenset(_NEVER_LAST_TEXT.split())
"""Abbreviations that never end a sentence: they point at what follows."""

_BEFORE_NUMBERS_TEXT = """
    no nos nr fig figs eq eqs sec secs ch chap vol vols pp p para art ver v max min est mar c b d r
"""
_BEFORE_NUMBERS = frozenset(_BEFORE_NUMBERS_TEXT.split())
"""Those of `_NEVER_LAST` that are abbreviations only before a number; elsewhere some are ordinary words or initials."""

_MAYBE_LAST_TEXT = """
    etc inc ltd co corp jr sr ph.d m.d b.a m.a b.c a.d a.m p.m u.s u.k u.n e.u d.c bc ad ave blvd rd
    km kg cm mm lb lbs oz hr hrs
"""
_MAYBE_LAST = frozenset(_MAYBE_LAST_TEXT.split())
"""Abbreviations that end a sentence if a typical first word follows."""

_STARTERS_TEXT = """
    a an the this that these those there here it its he she they we i you his her their our my your one some many most
    all both each in on at by for from with without as after before during since until while when where if although
    though because however therefore moreover furthermore meanwhile then thus also but and or so yet not no to
    what who which why how such other another between among under over despite according today
"""
_STARTERS = frozenset(_STARTERS_TEXT.split())
"""Words that begin English sentences far more often than names."""


class Sentence(NamedTuple):
    """A slice of a passage: code points, half open, without white space at its ends."""

    start: int
    end: int
    kind: SentenceKind


def split_sentences(text: str, *, labels: Collection[str] = (), is_code: bool = False) -> list[Sentence]:
    """Cut a passage into sentences, in order.

    They do not overlap, none is empty, none cuts a grapheme cluster, and together they cover
    everything but white space. A sentence may go on over the end of a line; items of lists, rows of tables and lines
    of code are sentences of their own. Takes time in proportion to the length.

    Args:
        text: The passage; any text will do.
        labels: Title and headings; a line that is one of them is a heading.
        is_code: The passage is known to be source code.
    """
    return [
        Sentence(start, end, kind)
        for unit_start, unit_end, kind in _units(read_lines(text, labels=labels, is_code=is_code))
        for start, end in _ranges(text, (unit_start, unit_end), kind)
    ]


def _units(lines: list[Line]) -> Iterator[tuple[int, int, SentenceKind]]:
    """Yield units that may hold several sentences: a paragraph, an item, a row, a line of code, a heading."""
    for position, line in enumerate(lines):
        if position and not line.opens:
            continue
        last = position
        while last + 1 < len(lines) and not lines[last + 1].opens:
            last += 1
        yield line.start, lines[last].end, line.kind


def _ranges(text: str, within: tuple[int, int], kind: SentenceKind) -> Iterator[tuple[int, int]]:
    marker = ITEM_MARKER.match(text, *within) if kind is SentenceKind.ITEM else None
    text_start = marker.end() if marker else within[0]
    breaks = [] if kind in _WHOLE_LINES else _find_breaks(text, (text_start, within[1]))
    start = within[0]
    for end in (*breaks, within[1]):
        if end < within[1] and not is_grapheme_boundary(text, end):
            continue
        for piece in _bounded(text, start, end):
            trimmed = _trim(text, *piece)
            if trimmed[0] < trimmed[1]:
                yield trimmed
        start = end


def _bounded(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > _MAX_SENTENCE:
        cut = _cut(text, start, start + _MAX_SENTENCE)
        yield start, cut
        start = cut
    yield start, end


def _cut(text: str, start: int, limit: int) -> int:
    blanks = (at for at in range(limit, start + _MAX_SENTENCE // 2, -1) if text[at - 1].isspace())
    cut = next((at for at in blanks if is_grapheme_boundary(text, at)), limit)
    while cut > start + 1 and not is_grapheme_boundary(text, cut):
        cut -= 1
    return cut if cut > start + 1 else limit


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        if start + 1 < end and not is_grapheme_boundary(text, start + 1):
            break  # the blank carries a mark
        start += 1
    return start, end


def _find_breaks(text: str, within: tuple[int, int]) -> list[int]:
    """List the offsets at which sentences after the first begin, in order, each strictly inside the range."""
    start, end = within
    inside = [match.span() for match in _ENCLOSED.finditer(text, *within)]
    starts = [low for low, _ in inside]

    def is_enclosed(at: int) -> bool:
        found = bisect_right(starts, at - 1) - 1
        return found >= 0 and at < inside[found][1]

    places = {at for at, stop in _marked_ends(text, within) if not is_enclosed(stop)}
    places |= set(_line_breaks(text, within))
    return sorted(at for at in places if start < at < end)


def _marked_ends(text: str, within: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield (start of the next sentence, end of the one before it)."""
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
    """True if the last word has the ending of a Korean sentence."""
    words = text.split()
    last = words[-1] if words else ""
    return len(last) > 1 and last.endswith(_KOREAN_FINALS) and not last.endswith(_NOT_FINAL)


def _is_full_stop(before: str, after: str, *, closed: bool) -> bool:
    """Decide by the words on both sides if a single full stop ends a sentence."""
    written = _WORD_BEFORE.search(before.rstrip())
    word = written[0].lower() if written else ""
    following = _WORD_AFTER.match(after)
    next_word = following[1] if following else ""
    if word.isdigit():
        return not (next_word[:1].isdigit() or "가" <= next_word[:1] <= "힣")
    if closed or not word or before[-1:].isspace():
        return not (closed and next_word[:1].islower())
    if word in _BEFORE_NUMBERS and not next_word[:1].isdigit():
        return len(word) > 1 or _is_starter(next_word)
    if word in _NEVER_LAST:
        return False
    if word in _MAYBE_LAST or _is_initial(word):
        is_measure = _MEASURE.search(before) is not None and next_word[:1].isupper()
        return is_measure or _is_starter(next_word) or "가" <= next_word[:1] <= "힣"
    return True


def _is_initial(word: str) -> bool:
    is_letter = len(word) == 1 and word.isascii() and word.isalpha()
    return is_letter or _DOTTED_LETTERS.fullmatch(word) is not None


def _is_starter(word: str) -> bool:
    return word[:1].isupper() and word.lower() in _STARTERS


def _line_breaks(text: str, within: tuple[int, int]) -> Iterator[int]:
    """Yield the starts of lines that begin a sentence although no mark ended the line before."""
    ends = list(_LINE_END.finditer(text, *within))
    if not ends:
        return
    starts = [within[0], *(match.end() for match in ends)]
    stops = [*(match.start() for match in ends), within[1]]
    width = max(stop - begin for begin, stop in zip(starts, stops, strict=True))
    entries = [
        bool(ENTRY.match(text, begin, stop) or _FIELD.match(text, begin, stop))
        for begin, stop in zip(starts, stops, strict=True)
    ]
    for position, match in enumerate(ends):
        line = text[starts[position] : match.start()]
        following = text[starts[position + 1] : stops[position + 1]]
        is_entry = entries[position + 1] and (entries[position] or any(entries[position + 2 : position + 3]))
        if is_entry or _is_line_ended(line, following, width):
            yield match.end()


def _is_line_ended(line: str, following: str, width: int) -> bool:
    """True if the writer ended the line: the next word would have fit, and nothing is left open."""
    first = following.split(maxsplit=1)[0] if following else ""
    would_fit = len(line) + 1 + len(first) <= max(width * _WRAP_SLACK, _FULL_LINE)
    if not line or not would_fit or first[:1].islower():
        return False
    last = line.rsplit(maxsplit=1)[-1] if line.strip() else ""
    if _is_final(last) or last.endswith((":", "：")):
        return True
    is_open = last.endswith((",", "-", *_KOREAN_OPEN_ENDS)) or last.lower() in _OPEN_WORDS
    return not is_open and len(line) < width * _WRAP_SLACK / 2
