"""Check of additive changes: inside v1, a schema only gains optional fields, enumeration values and kinds of a union."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
_EXACT = ("type", "const", "pattern", "format")
_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")


def find_violations(published: Schema, proposed: Schema) -> list[str]:
    """Return the breaking changes of a proposed schema against the published one.

    Allowed are new optional fields, new values of an enumeration, new kinds of a union, and new words. A field
    that was removed, became required or optional, changed its type or its bounds, an enumeration's value or a
    union's kind that is gone: each is a violation.

    Args:
        published: JSON Schema that readers have.
        proposed: JSON Schema that replaces it.

    Returns:
        One sentence for each violation, with the place; empty where it is additive.
    """
    return list(_Comparison(published, proposed).run())


class _Comparison:
    def __init__(self, published: Schema, proposed: Schema) -> None:
        self.published = published
        self.proposed = proposed
        self.seen: set[tuple[str, str]] = set()

    def run(self) -> Iterator[str]:
        yield from self.compare(self.published, self.proposed, "object")

    def compare(self, old: Schema, new: Schema, place: str) -> Iterator[str]:
        pair = (str(old.get("$ref", "")), str(new.get("$ref", "")))
        if all(pair):
            if pair in self.seen:
                return
            self.seen.add(pair)
        old, new = _resolve(old, self.published), _resolve(new, self.proposed)
        yield from _compare_leaves(old, new, place)
        yield from self._compare_fields(old, new, place)
        yield from self._compare_members(old, new, place)
        yield from self._compare_unions(old, new, place)

    def _compare_fields(self, old: Schema, new: Schema, place: str) -> Iterator[str]:
        old_fields, new_fields = old.get("properties", {}), new.get("properties", {})
        old_required, new_required = set(old.get("required", ())), set(new.get("required", ()))
        for name in sorted(new_required - old_required):
            yield f"{place}.{name}: became required"
        for name in sorted(old_required - new_required):
            if name in new_fields:
                yield f"{place}.{name}: became optional"
        for name, member in old_fields.items():
            if name in new_fields:
                yield from self.compare(member, new_fields[name], f"{place}.{name}")
            else:
                yield f"{place}.{name}: was removed"

    def _compare_members(self, old: Schema, new: Schema, place: str) -> Iterator[str]:
        for key in ("items", "additionalProperties"):
            before, after = old.get(key), new.get(key)
            if isinstance(before, Mapping) and isinstance(after, Mapping):
                yield from self.compare(before, after, f"{place}[]")
            elif before != after:
                yield f"{place}: {key} changed"
        before, after = old.get("prefixItems", []), new.get("prefixItems", [])
        if len(before) != len(after):
            yield f"{place}: prefixItems changed"
        for index, (first, second) in enumerate(zip(before, after, strict=False)):
            yield from self.compare(first, second, f"{place}[{index}]")

    def _compare_unions(self, old: Schema, new: Schema, place: str) -> Iterator[str]:
        before, after = self._members_of(old, self.published), self._members_of(new, self.proposed)
        for name, member in before.items():
            if name in after:
                yield from self.compare(member, after[name], f"{place}<{name}>")
            else:
                yield f"{place}: the kind {name} was removed"
        added = set(after) - set(before)
        if before and any(not name.startswith("kind ") for name in added):
            yield f"{place}: type widened by {', '.join(sorted(added))}"
        if bool(before) != bool(after):
            yield f"{place}: type changed"

    def _members_of(self, schema: Schema, root: Schema) -> dict[str, Schema]:
        members = [*schema.get("anyOf", []), *schema.get("oneOf", [])]
        return {_name_member(_resolve(member, root)): member for member in members}


def _compare_leaves(old: Schema, new: Schema, place: str) -> Iterator[str]:
    for key in _EXACT:
        if old.get(key) != new.get(key):
            yield f"{place}: {key} changed from {old.get(key)!r} to {new.get(key)!r}"
    if "enum" in old and "enum" in new:
        for value in old["enum"]:
            if value not in new["enum"]:
                yield f"{place}: the value {value!r} was removed"
    elif ("enum" in old) != ("enum" in new):
        yield f"{place}: type changed"
    for key in (*_LOWER, *_UPPER):
        if old.get(key) != new.get(key):
            yield f"{place}: bounds {_direction(key, old.get(key), new.get(key))} ({key})"


def _direction(key: str, old: float | None, new: float | None) -> str:
    if old is None or new is None:
        return "narrowed" if old is None else "widened"
    return "narrowed" if (new > old) == (key in _LOWER) else "widened"


def _resolve(schema: Schema, root: Schema) -> Schema:
    while "$ref" in schema:
        *_, name = str(schema["$ref"]).split("/")
        beside = {key: value for key, value in schema.items() if key not in {"$ref", "description"}}
        schema = {**root["$defs"][name], **beside}
    return schema


def _name_member(schema: Schema) -> str:
    fields = schema.get("properties", {})
    kind = fields.get("kind", {}).get("const")
    if kind is not None:
        return f"kind {kind}"
    version = fields.get("schema_version", {}).get("const")
    if version is not None:
        return f"type {version}"
    if "enum" in schema:
        return "type enumeration"
    return f"type {schema.get('type', 'any')}"
