"""Questions with what is known of their answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize

from kebab_core import InvalidInputError

from kebab_eval.json_lines import read_json_lines, read_text_field
from kebab_eval.judgements import Judgements
from kebab_eval.queries import QUERIES_FILE, tell_language

ANSWERS_FILE = "answers.jsonl"


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedQuery:
    """One question."""

    query_id: str
    text: str
    language: str
    """As `tell_language` says."""
    answerable: bool
    """Whether the documents answer it."""
    answers: tuple[str, ...] = ()
    """Any one of these is right; empty where nobody said."""
    relevant: frozenset[str] = frozenset()
    """Ids of the documents that answer it; empty where nobody said."""
    must_contain: tuple[str, ...] = ()
    """The answer has to contain all of these."""
    forbidden: tuple[str, ...] = ()
    """The answer must contain none of these."""


def read_asked(
    folder: Path, judgements: Judgements, *, only: Collection[str] | None = None
) -> list[AskedQuery]:
    """Read the questions of a set whose answers are known.

    A line of `answers.jsonl` has the `_id` of a query, and `answers`, a list of texts, or `answerable`, true or
    false; a query with neither is left out.

    Args:
        folder: Holds `queries.jsonl` and `answers.jsonl`.
        judgements: Relevant documents by query id.
        only: Ids of the queries to take; None takes all.

    Returns:
        Questions in the order of `queries.jsonl`.

    Raises:
        InvalidInputError: A file cannot be read, a line is broken, or no question is left.
    """
    known = _read_known(folder / ANSWERS_FILE)
    path, found = folder / QUERIES_FILE, []
    for line, fields in read_json_lines(path):
        query_id = normalize("NFC", read_text_field(fields, "_id", path=path, line=line, needed=True).strip())
        if query_id in known and (only is None or query_id in only):
            text = read_text_field(fields, "text", path=path, line=line, needed=True)
            found.append(_asked(query_id, text, known[query_id], judgements.get(query_id, {})))
    asked = list({query.query_id: query for query in found}.values())
    if not asked:
        raise InvalidInputError(
            f"no query in {str(folder)!r} has a known answer",
            hint=f"check that the ids of {QUERIES_FILE} and {ANSWERS_FILE} are the same",
            path=str(folder / ANSWERS_FILE),
        )
    return asked


def _asked(
    query_id: str, text: str, known: tuple[bool, tuple[str, ...]], grades: Mapping[str, int]
) -> AskedQuery:
    answerable, answers = known
    return AskedQuery(
        query_id=query_id,
        text=text,
        language=tell_language(text),
        answerable=answerable,
        answers=answers if answerable else (),
        relevant=frozenset(doc_id for doc_id, grade in grades.items() if grade > 0)
        if answerable
        else frozenset(),
    )


def _read_known(path: Path) -> dict[str, tuple[bool, tuple[str, ...]]]:
    known = {}
    for line, fields in read_json_lines(path):
        query_id = normalize("NFC", read_text_field(fields, "_id", path=path, line=line, needed=True).strip())
        answers = _texts(fields.get("answers"))
        answerable = fields.get("answerable", True if answers else None)
        if isinstance(answerable, bool):
            known[query_id] = (answerable, answers)
    return known


def _texts(value: object) -> tuple[str, ...]:
    items: Sequence[object] = value if isinstance(value, list) else ()
    return tuple(dict.fromkeys(item.strip() for item in items if isinstance(item, str) and item.strip()))
