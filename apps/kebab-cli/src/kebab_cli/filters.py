"""Flags that narrow which documents take part; the same on every command that searches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from kebab_core import SearchFilters
    from pydantic import BaseModel

_M = TypeVar("_M", bound="BaseModel")
_F = TypeVar("_F", bound=Callable[..., Any])


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


_OPTIONS = (
    click.option("--tag", "tag", multiple=True, metavar="TAG", help="With this tag; may be repeated."),
    click.option("--lang", metavar="CODE", help="In this language, such as ko or en."),
    click.option("--path-glob", metavar="GLOB", help='Below matching paths, such as "notes/**/*.md".'),
    click.option(
        "--trust-min",
        type=click.Choice(["primary", "secondary", "generated"]),
        help="At least this trusted.",
    ),
    click.option("--media", type=Commas(), help="Of these kinds: markdown, text, pdf, image, audio, code."),
    click.option("--ingested-after", type=_Instant(), metavar="TIME", help="Indexed after this time."),
    click.option("--doc-id", metavar="ID", help="In this document."),
    click.option("--repo", multiple=True, metavar="NAME", help="In this repository; may be repeated."),
    click.option("--code-lang", type=Commas(), help="In these programming languages."),
    click.option("--source", type=Commas(), help="In these configured sources."),
    click.option(
        "--source-type", type=Commas(), help="Of these types: markdown, note, paper, reference, inbox, code."
    ),
)


def filter_options(function: _F) -> _F:
    """Return the command with all filter flags."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


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
            "tags_any": values["tag"],
            "lang": values["lang"],
            "path_glob": values["path_glob"],
            "trust_min": values["trust_min"],
            "media": values["media"] or (),
            "ingested_after": values["ingested_after"],
            "doc_id": read_document_id(values["doc_id"]) if values["doc_id"] is not None else None,
            "repo": values["repo"],
            "code_lang": values["code_lang"] or (),
            "source_id": values["source"] or (),
            "source_type": values["source_type"] or (),
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
        flag = str(first["loc"][0]).removesuffix("_any").replace("_", "-")
        complaint = first["msg"].replace("Input should be", "must be")
        raise InvalidInputError(
            f"--{flag}: {complaint[:1].lower()}{complaint[1:]}, got {first['input']!r}",
            hint=f"{click.get_current_context().command_path} --help",
        ) from error
