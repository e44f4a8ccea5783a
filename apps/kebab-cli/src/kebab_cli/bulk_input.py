"""What `search --bulk` reads: one query on each line, as JSON, with fields named like the flags of `search`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from kebab_config import Settings
    from kebab_core import InvalidInputError, SearchFilters, SearchQuery
    from kebab_wire import BulkSearchInputV1
    from pydantic import BaseModel, JsonValue, ValidationError

    _M = TypeVar("_M", bound="BaseModel")

_HINT = "kebab search --help"
_FIELD_OF = {"tag": "tags_any", "source": "source_id"}
"""Filters whose field of `SearchFilters` has another name."""
_WORDS = ("tag", "lang", "media", "doc_id", "repo", "code_lang", "source", "source_type")
"""Filters whose values may stand in one text with commas between them."""


def read_lines() -> list[dict[str, JsonValue]]:
    """Return the objects on the lines of standard input; blank lines are skipped.

    Raises:
        InvalidInputError: A line is not a JSON object in UTF-8, or a person sits at standard input.
        TooManyQueriesError: There are more than one call may have.
    """
    from kebab_app import require_few
    from kebab_core import InvalidInputError

    if sys.stdin is None:
        return []
    if sys.stdin.isatty():
        raise InvalidInputError(
            "standard input is the terminal; queries have to be piped in, one JSON object on each line",
            hint="""echo '{"query": "색인"}' | kebab search --bulk""",
        )
    found: list[dict[str, JsonValue]] = []
    for number, line in _written(sys.stdin.buffer):
        found.append(_read_line(line, number=number))
        require_few(len(found))
    return found


def _written(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(lines, start=1):
        text = line.removeprefix(b"\xef\xbb\xbf").strip() if number == 1 else line.strip()
        if text:
            yield number, text


def _read_line(line: bytes, *, number: int) -> dict[str, JsonValue]:
    from kebab_core import InvalidInputError
    from pydantic import ConfigDict, JsonValue, TypeAdapter, ValidationError

    try:
        reader = TypeAdapter(dict[str, JsonValue], config=ConfigDict(allow_inf_nan=False))
        return reader.validate_python(
            reader.validate_json(line)
        )  # only the second sees NaN, which is not JSON
    except ValidationError as error:
        said = error.errors()[0]["msg"]
        raise InvalidInputError(
            f"line {number} is not a JSON object: {said[:1].lower()}{said[1:]}",
            hint='write each query as one line like {"query": "색인", "k": 5}',
            line=number,
        ) from error


def read_query(given: Mapping[str, JsonValue], *, settings: Settings) -> SearchQuery:
    """Return the query of one line.

    Args:
        given: The line.
        settings: Say what holds where the line does not.

    Raises:
        InvalidInputError: A field is unknown or missing, or its value is none that the flag would take.
    """
    from kebab_core import SearchMode, SearchQuery
    from kebab_wire import BulkSearchInputV1
    from pydantic import ValidationError

    try:
        asked = BulkSearchInputV1.model_validate(given)
    except ValidationError as error:
        complaint = _complaint(error, known=BulkSearchInputV1.model_fields)
        raise complaint from error
    both = settings.models.embedding.provider != "none"
    values = {
        "text": asked.query,
        "mode": asked.mode or (SearchMode.HYBRID if both else SearchMode.LEXICAL),
        "k": asked.k or settings.search.default_k,
        "filters": _read_filters(asked),
        "snippet_chars": asked.snippet_chars,
        "max_tokens": asked.max_tokens,
        "cursor": asked.cursor,
        "trace": asked.trace or False,
    }
    return _validated(SearchQuery, values)


def _read_filters(asked: BulkSearchInputV1) -> SearchFilters:
    from kebab_core import SearchFilters

    from kebab_cli.ids import read_document_id

    values: dict[str, Any] = {
        _FIELD_OF.get(name, name): _split(getattr(asked, name) or ()) for name in _WORDS
    }
    globs = () if asked.path_glob is None else asked.path_glob
    values["path_glob"] = (globs,) if isinstance(globs, str) else globs
    values["doc_id"] = tuple(read_document_id(text) for text in values["doc_id"])
    for name in ("media", "source_type"):
        values[name] = tuple(text.lower() for text in values[name])
    if asked.trust_min is not None:
        values["trust_min"] = asked.trust_min.lower()
    if asked.ingested_after is not None:
        values["ingested_after"] = _read_instant(asked.ingested_after)
    return _validated(SearchFilters, values)


def _validated(model: type[_M], values: Mapping[str, Any]) -> _M:
    from pydantic import ValidationError

    try:
        return model.model_validate(values)
    except ValidationError as error:
        complaint = _complaint(error, known=())
        raise complaint from error


def _split(value: str | tuple[str, ...]) -> tuple[str, ...]:
    if not isinstance(value, str):
        return value
    return tuple(part for each in value.split(",") if (part := each.strip()))


def _read_instant(text: str) -> datetime:
    from kebab_core import InvalidInputError

    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(
            f"ingested_after: {text!r} is not a time like 2026-11-21 or 2026-11-21T09:30:00+09:00",
            hint=_HINT,
            field="ingested_after",
        ) from error


def _complaint(error: ValidationError, *, known: Iterable[str]) -> InvalidInputError:
    """Return what is wrong with the first field that does not validate, an unknown one before all others."""
    from kebab_core import InvalidInputError

    from kebab_cli.filters import show_value

    first = min(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
    field = str(first["loc"][0]) if first["loc"] else ""
    name = next((name for name, of in _FIELD_OF.items() if of == field), field)
    if first["type"] == "extra_forbidden":
        fields = ", ".join(each for each in known if each != "schema_version")
        return InvalidInputError(f"a query has no field {name!r}", hint=f"it has {fields}", field=name)
    if first["type"] == "missing":
        return InvalidInputError(f"the field {name!r} is missing", hint=_HINT, field=name)
    said = first["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
    return InvalidInputError(
        f"{name}: {said[:1].lower()}{said[1:]}, got {show_value(first['input'])}", hint=_HINT, field=name
    )
