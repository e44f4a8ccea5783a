"""Requests from plain values: defaults, times, ids and filters as both faces take them.

The command line (flags, lines of `search --bulk`) and the server for agents (arguments of tools) call these builders, so
that a value means the same everywhere. What is wrong with a value is an `ArgumentProblem`; each face gives a function
that puts it into its own words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from kebab_core import ChunkId, DocumentId, InvalidInputError, Message, SearchFilters, SearchMode, SearchQuery
from pydantic import BaseModel, ValidationError

if TYPE_CHECKING:
    from kebab_core import FetchQuery
    from kebab_rag import AskRequest

    from kebab_app.knowledge_base import KnowledgeBase

_MAX_SHOWN_CHARS = 80
_ARGUMENTS = {"tags_any": "tag", "source_id": "source", "text": "query"}
"""Arguments by the field they set, where that has another name."""
_TIMES = ("ingested_after", "since", "until", "modified_since")
_TO_END = "until"
"""The time that includes all of a day, month or year that is named."""
_LOWER_CASE = ("media", "source_type")

_M = TypeVar("_M", bound=BaseModel)


@dataclass(frozen=True, kw_only=True)
class ArgumentProblem:
    """One value that a request cannot have."""

    argument: str
    """Its name, with underscores."""
    kind: Literal["unknown", "missing", "value", "time", "document_id", "chunk_id"]
    value: object = None
    """As given."""
    detail: str = ""
    """Of a `value`: what it must be, and what it is, as the end of a sentence."""


Complain = Callable[[ArgumentProblem], InvalidInputError]
"""Words an error in the terms of a face."""


def complain_by_name(problem: ArgumentProblem) -> InvalidInputError:
    """Word an error for a face whose arguments the user does not write: the name of the argument and what is wrong with it."""
    if problem.kind == "time":
        return InvalidInputError("{value} is not a time", value=str(problem.value))
    return InvalidInputError(
        "{name}: {detail}",
        _name=problem.argument,
        _detail=problem.detail or Message("this value is not possible"),
    )


def build_search_query(
    base: KnowledgeBase,
    text: str,
    *,
    filters: Mapping[str, Any],
    complain: Complain = complain_by_name,
    **values: Any,
) -> SearchQuery:
    """Build a search.

    Args:
        base: Gives mode and k where they are None.
        text: The query; empty with one `symbol` among the filters, that is looked up by name (`by_symbol`).
        filters: By argument name, as `build_filters` takes them.
        complain: Words an error.
        values: Other fields of `SearchQuery`; None takes the default.

    Raises:
        InvalidInputError: A value is not possible; from `complain`.
    """
    criteria = build_filters(filters, complain=complain)
    if not text.strip() and len(criteria.symbol) == 1:
        (text,) = criteria.symbol
        criteria = criteria.model_copy(update={"symbol": ()})
        values["by_symbol"] = True
    given = {
        **values,
        "text": text,
        "mode": choose_mode(base, values.get("mode")),
        "k": values.get("k") or base.loaded.settings.search.default_k,
        "filters": criteria,
    }
    return _validate(SearchQuery, given, complain)


def build_ask_request(
    base: KnowledgeBase,
    question: str,
    *,
    filters: Mapping[str, Any],
    complain: Complain = complain_by_name,
    **values: Any,
) -> AskRequest:
    """Build a question.

    Args:
        base: Gives the mode where it is None.
        question: The question.
        filters: By argument name, as `build_filters` takes them.
        complain: Words an error.
        values: Other fields of `AskRequest`; None takes the default.

    Raises:
        InvalidInputError: A value is not possible; from `complain`.
    """
    from kebab_rag import AskRequest

    given = {
        **values,
        "question": question,
        "mode": choose_mode(base, values.get("mode")),
        "filters": build_filters(filters, complain=complain),
    }
    return _validate(AskRequest, given, complain)


def build_fetch_query(
    kind: Literal["chunk", "doc", "span", "address"],
    *,
    complain: Complain,
    chunk_id: str | None = None,
    doc_id: str | None = None,
    **values: int | str | None,
) -> FetchQuery:
    """Build a request for stored text.

    Args:
        kind: A passage, a document, a part of it, or what an address names.
        complain: Words an error.
        chunk_id: Of a passage.
        doc_id: Of a document or of a part of it.
        values: Other fields of the request; None takes the default.

    Raises:
        InvalidInputError: An id is not one, or a value is not possible; from `complain`.
    """
    from kebab_core import FetchAddress, FetchChunk, FetchDocument, FetchSpan

    if kind == "address":
        return _validate(FetchAddress, values, complain)
    if kind == "chunk":
        chunk = parse_chunk_id(chunk_id or "", complain=complain)
        return _validate(FetchChunk, {**values, "chunk_id": chunk}, complain)
    document = parse_document_id(doc_id or "", complain=complain)
    model: type[FetchDocument | FetchSpan] = FetchDocument if kind == "doc" else FetchSpan
    return _validate(model, {**values, "doc_id": document}, complain)


def build_filters(filters: Mapping[str, Any], *, complain: Complain = complain_by_name) -> SearchFilters:
    """Build the filters of a search.

    Args:
        filters: Values by argument name, such as `tag`; None and missing ones do not filter. Lists of words may be one
            text with commas between them, `path_glob` may be one text, commas and all; times may be text, and languages their names.
        complain: Words an error.

    Raises:
        InvalidInputError: A value is not possible; from `complain`.
    """
    given = {field: filters.get(filter_argument(field)) for field in SearchFilters.model_fields}
    fields = {
        field: _read_filter(filter_argument(field), value, complain)
        for field, value in given.items()
        if value is not None
    }
    return _validate(SearchFilters, fields, complain)


def choose_mode(base: KnowledgeBase, name: str | None = None) -> SearchMode:
    """Choose the mode of a search: the one named, else hybrid where the base has an embedding model, else lexical."""
    if name is not None:
        return SearchMode(name)
    return SearchMode.HYBRID if base.wants_vectors else SearchMode.LEXICAL


def parse_time(text: str, *, to_end: bool = False) -> datetime:
    """Parse a point in time as `kebab_text.parse_time` does, as of now.

    Raises:
        ValueError: It is not one, or beyond the calendar.
    """
    from kebab_text import parse_time as parse

    from kebab_app.wiring import SystemClock

    return parse(text, now=SystemClock().now(), to_end=to_end)


def find_time_word(text: str) -> str | None:
    """Find the word for a time that a misspelt one is nearest to. See `kebab_text.find_time_word`."""
    from kebab_text import find_time_word as find

    return find(text)


def parse_document_id(text: str, *, complain: Complain) -> DocumentId:
    """Parse the id of a document.

    Raises:
        InvalidInputError: It is not one; from `complain`.
    """
    try:
        return DocumentId(text)
    except InvalidInputError as error:
        complaint = complain(ArgumentProblem(argument="doc_id", kind="document_id", value=text))
        raise complaint from error


def parse_chunk_id(text: str, *, complain: Complain) -> ChunkId:
    """Parse the id of a passage.

    Raises:
        InvalidInputError: It is not one; from `complain`.
    """
    try:
        return ChunkId(text)
    except InvalidInputError as error:
        complaint = complain(ArgumentProblem(argument="chunk_id", kind="chunk_id", value=text))
        raise complaint from error


def split_words(text: str) -> tuple[str, ...]:
    """Split text at its commas; empty parts are left out."""
    return tuple(part for each in text.split(",") if (part := each.strip()))


def filter_argument(field: str) -> str:
    """Name the argument that sets a field of `SearchFilters`."""
    return _ARGUMENTS.get(field, field)


def find_problem(error: ValidationError) -> ArgumentProblem:
    """Find the first value that does not validate; an unknown name comes before all others.

    An unknown name may be the misspelling of one that is missing.
    """
    first = min(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
    name = str(first["loc"][0]) if first["loc"] else ""
    if first["type"] == "extra_forbidden":
        return ArgumentProblem(argument=name, kind="unknown", value=first["input"])
    if first["type"] == "missing":
        return ArgumentProblem(argument=name, kind="missing")
    said = first["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
    said = said[:1].lower() + said[1:]
    detail = Message("{requirement}, got {value}", requirement=said, value=_show(first["input"]))
    return ArgumentProblem(argument=name, kind="value", value=first["input"], detail=detail)


def _read_filter(name: str, value: Any, complain: Complain) -> Any:
    if name == "trust_min":
        return value.lower()
    if name in _TIMES:
        return value if isinstance(value, datetime) else _read_time(name, value, complain)
    if isinstance(value, str):
        value = (value,) if name == "path_glob" else split_words(value)
    if name == "doc_id":
        return tuple(parse_document_id(text, complain=complain) for text in value)
    if name == "tag":
        return tuple(text.removeprefix("#").removesuffix("/") for text in value)
    if name == "lang":
        from kebab_text import find_language_code

        return tuple(map(find_language_code, value))
    return tuple(text.lower() for text in value) if name in _LOWER_CASE else value


def _read_time(name: str, text: str, complain: Complain) -> datetime:
    try:
        return parse_time(text, to_end=name == _TO_END)
    except ValueError as error:
        complaint = complain(ArgumentProblem(argument=name, kind="time", value=text))
        raise complaint from error


def _validate(model: type[_M], values: Mapping[str, Any], complain: Complain) -> _M:
    try:
        return model.model_validate({name: value for name, value in values.items() if value is not None})
    except ValidationError as error:
        problem = find_problem(error)
        complaint = complain(replace(problem, argument=filter_argument(problem.argument)))
        raise complaint from error


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[: _MAX_SHOWN_CHARS - 1]}…"
