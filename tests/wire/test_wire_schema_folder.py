"""What is checked in below `wire-schema` is what the models say and stays what was published."""

from __future__ import annotations

import json
from pathlib import Path

from jsonschema import Draft202012Validator
from kebab_testing.tables import walk
from kebab_wire import WIRE_SCHEMAS, parse_wire, wire_json

from tools.wire.generate import find_breaking_changes, find_differences

FOLDER = Path(__file__).parents[2] / "wire-schema" / "v1"
EXAMPLES = sorted((FOLDER / "examples").glob("*.json"))
ADDED_KINDS = {
    "answer.not_sure",
    "answer_event.hop_done",
    "citation.cells",
    "citation.slide",
    "fetch_result.address",
    "fetch_result.outline",
    "fetch_result.page",
    "fetch_result.time",
    "ingest_progress.ocr_page_finished",
    "ingest_progress.ocr_started",
}
"""Examples of kinds of an object that came after it was published: a new reason of a refusal, and what only who asks for it
gets."""


def test_folder_is_in_step_with_the_models() -> None:
    assert find_differences(FOLDER) == []


def test_models_break_nothing_that_was_published() -> None:
    assert find_breaking_changes(FOLDER) == []


def test_every_object_has_a_baseline() -> None:
    baselines = {path.name for path in (FOLDER / "baseline").iterdir()}
    assert baselines == {f"{version.removesuffix('.v1')}.schema.json" for version in WIRE_SCHEMAS}


@walk("path", EXAMPLES)
def test_example_validates_against_its_schema_and_the_published_one(path: Path) -> None:
    example = json.loads(path.read_text(encoding="utf-8"))
    name = f"{example['schema_version'].removesuffix('.v1')}.schema.json"
    schemas = [FOLDER / name, *([] if path.stem in ADDED_KINDS else [FOLDER / "baseline" / name])]
    for schema in schemas:
        Draft202012Validator(json.loads(schema.read_text(encoding="utf-8"))).validate(example)


@walk("path", EXAMPLES)
def test_example_has_no_field_that_is_not_documented(path: Path) -> None:
    example = json.loads(path.read_bytes())
    assert json.loads(wire_json(parse_wire(path.read_bytes()))) == example
