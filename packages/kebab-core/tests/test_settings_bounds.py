from collections.abc import Iterator
from dataclasses import astuple

import kebab_core
import pytest
from annotated_types import Ge, Gt, Le, Lt
from kebab_core import ChunkingSettings, Model, SourceSettings, WorkspaceSettings
from kebab_testing.tables import walk
from pydantic import ValidationError
from pydantic.fields import FieldInfo

SECTIONS = [
    value
    for value in (getattr(kebab_core, name) for name in kebab_core.__all__ if name.endswith("Settings"))
    if isinstance(value, type) and issubclass(value, Model)
]
LOWER, UPPER = (Ge, Gt), (Le, Lt)


def _numbers() -> Iterator[tuple[type[Model], str, FieldInfo]]:
    for section in SECTIONS:
        for name, field in section.model_fields.items():
            if field.annotation in {int, float}:
                yield section, name, field


def _limit(field: FieldInfo, kinds: tuple[type, ...]) -> float:
    (limit,) = (bound for bound in field.metadata if isinstance(bound, kinds))
    (value,) = astuple(limit)
    return value


NUMBERS = list(_numbers())


def _errors(section: type[Model], name: str, value: object) -> set[object]:
    try:
        section.model_validate({name: value})
    except ValidationError as error:
        return {item["loc"][0] for item in error.errors() if item["loc"]}
    return set()


@walk(("section", "name", "field"), NUMBERS)
def test_every_number_has_a_lower_and_an_upper_bound(
    section: type[Model], name: str, field: FieldInfo
) -> None:
    assert any(isinstance(bound, LOWER) for bound in field.metadata)
    assert any(isinstance(bound, UPPER) for bound in field.metadata)


@walk(("section", "name", "field"), NUMBERS)
def test_a_number_outside_its_bounds_is_refused_by_name(
    section: type[Model], name: str, field: FieldInfo
) -> None:
    low, high = _limit(field, LOWER), _limit(field, UPPER)
    assert name in _errors(section, name, low - 1)
    assert name in _errors(section, name, high + 1)
    assert name not in _errors(section, name, high)


@walk("section", [section for section in SECTIONS if section is not SourceSettings])
def test_the_defaults_are_valid(section: type[Model]) -> None:
    assert section.model_validate(section().model_dump()) == section()


@walk("section", SECTIONS)
def test_an_unknown_key_is_refused(section: type[Model]) -> None:
    assert "no_such_key" in _errors(section, "no_such_key", 1)


@walk(
    "sizes",
    [
        {"target_tokens": 100, "max_tokens": 99},
        {"target_tokens": 100, "max_tokens": 100, "overlap_tokens": 100},
    ],
)
def test_chunk_sizes_that_do_not_nest_are_refused(sizes: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        ChunkingSettings.model_validate(sizes)


def test_two_sources_of_one_name_are_refused() -> None:
    with pytest.raises(ValidationError):
        WorkspaceSettings.model_validate({"sources": [{"id": "a", "root": "/x"}, {"id": "a", "root": "/y"}]})


@walk("name", ["", "a b", "a:b", "a/b", "한/글", "a\n", "a#b"])
def test_a_source_name_that_a_citation_cannot_carry_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        SourceSettings(id=name, root="/x")
