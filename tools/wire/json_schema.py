"""JSON Schema 2020-12 of the wire objects, as it is published: open, so that a new field breaks no reader."""

from __future__ import annotations

from functools import cache, partial
from inspect import get_annotations
from typing import Any

from kebab_core import Model, read_field_docs
from kebab_wire import WIRE_SCHEMAS, WirePart
from pydantic import BaseModel, TypeAdapter

Schema = dict[str, Any]
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


@cache
def published_schema(version: str) -> Schema:
    """Return the schema of one object, complete in itself; not to be changed, since all callers get the same.

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
    """Return the schema of an object with the docstrings of its fields; what is always written is required."""
    model = _models().get(str(node.get("title")))
    if model is None or "properties" not in node:
        return node
    docs = read_field_docs(model)
    described = {
        name: {"description": docs[name], **member} if name in docs else member
        for name, member in node["properties"].items()
    }
    required = set(node.get("required", ()))
    for name in filter(partial(_is_of_domain, model), described):
        described[name] = _open(described[name], is_number=name in _OPEN_NUMBERS.get(model.__name__, ()))
        if model.model_fields[name].default is not None:
            described[name] = _without(described[name], "default")
            required.add(name)
    return {**node, "properties": described, "required": [name for name in described if name in required]}


_OPEN_NUMBERS = {
    "HeadingBlock": ("level",),
    "OcrRegion": ("confidence",),
    "TraceTerm": ("weight",),
    "TranscriptSegment": ("confidence",),
}
"""Fields of domain models, by class, whose bounds v1 does not have."""
_ID = "^[0-9a-f]{32}$"


def _is_of_domain(model: type[BaseModel], name: str) -> bool:
    owner = next(base for base in model.__mro__ if name in get_annotations(base))
    return not issubclass(owner, WirePart)


def _open(node: Any, *, is_number: bool) -> Any:
    """Return the schema of a domain value without checks of input strings; ids are in lower case once they are read."""
    if isinstance(node, list):
        return [_open(item, is_number=is_number) for item in node]
    if not isinstance(node, dict):
        return node
    checks = {"minLength", "maxLength", "pattern", *(("minimum", "maximum") if is_number else ())}
    if "{32}" in str(node.get("pattern")):
        return {**node, "pattern": _ID}
    return {key: _open(value, is_number=is_number) for key, value in node.items() if key not in checks}


def _without(member: Schema, *keys: str) -> Schema:
    return {key: value for key, value in member.items() if key not in keys}


@cache
def _models() -> dict[str, type[BaseModel]]:
    """Return the models of domain and wire by name."""
    found: dict[str, type[BaseModel]] = {}
    waiting: list[type[BaseModel]] = [Model, WirePart]
    while waiting:
        model = waiting.pop(0)
        found[model.__name__] = model
        waiting += model.__subclasses__()
    return found


def _publish_member(key: str, value: Any) -> Any:
    if key == "$defs":
        return {_published_name(name): _publish(member) for name, member in value.items()}
    if key == "properties":
        return {name: _publish(member) for name, member in value.items()}
    if key == "$ref":
        folder, _, name = value.rpartition("/")
        return f"{folder}/{_published_name(name)}"
    return _publish(value)


def _published_name(name: str) -> str:
    """Return the name of a definition; that of a domain model is followed by the version, as those of wire parts are."""
    model = _models().get(name)
    return name if model is None or issubclass(model, WirePart) else f"{name}V1"


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
        return _without(member, "default")
    return member
