"""Documents that pass a filter, as a condition on the columns that documents and passages share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence, Set as AbstractSet
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from kebab_core import DocumentId, SearchFilters, Selection

from kebab_store_lake.rows import microseconds, symbol_name
from kebab_store_lake.tables import one_of, quoted

if TYPE_CHECKING:
    from kebab_store_lake.tables import LakeTable

_LISTED = ("source_id", "media", "lang", "doc_id", "repo", "code_lang", "source_type")
_TOKEN = re.compile(
    r"""
      (?P<any_folders>(?<![^/])\*{2,}/) | (?P<anything>\*{2,}) | (?P<any_of_name>\*) | (?P<one_character>\?)
    | \\(?P<escaped>.) | (?P<bracket>\[[!^]?\]?[^\]]*\]) | (?P<character>.)
    """,
    re.DOTALL | re.VERBOSE,
)
_MEMBER = re.compile(r"(.)-(.)|(.)", re.DOTALL)
_STEPS = {"any_folders": "(?:.*/)?", "anything": ".*", "any_of_name": "[^/]*", "one_character": "[^/]"}
_NOTHING = "[^\\s\\S]"


class LakeSelection(AbstractSet[DocumentId]):
    """The documents of a table that meet a condition; ids are read where it is iterated."""

    def __init__(self, table: LakeTable, where: str) -> None:
        self._table = table
        self.where = where

    def __contains__(self, doc_id: object) -> bool:
        if "_ids" in self.__dict__:
            return doc_id in self._ids
        return bool(self._table.count(f"doc_id = {quoted(str(doc_id))} AND ({self.where})"))

    def __iter__(self) -> Iterator[DocumentId]:
        return iter(self._ids)

    def __len__(self) -> int:
        return self._count

    def __sub__(self, other: AbstractSet[object]) -> LakeSelection:
        ids = list(map(str, other))
        return LakeSelection(self._table, f"({self.where}) AND NOT {one_of('doc_id', ids)}") if ids else self

    def among(self, ids: Iterable[str]) -> set[str]:
        """Return those of some ids that are selected."""
        where = f"({self.where}) AND {one_of('doc_id', ids)}"
        return {row["doc_id"] for row in self._table.scan(["doc_id"], where)}

    @classmethod
    def _from_iterable(cls, it: Iterable[DocumentId]) -> frozenset[DocumentId]:  # type: ignore[override]
        return frozenset(it)

    @cached_property
    def _ids(self) -> frozenset[DocumentId]:
        return frozenset(
            str.__new__(DocumentId, row["doc_id"]) for row in self._table.scan(["doc_id"], self.where)
        )

    @cached_property
    def _count(self) -> int:
        return self._table.count(self.where)


def condition_of(documents: Selection | None, without: Collection[DocumentId] = ()) -> str | None:
    """Return the condition on a row that it is of these documents, but of none of the others; None for all of them."""
    found = []
    if documents is not None:
        found.append(
            documents.where if isinstance(documents, LakeSelection) else one_of("doc_id", map(str, documents))
        )
    if without:
        found.append(f"NOT ({one_of('doc_id', map(str, without))})")
    return " AND ".join(f"({each})" for each in found) or None


def filter_condition(filters: SearchFilters) -> str:
    """Return the condition that a row of `documents` passes the filters."""
    listed = [(column, getattr(filters, column)) for column in _LISTED]
    found = [one_of(column, map(_nfc, values)) for column, values in listed if values]
    found += _time_conditions(filters)
    if filters.tags_any:
        found.append(_tags_condition(list(map(_nfc, filters.tags_any))))
    if filters.path_glob:
        found.append(f"({' OR '.join(map(_glob_condition, filters.path_glob))})")
    if filters.trust_min is not None:
        found.append(f"trust_rank <= {filters.trust_min.rank}")
    if filters.symbol:
        names = ", ".join(quoted(name) for each in filters.symbol if (name := symbol_name(each)))
        found.append(f"array_has_any(symbols, [{names}])" if names else "false")
    return " AND ".join(found) or "true"


def _time_conditions(filters: SearchFilters) -> list[str]:
    found = []
    if filters.ingested_after is not None:
        found.append(f"indexed_us > {microseconds(filters.ingested_after)}")
    if filters.since is not None:
        found.append(f"updated_us >= {microseconds(filters.since)}")
    if filters.until is not None:
        found.append(f"updated_us <= {microseconds(filters.until)}")
    if filters.modified_since is not None:
        found.append(f"mtime_ns >= {_nanoseconds(filters.modified_since)}")
    return found


def _tags_condition(tags: Sequence[str]) -> str:
    """Return the condition that a row has one of some tags, or one nested in it."""
    listed = ", ".join(map(quoted, tags))
    nested = quoted(rf"\n(?:{'|'.join(_escaped(f'{tag}/') for tag in tags)})")
    joined = "concat('\n', array_to_string(tags, '\n'))"
    return f"(array_has_any(tags, [{listed}]) OR regexp_like({joined}, {nested}))"


def glob_expression(glob: str) -> str:
    """Return the regular expression of a gitignore-style glob over a whole path. See `SearchFilters.path_glob`."""
    pattern = unicodedata.normalize("NFC", glob).removeprefix("/")
    if pattern.endswith("/"):
        pattern += "**"
    return f"(?s)^{''.join(map(_token_expression, _TOKEN.finditer(pattern)))}$"


def _token_expression(match: re.Match[str]) -> str:
    kind = str(match.lastgroup)
    if kind == "bracket":
        return _bracket(match[kind][1:-1])
    return _STEPS.get(kind) or _escaped(match[kind])


def _bracket(body: str) -> str:
    if not body:
        return _escaped("[]")
    negated = body[0] in "!^"
    members = "".join(_member(match) for match in _MEMBER.finditer(body, int(negated)))
    if not members:
        return "[^/]" if negated else _NOTHING
    return f"[^/{members}]" if negated else f"[{members}&&[^/]]"


def _member(match: re.Match[str]) -> str:
    low, high, char = match.groups()
    if char is not None:
        return _escaped(char)
    return f"{_escaped(low)}-{_escaped(high)}" if low <= high else ""


def _escaped(text: str) -> str:
    """Escape a text for the regular expressions of Rust, which refuse a backslash before a letter or a character beyond ASCII."""
    return "".join(
        f"\\{char}" if char.isascii() and not char.isalnum() and char not in " \n_/<>'\"" else char
        for char in text
    )


def _glob_condition(glob: str) -> str:
    whole = f"regexp_like(path, {quoted(glob_expression(glob))})"
    source, colon, path = glob.partition(":")
    if not colon:
        return whole
    of_source = f"regexp_like(source_id, {quoted(glob_expression(source))})"
    return f"({whole} OR ({of_source} AND regexp_like(path, {quoted(glob_expression(path))})))"


def _nanoseconds(at: datetime) -> int:
    """Return a time in nanoseconds, within 64 bits."""
    return max(-(2**63) + 1, min(2**63 - 1, microseconds(at) * 1000))


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
