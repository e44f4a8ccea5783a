"""Citations: an address in a document that a reader can open and check."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Literal
from urllib.parse import quote

from pydantic import Field, StringConstraints, model_validator

from kebab_core.asset import SourceId, WorkspacePath
from kebab_core.ids import DEFAULT_SOURCE_ID
from kebab_core.model import Model
from kebab_core.span import require_order

_SourceId = Annotated[SourceId, StringConstraints(pattern=r"^[A-Za-z0-9._-]+$")]
_Label = Annotated[str, Field(min_length=1)]
_One = Annotated[int, Field(ge=1)]
_Zero = Annotated[int, Field(ge=0)]


class _Cited(Model, ABC):
    path: WorkspacePath
    source_id: _SourceId = SourceId(DEFAULT_SOURCE_ID)

    def to_uri(self) -> str:
        """Return the citation as a URI, ASCII only; `citation_uri` lists the forms."""
        prefix = "" if self.source_id == DEFAULT_SOURCE_ID else f"{self.source_id}:"
        return f"{prefix}{quote(self.path, safe='/')}#{self._fragment()}"

    @abstractmethod
    def _fragment(self) -> str: ...


class LineCitation(_Cited):
    """Lines of a text file, 1-based, inclusive."""

    kind: Literal["line"] = "line"
    start: _One
    end: _One
    section: str | None = None

    @model_validator(mode="after")
    def _ordered(self) -> LineCitation:
        return require_order(self, self.start, self.end)

    def _fragment(self) -> str:
        return _lines(self.start, self.end)


class PageCitation(_Cited):
    """A page of a paged document, 1-based."""

    kind: Literal["page"] = "page"
    page: _One
    section: str | None = None

    def _fragment(self) -> str:
        return f"p={self.page}"


class RegionCitation(_Cited):
    """A rectangle in pixels from the top left, on `page` (1-based) where there are pages."""

    kind: Literal["region"] = "region"
    x: _Zero
    y: _Zero
    w: _Zero
    h: _Zero
    page: _One | None = None

    def _fragment(self) -> str:
        page = "" if self.page is None else f"p={self.page}&"
        return f"{page}xywh={self.x},{self.y},{self.w},{self.h}"


class CaptionCitation(_Cited):
    """What a model said of a picture."""

    kind: Literal["caption"] = "caption"
    model: str

    def _fragment(self) -> str:
        return "caption" + _option("model", self.model)


class TimeCitation(_Cited):
    """A stretch of a recording in milliseconds."""

    kind: Literal["time"] = "time"
    start_ms: _Zero
    end_ms: _Zero
    speaker: str | None = None

    @model_validator(mode="after")
    def _ordered(self) -> TimeCitation:
        return require_order(self, self.start_ms, self.end_ms)

    def _fragment(self) -> str:
        return f"t={_clock(self.start_ms)},{_clock(self.end_ms)}" + _option("speaker", self.speaker)


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

    def _fragment(self) -> str:
        options = _option("symbol", self.symbol) + _option("lang", self.lang)
        # An empty language tells code without a known symbol or language from lines of text.
        return _lines(self.line_start, self.line_end) + (options or "&lang=")


Citation = Annotated[
    LineCitation | PageCitation | RegionCitation | CaptionCitation | TimeCitation | CodeCitation,
    Field(discriminator="kind"),
]
"""One of the six kinds, told apart by `kind`."""


def _lines(start: int, end: int) -> str:
    return f"L{start}" if start == end else f"L{start}-L{end}"


def _option(name: str, value: str | None) -> str:
    return "" if value is None else f"&{name}={quote(value, safe='')}"


def _clock(ms: int) -> str:
    seconds, milliseconds = divmod(ms, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02}:{minute:02}:{second:02}.{milliseconds:03}"
