"""The base of every domain model: frozen, closed, and built only when first used; and the docs of a model's fields.

Field docs are the docstrings below the fields, read from source on request. pydantic can collect them while it builds
a class (`use_attribute_docstrings`), but then every command pays for reading and tokenising source that only
reference pages and schemas are made from.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

Count = Annotated[int, Field(ge=0)]
Position = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]


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


@cache
def read_field_docs(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstring of each documented field, inherited fields included, white space folded.

    Args:
        model: A class whose source is available.
    """
    docs: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if "__annotations__" in base.__dict__ and base.__module__.partition(".")[0] != "pydantic":
            docs |= _docs_of_class(base)
    return {name: text for name, text in docs.items() if name in model.model_fields}


def _docs_of_class(kind: type) -> dict[str, str]:
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    statements = definition.body if isinstance(definition, ast.ClassDef) else []
    docs = {}
    for field, text in pairwise(statements):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
        ):
            docs[field.target.id] = " ".join(text.value.value.split())
    return docs
