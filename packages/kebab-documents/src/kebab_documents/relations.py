"""A document with the reason why it is related to another one."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kebab_core import DocumentEntry


class Relation(StrEnum):
    """Why a document is related to another one."""

    LINKS_TO = "links_to"
    """The other one has a link to it."""
    LINKED_FROM = "linked_from"
    """It has a link to the other one."""
    CALLED_BY = "called_by"
    """Of source code: a definition in which its name is called, or a line outside of all; in its file or another one."""
    CALLS = "calls"
    """Of source code: a definition of its file that it calls by name."""
    SAME_NAME = "same_name"
    """Of source code: another definition of the same name."""
    TESTED_BY = "tested_by"
    """Of source code: a test of its name, `test_name` or `NameTest`."""
    SIMILAR = "similar"
    """A passage of it is near in meaning."""


class RelatedDocument(NamedTuple):
    """A document with the reason why it is related."""

    entry: DocumentEntry
    relation: Relation
    address: str
    """Of the document; with the line of its link, of its nearest passage or of its definition, where there is one."""
    text: str
    """Text of the link, the innermost heading of the passage, or the symbol of the definition."""
    line: int | None = None
    """Line of the link in the document that has it."""
    similarity: float | None = None
    """Cosine of the nearest passage with the mean of the passages, in [-1, 1]."""
