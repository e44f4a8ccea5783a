"""Chats exported as text, line by line: KakaoTalk of Windows, Android and iOS, WhatsApp, LINE, Discord and Zoom."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

_GAP = "[ \u00a0\u202f]"
_TIME = (
    rf"(?:(?:오전|오후|上午|下午|午前|午後){_GAP}?)?\d{{1,2}}[:.]\d{{2}}(?:[:.]\d{{2}})?"
    rf"(?:{_GAP}?[AaPp]\.?{_GAP}?[Mm]\.?)?"
)
_KOREAN_DAY = r"\d{4}년 \d{1,2}월 \d{1,2}일"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?:{'|'.join(month.capitalize() for month in _MONTHS)})[a-z]{{0,6}}\.?"
_ENGLISH_DAY = rf"(?:{_MONTH} \d{{1,2}}, \d{{4}}|\d{{1,2}} {_MONTH},? \d{{4}})"
_NUMERIC_DAY = r"\d{1,4}(?:[./-] ?\d{1,2}){1}[./-] ?\d{1,4}\.?"
_WEEKDAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_SPEAKER = r"(?P<speaker>[^:\n]{1,80}?)"
_KAKAO_DAY_TIME = (
    rf"(?P<day>{_KOREAN_DAY}|\d{{4}}\. \d{{1,2}}\. \d{{1,2}}\.|{_ENGLISH_DAY})(?:,| at)? (?P<time>{_TIME}), "
)
_WHATSAPP_DAY_TIME = rf"(?P<day>{_KOREAN_DAY}|{_NUMERIC_DAY}),? (?P<time>{_TIME})"

MARKS = "\u200e\u200f\u202a\u202c\ufeff"
"""Marks of the direction of writing, which WhatsApp puts at the ends of lines."""
_DAY_LINE = re.compile(
    rf"-{{3,60}} ?(?P<ruled>[^-\n][^\n]{{3,60}}?) ?-{{3,60}}$"
    rf"|(?P<korean>{_KOREAN_DAY}(?: [월화수목금토일]요일)?)(?: {_TIME})?$"
    rf"|(?P<english>(?:{_WEEKDAY}, )?{_ENGLISH_DAY})(?:,? {_TIME})?$"
)
_LINE_DAY = re.compile(
    rf"(?P<day>(?:\w{{2,9}}[.,]{{1,2}} ?)?(?:{_NUMERIC_DAY}|\d{{4}}年\d{{1,2}}月\d{{1,2}}日)(?:,? ?\(?\w{{1,9}}\.?\)?)?)$"
)
_KAKAO_TITLE = re.compile(
    r".{0,200}카카오톡 대화\s*$|KakaoTalk Chats? with .|저장한 날짜 ?: ?\d|(?:Date Saved|Saved on) ?: ?\S",
    re.IGNORECASE,
)
_DAY_NUMBERS = 3
_NUMBER = re.compile(r"\d{1,4}|[A-Za-z]{3,9}")

LineKind = Literal["message", "event", "day", "more"]


class LogFormat(NamedTuple):
    """How one program writes a message, and what it says that nobody wrote."""

    app: Literal["kakaotalk", "whatsapp", "line", "discord-text", "zoom"]
    message: re.Pattern[str]
    event: re.Pattern[str] | None = None
    title: re.Pattern[str] | None = None
    """A line before the messages that is of this program alone."""
    needs_title: bool = False
    """True where only the title tells the format: other texts have lines like its messages."""
    day: re.Pattern[str] | None = None
    """A line that names a day in one of its groups."""
    needs_day: bool = False
    """True where messages have no day of their own, so that a line with one must be there."""


FORMATS = (
    LogFormat(
        "kakaotalk",
        re.compile(rf"\[(?P<speaker>[^\]\n]{{1,80}})\] \[(?P<time>{_TIME})\](?: |$)"),
        title=_KAKAO_TITLE,
        day=_DAY_LINE,
        needs_day=True,
    ),
    LogFormat(
        "kakaotalk",
        re.compile(rf"{_KAKAO_DAY_TIME}{_SPEAKER} : "),
        re.compile(_KAKAO_DAY_TIME),
        title=_KAKAO_TITLE,
        day=_DAY_LINE,
    ),
    LogFormat(
        "whatsapp",
        re.compile(rf"{_WHATSAPP_DAY_TIME} - {_SPEAKER}: "),
        re.compile(rf"{_WHATSAPP_DAY_TIME} - "),
    ),
    LogFormat(
        "whatsapp",
        re.compile(rf"\[{_WHATSAPP_DAY_TIME}\] {_SPEAKER}: "),
        re.compile(rf"\[{_WHATSAPP_DAY_TIME}\] "),
    ),
    LogFormat(
        "line",
        re.compile(rf"(?P<time>{_TIME})[\t ](?P<speaker>[^\t\n]{{1,80}}?)[\t ]"),
        re.compile(rf"(?P<time>{_TIME})[\t ]"),
        title=re.compile(r"\[LINE\] ?\S"),
        needs_title=True,
        day=_LINE_DAY,
        needs_day=True,
    ),
    LogFormat(
        "discord-text",
        re.compile(
            rf"\[(?P<day>{_NUMERIC_DAY}|\d{{1,2}}-[A-Z][a-z]{{2}}-\d{{2,4}}),? (?P<time>{_TIME})\] (?P<speaker>[^\n]{{1,80}})$"
        ),
        title=re.compile(r"Guild: \S"),
        needs_title=True,
    ),
    LogFormat(
        "zoom",
        re.compile(
            rf"(?:(?P<day>\d{{4}}-\d{{2}}-\d{{2}}) )?(?P<time>\d{{2}}:\d{{2}}:\d{{2}})\s{{1,4}}From\s{{1,4}}{_SPEAKER}"
            r"(?: to [^:\n]{1,80}?)?\s{0,2}:(?:\s|$)"
        ),
    ),
)
"""The first of which a text is one is taken."""


class LogLine(NamedTuple):
    """A line of an export."""

    kind: LineKind
    text: str
    """Without blanks and marks at its ends."""
    day: str = ""
    """As it is written; empty where the line names none."""
    speaker: str = ""


def read_line(line: str, form: LogFormat) -> LogLine:
    """Say what a line is: the beginning of a message, an event such as somebody coming in, a day, or what goes on."""
    text = line.strip().strip(MARKS).strip()
    if found := form.message.match(text):
        return LogLine("message", text, found.groupdict().get("day") or "", found["speaker"])
    if form.event is not None and (found := form.event.match(text)):
        return LogLine("event", text, found.groupdict().get("day") or "")
    if form.day is not None and (day := form.day.match(text)):
        shown = next(filter(None, day.groups()))
        if len(read_day(shown)) == _DAY_NUMBERS:
            return LogLine("day", text, shown)
    return LogLine("more", text)


def read_day(text: str) -> tuple[int, ...]:
    """Return the numbers of a day as they stand there; where the month has a name, as year, month and day."""
    words = [found[0] for found in _NUMBER.finditer(text)]
    numbers = tuple(int(word) for word in words if word.isdecimal())
    named = [
        number for word in words for number, month in enumerate(_MONTHS, 1) if word.lower().startswith(month)
    ]
    return (max(numbers), named[0], min(numbers)) if named and numbers else numbers


class LogEntry(NamedTuple):
    """A message, an event, a day, or what stands before the first of them."""

    kind: Literal["message", "event", "day", "head"]
    first_line: int
    """1-based."""
    lines: list[str]
    day: str = ""

    @property
    def text(self) -> str:
        """Its lines, without blank ones at its end."""
        return "\n".join(self.lines)


def read_entries(lines: Iterable[str], form: LogFormat) -> Iterator[LogEntry]:
    """Yield the entries of an export in order. Lines that begin nothing go on what stands before them."""
    entry: LogEntry | None = None
    for number, line in enumerate(lines, 1):
        read = read_line(line, form)
        if read.kind == "more":
            if entry is None or entry.kind == "day":
                if not read.text:
                    continue
                yield from _end(entry)
                entry = LogEntry("head", number, [])
            entry.lines.append(read.text)
            continue
        yield from _end(entry)
        entry = LogEntry(read.kind, number, [read.text], read.day)
    yield from _end(entry)


def _end(entry: LogEntry | None) -> Iterator[LogEntry]:
    if entry is None:
        return
    while entry.lines and not entry.lines[-1]:
        entry.lines.pop()
    yield entry
