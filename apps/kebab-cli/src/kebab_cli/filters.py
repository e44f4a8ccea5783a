"""Flags that narrow which documents take part; the same on every command that searches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from kebab_core import SearchFilters
    from pydantic import BaseModel

_M = TypeVar("_M", bound="BaseModel")
_F = TypeVar("_F", bound=Callable[..., Any])
_Decorator = Callable[[Any], Any]


class Commas(click.ParamType[tuple[str, ...]]):
    """Values separated by commas."""

    name = "a,b,…"

    def convert(
        self,
        value: Any,
        parameter: click.Parameter | None,
        context: click.Context | None,
    ) -> tuple[str, ...]:
        """Return the parts that are not empty."""
        if isinstance(value, tuple):
            return value
        parts = tuple(part.strip() for part in value.split(",") if part.strip())
        if not parts:
            self.fail("needs at least one value", parameter, context)
        return parts


class _Instant(click.ParamType[datetime]):
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
            return datetime.fromisoformat(value).astimezone()
        except ValueError:
            self.fail(
                f"{value!r} is not a time like 2026-11-21 or 2026-11-21T09:30:00+09:00", parameter, context
            )


def _list_option(name: str, *, metavar: str, help: str) -> _Decorator:  # noqa: A002 - as click calls it
    """Return a flag whose values are separated by commas, repeated, or both."""
    return click.option(
        name,
        type=Commas(),
        multiple=True,
        metavar=metavar,
        callback=_joined,
        help=f"{help}  [a,b or repeated]",
    )


def _joined(_context: click.Context, _parameter: click.Parameter, value: Any) -> tuple[str, ...]:
    return tuple(chain.from_iterable(value))


_LISTING: tuple[_Decorator, ...] = (
    _list_option("--tag", metavar="TAG", help="With any of these tags."),
    _list_option("--lang", metavar="CODE", help="In any of these languages, such as ko or en."),
    click.option(
        "--path-glob",
        multiple=True,
        metavar="GLOB",
        help='Below matching paths, such as "notes/**/*.md".  [repeated]',
    ),
    _list_option("--media", metavar="KIND", help="Of these kinds: markdown, text, pdf, image, audio, code."),
    _list_option("--source", metavar="NAME", help="In these configured sources."),
)
_SEARCH_ONLY: tuple[_Decorator, ...] = (
    click.option(
        "--trust-min",
        type=click.Choice(["primary", "secondary", "generated"]),
        help="At least this trusted.",
    ),
    click.option("--ingested-after", type=_Instant(), metavar="TIME", help="Indexed after this time."),
    _list_option("--doc-id", metavar="ID", help="In these documents."),
    _list_option("--repo", metavar="NAME", help="In these repositories."),
    _list_option("--code-lang", metavar="NAME", help="In these programming languages."),
    _list_option(
        "--source-type",
        metavar="TYPE",
        help="Of these types: markdown, note, paper, reference, inbox, code.",
    ),
)
_FIELD_FLAGS = {"tags_any": "tag", "source_id": "source"}
"""Fields whose flag has another name."""


def listing_options(function: _F) -> _F:
    """Return the command with the filter flags of listings."""
    for option in reversed(_LISTING):
        function = option(function)
    return function


def filter_options(function: _F) -> _F:
    """Return the command with all filter flags."""
    for option in reversed((*_LISTING, *_SEARCH_ONLY)):
        function = option(function)
    return function


def listing_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the filter flags of listings mean, by field name.

    Args:
        values: By parameter name, as click parsed them.
    """
    return {
        "tags_any": values["tag"],
        "lang": values["lang"],
        "path_glob": values["path_glob"],
        "media": values["media"],
        "source_id": values["source"],
    }


def build_filters(values: Mapping[str, Any]) -> SearchFilters:
    """Return the filters that the flags ask for.

    Args:
        values: By parameter name, as click parsed them.

    Returns:
        The filters.

    Raises:
        InvalidInputError: A value that no document can have; names the values there are.
    """
    from kebab_core import SearchFilters

    from kebab_cli.ids import read_document_id

    return validated(
        SearchFilters,
        {
            **listing_fields(values),
            "trust_min": values["trust_min"],
            "ingested_after": values["ingested_after"],
            "doc_id": tuple(read_document_id(text) for text in values["doc_id"]),
            "repo": values["repo"],
            "code_lang": values["code_lang"],
            "source_type": values["source_type"],
        },
    )


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
        flag = _FIELD_FLAGS.get(field, field).replace("_", "-")
        complaint = first["msg"].replace("Input should be", "must be")
        raise InvalidInputError(
            f"--{flag}: {complaint[:1].lower()}{complaint[1:]}, got {first['input']!r}",
            hint=f"{click.get_current_context().command_path} --help",
        ) from error
