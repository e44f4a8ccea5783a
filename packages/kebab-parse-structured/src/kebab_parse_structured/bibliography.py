"""The extractor `bib-v1` of bibliographies: each entry a section with its fields as text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import Message, ParserVersion

from kebab_parse_structured.structured_extractor import StructuredExtractor, read_text

if TYPE_CHECKING:
    from kebab_parse import TextWriter

    from kebab_parse_structured.structured_extractor import Object

BIBLIOGRAPHY_VERSION = ParserVersion("bib-v1")
MAX_ENTRIES = 50_000
_ENTRY = re.compile(r"@[ \t]*(\w+)[ \t]*[{(]")
_FIELD = re.compile(r"\s*([\w:.+/-]+)\s*=\s*")
_WORD = re.compile(r"[^\s,#{}()\"]+")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_SHOWN_FIRST = (
    "author", "editor", "year", "date", "journal", "journaltitle", "booktitle", "publisher", "school", "institution",
    "volume", "number", "pages", "doi", "isbn", "url", "keywords", "note", "abstract",
)  # fmt: skip
_HIDDEN = frozenset({"title", "file", "bdsk-file-1", "bdsk-url-1", "timestamp", "owner"})
_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307",
    '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323", "c": "\u0327", "k": "\u0328", "b": "\u0331",
}  # fmt: skip
_ACCENTED = re.compile(
    r"\\(?:([`'^~=.\"])\s*|([uvHcdbrk])(?:\s+|(?=\{)))(?:\{\s*(\\?[A-Za-z])\s*\}|(\\?[A-Za-z]))"
)
_SIGNS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł",
    "i": "i", "j": "j", "textendash": "–", "textemdash": "—", "ldots": "…", "dots": "…", "textquoteright": "’",
}  # fmt: skip
_SIGN = re.compile(r"\\([A-Za-z]+)(?:\s+|\{\})?")
_ESCAPED = re.compile(r"\\([&%$#_{}])")


class Entry(NamedTuple):
    """An entry."""

    kind: str
    key: str
    fields: Mapping[str, str]
    """By name in small letters."""


class BibliographyExtractor(StructuredExtractor):
    """Extractor of bibliographies (`.bib`, BibTeX and BibLaTeX)."""

    formats = frozenset({"bib"})
    version = BIBLIOGRAPHY_VERSION

    def _write(self, writer: TextWriter, content: bytes, warnings: list[Message]) -> Object:
        """Write each entry under its title: its key, then its fields, with accents of LaTeX as letters."""
        entries = read_entries(read_text(content, warnings))
        for entry in islice(entries, MAX_ENTRIES):
            _write_entry(writer, entry)
        if next(entries, None) is not None:
            warnings.append(
                Message(
                    "only the first {entries:,} entries of the bibliography are read", entries=MAX_ENTRIES
                )
            )
        return {}


def read_entries(text: str) -> Iterator[Entry]:
    """Yield the entries of a text in order; abbreviations of `@string` are replaced, comments left out."""
    strings = {month: month.capitalize() for month in _MONTHS}
    at = 0
    while found := _ENTRY.search(text, at):
        kind, at = found[1].lower(), found.end()
        if kind == "comment":
            continue
        if kind == "preamble":
            _, at = _read_value(text, at, strings)
            continue
        key = ""
        if kind != "string":
            end = min((place for sign in ",})" if (place := text.find(sign, at)) >= 0), default=len(text))
            key, at = text[at:end].strip(), end + (text[end : end + 1] == ",")
        fields: dict[str, str] = {}
        while field := _FIELD.match(text, at):
            value, at = _read_value(text, field.end(), strings)
            fields.setdefault(field[1].lower(), value)
            while text[at : at + 1] in {",", " ", "\n", "\t"} and at < len(text):
                at += 1
        if kind == "string":
            strings.update(fields)
        elif key or fields:
            yield Entry(kind, key, fields)


def plain_text(value: str) -> str:
    """Return a value of BibTeX as text: accents as letters, braces and commands left out."""

    def accent(found: re.Match[str]) -> str:
        letter = (found[3] or found[4]).lstrip("\\")
        return unicodedata.normalize("NFC", letter + _ACCENTS[found[1] or found[2]])

    value = _ACCENTED.sub(accent, value)
    value = _SIGN.sub(lambda found: _SIGNS.get(found[1], " "), _ESCAPED.sub(r"\1", value))
    return " ".join(value.replace("{", "").replace("}", "").replace("~", " ").replace("--", "–").split())


def _read_value(text: str, at: int, strings: Mapping[str, str]) -> tuple[str, int]:
    """Read a value: parts in braces or quotes, numbers and abbreviations, joined by `#`; return it and where it ends."""
    parts: list[str] = []
    while at < len(text):
        if text[at] in '{"':
            part, at = _read_quoted(text, at)
        elif word := _WORD.match(text, at):
            part, at = strings.get(word[0].lower(), word[0]), word.end()
        else:
            break
        parts.append(part)
        rest = at
        while text[rest : rest + 1].isspace():
            rest += 1
        if text[rest : rest + 1] != "#":
            break
        at = rest + 1
        while text[at : at + 1].isspace():
            at += 1
    return "".join(parts), at


def _read_quoted(text: str, at: int) -> tuple[str, int]:
    closing, depth = "}" if text[at] == "{" else '"', 0
    for end in range(at + 1, len(text)):
        char = text[end]
        if text[end - 1] == "\\" and char in '{}"':
            continue
        if char == closing and depth == 0:
            return text[at + 1 : end], end + 1
        depth += (char == "{") - (char == "}")
    return text[at + 1 :], len(text)


def _write_entry(writer: TextWriter, entry: Entry) -> None:
    fields = {name: plain_text(value) for name, value in entry.fields.items() if name not in _HIDDEN}
    writer.heading(2, plain_text(entry.fields.get("title", "")) or entry.key)
    names = [name for name in _SHOWN_FIRST if fields.get(name)]
    names += [name for name in fields if name not in _SHOWN_FIRST and fields[name]]
    lines = [f"@{entry.kind}: {entry.key}" if entry.key else f"@{entry.kind}"]
    for name in names:
        if name == "abstract":
            continue
        value = fields[name].replace(" and ", "; ") if name in {"author", "editor"} else fields[name]
        lines.append(f"{name}: {value}")
    writer.paragraph("\n".join(lines))
    writer.paragraph(fields.get("abstract", ""))
