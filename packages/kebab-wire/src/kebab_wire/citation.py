"""`citation.v1`, flat, with the fields of its kind at the top level."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal

from kebab_core import (
    CaptionCitation,
    CellCitation,
    Citation,
    CodeCitation,
    LineCitation,
    PageCitation,
    RegionCitation,
    SlideCitation,
    TimeCitation,
    is_heard,
    is_recognised,
)
from pydantic import Field, TypeAdapter

from kebab_wire.base import WireObject


class _CitationBase(WireObject):
    schema_version: Literal["citation.v1"] = "citation.v1"
    path: str
    """Path inside the source, POSIX separators."""
    source_id: str
    """Name of the configured source."""
    uri: str
    """Percent-encoded path and fragment; `<source_id>:` in front where that is not `default`."""
    address: str | None = None
    """The same for people and commands: `[source:]path#L10-L42`, readable; absent in output of earlier versions."""


class LineCitationV1(LineCitation, _CitationBase):
    """Lines of a text file, 1-based, both ends included."""


class PageCitationV1(PageCitation, _CitationBase):
    """A page, 1-based."""


class SlideCitationV1(SlideCitation, _CitationBase):
    """A slide of a presentation, 1-based."""


class CellCitationV1(CellCitation, _CitationBase):
    """Cells of a sheet, or all of it."""


class RegionCitationV1(RegionCitation, _CitationBase):
    """A rectangle in pixels from the top left; `page` (1-based) where the picture is part of a page."""

    read_from_picture: bool | None = None
    """True for text that was recognised in a picture and may be misread; absent for the picture itself."""


class CaptionCitationV1(CaptionCitation, _CitationBase):
    """A caption that a model wrote about a picture."""


class TimeCitationV1(TimeCitation, _CitationBase):
    """A stretch of a recording in milliseconds."""

    heard_in_recording: bool | None = None
    """True for speech that was heard by a machine and may be misheard; absent for subtitles and the recording itself."""


class CodeCitationV1(CodeCitation, _CitationBase):
    """Lines of a source-code file, 1-based, both ends included."""


CitationV1 = Annotated[
    LineCitationV1
    | PageCitationV1
    | SlideCitationV1
    | CellCitationV1
    | RegionCitationV1
    | CaptionCitationV1
    | TimeCitationV1
    | CodeCitationV1,
    Field(discriminator="kind"),
]
"""One of the eight kinds."""


def wire_citation(citation: Citation) -> CitationV1:
    """Return a citation with its URI."""
    return _wire_type().validate_python({
        **citation.model_dump(),
        "uri": citation.to_uri(),
        "address": citation.to_address(),
        **({"read_from_picture": True} if is_recognised(citation) else {}),
        **({"heard_in_recording": True} if is_heard(citation) else {}),
    })


@cache
def _wire_type() -> TypeAdapter[CitationV1]:
    """The validator of citations; building it takes a hundred times as long as using it."""
    return TypeAdapter(CitationV1)
