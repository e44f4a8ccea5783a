"""Flags that narrow which documents take part; the same on every command that searches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kebab_cli.choices import Commas, OneOf

if TYPE_CHECKING:
    from kebab_core import SearchFilters
    from pydantic import BaseModel

_M = TypeVar("_M", bound="BaseModel")
_F = TypeVar("_F", bound=Callable[..., Any])
_Decorator = Callable[[Any], Any]


class Instant(click.ParamType[datetime]):
    """A point in time, RFC 3339; a date alone is its midnight, a time without zone is local."""

    name = "time"

    def convert(
        self,
        value: Any,
        parameter: click.Parameter | None,
        context: click.Context | None,
    ) -> datetime:
        """Return the instant."""
        if isinstance(value, datetime):
            return value
        try:
            return datetime.fromisoformat(value).astimezone(UTC)
        except (ValueError, OverflowError):
            self.fail(
                f"{value!r} is not a time like 2026-11-21 or 2026-11-21T09:30:00+09:00", parameter, context
            )


def _list_option(name: str, *, metavar: str, help: str, choices: Sequence[str] = ()) -> _Decorator:  # noqa: A002 - as click calls it
    """Return a flag whose values are separated by commas, repeated, or both; of a fixed set where there are choices."""
    return click.option(
        name,
        type=Commas(choices),
        multiple=True,
        metavar=metavar,
        callback=_joined,
        help=f"{help}  [a,b or repeated]",
    )


def _joined(_context: click.Context, _parameter: click.Parameter, value: Any) -> tuple[str, ...]:
    return tuple(chain.from_iterable(value))


_SHOWN_SIGNS = 80
_MEDIA = ("markdown", "text", "pdf", "image", "audio", "code")
_TYPES = ("markdown", "note", "paper", "reference", "inbox", "code")
_FILTERS: tuple[_Decorator, ...] = (
    _list_option("--tag", metavar="TAG", help="With any of these tags."),
    _list_option("--lang", metavar="CODE", help="In any of these languages, such as ko or en."),
    click.option(
        "--path-glob",
        multiple=True,
        metavar="GLOB",
        help='Below matching paths, such as "notes/**/*.md".  [repeated, 32 at most]',
    ),
    _list_option("--media", metavar="KIND", choices=_MEDIA, help=f"Of these kinds: {', '.join(_MEDIA)}."),
    _list_option("--source", metavar="NAME", help="In these configured sources."),
    click.option(
        "--trust-min", type=OneOf(["primary", "secondary", "generated"]), help="At least this trusted."
    ),
    click.option("--ingested-after", type=Instant(), metavar="TIME", help="Indexed after this time."),
    _list_option("--doc-id", metavar="ID", help="In these documents."),
    _list_option("--repo", metavar="NAME", help="In these repositories."),
    _list_option("--code-lang", metavar="NAME", help="In these programming languages."),
    _list_option(
        "--source-type", metavar="TYPE", choices=_TYPES, help=f"Of these types: {', '.join(_TYPES)}."
    ),
)
_FIELD_FLAGS = {"tags_any": "tag", "source_id": "source"}
"""Fields whose flag has another name."""


def flag_of(field: str) -> str:
    """Return the flag of a field of `SearchFilters`."""
    return f"--{_FIELD_FLAGS.get(field, field).replace('_', '-')}"


def filter_options(function: _F) -> _F:
    """Return the command with all filter flags."""
    for option in reversed(_FILTERS):
        function = option(function)
    return function


def build_filters(values: Mapping[str, Any]) -> SearchFilters:
    """Return the filters that the flags ask for.

    Args:
        values: By parameter name, as click parsed them.

    Raises:
        InvalidInputError: A value that no document can have; names the values there are.
    """
    from kebab_core import SearchFilters

    return validated(SearchFilters, filter_fields(values))


def filter_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the filter flags mean, by field name.

    Args:
        values: By parameter name, as click parsed them; others than those of filters are left out.

    Raises:
        InvalidInputError: A document id that is none.
    """
    from kebab_core import SearchFilters

    from kebab_cli.ids import read_document_id

    named = {field: values[_FIELD_FLAGS.get(field, field)] for field in SearchFilters.model_fields}
    return {**named, "doc_id": tuple(read_document_id(text) for text in values["doc_id"])}


def show_value(value: object) -> str:
    """Return a given value for an error message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _SHOWN_SIGNS else f"{text[: _SHOWN_SIGNS - 1]}…"


def validated(model: type[_M], values: Mapping[str, Any]) -> _M:
    """Return a model of flag values.

    Args:
        model: What to build.
        values: By field name.

    Returns:
        The model.

    Raises:
        InvalidInputError: The first value that does not validate.
    """
    from kebab_core import InvalidInputError
    from pydantic import ValidationError

    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        field = str(first["loc"][0])
        complaint = first["msg"].replace("Input should be", "must be")
        raise InvalidInputError(
            f"{flag_of(field)}: {complaint[:1].lower()}{complaint[1:]}, got {show_value(first['input'])}",
            hint=f"{click.get_current_context().command_path} --help",
        ) from error
