"""Shapes of exports as JSON, by which their content tells them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, cast

from kebab_core import UnsupportedMediaError
from kebab_parse import JsonStream, TextPieces

if TYPE_CHECKING:
    from kebab_core import StructuredFormat
    from pydantic import JsonValue

    from kebab_parse_structured.structured_extractor import Object

    Values = Iterable[tuple[str, JsonValue]]
    """Values of a file with their paths, as `JsonStream` yields them."""


class Shape(NamedTuple):
    """The export of a program."""

    app: StructuredFormat
    signs: tuple[bytes, ...]
    """Bytes that its file contains, wherever."""
    leaves: tuple[str, ...]
    """Paths of its records, as `JsonStream` takes them; the first tells it."""
    keys: frozenset[str]
    """Fields of the first record."""


SHAPES = (
    Shape("roam", (b'"uid"', b'"string"'), ("item",), frozenset({"title", "uid"})),
    Shape(
        "trello",
        (b'"idList"', b'"lists"', b'"cards"'),
        ("cards.item", "lists.item", "checklists.item", "actions.item", "labels.item", "members.item"),
        frozenset({"idList", "name"}),
    ),
    Shape(
        "dayone",
        (b'"entries"', b'"creationDate"'),
        ("entries.item",),
        frozenset({"uuid", "creationDate"}),
    ),
    Shape("tasks", (b'"tasks#taskLists"',), ("items.item",), frozenset({"title", "items"})),
    Shape(
        "simplenote",
        (b'"activeNotes"', b'"lastModified"'),
        ("activeNotes.item", "trashedNotes.item"),
        frozenset({"content", "lastModified"}),
    ),
)
_LEAVES = {shape.app: shape.leaves for shape in SHAPES}


class JsonValues:
    """The values of a file up to where it is damaged.

    Args:
        content: The file.
        leaves: Paths of the values, as `JsonStream` takes them.
    """

    def __init__(self, content: bytes, leaves: tuple[str, ...]) -> None:
        self._content = content
        self._leaves = leaves
        self.is_cut = False
        """True if the file is damaged or breaks off; set once all values are taken."""

    def __iter__(self) -> Iterator[tuple[str, JsonValue]]:
        try:
            for path, value in JsonStream(TextPieces(self._content, end=",")).read(self._leaves):
                yield path, cast("JsonValue", value)
        except (ValueError, RecursionError):
            self.is_cut = True


def find_leaves(app: str) -> tuple[str, ...]:
    """Return the paths of the records of an export; that of all of it where it has no shape."""
    return _LEAVES.get(cast("StructuredFormat", app), ("",))


def find_shape(content: bytes) -> Shape | None:
    """Return the shape of an export; None where it is none. It is read as far as its first record."""
    possible = (shape for shape in SHAPES if all(sign in content for sign in shape.signs))
    return next((shape for shape in possible if shape.keys <= _first_record(shape, content).keys()), None)


def _first_record(shape: Shape, content: bytes) -> Object:
    try:
        return next(records_of(JsonValues(content, shape.leaves), shape.leaves[0]), {})
    except UnsupportedMediaError:
        return {}


def records_of(values: Values, path: str) -> Iterator[Object]:
    """Yield the objects at a path."""
    return (value for own, value in values if own == path and isinstance(value, dict))
