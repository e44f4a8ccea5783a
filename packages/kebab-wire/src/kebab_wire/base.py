"""The base of every wire object, and the shapes that many of them share."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from kebab_core import UtcDatetime
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
)

Count = Annotated[int, Field(ge=0)]
Position = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]
WireId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
"""32 lower-case hex digits."""
Timestamp = UtcDatetime
"""RFC 3339 in UTC."""


class WirePart(BaseModel):
    """A part of a wire object: immutable and closed.

    A field without default is always there, null where there is no value. A field whose default is None is left
    out where there is no value. Numbers are finite.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, allow_inf_nan=False)

    @model_serializer(mode="wrap")
    def _leave_out_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields = type(self).model_fields
        values: dict[str, Any] = handler(self)
        return {
            name: value
            for name, value in values.items()
            if value is not None or name not in fields or fields[name].is_required()
        }


class WireObject(WirePart):
    """An object that is printed on a line of its own; subclasses say which in `schema_version`."""


PartT = TypeVar("PartT", bound=WirePart)


def mirror(model: type[PartT], source: object, **given: object) -> PartT:
    """Build a wire model from the attributes of a domain value that have the same names.

    Args:
        model: What to build.
        source: The domain value; attributes that the model does not have are left behind.
        given: Fields that differ from the domain's, by name.

    Returns:
        The wire model.
    """
    taken = {
        name: getattr(source, name)
        for name in model.model_fields
        if name not in given and name != "schema_version" and hasattr(source, name)
    }
    return model.model_validate({**taken, **given}, from_attributes=True)
