"""The published schemas: valid themselves, true of what is printed, open to what comes later."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError
from kebab_testing.tables import walk
from kebab_wire import WIRE_SCHEMAS, wire_json

from tools.wire.examples import build_examples
from tools.wire.json_schema import published_schema

CHECKED: dict[str, Any] = {}
EXAMPLES = {name: json.loads(wire_json(example)) for name, example in build_examples().items()}


def objects_in(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if "properties" in schema and schema.get("type") == "object":
            yield schema
        for member in schema.values():
            yield from objects_in(member)
    elif isinstance(schema, list):
        for member in schema:
            yield from objects_in(member)


def validator_of(example: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator(published_schema(example["schema_version"]))


def not_yet_checked(definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the definitions that no schema before had: most are in many."""
    new = {name: part for name, part in definitions.items() if CHECKED.get(name) != part}
    CHECKED.update(new)
    return new


@walk("version", WIRE_SCHEMAS)
def test_schema_is_valid_open_and_requires_its_version(version: str) -> None:
    schema = published_schema(version)
    own = {**schema, "$defs": not_yet_checked(schema.get("$defs", {}))}
    Draft202012Validator.check_schema(own)
    for part in objects_in(own):
        assert part.get("additionalProperties", True) is not False
        constants = {name for name, member in part["properties"].items() if "const" in member}
        assert constants <= set(part["required"])
    assert version in json.dumps(schema)


@walk("name", EXAMPLES)
def test_example_validates_also_with_a_field_of_a_later_version(name: str) -> None:
    validator_of(EXAMPLES[name]).validate({**EXAMPLES[name], "of_a_later_version": 1})


@walk("name", EXAMPLES)
def test_example_without_any_one_required_field_does_not_validate(name: str) -> None:
    example = EXAMPLES[name]
    schema = published_schema(example["schema_version"])
    validator = Draft202012Validator(schema)
    whole = [part for part in objects_in(schema) if fits(part, example)]
    assert whole
    for field in whole[0]["required"]:
        with pytest.raises(ValidationError):
            validator.validate({key: value for key, value in example.items() if key != field})


def fits(part: dict[str, Any], example: dict[str, Any]) -> bool:
    members = part["properties"].items()
    constants = {name: member["const"] for name, member in members if "const" in member}
    constants |= {name: optional for name, member in members if (optional := optional_constant(member))}
    return "schema_version" in constants and all(
        example.get(name) == value for name, value in constants.items()
    )


def optional_constant(member: dict[str, Any]) -> object:
    """Return the constant that a member has if it is there, None where it has none."""
    return next((choice["const"] for choice in member.get("anyOf", ()) if "const" in choice), None)


@walk("name", EXAMPLES)
def test_every_field_of_an_example_is_in_its_schema(name: str) -> None:
    named = {
        field
        for part in objects_in(published_schema(EXAMPLES[name]["schema_version"]))
        for field in part["properties"]
    }
    assert set(EXAMPLES[name]) <= named
