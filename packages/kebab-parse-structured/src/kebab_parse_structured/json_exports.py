"""The extractor `json-export-v1`: exports of Roam, Trello, Day One, Google Tasks and Simplenote, and other data in lines that nobody reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from kebab_core import CanonicalDocument, ExtractContext, Message, ParserVersion, StructuredMedia
from kebab_parse import IsolatedExtractor, Item, TextPieces, TextWriter, cut_member

from kebab_parse_structured.json_records import write_record
from kebab_parse_structured.json_shapes import JsonValues, find_leaves, records_of
from kebab_parse_structured.labels import Labels
from kebab_parse_structured.markdown_text import write_markdown
from kebab_parse_structured.recognition import JSON_VERSION
from kebab_parse_structured.structured_extractor import AGENT, objects_in, text_in

if TYPE_CHECKING:
    from pydantic import JsonValue

    from kebab_parse_structured.json_shapes import Values
    from kebab_parse_structured.structured_extractor import Object

MAX_BYTES = 20_000_000
"""Of an export that is read: its blocks take many times as much memory."""
_BYTES_PER_MB = 1_000_000
_ESCAPED = re.compile(r"\\([\\.\-!()\[\]{}#*_+>~|`])")
_MOMENT = re.compile(r"!\[[^\]\n]{0,200}\]\(dayone-moment:[^)\n]{0,200}\)")
_TASK = re.compile(r"\{\{(?:\[\[)?(TODO|DONE)(?:\]\])?\}\}")


def _write_roam(writer: TextWriter, values: Values) -> str:
    for page in records_of(values, "item"):
        writer.end_sections()
        writer.heading(1, text_in(page.get("title")))
        writer.items(list(_items_of(page)))
    return ""


def _items_of(page: Object) -> Iterator[Item]:
    open_ones = [iter(objects_in(page.get("children")))]
    while open_ones:
        block = next(open_ones[-1], None)
        if block is None:
            open_ones.pop()
            continue
        text = _TASK.sub(lambda found: _mark(is_done=found[1] == "DONE"), text_in(block.get("string")))
        yield Item(text, level=len(open_ones) - 1)
        open_ones.append(iter(objects_in(block.get("children"))))


def _write_trello(writer: TextWriter, values: Values) -> str:
    board: dict[str, list[Object]] = {}
    texts: dict[str, str] = {}
    for path, value in values:
        if isinstance(value, dict):
            board.setdefault(path.removesuffix(".item"), []).append(value)
        elif isinstance(value, str):
            texts[path] = value
    name = texts.get("name", "")
    writer.heading(1, name)
    write_markdown(writer, texts.get("desc", ""), level_offset=1)
    for column in board.get("lists", []):
        writer.end_sections(2)
        writer.heading(2, text_in(column.get("name")))
        for card in board.get("cards", []):
            if card.get("idList") == column.get("id"):
                _write_card(writer, card, board)
    return name


def _write_card(writer: TextWriter, card: Object, board: dict[str, list[Object]]) -> None:
    labels = Labels(f"{card.get('name')}{card.get('desc')}")
    writer.heading(3, text_in(card.get("name")))
    named = {
        text_in(one.get("id")): text_in(one.get("name"))
        or text_in(one.get("fullName"))
        or text_in(one.get("color"))
        for kind in ("labels", "members")
        for one in board.get(kind, [])
    }
    facts = (
        ("due", _show_time(card.get("due"))),
        ("tags", _names_of(card.get("idLabels"), named)),
        ("who", _names_of(card.get("idMembers"), named)),
        ("status", "archived" if card.get("closed") is True else ""),
    )
    writer.paragraph("\n".join(f"{labels(name)}: {value}" for name, value in facts if value))
    write_markdown(writer, text_in(card.get("desc")), level_offset=3)
    for checklist in board.get("checklists", []):
        if checklist.get("idCard") == card.get("id"):
            writer.paragraph(text_in(checklist.get("name")))
            writer.items([
                Item(f"{_mark(is_done=each.get('state') == 'complete')} {text_in(each.get('name'))}")
                for each in objects_in(checklist.get("checkItems"))
            ])
    writer.items([Item(text_in(each.get("name"))) for each in objects_in(card.get("attachments"))])
    for action in reversed(board.get("actions", [])):  # the newest is first
        data, who = _object(action.get("data")), _object(action.get("memberCreator"))
        if action.get("type") == "commentCard" and _object(data.get("card")).get("id") == card.get("id"):
            head = f"[{text_in(who.get('fullName')) or '?'}] [{_show_time(action.get('date'))}]"
            writer.paragraph(f"{head} {text_in(data.get('text'))}")


def _write_day_one(writer: TextWriter, values: Values) -> str:
    for entry in records_of(values, "entries.item"):
        text = text_in(entry.get("text"))
        labels, place, weather = Labels(text), _object(entry.get("location")), _object(entry.get("weather"))
        writer.end_sections()
        writer.heading(1, _show_time(entry.get("creationDate"), text_in(entry.get("timeZone"))))
        write_markdown(writer, _ESCAPED.sub(r"\1", _MOMENT.sub("", text)), level_offset=1)
        named = [text_in(place.get(key)) for key in ("placeName", "localityName", "country")]
        facts = (
            ("where", ", ".join(filter(None, named))),
            ("tags", _names_of(entry.get("tags"))),
            ("weather", text_in(weather.get("conditionsDescription"))),
        )
        writer.paragraph("\n".join(f"{labels(name)}: {value}" for name, value in facts if value))
    return ""


def _write_tasks(writer: TextWriter, values: Values) -> str:
    for tasks in records_of(values, "items.item"):
        writer.end_sections()
        writer.heading(1, text_in(tasks.get("title")))
        for task in objects_in(tasks.get("items")):
            title, notes = text_in(task.get("title")), text_in(task.get("notes"))
            due = _show_time(task.get("due"))[:10]
            lines = [f"{_mark(is_done=task.get('status') == 'completed')} {title}"]
            lines += [f"{Labels(title + notes)('due')}: {due}"] if due else []
            writer.items([Item("\n".join([*lines, notes]))])
    return ""


def _write_simplenote(writer: TextWriter, values: Values) -> str:
    for path, note in values:
        if isinstance(note, dict) and path in {"activeNotes.item", "trashedNotes.item"}:
            title, _, rest = text_in(note.get("content")).strip().partition("\n")
            labels = Labels(title + rest)
            writer.end_sections()
            writer.heading(1, title)
            write_markdown(writer, rest, level_offset=1)
            facts = (
                ("updated", _show_time(note.get("lastModified"))),
                ("tags", _names_of(note.get("tags"))),
                ("status", "" if path.startswith("active") else "trashed"),
            )
            writer.paragraph("\n".join(f"{labels(name)}: {value}" for name, value in facts if value))
    return ""


def _write_data(writer: TextWriter, values: Values) -> str:
    for _, value in values:
        write_record(writer, value)
    return ""


_WRITERS: Mapping[str, Callable[[TextWriter, Values], str]] = {
    "roam": _write_roam,
    "trello": _write_trello,
    "dayone": _write_day_one,
    "tasks": _write_tasks,
    "simplenote": _write_simplenote,
    "data": _write_data,
}
"""By format: each writes an export, and returns the title of all of it; empty for none."""


class JsonExportExtractor(IsolatedExtractor):
    """Extractor of exports as JSON, told by their content."""

    kind = "structured"
    formats = frozenset(_WRITERS)
    version = ParserVersion(JSON_VERSION)
    agent = AGENT

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read one file. Spans are `LineSpan`s of the text that is read.

        Returns:
            The document. Its warnings say what was not read of a file that is too large or breaks off.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        media = context.asset.media_type
        app = media.format if isinstance(media, StructuredMedia) else "data"
        is_long = len(content) > MAX_BYTES
        if is_long:
            content = content[: content.rfind(b",", 0, MAX_BYTES) + 1]
        writer, values = TextWriter(self._identify(context)), JsonValues(content, find_leaves(app))
        title = _WRITERS[app](writer, values)
        cut = cut_member("JSON") if values.is_cut else None
        if is_long:
            cut = Message(
                "only the first {megabytes} MB of the file are read", megabytes=MAX_BYTES // _BYTES_PER_MB
            )
        return self._build(
            context,
            writer.blocks,
            writer.finish(),
            values={},
            own_title=title,
            warnings=[TextPieces(content).warning, cut],
        )


def _object(value: JsonValue) -> Object:
    return value if isinstance(value, dict) else {}


def _names_of(value: JsonValue, named: Mapping[str, str] | None = None) -> str:
    names = value if isinstance(value, list) else []
    return ", ".join((named or {}).get(name, name) for name in map(text_in, names) if name)


def _mark(*, is_done: bool) -> str:
    return "[x]" if is_done else "[ ]"


def _show_time(value: JsonValue, zone: str = "") -> str:
    """Return a time of ISO 8601 as `2026-03-13 15:21`, in a zone if it is known, else in its own, with UTC named."""
    try:
        time = datetime.fromisoformat(text_in(value))
        time = time.astimezone(ZoneInfo(zone)) if zone and time.tzinfo else time
    except (ValueError, KeyError, OSError, OverflowError):
        return text_in(value)
    return f"{time:%Y-%m-%d %H:%M}{'' if zone or not time.tzinfo else ' UTC'}"
