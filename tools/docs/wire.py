"""The page about JSON objects, from the schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.docs.markdown import join_parts, render_code, render_table

SCHEMAS = Path(__file__).resolve().parents[2] / "wire-schema" / "v1"
_INTRODUCTION = """
# JSON objects

What `--json` prints: one object to a line, each with a `schema_version`. The schemas (JSON Schema 2020-12) are in
`wire-schema/v1`, with examples; agents get `search_brief.v2`, `bulk_search_response.v2` and the `_brief.v1` ones.
Within a version fields are only ever added: read what you know and ignore the rest. Characters that control a terminal,
reorder or end a line, or are not seen are written as escapes; values are those of the documents.
"""
_HEADER = ("field", "type", "always there", "meaning")


def render() -> str:
    """Return the page: the objects, then the parts they are made of, each once."""
    objects: dict[str, dict[str, Any]] = {}
    parts: dict[str, dict[str, Any]] = {}
    for path in sorted(SCHEMAS.glob("*.schema.json")):
        schema = json.loads(path.read_text("utf-8"))
        objects[path.name.removesuffix(".schema.json")] = schema
        parts |= schema.get("$defs", {})
    return join_parts([
        _INTRODUCTION,
        *(text for name, schema in objects.items() for text in _section(name, schema)),
        "# Parts of objects",
        *(text for name in sorted(parts) for text in _section(name, parts[name])),
    ])


def _section(name: str, schema: dict[str, Any]) -> Iterator[str]:
    yield f"## {name}"
    yield str(schema.get("description", ""))
    yield from _fields(schema)


def _fields(schema: dict[str, Any]) -> Iterator[str]:
    required = set(schema.get("required", []))
    rows = [
        (
            render_code(name),
            _type(field),
            "yes" if name in required else "no",
            str(field.get("description", "")),
        )
        for name, field in schema.get("properties", {}).items()
    ]
    if rows:
        yield render_table(_HEADER, rows)
    elif "enum" in schema:
        yield f"One of: {_type(schema)}."
    elif alternatives := schema.get("oneOf") or schema.get("anyOf"):
        yield "One of: " + ", ".join(_type(item) for item in alternatives) + "."


def _type(field: dict[str, Any]) -> str:
    if "const" in field:
        return render_code(json.dumps(field["const"], ensure_ascii=False))
    if "enum" in field:
        return ", ".join(render_code(json.dumps(value, ensure_ascii=False)) for value in field["enum"])
    if "$ref" in field:
        name = str(field["$ref"]).rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for several in ("anyOf", "oneOf"):
        if several in field:
            return " or ".join(dict.fromkeys(_type(item) for item in field[several]))
    return _plain_type(field)


def _plain_type(field: dict[str, Any]) -> str:
    kind = field.get("type", "anything")
    if kind == "array":
        items = field.get("items") or {"anyOf": field.get("prefixItems", [{}])}
        return f"list of {_type(items)}"
    if kind == "object" and isinstance(field.get("additionalProperties"), dict):
        return f"object of {_type(field['additionalProperties'])}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)
