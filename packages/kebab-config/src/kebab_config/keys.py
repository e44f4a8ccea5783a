"""Every key of the configuration with what may stand there, read off the settings models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Literal, Union, cast, get_args, get_origin

from kebab_core import Model, read_field_docs
from pydantic import JsonValue
from pydantic.fields import FieldInfo

from kebab_config.effects import missing_capability
from kebab_config.settings import Settings

KeyKind = Literal["text", "whole number", "number", "true or false", "list of text", "list of tables"]
_KIND_OF: dict[object, KeyKind] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
}


@dataclass(frozen=True, slots=True)
class ConfigKey:
    """One key: a leaf of the tree of sections."""

    key: str
    """Dotted, as error messages, flags and `config show` name it."""
    kind: KeyKind
    default: JsonValue
    section: type[Model]
    """The model that has it as a field."""
    choices: tuple[str, ...] = ()
    """All values that are allowed; empty where any of the kind is."""
    minimum: float | None = None
    maximum: float | None = None
    """Inclusive."""
    minimum_is_exclusive: bool = False
    is_optional: bool = False
    """Whether the key may be unset; an empty text unsets it."""

    @property
    def description(self) -> str:
        """What the key is for; read from the model's source when asked for."""
        return read_field_docs(self.section).get(self.key.rpartition(".")[2], "")

    @property
    def in_effect(self) -> bool:
        """Whether anything acts on the key in this version."""
        return missing_capability(self.key) is None

    @property
    def env_name(self) -> str | None:
        """The variable that overrides the key; None where only the file can say it."""
        if self.kind == "list of tables" or self.key == "schema_version":
            return None
        return "KEBAB_" + self.key.replace(".", "_").upper()

    @property
    def bounds(self) -> str:
        """The range in words, empty where there is none."""
        low = high = ""
        if self.minimum is not None:
            low = f"{'more than' if self.minimum_is_exclusive else 'at least'} {self.minimum:.12g}"
        if self.maximum is not None:
            high = f"at most {self.maximum:.12g}"
        return ", ".join(part for part in (low, high) if part)


@cache
def config_keys() -> tuple[ConfigKey, ...]:
    """Return all keys, sections in the order of the file."""
    return tuple(_keys_of(Settings, prefix=""))


@cache
def section_docs() -> dict[str, str]:
    """Return the first line about each section by its dotted name, in the order of the file."""
    return dict(_sections_of(Settings, prefix=""))


def section_model(field: FieldInfo) -> type[Model] | None:
    """Return the model of a field that is a section, None for a leaf."""
    annotation = field.annotation
    return annotation if isinstance(annotation, type) and issubclass(annotation, Model) else None


def _sections_of(model: type[Model], *, prefix: str) -> Iterator[tuple[str, str]]:
    for name, field in model.model_fields.items():
        if (section := section_model(field)) is not None:
            yield prefix + name, (section.__doc__ or "").partition("\n")[0]
            yield from _sections_of(section, prefix=f"{prefix}{name}.")


def _keys_of(model: type[Model], *, prefix: str) -> Iterator[ConfigKey]:
    for name, field in model.model_fields.items():
        if (section := section_model(field)) is not None:
            yield from _keys_of(section, prefix=f"{prefix}{name}.")
        else:
            yield describe_field(prefix + name, field, section=model)


def describe_field(key: str, field: FieldInfo, *, section: type[Model]) -> ConfigKey:
    """Return what a model says of one of its fields."""
    inner, is_optional = _without_none(field.annotation)
    choices = _choices(inner)
    at_least, more_than = _rule(field, "ge"), _rule(field, "gt")
    return ConfigKey(
        key=key,
        kind=_kind(inner),
        default=_default(field),
        section=section,
        choices=choices,
        minimum=at_least if more_than is None else more_than,
        maximum=_rule(field, "le"),
        minimum_is_exclusive=more_than is not None,
        is_optional=is_optional,
    )


def _default(field: FieldInfo) -> JsonValue:
    if field.is_required():
        return None
    value = field.get_default(call_default_factory=True)
    return (
        list(value) if isinstance(value, tuple) else cast("JsonValue", value)
    )  # leaves are what TOML can say


def _rule(field: FieldInfo, name: str) -> float | None:
    values = (getattr(rule, name, None) for rule in field.metadata)
    return next((float(value) for value in values if isinstance(value, int | float)), None)


def _without_none(annotation: object) -> tuple[object, bool]:
    if get_origin(annotation) not in {Union, UnionType}:
        return annotation, False
    members = [member for member in get_args(annotation) if member is not NoneType]
    return members[0], True


def _choices(annotation: object) -> tuple[str, ...]:
    if get_origin(annotation) is Literal:
        return tuple(str(choice) for choice in get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return tuple(annotation)
    return ()


def _kind(annotation: object) -> KeyKind:
    if get_origin(annotation) is tuple:
        return "list of text" if get_args(annotation)[0] is str else "list of tables"
    if get_origin(annotation) is Literal:
        return _KIND_OF[type(get_args(annotation)[0])]
    return _KIND_OF.get(annotation, "text")
