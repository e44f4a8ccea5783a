"""JSON Schema 2020-12 of the wire objects, as it is published: open, so that a new field breaks no reader."""

from __future__ import annotations

from functools import cache
from typing import Any

from kebab_core import read_field_docs
from kebab_wire import WIRE_SCHEMAS, WirePart
from pydantic import TypeAdapter

Schema = dict[str, Any]
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def published_schema(version: str) -> Schema:
    """Return the schema of one object, complete in itself.

    Args:
        version: A key of `WIRE_SCHEMAS`.

    Returns:
        A schema with its keys in a fixed order. `schema_version` and `kind` are required constants, objects take
        further fields.
    """
    raw = TypeAdapter(WIRE_SCHEMAS[version]).json_schema(mode="validation", by_alias=False)
    body = _publish(raw)
    definitions = body.pop("$defs", None)
    schema = {"$schema": _DIALECT, "$id": f"urn:kebab:wire:{version}", "title": version, **body}
    return schema if definitions is None else {**schema, "$defs": dict(sorted(definitions.items()))}


def _publish(node: Any) -> Any:
    if isinstance(node, list):
        return [_publish(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = _describe(node)
    kept = {key: _publish_member(key, value) for key, value in node.items() if not _is_dropped(key, value)}
    return _require_constants(kept) if node.get("type") == "object" and "properties" in node else kept


def _describe(node: Schema) -> Schema:
    """Return the schema of an object with the docstrings of its model's fields."""
    model = _models().get(str(node.get("title")))
    if model is None or "properties" not in node:
        return node
    docs = read_field_docs(model)
    described = {
        name: {"description": docs[name], **member} if name in docs else member
        for name, member in node["properties"].items()
    }
    return {**node, "properties": described}


@cache
def _models() -> dict[str, type[WirePart]]:
    found: dict[str, type[WirePart]] = {}
    waiting = [WirePart]
    while waiting:
        model = waiting.pop()
        found[model.__name__] = model
        waiting += model.__subclasses__()
    return found


def _publish_member(key: str, value: Any) -> Any:
    if key in {"properties", "$defs"}:
        return {name: _publish(member) for name, member in value.items()}
    return _publish(value)


def _is_dropped(key: str, value: Any) -> bool:
    closed = key == "additionalProperties" and value is False
    return closed or key == "discriminator" or (key == "title" and isinstance(value, str))


def _require_constants(schema: Schema) -> Schema:
    constants = [name for name, member in schema["properties"].items() if "const" in member]
    properties = {name: _without_default(member) for name, member in schema["properties"].items()}
    others = [name for name in schema.get("required", []) if name not in constants]
    return {**schema, "properties": properties, "required": [*constants, *others]}


def _without_default(member: Schema) -> Schema:
    if "const" in member or member.get("default", ...) is None:
        return {key: value for key, value in member.items() if key != "default"}
    return member
