"""The base of every domain model: frozen, closed, and built only when first used."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict


class Model(BaseModel):
    """A value: immutable, hashable where its fields are, refusing unknown fields.

    `defer_build` keeps the cost of a validator off the import path of commands that never make one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def to_utc(value: datetime) -> datetime:
    """Return the same instant in UTC. `value` must be timezone-aware."""
    return value.astimezone(UTC)


UtcDatetime = Annotated[AwareDatetime, AfterValidator(to_utc)]
"""A timezone-aware instant, kept in UTC; a naive value is refused."""
