"""Citations: an address in a document that a reader can open and check."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from kebab_core.asset import SourceId, WorkspacePath
from kebab_core.ids import DEFAULT_SOURCE_ID
from kebab_core.model import Model
from kebab_core.span import require_order

_SourceId = Annotated[SourceId, StringConstraints(pattern=r"^[A-Za-z0-9._-]+$")]
_Label = Annotated[str, Field(min_length=1)]
_One = Annotated[int, Field(ge=1)]
_Zero = Annotated[int, Field(ge=0)]


class _Cited(Model):
    path: WorkspacePath
    source_id: _SourceId = SourceId(DEFAULT_SOURCE_ID)

    def to_uri(self) -> str:
        """Return the citation as a URI: percent-encoded path and a fragment in W3C Media Fragments style."""
        from kebab_core.citation_uri import format_citation

        return format_citation(self)  # type: ignore[arg-type]  # every subclass is a Citation


class LineCitation(_Cited):
    """Lines of a text file, 1-based, inclusive."""

    kind: Literal["line"] = "line"
    start: _One
    end: _One
    section: str | None = None

    @model_validator(mode="after")
    def _ordered(self) -> LineCitation:
        return require_order(self, self.start, self.end)


class PageCitation(_Cited):
    """A page of a paged document, 1-based."""

    kind: Literal["page"] = "page"
    page: _One
    section: str | None = None


class RegionCitation(_Cited):
    """A rectangle in pixels from the top left, on `page` (1-based) where there are pages."""

    kind: Literal["region"] = "region"
    x: _Zero
    y: _Zero
    w: _Zero
    h: _Zero
    page: _One | None = None


class CaptionCitation(_Cited):
    """What a model said of a picture."""

    kind: Literal["caption"] = "caption"
    model: str


class TimeCitation(_Cited):
    """A stretch of a recording in milliseconds."""

    kind: Literal["time"] = "time"
    start_ms: _Zero
    end_ms: _Zero
    speaker: str | None = None

    @model_validator(mode="after")
    def _ordered(self) -> TimeCitation:
        return require_order(self, self.start_ms, self.end_ms)


class CodeCitation(_Cited):
    """Lines of a source-code file, 1-based, inclusive."""

    kind: Literal["code"] = "code"
    line_start: _One
    line_end: _One
    symbol: _Label | None = None
    lang: _Label | None = None

    @model_validator(mode="after")
    def _ordered(self) -> CodeCitation:
        return require_order(self, self.line_start, self.line_end)


Citation = Annotated[
    LineCitation | PageCitation | RegionCitation | CaptionCitation | TimeCitation | CodeCitation,
    Field(discriminator="kind"),
]
"""One of the six kinds, told apart by `kind`."""
