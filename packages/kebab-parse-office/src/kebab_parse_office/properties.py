"""Properties of a document: title, authors, dates and keywords, as office formats store them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from kebab_parse import read_given_title
from pydantic import JsonValue

from kebab_parse_office.rich_text import join_line

if TYPE_CHECKING:
    from lxml.etree import _Element

    from kebab_parse_office.archive import OfficeArchive

_NAMES = {"creator": "author", "lastModifiedBy": "last_modified_by", "initial-creator": "author"}
_KEPT = ("author", "last_modified_by", "subject", "description", "category", "company", "manager", "status")
_BETWEEN_WORDS = re.compile(r"[,;，、]")
_FRACTION = re.compile(r"\.\d+")


def read_core_properties(archive: OfficeArchive) -> dict[str, JsonValue]:
    """Read `docProps/core.xml` and `docProps/app.xml` of an Open XML file; damaged ones count as missing.

    Returns:
        The values under the keys of front matter; times as ISO 8601.
    """
    values: dict[str, list[str]] = {}
    for kind in ("core-properties", "extended-properties"):
        root = archive.parse_optional(archive.find_related("", kind))
        for element in () if root is None else root:
            _add_value(values, element)
    return _build(values)


def read_open_document_properties(archive: OfficeArchive) -> dict[str, JsonValue]:
    """Read `meta.xml` of an OpenDocument file; a damaged one counts as missing.

    Returns:
        As `read_core_properties`.
    """
    values: dict[str, list[str]] = {}
    root = archive.parse_optional("meta.xml")
    for element in () if root is None else root.iterfind("{*}meta/*"):
        _add_value(values, element)
    return _build(values)


def _add_value(values: dict[str, list[str]], element: _Element) -> None:
    if not isinstance(element.tag, str) or len(element) or not (element.text or "").strip():
        return
    name = element.tag.rpartition("}")[2]
    key = _NAMES.get(name, name).replace("-", "_").lower()
    text = join_line(element.text or "")
    if text not in values.setdefault(key, []):
        values[key].append(text)


def _build(values: Mapping[str, list[str]]) -> dict[str, JsonValue]:
    words = [
        word.strip().lstrip("#")
        for line in (*values.get("keywords", ()), *values.get("keyword", ()))
        for word in _BETWEEN_WORDS.split(line)
    ]
    tags: list[JsonValue] = [*dict.fromkeys(filter(None, words))]
    found: dict[str, JsonValue] = {
        "title": read_given_title(" ".join(values.get("title", [])[:1])),
        "tags": tags,
        "created": _read_time(values.get("created") or values.get("creation_date")),
        "updated": _read_time(values.get("modified") or values.get("date")),
    }
    found |= {key: ", ".join(values[key]) for key in _KEPT if values.get(key)}
    return {key: value for key, value in found.items() if value}


def _read_time(texts: list[str] | None) -> str | None:
    """Return the first time in its own form; None for none, or one that cannot be read."""
    try:
        return datetime.fromisoformat(_FRACTION.sub("", texts[0])).isoformat() if texts else None
    except ValueError:
        return None
