"""Citations as URIs and back: `[<source_id>:]<percent-encoded path>#<fragment>`.

| kind | fragment |
|---|---|
| line | `L10`, `L10-L42` |
| code | the same with `&symbol=…` and `&lang=…`; an empty `&lang=` where there is neither |
| page | `p=13` |
| region | `xywh=x,y,w,h`, on a page `p=3&xywh=x,y,w,h` |
| caption | `caption&model=…` |
| time | `t=hh:mm:ss.mmm,hh:mm:ss.mmm` with `&speaker=…` |

Fragments follow W3C Media Fragments 1.0 where it has a form. `:` and `#` in a path are always encoded, so the
first of each is the one that separates.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from kebab_core.asset import SourceId, WorkspacePath
from kebab_core.citation import (
    CaptionCitation,
    Citation,
    CodeCitation,
    LineCitation,
    PageCitation,
    RegionCitation,
    TimeCitation,
)
from kebab_core.errors import InvalidInputError
from kebab_core.ids import DEFAULT_SOURCE_ID

_LINES = re.compile(r"L([0-9]+)(?:-L([0-9]+))?")
_PAGE = re.compile(r"[0-9]+")
_XYWH = re.compile(r"([0-9]+),([0-9]+),([0-9]+),([0-9]+)")
_CLOCK = re.compile(r"([0-9]+):([0-5][0-9]):([0-5][0-9])\.([0-9]{3})")


def parse_citation(uri: str) -> Citation:
    """Read a citation from its URI; the inverse of `to_uri` on the addressing fields.

    Args:
        uri: As `to_uri` writes it.

    Returns:
        The citation. `section`, which is for people and not part of the address, is None.

    Raises:
        InvalidInputError: The URI has no fragment, or one that is none of the forms above.
    """
    address, found, fragment = uri.partition("#")
    source, colon, path = address.rpartition(":")
    if not found:
        raise InvalidInputError(f"{uri!r} is not a citation: it has no fragment", uri=uri)
    head, *rest = fragment.split("&")
    try:
        where: dict[str, object] = {
            "path": WorkspacePath(_decode(path)),
            "source_id": SourceId(source) if colon else SourceId(DEFAULT_SOURCE_ID),
        }
        options = {key: _decode(value) for key, _, value in (item.partition("=") for item in rest)}
        return _parse_fragment(head, options, where)
    except ValueError as error:
        raise InvalidInputError(f"{uri!r} is not a citation", uri=uri) from error


def _decode(text: str) -> str:
    return unquote(text, errors="strict")


def _parse_clock(text: str) -> int:
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise ValueError(text)
    hour, minute, second, milliseconds = (int(group) for group in match.groups())
    return ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds


def _parse_fragment(head: str, options: dict[str, str], where: dict[str, object]) -> Citation:
    name, _, value = head.partition("=")
    if lines := _LINES.fullmatch(head):
        return _parse_lines(int(lines[1]), int(lines[2] or lines[1]), options, where)
    if name == "xywh" or "xywh" in options:
        page = _parse_page(value) if name == "p" else None
        return _parse_region(options.get("xywh", value), page, where)
    if name == "p":
        return PageCitation.model_validate({**where, "page": _parse_page(value)})
    if name == "t":
        start, _, end = value.partition(",")
        times = {"start_ms": _parse_clock(start), "end_ms": _parse_clock(end)}
        return TimeCitation.model_validate({**where, **times, "speaker": options.get("speaker")})
    if head == "caption":
        return CaptionCitation.model_validate({**where, "model": options.get("model")})
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


def _parse_region(xywh: str, page: int | None, where: dict[str, object]) -> Citation:
    match = _XYWH.fullmatch(xywh)
    if match is None:
        raise ValueError(xywh)
    x, y, w, h = (int(group) for group in match.groups())
    return RegionCitation.model_validate({**where, "x": x, "y": y, "w": w, "h": h, "page": page})
