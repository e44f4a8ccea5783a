"""Readers of files with one JSON object a line, one line at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from unicodedata import normalize

from kebab_core import InvalidInputError, Message, Remedy

LINE_REMEDY = Remedy(
    advice=Message("every line is {value}", value='an object such as {"_id": "…", "text": "…"}')
)


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield the objects of a file; blank lines are skipped.

    Args:
        path: UTF-8, a byte-order mark is tolerated.

    Yields:
        Line number, from 1, and object, in order.

    Raises:
        InvalidInputError: The file cannot be read, or a line is no JSON object.
    """
    for number, line in read_lines(path):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise InvalidInputError(
                "line {line} of {path!r} is not a JSON object",
                remedy=LINE_REMEDY,
                path=str(path),
                line=number,
            )
        yield number, value


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file that are not blank, without line ends.

    Args:
        path: UTF-8, a byte-order mark is tolerated.

    Yields:
        Line number, from 1, and text, in order.

    Raises:
        InvalidInputError: The file cannot be read or is not UTF-8.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except OSError as error:
        raise InvalidInputError(
            "cannot read {path!r}: {reason}",
            remedy=Remedy(
                advice=Message("name a folder that holds queries.jsonl, qrels.tsv and corpus.jsonl")
            ),
            path=str(path),
            _reason=error.strerror,
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            "{path!r} is not UTF-8",
            remedy=Remedy(advice=Message("save {path!r} as UTF-8", path=str(path))),
            path=str(path),
        ) from error


def read_text_field(fields: dict[str, object], name: str, *, path: Path, line: int, needed: bool) -> str:
    """Return a field of a line as text, empty where it is absent and not needed.

    Numbers are accepted: some sets write ids without quotes.

    Raises:
        InvalidInputError: It is absent or empty although needed, or neither text nor a number.
    """
    value = fields.get(name)
    if value is None and not needed:
        return ""
    is_text = isinstance(value, str | int | float) and not isinstance(value, bool)
    if not is_text or (needed and not str(value).strip()):
        raise InvalidInputError(
            "line {line} of {path!r} has no text in `{name}`",
            remedy=LINE_REMEDY,
            path=str(path),
            line=line,
            _name=name,
        )
    return str(value)


def read_id(fields: dict[str, object], *, path: Path, line: int) -> str:
    """Return the `_id` of a line in NFC, without surrounding white space.

    Raises:
        InvalidInputError: It is absent or empty, or neither text nor a number.
    """
    return normalize("NFC", read_text_field(fields, "_id", path=path, line=line, needed=True).strip())
