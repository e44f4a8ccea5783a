"""Facets: values that documents are filtered by."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

MediaKind = Literal[
    "markdown",
    "text",
    "pdf",
    "office",
    "html",
    "epub",
    "hwp",
    "email",
    "chat",
    "image",
    "subtitles",
    "audio",
    "code",
    "structured",
    "archive",
    "other",
]
"""Name of a medium in filters and statistics."""

UNDETERMINED_LANG = "und"
"""BCP 47's tag for a language that is not known."""


class SourceType(StrEnum):
    """Type of a document, as filters name it."""

    MARKDOWN = "markdown"
    NOTE = "note"
    PAPER = "paper"
    REFERENCE = "reference"
    INBOX = "inbox"
    CODE = "code"


class TrustLevel(StrEnum):
    """Trust level of a document, most trusted first."""

    PRIMARY = "primary"
    SECONDARY = "secondary"
    GENERATED = "generated"

    @property
    def rank(self) -> int:
        """Position from 0 (most trusted)."""
        return list(TrustLevel).index(self)
