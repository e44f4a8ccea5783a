"""Content lines: the grammar that calendars (RFC 5545) and contacts (RFC 6350, and vCard 2.1) share."""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_PART = re.compile(r'[^";:]+|"[^"]*"|[;:]')
_ESCAPE = re.compile(r"\\([nN\\,;:])")
_FIELD = re.compile(r"(?:[^\\;]|\\.)*", re.DOTALL)


class ContentLine(NamedTuple):
    """One property."""

    name: str
    """In capitals, without a group."""
    parameters: Mapping[str, str]
    """By name in capitals; of `TYPE` all values, joined by commas."""
    raw: str
    """The value, with its escapes."""
    group: str = ""
    """What joins lines of a contact, such as `item1`."""

    @property
    def text(self) -> str:
        """The value as text."""
        return _unescape(self.raw)

    @property
    def fields(self) -> list[str]:
        """The parts of a value that has several, such as those of an address."""
        return [_unescape(each) for each in split_fields(self.raw)]


class Component(NamedTuple):
    """What stands between `BEGIN` and `END`."""

    name: str
    lines: list[ContentLine]
    """Its own properties, without those of components in it."""

    def find(self, *names: str) -> list[ContentLine]:
        """Return the properties of these names, in order."""
        return [line for line in self.lines if line.name in names]

    def text(self, name: str) -> str:
        """Return the first value of a name as text; empty without one."""
        return next((line.text.strip() for line in self.find(name)), "")


def read_components(text: str) -> Iterator[Component]:
    """Yield the components of a text in the order in which they end; one that does not end is ended by the text.

    Args:
        text: The whole file.
    """
    open_ones: list[Component] = []
    for line in _read_lines(text):
        if line.name == "BEGIN":
            open_ones.append(Component(line.raw.strip().upper(), []))
        elif line.name == "END":
            if open_ones:
                yield open_ones.pop()
        elif open_ones:
            open_ones[-1].lines.append(line)
    yield from reversed(open_ones)


def split_fields(raw: str) -> list[str]:
    """Split a value at semicolons without a backslash before them."""
    fields, at = list[str](), 0
    while at <= len(raw):
        found = _FIELD.match(raw, at)
        end = found.end() if found else len(raw)
        fields.append(raw[at:end])
        at = end + 1
    return fields


def _read_lines(text: str) -> Iterator[ContentLine]:
    pending = ""
    for line in [*_unfold(text), ""]:
        # A soft line break of quoted-printable, in which vCard 2.1 writes what is not ASCII.
        joined = pending + line
        if joined.endswith("=") and "QUOTED-PRINTABLE" in joined.partition(":")[0].upper():
            pending = joined[:-1]
            continue
        pending = ""
        if found := _parse(joined):
            yield found


def _unfold(text: str) -> Iterator[str]:
    parts: list[str] = []
    for line in text.split("\n"):
        if line[:1] in {" ", "\t"} and parts:
            parts.append(line[1:])
            continue
        if parts:
            yield "".join(parts)
        parts = [line]
    if parts:
        yield "".join(parts)


def _parse(line: str) -> ContentLine | None:
    pieces, at = list[str](), 0
    for found in _PART.finditer(line):
        if found[0] == ":":
            at = found.end()
            break
        pieces.append(found[0])
    if not at:
        return None
    head = "".join(pieces)
    name, *options = _split_quoted(head)
    group, _, name = name.rpartition(".")
    parameters: dict[str, str] = {}
    for option in options:
        key, equals, value = option.partition("=")
        key, value = (key.upper(), value.strip('"')) if equals else ("TYPE", key)
        parameters[key] = f"{parameters[key]},{value}" if key in parameters else value
    raw = line[at:]
    if "QUOTED-PRINTABLE" in ",".join(parameters.values()).upper():
        raw = _decode_quoted(raw, parameters.get("CHARSET", "utf-8"))
    return ContentLine(name.strip().upper(), parameters, raw, group)


def _split_quoted(head: str) -> list[str]:
    parts, quoted = [""], False
    for char in head:
        quoted ^= char == '"'
        if char == ";" and not quoted:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _decode_quoted(raw: str, charset: str) -> str:
    content = quopri.decodestring(raw.encode("utf-8", errors="replace"))
    try:
        return content.decode(charset, errors="replace")
    except LookupError:
        return content.decode("utf-8", errors="replace")


def _unescape(raw: str) -> str:
    return _ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], raw)
