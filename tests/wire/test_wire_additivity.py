"""Each way to break a published schema is noticed, each way to add to it is not."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from kebab_testing.tables import walk
from kebab_wire import WIRE_SCHEMAS

from tools.wire.additivity import find_violations
from tools.wire.json_schema import published_schema

Schema = dict[str, Any]
Change = Callable[[Schema], object]

BASE: Schema = {
    "type": "object",
    "required": ["schema_version", "score"],
    "properties": {
        "schema_version": {"const": "x.v1", "type": "string"},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "id": {"type": "string", "pattern": "^a$", "maxLength": 9},
        "mode": {"$ref": "#/$defs/Mode"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
        "hint": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "span": {"oneOf": [{"$ref": "#/$defs/Line"}, {"$ref": "#/$defs/Page"}]},
        "bbox": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}]},
        "tree": {"$ref": "#/$defs/Tree"},
    },
    "$defs": {
        "Mode": {"type": "string", "enum": ["lexical", "vector"]},
        "Line": {
            "type": "object",
            "required": ["kind"],
            "properties": {"kind": {"const": "line", "type": "string"}, "start": {"type": "integer"}},
        },
        "Page": {
            "type": "object",
            "required": ["kind"],
            "properties": {"kind": {"const": "page", "type": "string"}},
        },
        "Tree": {
            "type": "object",
            "properties": {
                "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
                "text": {"type": "string"},
            },
        },
    },
}


def fields(schema: Schema) -> Any:
    return schema["properties"]


def definitions(schema: Schema) -> Any:
    return schema["$defs"]


BREAKING: dict[str, Change] = {
    "removed field": lambda s: fields(s).pop("id"),
    "removed required field": lambda s: (fields(s).pop("score"), s["required"].remove("score")),
    "new required field": lambda s: (fields(s).update(new={"type": "string"}), s["required"].append("new")),
    "optional field became required": lambda s: s["required"].append("id"),
    "required field became optional": lambda s: s["required"].remove("score"),
    "changed type": lambda s: fields(s)["score"].update(type="string"),
    "changed constant": lambda s: fields(s)["schema_version"].update(const="x.v2"),
    "changed pattern": lambda s: fields(s)["id"].update(pattern="^b$"),
    "new format": lambda s: fields(s)["id"].update(format="uri"),
    "raised minimum": lambda s: fields(s)["score"].update(minimum=0.5),
    "lowered minimum": lambda s: fields(s)["score"].update(minimum=-1),
    "lowered maximum": lambda s: fields(s)["score"].update(maximum=0.5),
    "dropped maximum": lambda s: fields(s)["score"].pop("maximum"),
    "new maximum": lambda s: fields(s)["tags"]["items"].update(maxLength=3),
    "shorter text": lambda s: fields(s)["id"].update(maxLength=3),
    "fewer items": lambda s: fields(s)["tags"].update(maxItems=3),
    "removed value of an enumeration": lambda s: definitions(s)["Mode"]["enum"].remove("vector"),
    "enumeration of what was free": lambda s: fields(s)["id"].update(enum=["a"]),
    "freed enumeration": lambda s: definitions(s)["Mode"].pop("enum"),
    "changed type of items": lambda s: fields(s)["tags"]["items"].update(type="integer"),
    "changed type of a map": lambda s: fields(s)["counts"]["additionalProperties"].update(type="string"),
    "closed object": lambda s: definitions(s)["Line"].update(additionalProperties=False),
    "no longer nullable": lambda s: fields(s).update(hint={"type": "string"}),
    "newly nullable": lambda s: fields(s).update(id={"anyOf": [fields(s)["id"], {"type": "null"}]}),
    "third type": lambda s: fields(s)["hint"]["anyOf"].append({"type": "integer"}),
    "removed kind of a union": lambda s: fields(s)["span"]["oneOf"].pop(),
    "removed field of a kind": lambda s: definitions(s)["Line"]["properties"].pop("start"),
    "changed length of a tuple": lambda s: fields(s)["bbox"]["prefixItems"].pop(),
    "changed member of a tuple": lambda s: fields(s)["bbox"]["prefixItems"][0].update(type="number"),
    "removed field of a recursive part": lambda s: definitions(s)["Tree"]["properties"].pop("text"),
}
ADDITIVE: dict[str, Change] = {
    "nothing": lambda s: None,
    "new optional field": lambda s: fields(s).update(new={"type": "string", "minLength": 3}),
    "new value of an enumeration": lambda s: definitions(s)["Mode"]["enum"].append("hybrid"),
    "new kind of a union": lambda s: (
        fields(s)["span"]["oneOf"].append({"$ref": "#/$defs/Code"}),
        definitions(s).update(Code={"type": "object", "properties": {"kind": {"const": "code"}}}),
    ),
    "new words": lambda s: fields(s)["score"].update(description="how well it fits"),
    "other name of a part": lambda s: (
        definitions(s).update(Way=definitions(s).pop("Mode")),
        fields(s).update(mode={"$ref": "#/$defs/Way"}),
    ),
}


def changed(change: Change) -> Schema:
    schema = copy.deepcopy(BASE)
    change(schema)
    return schema


@walk("name", BREAKING)
def test_breaking_change_is_a_violation(name: str) -> None:
    assert find_violations(BASE, changed(BREAKING[name]))


@walk("name", ADDITIVE)
def test_additive_change_is_none(name: str) -> None:
    assert find_violations(BASE, changed(ADDITIVE[name])) == []


def test_violation_names_the_place() -> None:
    (violation,) = find_violations(BASE, changed(BREAKING["removed field of a kind"]))
    assert violation == "object.span<kind line>.start: was removed"


@walk("version", WIRE_SCHEMAS)
def test_every_published_schema_is_additive_to_itself_and_not_to_less(version: str) -> None:
    schema = published_schema(version)
    assert find_violations(schema, schema) == []
    parts = schema.get("$defs", {})
    if schema.get("properties"):  # the others are unions
        assert find_violations(schema, without_a_field(schema)), version
    for name, part in parts.items():
        if part.get("properties"):
            less = {**schema, "$defs": {**parts, name: without_a_field(part)}}
            assert find_violations(schema, less), (version, name)


def without_a_field(part: Schema) -> Schema:
    """Return a schema without its first field that is no `kind`."""
    gone = next(name for name in fields(part) if name != "kind")
    return {**part, "properties": {name: field for name, field in fields(part).items() if name != gone}}
