"""What kinds of documents there are, as settings, filters and front matter name them."""

from __future__ import annotations

from enum import StrEnum

UNDETERMINED_LANG = "und"
"""BCP 47's tag for a language that is not known."""


class SourceType(StrEnum):
    """What a document is, as filters name it."""

    MARKDOWN = "markdown"
    NOTE = "note"
    PAPER = "paper"
    REFERENCE = "reference"
    INBOX = "inbox"
    CODE = "code"


class TrustLevel(StrEnum):
    """How far a document may be relied on, most first."""

    PRIMARY = "primary"
    SECONDARY = "secondary"
    GENERATED = "generated"

    @property
    def rank(self) -> int:
        """Position from 0 (most trusted)."""
        return list(TrustLevel).index(self)
