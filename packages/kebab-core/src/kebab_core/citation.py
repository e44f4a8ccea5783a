"""Citations: places in documents, as URIs, and where their text is from if it does not stand there as text.

A citation is an address that a reader can open and check. Its URI is
`[<source_id>:]<percent-encoded path>#<fragment>`:

| kind | fragment |
|---|---|
| line | `L10`, `L10-L42` |
| code | the same with `&symbol=…` and `&lang=…`; an empty `&lang=` where there is neither |
| page | `p=13` |
| slide | `slide=3` |
| cells | `sheet=…&cells=B4:D9`; `sheet=…` is the whole sheet |
| region | `xywh=x,y,w,h`, on a page `p=3&xywh=x,y,w,h`; the address of a whole picture has none |
| caption | `caption&p=3&model=…` |
| time | `t=hh:mm:ss.mmm,hh:mm:ss.mmm` with `&speaker=…` |

Character ranges and rectangles show where in a page a passage stands; they are no part of the address, so the URI leaves
them out. An address may have the characters, `p=13&char=120,480` (`to_passage_address`). Fragments follow W3C Media Fragments 1.0 where it has a form. `:` and `#` in a path are always encoded, so the
first of each is the one that separates.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Annotated
from urllib.parse import quote, unquote

from pydantic import Field

from kebab_core.address import format_address, readable_value, shown_address
from kebab_core.errors import InvalidInputError
from kebab_core.files import SourceId, SourceName, WorkspacePath
from kebab_core.ids import DEFAULT_SOURCE_ID
from kebab_core.messages import Message
from kebab_core.model import Model
from kebab_core.span import (
    CaptionSpan,
    CellPlace,
    CharRange,
    CodeSpan,
    LineSpan,
    PagePlace,
    PageText,
    RegionSpan,
    SlidePlace,
    TimeSpan,
    parse_cells,
)


def document_uri(source_id: str, path: str) -> str:
    """Return a whole document as a URI, ASCII only: `[source:]path`."""
    prefix = "" if source_id == DEFAULT_SOURCE_ID else f"{quote(source_id, safe='')}:"
    return f"{prefix}{quote(path, safe='/')}"


_Label = Annotated[str, Field(min_length=1)]


class _Cited(Model, ABC):
    path: WorkspacePath
    source_id: SourceName = SourceId(DEFAULT_SOURCE_ID)

    def to_uri(self) -> str:
        """Return the citation as a URI, ASCII only; the module docstring lists the forms."""
        return f"{document_uri(self.source_id, self.path)}#{self._fragment()}"

    def to_address(self) -> str:
        """Return the citation as an address, which people can read and every command takes: see `kebab_core.address`."""
        return format_address(self.source_id, self.path, self._address_fragment())

    def to_place(self) -> str:
        """Return the address as screens show it: cells as spreadsheets write them, `costs.xlsx#Costs 2026!B4`."""
        return shown_address(self.to_address())

    def to_passage_address(self) -> str:
        """Return the address with the characters of the passage where they are known, `paper.pdf#p=3&char=120,480`."""
        address = self.to_address()
        if not isinstance(self, PageCitation | SlideCitation | CellCitation) or self.char_end is None:
            return address
        return f"{address}&char={self.char_start},{self.char_end}"

    def _address_fragment(self) -> str:
        return self._fragment()

    @abstractmethod
    def _fragment(self) -> str: ...


class _Sectioned(Model):
    section: str | None = None


class LineCitation(_Sectioned, LineSpan, _Cited):
    """Lines of a text file, 1-based, inclusive."""

    def _fragment(self) -> str:
        return _lines(self.start, self.end)


class PageCitation(PageText, _Sectioned, PagePlace, _Cited):
    """A page of a paged document, 1-based, and, where known, a half-open range of code points in its text."""

    def _fragment(self) -> str:
        return f"p={self.page}"


class SlideCitation(CharRange, _Sectioned, SlidePlace, _Cited):
    """A slide of a presentation, 1-based, and, where known, a half-open range of code points in its text."""

    def _fragment(self) -> str:
        return f"slide={self.slide}"


class CellCitation(CharRange, CellPlace, _Cited):
    """Cells of a sheet and, where known, a half-open range of code points in the sheet's text."""

    def _fragment(self) -> str:
        return f"sheet={quote(self.sheet, safe='')}" + self._cells_option()

    def _address_fragment(self) -> str:
        return f"sheet={readable_value(self.sheet)}" + self._cells_option()

    def _cells_option(self) -> str:
        return "" if self.cells is None else f"&cells={self.cells}"


