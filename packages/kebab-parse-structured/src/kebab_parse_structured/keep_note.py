"""The extractor `keep-v2` of notes of Google Keep, as Takeout exports them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kebab_core import LinkInline, Message, ParserVersion
from kebab_parse import Item
from pydantic import JsonValue

from kebab_parse_structured.recognition import KEEP_VERSION
from kebab_parse_structured.structured_extractor import StructuredExtractor, objects_in, read_object, text_in

if TYPE_CHECKING:
    from kebab_parse import TextWriter

    from kebab_parse_structured.structured_extractor import Object

_MICROSECONDS = 1_000_000


class KeepExtractor(StructuredExtractor):
    """Extractor of notes of Google Keep: JSON that its content shows to be one."""

    formats = frozenset({"keep"})
    version = ParserVersion(KEEP_VERSION)

    def _write(self, writer: TextWriter, content: bytes, warnings: list[Message]) -> Object:
        """Write the text, the items with their marks, and the pages that the note names."""
        note = read_object(content)
        if note.get("isTrashed") is True:
            warnings.append(Message("the note lies in the trash of Google Keep"))
        title = text_in(note.get("title")).strip()
        writer.heading(1, title)
        for paragraph in text_in(note.get("textContent")).split("\n\n"):
            writer.paragraph(paragraph)
        writer.items([
            Item(f"[{'x' if each.get('isChecked') is True else ' '}] {text_in(each.get('text'))}")
            for each in objects_in(note.get("listContent"))
            if text_in(each.get("text")).strip()
        ])
        for link in objects_in(note.get("annotations")):
            address = text_in(link.get("url"))
            shown = [text_in(link.get(key)) for key in ("title", "description")]
            inlines = [LinkInline(text=address, href=address)] if address else []
            writer.paragraph("\n".join(text for text in [*shown, address] if text), inlines)
        writer.items([Item(text_in(each.get("filePath"))) for each in objects_in(note.get("attachments"))])
        labels = [text_in(each.get("name")) for each in objects_in(note.get("labels"))]
        times = {
            "created": _time_of(note.get("createdTimestampUsec")),
            "updated": _time_of(note.get("userEditedTimestampUsec")),
        }
        values: Object = {key: time for key, time in times.items() if time}
        return {**values, "tags": list[JsonValue](labels), "own_title": title}


def _time_of(value: JsonValue) -> str:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        return ""
    try:
        return datetime.fromtimestamp(value / _MICROSECONDS, tz=UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""
