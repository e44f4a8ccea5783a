"""Arguments that narrow which documents take part: the same on every tool that searches, named as on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_mcp.tool import Arguments, Texts, Words

if TYPE_CHECKING:
    from datetime import datetime

    from kebab_core import SearchFilters

_FIELD_OF = {"tag": "tags_any", "source": "source_id"}
"""Arguments whose field has another name."""
FILTERS = (
    "tag",
    "lang",
    "path_glob",
    "media",
    "source",
    "source_type",
    "trust_min",
    "ingested_after",
    "doc_id",
    "repo",
    "code_lang",
)


LEGEND = (
    "Filters must all hold, commas join alternatives: lang ko,en; path_glob notes/**/*.md; media markdown, text, "
    "pdf, image, code; trust_min primary, secondary, generated; ingested_after 2026-11-21."
)
"""What the values of filters look like, said once."""


class FilterArguments(Arguments):
    """Several values of one filter are alternatives; different filters must all hold."""

    tag: Words = ()
    lang: Words = ()
    path_glob: Texts = ()
    media: Words = ()
    source: Words = ()
    source_type: Words = ()
    trust_min: str | None = None
    ingested_after: str | None = None
    doc_id: Words = ()
    repo: Words = ()
    code_lang: Words = ()


def build_filters(arguments: FilterArguments) -> SearchFilters:
    """Return the filters that a call asks for.

    Raises:
        InvalidInputError: A value that no document can have; names the values there are.
    """
    from kebab_core import DocumentId, InvalidInputError, SearchFilters
    from pydantic import ValidationError

    from kebab_mcp.arguments import show_value
    from kebab_mcp.ids import read_id

    given = {_FIELD_OF.get(name, name): getattr(arguments, name) for name in FILTERS}
    for name in ("media", "source_type"):
        given[name] = [value.lower() for value in given[name]]
    if arguments.trust_min is not None:
        given["trust_min"] = arguments.trust_min.lower()
    given["doc_id"] = [read_id(DocumentId, text, argument="doc_id") for text in arguments.doc_id]
    if arguments.ingested_after is not None:
        given["ingested_after"] = _read_instant(arguments.ingested_after)
    try:
        return SearchFilters.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        field = str(first["loc"][0])
        name = next((name for name, of in _FIELD_OF.items() if of == field), field)
        said = first["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
        raise InvalidInputError(
            f"{name}: {said[:1].lower()}{said[1:]}, got {show_value(first['input'])}",
            hint="`schema` tells the languages, repositories and kinds of documents that there are",
            argument=name,
        ) from error


def _read_instant(text: str) -> datetime:
    """Return a point in time, RFC 3339; a date alone is its midnight, a time without zone is local.

    Raises:
        InvalidInputError: It is none.
    """
    from datetime import UTC, datetime

    from kebab_core import InvalidInputError

    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(
            f"ingested_after: {text!r} is not a time",
            hint="write it like 2026-11-21 or 2026-11-21T09:30:00+09:00",
            argument="ingested_after",
        ) from error