class RegionCitation(RegionSpan, _Cited):
    """A rectangle in pixels from the top left, on `page` (1-based) where there are pages."""

    def _fragment(self) -> str:
        page = "" if self.page is None else f"p={self.page}&"
        return f"{page}xywh={self.x},{self.y},{self.w},{self.h}"

    def _address_fragment(self) -> str:
        if not self.is_whole:
            return self._fragment()
        return "" if self.page is None else f"p={self.page}"


class CaptionCitation(CaptionSpan, _Cited):
    """A caption that a model wrote about a picture."""

    def _fragment(self) -> str:
        page = "" if self.page is None else f"&p={self.page}"
        return "caption" + page + _option("model", self.model)


class TimeCitation(TimeSpan, _Cited):
    """A stretch of a recording in milliseconds."""

    speaker: str | None = None

    def _fragment(self) -> str:
        return self._times() + _option("speaker", self.speaker)

    def _address_fragment(self) -> str:
        speaker = "" if self.speaker is None else f"&speaker={readable_value(self.speaker)}"
        return self._times() + speaker

    def _times(self) -> str:
        return f"t={_clock(self.start_ms)},{_clock(self.end_ms)}"


class CodeCitation(CodeSpan, _Cited):
    """Lines of a source-code file, 1-based, inclusive."""

    symbol: _Label | None = None
    lang: _Label | None = None

    def _fragment(self) -> str:
        options = _option("symbol", self.symbol) + _option("lang", self.lang)
        # An empty language tells code without a known symbol or language from lines of text.
        return self._address_fragment() + (options or "&lang=")

    def _address_fragment(self) -> str:
        return _lines(self.line_start, self.line_end)


Citation = Annotated[
    LineCitation
    | PageCitation
    | SlideCitation
    | CellCitation
    | RegionCitation
    | CaptionCitation
    | TimeCitation
    | CodeCitation,
    Field(discriminator="kind"),
]
"""One of the eight kinds, told apart by `kind`."""


def _lines(start: int, end: int) -> str:
    return f"L{start}" if start == end else f"L{start}-L{end}"


def _option(name: str, value: str | None) -> str:
    return "" if value is None else f"&{name}={quote(value, safe='')}"


def _clock(ms: int) -> str:
    seconds, milliseconds = divmod(ms, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02}:{minute:02}:{second:02}.{milliseconds:03}"


_LINES = re.compile(r"L([0-9]+)(?:-L([0-9]+))?")
_PAGE = re.compile(r"[0-9]+")
_XYWH = re.compile(r"([0-9]+),([0-9]+),([0-9]+),([0-9]+)")
_CLOCK = re.compile(
    r"(?:(?:([0-9]+):)?([0-5]?[0-9]):(?=[0-5][0-9](?![0-9])))?([0-9]+)(?:\.([0-9]{1,3}))?", re.ASCII
)
"""Hours and minutes in front of seconds may be missing, as in media fragments (W3C, 4.2.1)."""


def parse_citation(uri: str) -> Citation:
    """Read a citation from its URI; the inverse of `to_uri` on the addressing fields.

    Args:
        uri: As `to_uri` writes it.

    Returns:
        The citation. `section` and rectangles are None, and so are characters unless the address has them.

    Raises:
        InvalidInputError: The URI has no fragment, or one that is none of the forms above.
    """
    address, found, fragment = uri.partition("#")
    source, colon, path = address.rpartition(":")
    if not found:
        raise InvalidInputError("{uri!r} is not a citation: it has no fragment", uri=uri)
    try:
        return _cite(
            SourceId(_decode(source) if colon else DEFAULT_SOURCE_ID), WorkspacePath(_decode(path)), fragment
        )
    except ValueError as error:
        raise InvalidInputError("{uri!r} is not a citation", uri=uri) from error


def cite_fragment(source_id: SourceId, path: WorkspacePath, fragment: str) -> Citation:
    """Return the citation of a part of a document.

    Args:
        source_id: Source of the document.
        path: Its path.
        fragment: One of the forms above, without `#`.

    Raises:
        InvalidInputError: The fragment is none of them, or ends before it starts.
    """
    try:
        return _cite(source_id, path, fragment)
    except ValueError as error:
        raise InvalidInputError(
            "{fragment!r} is no part of a document: lines are L10-L42, pages p=3, slides slide=3, cells sheet=NAME&cells=B4:D9, times t=1:02,1:30",
            fragment=fragment,
        ) from error


