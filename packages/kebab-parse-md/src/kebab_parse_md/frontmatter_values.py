"""Readers of single front-matter values: the meaning, or None where the value has none."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from kebab_core import SourceType, TrustLevel
from pydantic import JsonValue

_LANG = re.compile(r"([A-Za-z]{2,3})(?:[-_][A-Za-z0-9-_]+)?")
_DATE_SEPARATORS = re.compile(r"^(\d{4})[./](\d{1,2})[./](\d{1,2})\.?(?=$|[ T])")
_SEPARATORS = re.compile(r"[,\s]+")


def read_text(value: JsonValue) -> str | None:
    """Return a text or number on one line; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return " ".join(str(value).split()) or None


def read_names(value: JsonValue) -> tuple[str, ...] | None:
    """Return names from a list, or from a text with commas between them, without repetition."""
    if isinstance(value, str):
        return _read_items([*value.split(",")])
    return _read_items(value if isinstance(value, list) else [value])


def read_tags(value: JsonValue) -> tuple[str, ...] | None:
    """Return tags from a list, or from a text with commas or blanks between them, without leading `#`."""
    if isinstance(value, str):
        return _read_items([part.lstrip("#") for part in _SEPARATORS.split(value)])
    names = _read_items(value if isinstance(value, list) else [value])
    return None if names is None else tuple(dict.fromkeys(name.lstrip("#") for name in names))


def read_lang(value: JsonValue) -> str | None:
    """Return the primary tag, lower case: `ko` for `ko-KR`."""
    match = _LANG.fullmatch(value.strip()) if isinstance(value, str) else None
    return match[1].lower() if match else None


def read_source_type(value: JsonValue) -> SourceType | None:
    """Return the type of that name; code is never said by front matter."""
    name = value.strip().lower() if isinstance(value, str) else ""
    return SourceType(name) if name in set(SourceType) - {SourceType.CODE} else None


def read_trust_level(value: JsonValue) -> TrustLevel | None:
    """Return the level of that name."""
    name = value.strip().lower() if isinstance(value, str) else ""
    return TrustLevel(name) if name in set(TrustLevel) else None


def read_instant(value: JsonValue) -> datetime | None:
    """Return a date or time in UTC; without a zone it is taken as UTC."""
    text = read_text(value)
    if text is None:
        return None
    text = _DATE_SEPARATORS.sub(lambda part: f"{part[1]}-{part[2]:0>2}-{part[3]:0>2}", text)
    try:
        instant = datetime.fromisoformat(text)
        return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _read_items(items: list[JsonValue]) -> tuple[str, ...] | None:
    names = [read_text(item) for item in items if item not in {None, ""}] if _are_scalars(items) else [None]
    found = tuple(dict.fromkeys(name for name in names if name is not None))
    return found if found or not names else None


def _are_scalars(items: list[JsonValue]) -> bool:
    return not any(isinstance(item, dict | list | bool) for item in items)
