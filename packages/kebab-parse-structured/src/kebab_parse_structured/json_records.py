"""JSON of any program as text: each object with its fields, a heading where it has a title, lists of objects below it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kebab_parse import show_counted_time

from kebab_parse_structured.html_text import text_of_markup

if TYPE_CHECKING:
    from kebab_parse import TextWriter
    from pydantic import JsonValue

    from kebab_parse_structured.structured_extractor import Object

_TITLES = ("title", "name")
_BLOB = re.compile(r"data:[\w/+.;=-]{0,100},.*|[A-Za-z0-9+/_=-]{200,}", re.DOTALL)
"""A picture or the like that is written as letters."""
_MAX_LINE_CHARS = 120
"""Longer texts, and those of several lines, are paragraphs of their own, without the name of their field."""
_MAX_DEPTH = 40


def write_record(writer: TextWriter, value: JsonValue, *, name: str = "", level: int = 1) -> None:
    """Write a value, without pictures and fields that say nothing.

    Args:
        writer: Gets the blocks.
        value: What is decoded of a file, or a part of it.
        name: Of the field that it is the value of; empty for an element of a list.
        level: Of its heading.
    """
    if level > _MAX_DEPTH:
        writer.paragraph(json.dumps(value, ensure_ascii=False))
    elif isinstance(value, dict):
        _write_object(writer, value, name, level)
    elif isinstance(value, list) and _holds_objects(value):
        if name:
            writer.heading(level, name)
        for each in value:
            write_record(writer, each, level=level + bool(name))
    else:
        shown = _show(name, value)
        writer.paragraph(f"{name}: {shown}" if name and shown else shown)


def _write_object(writer: TextWriter, record: Object, name: str, level: int) -> None:
    key = next((key for key in _TITLES if isinstance(found := record.get(key), str) and found.strip()), "")
    writer.end_sections(level)
    writer.heading(level, text_of_markup(str(record[key])) if key else name)
    lines: list[str] = []
    texts: list[str] = []
    inner: list[tuple[str, JsonValue]] = []
    for field, value in _fields_of({each: value for each, value in record.items() if each != key}):
        if _is_nested(value):
            inner.append((field, value))
        elif shown := _show(field, value):
            is_text = "\n" in shown or len(shown) > _MAX_LINE_CHARS
            (texts if is_text else lines).append(shown if is_text else f"{field}: {shown}")
    writer.paragraph("\n".join(lines))
    for text in texts:
        for paragraph in text.split("\n\n"):
            writer.paragraph(paragraph)
    for field, value in inner:
        write_record(writer, value, name=field, level=level + 1)


def _show(name: str, value: JsonValue) -> str:
    """Return a plain value on one line, or a text with its lines; empty for one that says nothing."""
    if isinstance(value, list):
        return ", ".join(filter(None, (_show(name, each) for each in value)))
    if value is None or isinstance(value, dict) or (isinstance(value, str) and _BLOB.fullmatch(value)):
        return ""
    shown = value if isinstance(value, str) else json.dumps(value)
    time = show_counted_time(name, shown)
    return f"{shown} ({time})" if time else text_of_markup(shown).strip()


def _holds_objects(value: JsonValue) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) or _holds_objects(each) for each in value)


def _fields_of(record: Object, before: str = "", depth: int = 0) -> Iterator[tuple[str, JsonValue]]:
    """Yield the fields of an object, those of an object in it that has only plain values under a joined name."""
    for key, value in record.items():
        if isinstance(value, dict) and depth < _MAX_DEPTH and not any(map(_is_nested, value.values())):
            yield from _fields_of(value, f"{before}{key}.", depth + 1)
        else:
            yield f"{before}{key}", value


def _is_nested(value: JsonValue) -> bool:
    return isinstance(value, dict) or _holds_objects(value)
