"""The extractor `ics-v2` of calendars: each event and task a section that says when, where and who."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from kebab_core import DocumentDamagedError, Message, ParserVersion

from kebab_parse_structured.content_lines import Component, ContentLine, read_components
from kebab_parse_structured.html_text import text_of_markup
from kebab_parse_structured.labels import Labels
from kebab_parse_structured.structured_extractor import StructuredExtractor, read_text

if TYPE_CHECKING:
    from kebab_parse import TextWriter

    from kebab_parse_structured.structured_extractor import Object

CALENDAR_VERSION = ParserVersion("ics-v2")
MAX_ENTRIES = 20_000
_KINDS = {"VEVENT", "VTODO", "VJOURNAL"}
_TIMES = {"DTSTART", "DTEND", "DUE", "COMPLETED"}
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?")
_DURATION = re.compile(r"(-?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
_MAILTO = re.compile(r"mailto:", re.IGNORECASE)


class CalendarExtractor(StructuredExtractor):
    """Extractor of calendars (`.ics`)."""

    formats = frozenset({"ics"})
    version = CALENDAR_VERSION

    def _write(self, writer: TextWriter, content: bytes, warnings: list[Message]) -> Object:
        """Write events, tasks and journals by their time. Times have their zone; those in UTC are written in the zone of the calendar.

        Raises:
            DocumentDamagedError: It is not of the format.
        """
        components = list(read_components(read_text(content, warnings)))
        calendar = next((one for one in components if one.name == "VCALENDAR"), None)
        if calendar is None:
            raise DocumentDamagedError("it is no calendar")
        zone = _read_zone(calendar.text("X-WR-TIMEZONE"))
        entries = sorted((_to_zone(one, zone) for one in components if one.name in _KINDS), key=_begin_of)
        if len(entries) > MAX_ENTRIES:
            warnings.append(
                Message("only the first {entries:,} entries of the calendar are read", entries=MAX_ENTRIES)
            )
        for entry in islice(entries, MAX_ENTRIES):
            _write_entry(writer, entry)
        values: Object = {"own_title": calendar.text("X-WR-CALNAME") or calendar.text("NAME")}
        if len(entries) == 1 and not values["own_title"]:
            values["own_title"] = entries[0].text("SUMMARY")
        return values


def _read_zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (KeyError, ValueError, OSError):
        return None


def _to_zone(entry: Component, zone: ZoneInfo | None) -> Component:
    """Return an entry with its times in UTC moved to a zone: Google writes them in UTC, and the zone once for all."""
    return entry if zone is None else entry._replace(lines=[_move(line, zone) for line in entry.lines])


def _move(line: ContentLine, zone: ZoneInfo) -> ContentLine:
    time = _parse_time(line.raw) if line.name in _TIMES and line.raw.strip().endswith("Z") else None
    if not isinstance(time, datetime):
        return line
    try:
        moved = time.replace(tzinfo=UTC).astimezone(zone)
    except OverflowError:
        return line
    return line._replace(raw=f"{moved.year:04}{moved:%m%dT%H%M%S}", parameters={"TZID": zone.key})


def _begin_of(entry: Component) -> str:
    return next((line.raw for line in entry.find("DTSTART", "DUE", "DTSTAMP")), "")


def _write_entry(writer: TextWriter, entry: Component) -> None:
    summary, place, about = (entry.text(name) for name in ("SUMMARY", "LOCATION", "DESCRIPTION"))
    labels = Labels(f"{summary}{place}{about}")
    writer.heading(2, summary or place or _format_span(entry) or entry.name)
    people = [f"{_name_of(line)} ({labels('organizer')})" for line in entry.find("ORGANIZER")]
    people += [_name_of(line) for line in entry.find("ATTENDEE")]
    facts = [
        ("when", _format_span(entry)),
        ("due", _format_first(entry, "DUE")),
        ("done", _format_first(entry, "COMPLETED")),
        ("repeats", _format_rule(entry, labels)),
        ("not on", ", ".join(_format_time(line) for line in entry.find("EXDATE"))),
        ("where", place),
        ("who", ", ".join(dict.fromkeys(people))),
        ("status", entry.text("STATUS").lower()),
        ("tags", entry.text("CATEGORIES")),
        ("link", entry.text("URL")),
    ]
    writer.paragraph("\n".join(f"{labels(name)}: {value}" for name, value in facts if value))
    for paragraph in text_of_markup(about).split("\n\n"):
        writer.paragraph(paragraph)
    for comment in entry.find("COMMENT"):
        writer.paragraph(comment.text)


def _name_of(line: ContentLine) -> str:
    address = _MAILTO.sub("", line.text).strip()
    name = line.parameters.get("CN", "").strip()
    return f"{name} <{address}>" if name and "@" in address and name != address else name or address


def _parse_time(raw: str) -> datetime | date | None:
    found = _TIME.fullmatch(raw.strip())
    if found is None:
        return None
    try:
        if found[4] is None:
            return date(int(found[1]), int(found[2]), int(found[3]))
        return datetime(*(int(found[number]) for number in range(1, 7)))  # type: ignore[arg-type]  # noqa: DTZ001 - with the zone that the calendar names
    except ValueError:
        return None


def _format_time(line: ContentLine, *, with_zone: bool = True) -> str:
    zone = line.parameters.get("TZID", "UTC" if line.raw.strip().endswith("Z") else "")
    return _show(_parse_time(line.raw.partition(",")[0]), zone if with_zone else "") or line.text


def _show(time: datetime | date | None, zone: str) -> str:
    if time is None:
        return ""
    day = f"{time:%Y-%m-%d}"
    if not isinstance(time, datetime):
        return day
    return f"{day} {time:%H:%M}{f' ({zone})' if zone else ''}"


def _format_first(entry: Component, name: str) -> str:
    return next((_format_time(line) for line in entry.find(name)), "")


def _format_span(entry: Component) -> str:
    """Return the time of an entry: `2026-03-13 14:00–15:00 (Asia/Seoul)`, whole days with the last one included."""
    begin = next(iter(entry.find("DTSTART")), None)
    if begin is None:
        return ""
    start = _parse_time(begin.raw)
    end_line = next(iter(entry.find("DTEND")), None)
    end = _parse_time(end_line.raw) if end_line else _add(start, entry.text("DURATION"))
    if start is None or end is None or type(start) is not type(end):
        return _format_time(begin)
    zone = begin.parameters.get("TZID", "UTC" if begin.raw.strip().endswith("Z") else "")
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        last = end - timedelta(days=1)
        return _show(start, "") if last <= start else f"{_show(start, '')} – {_show(last, '')}"
    if end.date() == start.date():
        return f"{_show(start, '')}–{end:%H:%M}{f' ({zone})' if zone else ''}"
    return f"{_show(start, '')} – {_show(end, zone)}"


def _add(start: datetime | date | None, duration: str) -> datetime | date | None:
    found = _DURATION.fullmatch(duration.strip())
    if start is None or found is None or found[1]:
        return None
    weeks, days, hours, minutes, seconds = (int(found[number] or 0) for number in range(2, 7))
    try:
        return start + timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    except OverflowError:
        return None


def _format_rule(entry: Component, labels: Labels) -> str:
    raw = entry.text("RRULE")
    if not raw:
        return ""
    rule = dict(part.partition("=")[::2] for part in raw.upper().split(";"))
    shown = labels.frequency(rule.get("FREQ", ""), rule.get("INTERVAL", "1"))
    if days := rule.get("BYDAY"):
        shown += f" {labels.weekdays(days)}"
    if days := rule.get("BYMONTHDAY"):
        shown += f" {labels.month_days(days)}"
    if until := _show(_parse_time(rule.get("UNTIL", "").rstrip("Z")), ""):
        shown += f", {labels('until')} {until[:10]}"
    if count := rule.get("COUNT"):
        shown += f", {count}×"
    return shown
