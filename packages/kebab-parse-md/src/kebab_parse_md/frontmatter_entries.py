"""Front matter that cannot be read as a whole, read entry by entry: a doubled key or a bad value costs only itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from textwrap import dedent

from kebab_core import Message
from pydantic import JsonValue

from kebab_parse_md.frontmatter_syntax import FIRST_LINE, FrontMatterSyntaxError

Parse = Callable[[str, int], dict[str, JsonValue] | None]
"""Parses a part of the text between the fences, given the number of its first line in the file, from 1."""
_YAML_KEY = re.compile(
    r"""[ \t]{0,200}(?:"[^"]{0,200}"[ \t]{0,9}|'[^']{0,200}'[ \t]{0,9}|[^\s#'"\-\[\]{}:][^:]{0,200}):(?:[ \t]|$)"""
)
_TOML_KEY = re.compile(r"""[ \t]{0,200}["'\w][^=]{0,200}=""")
"""Bounded, so that a long line without a key costs no more than its length."""
_TOML_TABLE = re.compile(r"[ \t]*\[")
_MAX_ENTRIES = 2_000


@dataclass(slots=True)
class Entries:
    """The entries of front matter that can be read, and the lines of those that cannot."""

    values: dict[str, JsonValue] = field(default_factory=dict)
    unread: list[range] = field(default_factory=list)
    """Lines, from 0 after the fence."""
    warnings: list[Message] = field(default_factory=list)
    _places: dict[str, range] = field(default_factory=dict)

    def skip(self, lines: range, reason: Message) -> None:
        """Note an entry that cannot be read."""
        self.unread.append(lines)
        self.warnings.append(
            Message(
                "the key in line {line} of the front matter is not read and is indexed as text: {reason}",
                line=lines.start + FIRST_LINE,
                reason=reason,
            )
        )

    def add(self, lines: range, values: Mapping[str, JsonValue], *, is_row: bool) -> None:
        """Take the values of an entry; those of a row of an array of tables follow the rows before it."""
        for key, value in values.items():
            before = self.values.get(key)
            if is_row and isinstance(before, list) and isinstance(value, list):
                value = [*before, *value]
            elif key in self.values:
                self.unread += (self._places[key], lines)
                self.warnings.append(
                    Message(
                        "the key `{name}` stands twice in the front matter; its last value counts",
                        name=key[:60],
                    )
                )
            self.values[key] = value
            self._places[key] = lines


def read_entries(text: str, parse: Parse, *, is_toml: bool) -> Entries | None:
    """Read the text between the fences entry by entry, an entry being a key with its value, or a table of TOML.

    Of a key that stands there twice the last value counts. Entries of YAML may refer to anchors of those before them.

    Returns:
        The entries; None if fewer than half of them can be read, so that the text is hardly front matter.
    """
    found = Entries()
    anchors, count, skipped = "", 0, 0
    for lines, entry in _split(text, is_toml=is_toml):
        count += 1
        try:
            values = _parse_entry(entry, parse, anchors=anchors, line=FIRST_LINE + lines.start)
        except FrontMatterSyntaxError as error:
            found.skip(lines, error.message)
            skipped += 1
        else:
            found.add(lines, values, is_row=is_toml and entry.lstrip().startswith("[["))
            anchors += f"{entry}\n" if "&" in entry and not is_toml else ""
        if count > _MAX_ENTRIES:
            return None
    return found if found.values and 2 * skipped <= count else None


def _split(text: str, *, is_toml: bool) -> Iterator[tuple[range, str]]:
    lines = text.removesuffix("\n").split("\n")
    starts: list[int] = []
    base: int | None = None
    in_table = False
    for number, line in enumerate(lines):
        is_table = is_toml and _TOML_TABLE.match(line) is not None
        if not is_table and (in_table or not (_TOML_KEY if is_toml else _YAML_KEY).match(line)):
            continue
        indent = len(line) - len(line.lstrip())
        if base is None or indent <= base or is_table:
            base, in_table = indent, in_table or is_table
            starts.append(number)
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        yield range(start, end), "\n".join(lines[start:end])


def _parse_entry(entry: str, parse: Parse, *, anchors: str, line: int) -> dict[str, JsonValue]:
    """Parse one entry, which begins in a line of the file, as it stands or with its tabs as blanks.

    Raises:
        FrontMatterSyntaxError: It cannot be read either way.
    """
    before = anchors if "*" in entry else ""
    first_line = line - before.count("\n")
    try:
        values = parse(before + dedent(entry), first_line)
    except FrontMatterSyntaxError:
        if "\t" not in entry:
            raise
        values = parse(before + dedent(entry.expandtabs(2)), first_line)
    if not before:
        return values or {}
    known = parse(before, first_line) or {}
    return {key: value for key, value in (values or {}).items() if key not in known}
