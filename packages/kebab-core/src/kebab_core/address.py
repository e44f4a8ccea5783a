"""Addresses: one text for a document or a part of it, printed by every face and taken by every command and tool.

`[source:]path[#L10-L42]`. The path is readable: only characters that would change its meaning are percent-encoded. The
source is left out where it is `default`. Fragments are those of citations (`kebab_core.citation`), of code the lines alone;
`char=1200,3400` (RFC 5147) are code points of the text of the document, alone or with those of a page, slide or sheet.
`path:10`, `path:10-42` and `path:10:5`, as compilers and editors write places, are taken for `path#L10` and `path#L10-L42` where
nothing has all of the text as its path. An address may also be an id, a unique prefix of one, or `@3`, the third hit of the last search in a terminal.

`format_address` writes one, `parse_address` lists what a text can mean; `kebab_documents.find_address` finds the document.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple
from urllib.parse import quote, unquote

from kebab_core.errors import InvalidInputError
from kebab_core.files import SourceId, WorkspacePath
from kebab_core.ids import DEFAULT_SOURCE_ID

MIN_ID_DIGITS = 6
"""Digits of the shortest prefix that is taken for that of an id; shorter ones are words, too (`cafe`, `dead`)."""
SHOWN_ID_DIGITS = 8
"""Digits of an id that people are shown."""
_MAX_CHARS = 8000
"""Longer texts are no addresses: file systems allow 4,096 bytes."""

_FRAGMENT = re.compile(
    r"#(?P<fragment>L[0-9]{1,9}(?:-L?[0-9]{1,9})?(?:&[^#]{0,500})?|p(?:age)?=[0-9]{1,9}(?:&xywh=[0-9,]{1,40})?"
    r"|(?:p(?:age)?=[0-9]{1,9}|slide=[0-9]{1,9}|sheet=[^#&]{1,800}(?:&cells=[A-Za-z0-9:]{1,30})?)(?:&char=[0-9]{1,12},[0-9]{1,12})?"
    r"|char=[0-9]{1,12},(?:[0-9]{1,12})?|xywh=[0-9,]{1,40}"
    r"|t=[0-9:.]{1,40}(?:,[0-9:.]{1,40})?(?:&[^#]{0,500})?|caption(?:&[^#]{0,500})?"
    r"|(?P<sheet>[^#]{1,800})!(?P<cells>[A-Za-z]{1,3}[0-9]{1,7}(?::[A-Za-z]{1,3}[0-9]{1,7})?))\Z"
)
"""A fragment at the end of an address; `L10-42` is taken for `L10-L42`, `page=3` for `p=3`, `cells=b2` for `cells=B2`, and
`Costs 2026!B2`, as spreadsheets write it, for `sheet=Costs 2026&cells=B2`."""
_LINES = re.compile(r":(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9})|:[0-9]{1,9})?\Z")
_PAGE = re.compile(r"^page=")
_CELLS = re.compile(r"&cells=[a-z0-9:]{1,30}", re.IGNORECASE)
_SHEET_CELLS = re.compile(r"sheet=([^&]+)&cells=([A-Z0-9:]+)")
_SHORT_RANGE = re.compile(r"(L[0-9]{1,9}-)(?=[0-9])")
_SOURCE = re.compile(r"([\w.-]{1,200}):")
_HIT = re.compile(r"@([0-9]{1,6})")
_ID = re.compile(rf"[0-9a-fA-F]{{{MIN_ID_DIGITS},32}}")
_ENCODED = re.compile(
    r"%(?=[0-9a-fA-F]{2})|[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]|\A(?: |~(?=/)|@(?=[0-9]{1,6}\Z))| \Z"
)
"""Parts of a path that would be read otherwise or are not seen: escapes, control characters, spaces at the ends, `~/`, `@3`."""

_ENCODED_VALUE = re.compile(r"[#&]|%|" + _ENCODED.pattern)


class PathReading(NamedTuple):
    """One meaning of an address: a path in a source, or in any."""

    source_id: SourceId | None
    """None: no source is named."""
    path: WorkspacePath
    fragment: str = ""
    """As in the URI of a citation, without `#`; empty for the whole document."""


class ParsedAddress(NamedTuple):
    """The meanings of a text as an address, in the order in which they are tried."""

    text: str
    hit: int | None = None
    """Rank of a hit of the last search: then it has no other meaning."""
    paths: tuple[PathReading, ...] = ()
    """As typed, then percent-decoded; the URI of a citation is among the latter."""
    file: str = ""
    """The text without its fragment: a path on disk, if one exists."""
    id_prefix: str = ""
    """6 to 32 hexadecimal digits in lower case; empty where it cannot be an id."""
    fragment: str = ""
    """Fragment that belongs to `file` or `id_prefix`."""


def format_address(source_id: str, path: str, fragment: str = "") -> str:
    """Return the address of a document or of a part of it, on one line.

    Args:
        source_id: Its source.
        path: Its path in the source.
        fragment: As in the URI of its citation, without `#`; empty for the whole document.
    """
    text = _ENCODED.sub(lambda found: quote(found[0], safe=""), path)
    if not fragment and (ending := _FRAGMENT.search(text)):
        text = f"{text[: ending.start()]}%23{text[ending.start() + 1 :]}"
    if source_id != DEFAULT_SOURCE_ID:
        text = f"{source_id}:{text}"
    elif _SOURCE.match(text):
        text = text.replace(":", "%3A", 1)
    return f"{text}#{fragment}" if fragment else text


def readable_value(text: str) -> str:
    """Return a value of a fragment with only those characters percent-encoded that would end it or are not seen."""
    return _ENCODED_VALUE.sub(lambda found: quote(found[0], safe=""), text)


def shown_fragment(fragment: str) -> str:
    """Return a fragment of an address as screens show it: cells as spreadsheets write them, `Costs 2026!B2`."""
    cells = _SHEET_CELLS.fullmatch(fragment)
    if cells is None:
        return fragment
    shown = f"{cells[1].replace('%26', '&')}!{cells[2]}"
    found = _FRAGMENT.fullmatch(f"#{shown}")
    return fragment if found is None or found["sheet"] is None else shown


def shown_address(address: str) -> str:
    """Return an address as screens show it; see `shown_fragment`."""
    before, mark, fragment = address.rpartition("#")
    return f"{before}{mark}{shown_fragment(fragment)}"


def parse_address(text: str) -> ParsedAddress:
    """Return what a text can mean as an address; nothing is looked up.

    Raises:
        InvalidInputError: It is empty, or too long to be one.
    """
    if not text.strip() or len(text) > _MAX_CHARS:
        raise InvalidInputError("{address!r} is not an address", address=text)
    if hit := _HIT.fullmatch(text.strip()):
        return ParsedAddress(text=text, hit=int(hit[1]))
    found = _FRAGMENT.search(text)
    lines = None if found else _LINES.search(text)
    if found:
        fragment = _regular_fragment(found)
    else:
        fragment = (
            "" if lines is None else "-".join(f"L{line}" for line in (lines["first"], lines["last"]) if line)
        )
    ending = found or lines
    before = text[: ending.start()] if ending else text
    decoded = _decode(before)
    typed = _read_path(before, fragment)
    if ending:
        whole = _read_path(text, "")
        typed = [*typed, *whole] if found else [*whole, *typed]
    other = (
        []
        if decoded is None or decoded == before
        else [*_read_encoded(before, fragment), *_read_path(decoded, fragment)]
    )
    return ParsedAddress(
        text=text,
        paths=tuple(dict.fromkeys([*typed, *other])),
        file=before,
        id_prefix=before.strip().lower() if _ID.fullmatch(before.strip()) else "",
        fragment=fragment,
    )


def _regular_fragment(found: re.Match[str]) -> str:
    """Return a fragment as people type it in the form of citations."""
    text, sheet = found["fragment"], found["sheet"]
    if sheet is not None:
        return f"sheet={readable_value(_decode(sheet) or sheet)}&cells={found['cells'].upper()}"
    text = _SHORT_RANGE.sub(r"\1L", _PAGE.sub("p=", text))
    cells = _CELLS.search(text) if text.startswith("sheet=") else None
    return text if cells is None else text.replace(cells[0], f"&cells={cells[0][7:].upper()}")


def _read_path(text: str, fragment: str) -> list[PathReading]:
    """Read a path with a source before it, and one without."""
    source = _SOURCE.match(text)
    readings = [_reading(_source_id(source), text[source.end() :], fragment)] if source else []
    return [one for one in [*readings, _reading(None, text, fragment)] if one is not None]


def _read_encoded(text: str, fragment: str) -> list[PathReading]:
    """Read a percent-encoded path whose colons are encoded, too, so that the first bare one ends the source."""
    source = _SOURCE.match(text)
    path = _decode(text[source.end() :] if source else text)
    reading = None if path is None else _reading(_source_id(source) if source else None, path, fragment)
    return [] if reading is None else [reading]


def _source_id(found: re.Match[str]) -> SourceId:
    return SourceId(unicodedata.normalize("NFC", found[1]))


def _reading(source_id: SourceId | None, path: str, fragment: str) -> PathReading | None:
    try:
        return PathReading(source_id, WorkspacePath(path), fragment)
    except InvalidInputError:
        return None


def _decode(text: str) -> str | None:
    """Percent-decode a text; None where the bytes are no UTF-8."""
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return None
