"""What `search --bulk` reads: one query on each line, as JSON, with fields named like the flags of `search`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_app import ArgumentProblem
    from kebab_config import Settings
    from kebab_core import InvalidInputError, SearchQuery
    from pydantic import JsonValue

_HINT = "kebab search --help"


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
    """Build the query of one line.

    Args:
        given: The line.
        settings: Give what the line leaves out.

    Raises:
        InvalidInputError: A field is unknown or missing, or its value is none that the flag would take.
    """
    from kebab_app import build_search_query, find_problem
    from kebab_wire import BulkSearchInputV1
    from pydantic import ValidationError

    try:
        asked = BulkSearchInputV1.model_validate(given)
    except ValidationError as error:
        complaint = _field_error(find_problem(error))
        raise complaint from error
    wanted = {
        name: getattr(asked, name) for name in ("mode", "k", "snippet_chars", "max_tokens", "cursor", "trace")
    }
    return build_search_query(settings, asked.query, filters=dict(asked), complain=_field_error, **wanted)


def _field_error(problem: ArgumentProblem) -> InvalidInputError:
    """Word what is wrong with a field of a line."""
    from kebab_core import InvalidInputError
    from kebab_wire import BulkSearchInputV1

    from kebab_cli.filters import ID_HINTS, NOT_A_TIME, id_error

    name = problem.argument
    if problem.kind in ID_HINTS:
        return id_error(problem)
    if problem.kind == "unknown":
        fields = ", ".join(each for each in BulkSearchInputV1.model_fields if each != "schema_version")
        return InvalidInputError(f"a query has no field {name!r}", hint=f"it has {fields}", field=name)
    message = f"{name}: {problem.detail}"
    if problem.kind == "missing":
        message = f"the field {name!r} is missing"
    if problem.kind == "time":
        message = f"{name}: {problem.value!r} {NOT_A_TIME}"
    return InvalidInputError(message, hint=_HINT, field=name)
