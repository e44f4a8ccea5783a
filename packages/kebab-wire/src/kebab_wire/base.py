"""The base of every wire object: shared types, conversion from domain values, and serialisation to JSON.

A part that is the same in domain and wire is the domain's model, held as it is. One that differs in a field inherits
the domain's model and declares that field again.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from kebab_core import Model, Remedy, UtcDatetime
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    SerializerFunctionWrapHandler,
    StringConstraints,
    ValidationInfo,
    model_serializer,
    model_validator,
)

if TYPE_CHECKING:
    from kebab_wire.remedies import RemedyRenderer


WireId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
"""32 lower-case hex digits."""
Timestamp = UtcDatetime
"""RFC 3339 in UTC."""


def _spell(path: object) -> object:
    return str(path) if isinstance(path, Path) else path


DiskPath = Annotated[str, BeforeValidator(_spell)]
"""A path as spelled on disk."""


class WirePart(BaseModel):
    """A part of a wire object: immutable and closed.

    A field without default is always there, null where there is no value. A field whose default is None is left
    out where there is no value; so are fields of domain models that the part holds. Numbers are finite.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, allow_inf_nan=False)

    @model_serializer(mode="wrap")
    def _serialize(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _leave_out_absent(self, handler(self))


def _leave_out_absent(model: BaseModel, values: dict[str, Any]) -> dict[str, Any]:
    fields = type(model).model_fields
    return {
        name: _in_domain_models(getattr(model, name, None), value) if type(value) in _CONTAINERS else value
        for name, value in values.items()
        if value is not None or name not in fields or fields[name].is_required()
    }


_CONTAINERS = {dict, list, tuple}


def _in_domain_models(value: object, plain: Any) -> Any:
    """Apply the rule of absent fields to domain models in a value; wire parts have applied it themselves."""
    if type(plain) in _CONTAINERS:
        if isinstance(value, tuple):
            return [_in_domain_models(member, item) for member, item in zip(value, plain, strict=True)]
        if isinstance(value, dict):
            members = zip(plain.items(), value.values(), strict=True)
            return {key: _in_domain_models(member, item) for (key, item), member in members}
        if not isinstance(value, WirePart) and isinstance(value, Model):
            return _leave_out_absent(value, plain)
    return plain


class WireObject(WirePart):
    """An object that is printed on a line of its own; `schema_version` names its schema."""


def render_for_wire(remedy: Remedy, render: RemedyRenderer | None) -> str:
    """Render a remedy in the words of a face, or in the shared ones where `render` is None."""
    if render is None:
        from kebab_wire.remedies import render_remedy

        return render_remedy(remedy)
    return render(remedy)


def _render_advice(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, Remedy):
        return value
    return render_for_wire(value, (info.context or {}).get("render"))


Advice = Annotated[str | None, BeforeValidator(_render_advice)]
"""Words of a remedy."""


class AdvisedPart(WirePart):
    """A part whose `hint` or `fix` has the words of the domain value's `remedy`."""

    @model_validator(mode="before")
    @classmethod
    def _take_remedy(cls, value: object) -> object:
        return value if getattr(value, "remedy", None) is None else _attributes(cls, value)


def _attributes(model: type[WirePart], source: object) -> dict[str, object]:
    """Attributes of a domain value, by name of the wire's field."""
    taken = {
        name: getattr(source, name)
        for name in model.model_fields
        if name != "schema_version" and hasattr(source, name)
    }
    remedy = getattr(source, "remedy", None)
    if remedy is not None:
        taken.update({name: remedy for name in ("hint", "fix") if name in model.model_fields})
    return taken


PartT = TypeVar("PartT", bound=WirePart)


def mirror(
    model: type[PartT], source: object, render: RemedyRenderer | None = None, /, **given: object
) -> PartT:
    """Build a wire model from the attributes of a domain value that have the same names.

    Args:
        model: Class of the wire model.
        source: The domain value; attributes that the model does not have are left out.
        render: Words of remedies, at any depth; None: the shared words.
        given: Fields that differ from the domain's, by name.

    Returns:
        The wire model.
    """
    return model.model_validate(
        {**_attributes(model, source), **given}, from_attributes=True, context={"render": render}
    )


def wire_json(value: BaseModel) -> str:
    """Return a wire object as one line of JSON without line end.

    Args:
        value: The object.

    Returns:
        JSON in which characters that control a terminal, reorder or end a line, or are not seen are escaped.
    """
    from kebab_text import escape_unseen

    return escape_unseen(value.model_dump_json())