def _cite(source_id: SourceId, path: WorkspacePath, fragment: str) -> Citation:
    """Raises ValueError for a fragment that is none of the forms."""
    head, *rest = fragment.split("&")
    options = {key: _decode(value) for key, _, value in (item.partition("=") for item in rest)}
    return _parse_fragment(head, options, {"path": path, "source_id": source_id})


def _decode(text: str) -> str:
    return unquote(text, errors="strict")


def _parse_clock(text: str) -> int:
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise ValueError(text)
    hour, minute, second = (int(group or 0) for group in match.groups()[:3])
    return ((hour * 60 + minute) * 60 + second) * 1000 + int((match[4] or "").ljust(3, "0"))


def _parse_fragment(head: str, options: dict[str, str], where: dict[str, object]) -> Citation:  # noqa: PLR0911 - a case for each kind of citation
    name, _, value = head.partition("=")
    if lines := _LINES.fullmatch(head):
        return _parse_lines(int(lines[1]), int(lines[2] or lines[1]), options, where)
    if name == "xywh" or "xywh" in options:
        page = _parse_page(value) if name == "p" else None
        return _parse_region(options.get("xywh", value), page, where)
    if name == "p":
        return PageCitation.model_validate({**where, "page": _parse_page(value), **_parse_chars(options)})
    if name == "slide":
        return SlideCitation.model_validate({**where, "slide": _parse_page(value), **_parse_chars(options)})
    if name == "sheet":
        cells = options.get("cells")
        shown = None if cells is None else str(parse_cells(cells))
        return CellCitation.model_validate({
            **where,
            "sheet": _decode(value),
            "cells": shown,
            **_parse_chars(options),
        })
    if name == "t":
        start, _, end = value.partition(",")
        first = _parse_clock(start)
        times = {"start_ms": first, "end_ms": _parse_clock(end) if end else first + 1}
        return TimeCitation.model_validate({**where, **times, "speaker": options.get("speaker")})
    if head == "caption":
        page = _parse_page(options["p"]) if "p" in options else None
        return CaptionCitation.model_validate({**where, "model": options.get("model"), "page": page})
    raise ValueError(head)


def _parse_lines(start: int, end: int, options: dict[str, str], where: dict[str, object]) -> Citation:
    if not options:
        return LineCitation.model_validate({**where, "start": start, "end": end})
    code = {"symbol": options.get("symbol"), "lang": options.get("lang") or None}
    return CodeCitation.model_validate({**where, "line_start": start, "line_end": end, **code})


def _parse_page(text: str) -> int:
    if not _PAGE.fullmatch(text):
        raise ValueError(text)
    return int(text)


def _parse_chars(options: dict[str, str]) -> dict[str, int]:
    if "char" not in options:
        return {}
    start, _, end = options["char"].partition(",")
    return {"char_start": _parse_page(start), "char_end": _parse_page(end)}


def _parse_region(xywh: str, page: int | None, where: dict[str, object]) -> Citation:
    match = _XYWH.fullmatch(xywh)
    if match is None:
        raise ValueError(xywh)
    x, y, w, h = (int(group) for group in match.groups())
    return RegionCitation.model_validate({**where, "x": x, "y": y, "w": w, "h": h, "page": page})


def is_recognised(citation: Citation) -> bool:
    """Return True if a citation is of text that was recognised in a picture, which may be misread."""
    return isinstance(citation, RegionCitation) and citation.char_end is not None


def is_heard(citation: Citation) -> bool:
    """Return True if a citation is of speech that was heard in a recording, which may be misheard; subtitles are not."""
    if not isinstance(citation, TimeCitation) or citation.end_ms <= citation.start_ms:
        return False
    from kebab_core.formats import media_type_of

    return media_type_of(citation.path.name).kind == "audio"


def say_origin(citation: Citation) -> Message | None:
    """Return the origin of cited text that was recognised, heard or written by a model; None for text of the document itself."""
    if isinstance(citation, CaptionCitation):
        return Message("written by the model {model}, not in the picture", model=citation.model)
    if is_heard(citation):
        return Message("heard in a recording")
    return Message("read from a picture") if is_recognised(citation) else None
